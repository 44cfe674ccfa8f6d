import Core
import JSON
import Simulation
import Storage
import Terminal

/// The figures of an exploration.
enum Totals {
    static func tell(
        _ report: ExplorationReport, from first: UInt64, seconds: Double, isJSON: Bool
    ) {
        let speed = Int(Double(report.eventCount) / max(seconds, 0.001))
        let verdicts = Verdict.allCases.compactMap { verdict in
            report.verdicts[verdict].map { (verdict.word, $0) }
        }
        let faults = FaultKind.allCases.compactMap { fault in
            report.faultCounts[fault].map { (fault.rawValue, $0) }
        }
        let counts = report.counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        guard isJSON else {
            tell(report, from: first, seconds, speed, verdicts, faults, counts)
            return
        }
        func object(_ members: [(String, Int)]) -> JSONValue {
            JSONValue.named(members.map { ($0.0, .number($0.1)) })
        }
        let failures = report.failures.map { failure in
            JSONValue.named([("seed", .number(failure.seed))] + Ending.json(failure.outcome))
        }
        Screen.line(
            JSONValue.named([
                ("seed", .number(first)), ("scenarios", .number(report.scenarioCount)),
                ("steps", .number(report.stepCount)), ("events", .number(report.eventCount)),
                ("seconds", .number(Number.tenths(seconds))), ("eventsPerSecond", .number(speed)),
                ("refused", .number(report.refusedCount)), ("verdicts", object(verdicts)),
                ("faults", object(faults)), ("counts", object(counts)),
                ("failures", .array(failures)),
                ("trace", .text(Hexadecimal.text(report.traceHash))),
            ]))
    }

    private static func tell(
        _ report: ExplorationReport, from first: UInt64, _ seconds: Double, _ speed: Int,
        _ verdicts: [(String, Int)], _ faults: [(String, Int)], _ counts: [(String, Int)]
    ) {
        func list(_ members: [(String, Int)]) -> String {
            members.map { "\($0.0) \(Number.grouped($0.1))" }.joined(separator: ", ")
        }
        Screen.line(
            "\(Number.counted(report.scenarioCount, "scenario", "scenarios")) from seed \(first) on in "
                + "\(Number.tenths(seconds)) s: \(Number.counted(report.stepCount, "step")), "
                + "\(Number.grouped(report.refusedCount)) of them refused, "
                + "\(Number.counted(report.eventCount, "event")), "
                + "\(Number.grouped(speed)) a second")
        Screen.line("endings: \(list(verdicts))")
        if !faults.isEmpty { Screen.line("scenarios with: \(list(faults))") }
        if !counts.isEmpty { Screen.line(Screen.faint("happened: \(list(counts))")) }
        Screen.line(Screen.faint("trace \(Hexadecimal.text(report.traceHash))"))
    }
}

/// Numbers as people read them.
enum Number {
    /// `1,234,567`.
    static func grouped(_ number: Int) -> String { Counted.grouped(number) }

    /// `1 step`, `1,234 steps`.
    static func counted(_ number: Int, _ one: String, _ several: String? = nil) -> String {
        Counted.words(number, one, several, isGrouped: true)
    }

    /// `12.3`.
    static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// Time since a moment.
struct Stopwatch {
    private let start = ContinuousClock.now

    /// Since it was started.
    var seconds: Double {
        let passed = ContinuousClock.now - start
        return Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    }
}

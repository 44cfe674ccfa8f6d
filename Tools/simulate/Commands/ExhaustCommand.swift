import Core
import JSON
import Simulation
import Storage
import Terminal

/// Runs all small worlds.
enum ExhaustCommand: Command {
    static let name = "exhaust"
    static let summary = "Run all small scenarios: edits of a record or two, and syncs"
    static let help = """
          simulate exhaust --depth 4
          simulate exhaust --depth 3 --devices 3 --slice 2/8

          --depth D       the most operations of a program (3)
          --devices R     how many devices (2)
          --records N     how many records: 1, or 2 that may refer to each other (1)
          --one-id        two records with one id, in two collections
          --policy P      deletes-win, edits-win or both (both)
          --start S       nobody has the record at first, everybody, or both (both)
          --broken        sessions also break when one direction has arrived
          --slice I/N     runs one of N parts
          --collect       goes on after a failure
          --shrink-to F   where the first failing scenario goes (exhaust.scenario)

        An operation is one of seven, on one device: two values for the title, one for the notes, delete,
        restore, purge, resolve; with two records also to put one below the other. Between any two there is nothing, or a sync of one pair. Each program
        is healed and judged in a world of its own.
        """
    static let values = ["depth", "devices", "records", "policy", "start", "slice", "shrink-to"]
    static let flags = ["broken", "collect", "one-id"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let plan = try plan(arguments)
        var search = Exhaustion(plan: plan) { World.playSmall($0) }
        let watch = Stopwatch()
        var shown = 0.0
        search.search(collects: arguments.has("collect")) { report in
            if Screen.showsProgress, watch.seconds - shown > 0.2 {
                shown = watch.seconds
                let done = report.coveredCount + report.elsewhereCount
                Screen.progress(
                    "\(Number.grouped(done)) of \(Number.counted(plan.programCount, "program")), "
                        + "\(Number.grouped(report.runCount)) run")
            }
            return false
        }
        Screen.progress("")
        let report = search.report
        if arguments.has("json") {
            tellJSON(report, plan, watch.seconds)
        } else {
            tell(report, plan, watch.seconds)
            if let first = report.failures.first {
                try tell(first, to: arguments["shrink-to"] ?? "exhaust.scenario")
            }
        }
        return report.failures.first?.outcome.verdict.exitCode ?? .ok
    }

    private static func plan(_ arguments: Arguments) throws -> ExhaustivePlan {
        let policies: [DeletePolicy]
        switch arguments["policy"] ?? "both" {
        case "both": policies = [.deletesWin, .editsWin]
        case "deletes-win": policies = [.deletesWin]
        case "edits-win": policies = [.editsWin]
        case let word:
            throw CommandFailure(
                .usage, "--policy is deletes-win, edits-win or both, not '\(word)'")
        }
        var starts = ExhaustivePlan.Start.allCases
        if let word = arguments["start"], word != "both" {
            guard let start = ExhaustivePlan.Start(rawValue: word) else {
                throw CommandFailure(
                    .usage, "--start is nobody, everybody or both, not '\(word)'")
            }
            starts = [start]
        }
        var plan = ExhaustivePlan(
            depth: try arguments.number("depth", in: 1...ExhaustivePlan.depthMax) ?? 3,
            deviceCount: try arguments.number("devices", in: 2...ExhaustivePlan.deviceCountMax)
                ?? 2,
            recordCount: try arguments.number("records", in: 1...ExhaustivePlan.recordCountMax)
                ?? 1, hasOneID: arguments.has("one-id"), policies: policies, starts: starts,
            hasBrokenSyncs: arguments.has("broken"))
        if let text = arguments["slice"] {
            let parts = text.split(separator: "/").map { Int($0) ?? 0 }
            guard parts.count == 2, parts[0] >= 1, parts[0] <= parts[1], parts[1] <= 10_000 else {
                throw CommandFailure(
                    .usage,
                    "--slice takes a part and a number of parts, as 2/8, not '\(text)'")
            }
            plan.slice = (parts[0], parts[1])
        }
        return plan
    }

    private static func tell(_ report: ExhaustiveReport, _ plan: ExhaustivePlan, _ seconds: Double)
    {
        let slice =
            plan.slice.count > 1 ? " (part \(plan.slice.number) of \(plan.slice.count))" : ""
        Screen.line(
            "programs of up to \(Number.counted(plan.depth, "operation")) on "
                + (plan.recordCount > 1 ? "\(plan.recordCount) records " : "")
                + (plan.hasOneID ? "of one id " : "") + (plan.recordCount > 1 ? "and " : "")
                + "\(Number.counted(plan.deviceCount, "device")): "
                + "\(Number.grouped(plan.programCount))")
        Screen.line(
            "covered\(slice): \(Number.grouped(report.coveredCount)) in \(Number.tenths(seconds)) s: "
                + "\(Number.grouped(report.runCount)) run, "
                + "\(Number.grouped(report.alikeCount)) like a shorter one, "
                + "\(Number.grouped(report.mirroredCount)) with other names")
        Screen.line(
            "\(Number.counted(report.eventCount, "event")), "
                + "\(Number.grouped(Int(Double(report.eventCount) / max(seconds, 0.001)))) a second; "
                + "failures: \(report.failures.count)")
        Screen.line(Screen.faint("trace \(Hexadecimal.text(report.traceHash))"))
    }

    private static func tell(_ failure: ExhaustiveReport.Failure, to path: String) throws {
        var options = WorldOptions()
        options.keepsTrace = true
        let world = World(failure.scenario, options: options)
        let outcome = world.run()
        world.end()
        Screen.write(Ending.text(of: failure.scenario, outcome, world.trace))
        let head = "# \(outcome.verdict.word): \(outcome.detail)\n\n"
        try Files.write((head + ScenarioWriter.text(of: failure.scenario)).utf8, to: path)
        Screen.line("replay with:\n  simulate run \(path)")
    }

    private static func tellJSON(
        _ report: ExhaustiveReport, _ plan: ExhaustivePlan, _ seconds: Double
    ) {
        let failures = report.failures.map { failure in
            JSONValue.named(
                Ending.json(failure.outcome, of: failure.scenario)
                    + [("scenario", .text(ScenarioWriter.text(of: failure.scenario)))])
        }
        Screen.line(
            JSONValue.named([
                ("programs", .number(plan.programCount)), ("covered", .number(report.coveredCount)),
                ("run", .number(report.runCount)), ("alike", .number(report.alikeCount)),
                ("renamed", .number(report.mirroredCount)),
                ("elsewhere", .number(report.elsewhereCount)),
                ("events", .number(report.eventCount)),
                ("seconds", .number(Number.tenths(seconds))),
                ("failures", .array(failures)),
                ("trace", .text(Hexadecimal.text(report.traceHash))),
            ]))
    }
}

/// How a scenario ended, in one word; each has an exit code of its own.
package enum Verdict: Int32, Hashable, Sendable, CaseIterable {
    /// All went as foreseen, and every promise was kept.
    case passed = 0
    /// Something was not as the scenario expects it.
    case expectationFailed = 1
    /// Replicas with the same writes hold different things, or never agree.
    case diverged = 2
    /// A write is gone that nobody replaced.
    case lostWrite = 3
    /// Something deleted came back.
    case resurrection = 4
    /// Devices do not come to rest, or a session waits for ever.
    case stuck = 5
    /// The engine failed where nothing was meant to fail.
    case crashed = 6
    /// A replica claims what it does not have, or one dot names two writes.
    case unsound = 7
    /// Data about records grows beyond its bound.
    case unbounded = 8
    /// A live query and a fresh fetch differ.
    case staleQuery = 9
    /// The scenario cannot be read.
    case badScenario = 65

    /// The word for it.
    package var word: String {
        switch self {
        case .passed: "passed"
        case .expectationFailed: "expectation failed"
        case .diverged: "diverged"
        case .lostWrite: "lost write"
        case .resurrection: "resurrection"
        case .stuck: "stuck"
        case .crashed: "crashed"
        case .unsound: "unsound"
        case .unbounded: "unbounded"
        case .staleQuery: "stale query"
        case .badScenario: "bad scenario"
        }
    }

    /// Its meaning, in a part of a sentence.
    package var meaning: String {
        switch self {
        case .passed: "all went as foreseen, every promise was kept"
        case .expectationFailed:
            "something is not as the scenario expects it, or was refused, or was not"
        case .diverged: "devices with the same writes hold different things, or never agree"
        case .lostWrite: "a write is gone that nobody replaced"
        case .resurrection: "something deleted or replaced came back"
        case .stuck: "devices do not come to rest, or a session waits for ever"
        case .crashed: "the engine failed where nothing was meant to fail"
        case .unsound:
            "a device claims to know what it does not have, or one number names two writes"
        case .unbounded: "more is kept about an item than can matter"
        case .staleQuery: "a live query and a fresh one differ"
        case .badScenario: "the scenario cannot be read"
        }
    }
}

/// A promise that was broken, or an expectation that was not met.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the broken promise.
    package var verdict: Verdict
    /// The fault, in a sentence.
    package var description: String

    /// A broken promise.
    package init(_ verdict: Verdict, _ description: String) {
        self.verdict = verdict
        self.description = description
    }
}

/// How a scenario ended.
package struct Outcome: Hashable, Sendable {
    /// Which promise was broken, or `passed`.
    package var verdict: Verdict
    /// The fault, in a sentence; empty if there is none.
    package var detail: String
    /// The step at which it ended; counts from 0; nil if it was after the last one.
    package var step: Int?
    /// How many steps were carried out.
    package var stepCount: Int
    /// How many events the world went through.
    package var eventCount: Int
    /// Tells this run from every other one: equal only if every event was the same.
    package var traceHash: UInt64
    /// The expectations that were not met, in order; the first decides the ending, where one does.
    package var failures: [FailedExpectation] = []

    /// An ending.
    package init(
        _ verdict: Verdict, detail: String = "", step: Int? = nil, stepCount: Int = 0,
        eventCount: Int = 0, traceHash: UInt64 = 0
    ) {
        self.verdict = verdict
        self.detail = detail
        self.step = step
        self.stepCount = stepCount
        self.eventCount = eventCount
        self.traceHash = traceHash
    }
}

/// An expectation that was not met.
package struct FailedExpectation: Hashable, Sendable {
    /// The step; counts from 0.
    package var step: Int
    /// The difference, in a sentence.
    package var detail: String
}

/// How a program that runs scenarios ends: as the scenario ended, or with a number of sysexits(3) where no
/// scenario decides it.
package enum SimulatorEnding {
    /// Every number that the program ends with, in order.
    package static let table: [(code: Int32, word: String, meaning: String)] =
        (Verdict.allCases.map { ($0.rawValue, $0.word, $0.meaning) } + [
            (64, "usage", "the command line is wrong"),
            (66, "no input", "a file is missing or cannot be read"),
            (70, "software", "this program failed: please report it"),
            (73, "cannot create", "a file cannot be written"),
            (74, "input or output", "the results cannot be written"),
        ]).sorted { $0.0 < $1.0 }

    /// The table as lines of text.
    package static var text: String {
        let width = table.map(\.word.count).max() ?? 0
        return table.map { row in
            let code = String(repeating: " ", count: row.code < 10 ? 1 : 0) + "\(row.code)"
            let padding = String(repeating: " ", count: width - row.word.count)
            return "  \(code)  \(row.word)\(padding)  \(row.meaning)\n"
        }.joined()
    }
}

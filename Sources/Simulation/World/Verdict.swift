/// How a story ended, in one word; each has an exit code of its own.
package enum Verdict: Int32, Hashable, Sendable, CaseIterable {
    /// All went as foreseen, and every promise was kept.
    case passed = 0
    /// Something was not as the story expects it.
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
    /// What is kept about records grows beyond its bound.
    case unbounded = 8
    /// A live query and a fresh fetch differ.
    case staleQuery = 9
    /// The story cannot be read.
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

    /// What it means, in a part of a sentence.
    package var meaning: String {
        switch self {
        case .passed: "all went as foreseen, every promise was kept"
        case .expectationFailed:
            "something is not as the story expects it, or was refused, or was not"
        case .diverged: "devices with the same writes hold different things, or never agree"
        case .lostWrite: "a write is gone that nobody replaced"
        case .resurrection: "something deleted or replaced came back"
        case .stuck: "devices do not come to rest, or a session waits for ever"
        case .crashed: "the engine failed where nothing was meant to fail"
        case .unsound:
            "a device claims to know what it does not have, or one number names two writes"
        case .unbounded: "more is kept about an item than can matter"
        case .staleQuery: "a live query and a fresh one differ"
        case .badScenario: "the story cannot be read"
        }
    }
}

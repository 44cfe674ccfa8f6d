import TestSupport
import Testing

@Suite("Random worlds of real stores")
struct ExplorationTests {
    /// How many worlds, from which seed on: `TANDEM_SEEDS` and `TANDEM_SEED_FIRST`.
    private static let seedCount = TestSettings.number("TANDEM_SEEDS") ?? 40
    /// How much of a broken world's story is told.
    private static let traceCount = TestSettings.number("TANDEM_TRACE") ?? 12
    private static let first = TestSettings.number("TANDEM_SEED_FIRST") ?? 1

    @Test("whatever goes wrong, all devices come to the same, and nothing is lost or resurrected")
    func explore() throws {
        try explore(count: Self.seedCount, faults: nil)
    }

    @Test("after a store was set back unnoticed, all devices come to the same again")
    func exploreForks() throws {
        try explore(count: Self.seedCount / 6, faults: [.fork, .kill])
    }

    /// Worlds that once broke a promise, each with what was wrong.
    private static let regressions: [(seed: UInt64, what: String)] = [
        (23, "an opening that had only read began to write in a session, and was not told of"),
        (19, "a write was taken for one of an older opening with the same counter"),
        (35, "a copy learned of its original's openings from who knew less"),
        (1380, "a device that called itself while it began to write took itself for a copy"),
    ]

    @Test("worlds that once broke a promise hold it", arguments: regressions.map(\.seed))
    func regression(seed: UInt64) throws {
        var exploration = try Exploration(seed: seed)
        try exploration.run(stepCount: Self.stepCount)
    }

    private static let stepCount = 120

    private func explore(count: Int, faults: Set<Exploration.Fault>?) throws {
        var counts: [String: Int] = [:]
        var broken = 0
        for seed in Self.first..<Self.first + count {
            var exploration = try Exploration(seed: UInt64(seed), faults: faults)
            do {
                try exploration.run(stepCount: Self.stepCount)
            } catch {
                broken += 1
                let last = exploration.world.trace.suffix(Self.traceCount)
                let lines = ["seed \(seed): \(error)", "\(exploration.faults)"] + last
                Issue.record("\(lines.joined(separator: "\n  "))")
                if broken > 5 { break }
            }
            for (what, number) in exploration.world.counts { counts[what, default: 0] += number }
        }
        print("explored \(count) worlds: \(counts.sorted { $0.key < $1.key })")
    }
}

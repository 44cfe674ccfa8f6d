import TestSupport
import Testing

@Suite("Random worlds of real stores")
struct ExplorationTests {
    /// How many worlds, from which seed on: `TANDEM_SEEDS` and `TANDEM_SEED_FIRST`.
    private static let seedCount = TestSettings.number("TANDEM_SEEDS") ?? 60
    private static let first = TestSettings.number("TANDEM_SEED_FIRST") ?? 1

    @Test("whatever goes wrong, all devices come to the same, and nothing is lost or resurrected")
    func explore() throws {
        var counts: [String: Int] = [:]
        var broken = 0
        for seed in Self.first..<Self.first + Self.seedCount {
            var trace: [String] = []
            do {
                var exploration = try Exploration(seed: UInt64(seed))
                defer {
                    trace = exploration.world.trace
                    for (what, count) in exploration.world.counts {
                        counts[what, default: 0] += count
                    }
                }
                try exploration.run(stepCount: 120)
            } catch {
                broken += 1
                Issue.record(
                    "seed \(seed): \(error)\n  \(trace.suffix(TestSettings.number("TANDEM_TRACE") ?? 12).joined(separator: "\n  "))"
                )
                if broken > 5 { break }
            }
        }
        print("explored \(Self.seedCount) worlds: \(counts)")
    }
}

import Simulation
import Testing

@Suite("Exploring seeds")
struct ExplorerTests {
    private func explorer(failing: Set<UInt64>) -> Explorer {
        Explorer(plan: ScenarioPlan(stepCount: 10)) { scenario in
            ScenarioResult(
                Outcome(
                    failing.contains(scenario.seed) ? .lostWrite : .passed, stepCount: 10,
                    eventCount: 3, traceHash: scenario.seed), refused: [1], counts: ["edits": 2])
        }
    }

    @Test("an exploration ends at the first failure, or goes on and lists all")
    func failures() {
        var first = explorer(failing: [4, 6])
        first.explore(from: 1, count: 9, collects: false) { _ in false }
        #expect(first.report.failures.map(\.seed) == [4])
        #expect(first.report.scenarioCount == 4)
        var all = explorer(failing: [4, 6])
        all.explore(from: 1, count: 9, collects: true) { _ in false }
        #expect(all.report.failures.map(\.seed) == [4, 6])
        #expect(all.report.verdicts == [.passed: 7, .lostWrite: 2])
    }

    @Test("everything is summed up")
    func totals() {
        var explorer = explorer(failing: [])
        explorer.explore(from: 1, count: nil, collects: false) { $0.scenarioCount == 5 }
        let report = explorer.report
        #expect(report.scenarioCount == 5)
        #expect(report.stepCount == 50)
        #expect(report.eventCount == 15)
        #expect(report.refusedCount == 5)
        #expect(report.counts == ["edits": 10])
        #expect(report.kindCounts.values.reduce(0, +) == 50)
    }

    @Test("the hash of an exploration tells its runs and their order")
    func hashes() {
        func hash(_ first: UInt64) -> UInt64 {
            var explorer = explorer(failing: [])
            explorer.explore(from: first, count: 3, collects: true) { _ in false }
            return explorer.report.traceHash
        }
        #expect(hash(1) == hash(1))
        #expect(hash(1) != hash(2))
    }

    @Test("the same seed gives the same run of real stores")
    func sameTrace() {
        for seed in 1...8 as ClosedRange<UInt64> {
            let scenario = ScenarioMaker.scenario(seed: seed, plan: ScenarioPlan(stepCount: 40))
            #expect(World.play(scenario) == World.play(scenario))
        }
    }
}

import Core
import Simulation
import Testing

@Suite("All small worlds")
struct ExhaustionTests {
    /// A run in which every scenario leaves another state, so that nothing can be left out.
    private func unlike(_ scenario: Scenario) -> ExhaustiveResult {
        ExhaustiveResult(
            Outcome(.passed, eventCount: 1),
            states: [UInt64(truncatingIfNeeded: scenario.hashValue)])
    }

    @Test("programs on two devices are as many as the formula says")
    func counted() {
        // 14 operations; between two of them nothing or a sync: 14, 14·14·2, 14·14·14·4.
        let one = ExhaustivePlan(depth: 1, policies: [.deletesWin], starts: [.nobody])
        let two = ExhaustivePlan(depth: 2, policies: [.deletesWin], starts: [.nobody])
        let three = ExhaustivePlan(depth: 3)
        #expect(one.programCount == 14)
        #expect(two.programCount == 14 + 392)
        #expect(three.programCount == 4 * (14 + 392 + 10_976))
        #expect(ExhaustivePlan(depth: 4).programCount == 1_274_840)
    }

    @Test("programs on two records have eight operations for each, and one of four namings is run")
    func twoRecords() {
        let plan = ExhaustivePlan(
            depth: 2, recordCount: 2, policies: [.deletesWin], starts: [.nobody])
        // 16 operations on each of two devices; between two of them nothing or a sync.
        #expect(plan.programCount == 32 + 32 * 32 * 2)
        var search = Exhaustion(plan: plan, run: unlike)
        search.search()
        #expect(search.report.runCount == plan.programCount / 4)
        #expect(search.report.coveredCount == plan.programCount)
    }

    @Test("every program of two operations on two records of real stores keeps the promises")
    func realWorldsOfTwoRecords() {
        let plan = ExhaustivePlan(
            depth: 2, recordCount: 2, policies: [.editsWin], starts: [.everybody])
        var references = 0
        var search = Exhaustion(plan: plan) { scenario in
            if scenario.steps.contains(where: { $0.event.items.count == 2 }) { references += 1 }
            return World.playSmall(scenario)
        }
        search.search()
        #expect(search.report.failures == [])
        #expect(search.report.coveredCount == plan.programCount)
        #expect(search.report.runCount > 100)
        #expect(references > 20)
    }

    @Test(
        "every program of one operation on one id in two collections of real stores keeps the promises"
    )
    func realWorldsOfOneID() {
        let plan = ExhaustivePlan(depth: 1, hasOneID: true)
        #expect(plan.recordCount == 2)
        var references = 0
        var named: Set<String> = []
        var search = Exhaustion(plan: plan) { scenario in
            named.formUnion(scenario.items)
            if scenario.steps.contains(where: { $0.event.items.count == 2 }) { references += 1 }
            return World.playSmall(scenario)
        }
        search.search()
        #expect(search.report.failures == [])
        #expect(search.report.coveredCount == plan.programCount)
        #expect(search.report.runCount > 40)
        #expect(named == ["milk", "gadget-milk"])
        #expect(references > 0)
    }

    @Test("three devices have three pairs, and broken sessions two directions")
    func gaps() {
        #expect(ExhaustivePlan(depth: 2, deviceCount: 3).gaps.count == 4)
        #expect(ExhaustivePlan(depth: 2, hasBrokenSyncs: true).gaps.count == 4)
        #expect(
            ExhaustivePlan(depth: 2, deviceCount: 3, hasBrokenSyncs: true).gaps.count == 10)
    }

    @Test("of two programs with the devices exchanged one is run, and both are counted")
    func mirrored() {
        let plan = ExhaustivePlan(depth: 3, policies: [.deletesWin], starts: [.nobody])
        var search = Exhaustion(plan: plan, run: unlike)
        search.search()
        #expect(search.report.runCount == plan.programCount / 2)
        #expect(search.report.coveredCount == plan.programCount)
        #expect(search.report.mirroredCount == plan.programCount / 2)
    }

    @Test("of six programs on three devices one is run, unless some are the same")
    func mirroredOnThree() {
        let plan = ExhaustivePlan(
            depth: 2, deviceCount: 3, policies: [.deletesWin], starts: [.everybody])
        var search = Exhaustion(plan: plan, run: unlike)
        search.search()
        // One operation: 7. Two, up to renaming, by the device of the second: the same device with
        // nothing, its sync with another, or a sync of the two others between: 3 · 49; another
        // device with nothing or one of three syncs between: 4 · 49. A sync where nothing has
        // happened is left out: of the two others, 2 · 49.
        #expect(search.report.runCount == 7 + 5 * 49)
        #expect(search.report.coveredCount == plan.programCount)
    }

    @Test("all slices together cover each program once")
    func slices() {
        let whole = ExhaustivePlan(depth: 3, policies: [.editsWin], starts: [.everybody])
        var covered = 0
        var run = 0
        for number in 1...5 {
            var plan = whole
            plan.slice = (number, 5)
            var search = Exhaustion(plan: plan, run: unlike)
            search.search()
            covered += search.report.coveredCount
            run += search.report.runCount
            #expect(
                search.report.coveredCount + search.report.elsewhereCount == whole.programCount)
        }
        #expect(covered == whole.programCount)
        #expect(run == whole.programCount / 2)
    }

    @Test("nothing is run that goes on from a refused operation")
    func refused() {
        let plan = ExhaustivePlan(depth: 3, policies: [.deletesWin], starts: [.everybody])
        var search = Exhaustion(plan: plan) { scenario in
            let last = scenario.steps.count - 1
            let isRefused = scenario.steps.last?.event.kind.name == "restore"
            var result = self.unlike(scenario)
            if isRefused { result.refused = last }
            #expect(!scenario.steps.dropLast().contains { $0.event.kind.name == "restore" })
            return result
        }
        search.search()
        // Six operations a device are left: 6, 6·12·2, 6·12·2·12·2.
        #expect(search.report.runCount == 6 + 144 + 3_456)
        #expect(search.report.coveredCount == plan.programCount)
    }

    @Test("a search ends at the first failure, or lists all")
    func failures() {
        let plan = ExhaustivePlan(depth: 2, policies: [.deletesWin], starts: [.everybody])
        let run: (Scenario) -> ExhaustiveResult = { scenario in
            let purges = scenario.steps.filter { $0.event.kind.name == "purge" }.count
            return ExhaustiveResult(
                Outcome(purges == 2 ? .resurrection : .passed),
                states: [UInt64(truncatingIfNeeded: scenario.hashValue)])
        }
        var first = Exhaustion(plan: plan, run: run)
        first.search()
        #expect(first.report.failures.count == 1)
        var all = Exhaustion(plan: plan, run: run)
        all.search(collects: true)
        // The second on either device, with a sync between or without.
        #expect(all.report.failures.count == 4)
    }

    @Test("every program of two operations on real stores keeps the promises")
    func realWorlds() {
        let plan = ExhaustivePlan(depth: 2, starts: [.everybody])
        var search = Exhaustion(plan: plan) { World.playSmall($0) }
        search.search()
        #expect(search.report.failures == [])
        #expect(search.report.coveredCount == plan.programCount)
        #expect(search.report.runCount > 80)
    }
}

import Core
import Simulation
import Testing

@Suite("Made-up scenarios")
struct ScenarioMakerTests {
    @Test("a seed and a plan determine the scenario")
    func deterministic() {
        let plan = ScenarioPlan(replicaCount: 2...4, stepCount: 60)
        for seed in 1...20 as ClosedRange<UInt64> {
            #expect(
                ScenarioMaker.scenario(seed: seed, plan: plan)
                    == ScenarioMaker.scenario(seed: seed, plan: plan)
            )
        }
        #expect(
            ScenarioMaker.scenario(seed: 1, plan: plan)
                != ScenarioMaker.scenario(seed: 2, plan: plan))
    }

    @Test("a longer scenario begins as the shorter one")
    func prefix() {
        let short = ScenarioMaker.scenario(seed: 5, plan: ScenarioPlan(stepCount: 30))
        let long = ScenarioMaker.scenario(seed: 5, plan: ScenarioPlan(stepCount: 90))
        #expect(Array(long.steps.prefix(30)) == short.steps)
        #expect(long.devices == short.devices)
    }

    @Test(
        "one seed in forty has more than two batches of long texts, and the steps of its world besides"
    )
    func large() {
        let plan = ScenarioPlan(stepCount: 30)
        let scenarios = (1...400 as ClosedRange<UInt64>).map {
            ScenarioMaker.scenario(seed: $0, plan: plan)
        }
        let large = scenarios.filter { $0.steps.count > 30 }
        #expect((5...20).contains(large.count))
        for scenario in large {
            let byteCount = scenario.steps.reduce(0) { count, step in
                guard case .edit(.create(_, _, let settings)) = step.event,
                    case .value(_, .long(let bytes))? = settings.first
                else { return count }
                return count + bytes
            }
            #expect(byteCount > 2 * WireLimits.batchByteCountMax)
        }
        #expect(scenarios.allSatisfy { $0.steps.count == 30 || $0.steps.count == 54 })
    }

    @Test("every sort of action happens in some scenario, but for those that only people write")
    func coversActions() {
        var seen: Set<EventKind> = []
        for seed in 1...200 as ClosedRange<UInt64> {
            let scenario = ScenarioMaker.scenario(
                seed: seed, plan: ScenarioPlan(faults: FaultKind.allCases))
            seen.formUnion(scenario.steps.map(\.event.kind))
        }
        let others = Set(EventKind.allCases).subtracting(seen)
        #expect(Set(others.map(\.name)) == ["expect"])
    }

    @Test("the usual faults are those of before, and their worlds have none of the later kinds")
    func usualFaultsStay() {
        #expect(FaultKind.usual == Array(FaultKind.allCases.prefix(23)))
        let later: Set<FaultKind> = [
            .readers, .rivalSecrets, .oneWay, .badVersions, .answers, .upserts, .clients, .database,
        ]
        #expect(Set(FaultKind.allCases).subtracting(FaultKind.usual) == later)
        for seed in 1...60 as ClosedRange<UInt64> {
            let scenario = ScenarioMaker.scenario(seed: seed, plan: ScenarioPlan())
            #expect(later.isDisjoint(with: scenario.steps.compactMap(\.fault)))
        }
    }

    @Test("a world that draws none of the later faults is that of the usual ones")
    func laterFaultsAreApart() {
        for seed in 1...60 as ClosedRange<UInt64> {
            let all = ScenarioPlan(faults: FaultKind.allCases)
            let drawn = Set(ScenarioMaker.faults(seed: seed, plan: all))
            guard drawn.isSubset(of: FaultKind.usual) else { continue }
            let scenario = ScenarioMaker.scenario(seed: seed, plan: all)
            let usual = ScenarioMaker.scenario(seed: seed, plan: ScenarioPlan())
            #expect(scenario.steps == usual.steps && scenario.devices == usual.devices)
        }
    }

    @Test("every fault is struck in some scenario, and alone if it alone is asked for")
    func coversFaults() {
        for fault in FaultKind.allCases {
            var struck: Set<FaultKind> = []
            let plan = ScenarioPlan(stepCount: 120, faults: [fault])
            for seed in 1...30 as ClosedRange<UInt64> {
                #expect(ScenarioMaker.faults(seed: seed, plan: plan) == [fault])
                let scenario = ScenarioMaker.scenario(seed: seed, plan: plan)
                struck.formUnion(scenario.steps.compactMap(\.fault))
            }
            #expect(struck.contains(fault), "\(fault)")
            // A fault that needs a backup or a lasting session brings these along; a lie needs a
            // relay, and relays on one database those who are connected to them.
            var others = struck.subtracting([fault, .backup, .duplicateSessions, .relay])
            if fault == .database { others.remove(.liveSessions) }
            #expect(others.isEmpty, "\(fault) brings \(others)")
        }
    }

    @Test("without faults nothing goes wrong")
    func noFaults() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let scenario = ScenarioMaker.scenario(seed: seed, plan: ScenarioPlan(faults: []))
            #expect(scenario.steps.allSatisfy { $0.fault == nil })
        }
    }

    @Test("faults after which less is promised are rare")
    func weakeningFaultsAreRare() {
        let seeds = 1...400 as ClosedRange<UInt64>
        let weakened = seeds.filter { seed in
            ScenarioMaker.faults(seed: seed, plan: ScenarioPlan()).contains { $0.isWeakening }
        }
        #expect(weakened.count > 10)
        #expect(weakened.count < 100)
    }

    @Test("a made-up scenario can be written and read back")
    func readsBack() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let scenario = ScenarioMaker.scenario(seed: seed, plan: ScenarioPlan())
            #expect(try ScenarioReader.read(ScenarioWriter.text(of: scenario)) == scenario)
        }
    }

    @Test("worlds differ in kind: items, devices and faults vary from seed to seed")
    func varies() {
        let scenarios = (1...60 as ClosedRange<UInt64>).map {
            ScenarioMaker.scenario(seed: $0, plan: ScenarioPlan(replicaCount: 2...4))
        }
        #expect(Set(scenarios.map { $0.devices.count { !$0.isRelay } }) == [2, 3, 4])
        #expect(Set(scenarios.map(\.policy)).count == 2)
        #expect(Set(scenarios.map(\.items.count)).count > 3)
    }

    @Test("a list of faults reads back, and a wrong name is refused")
    func faultLists() {
        #expect(FaultKind.list("all") == FaultKind.allCases)
        #expect(FaultKind.list("usual") == FaultKind.usual)
        #expect(FaultKind.list("none") == [])
        #expect(FaultKind.list("kill,cut") == [.cut, .kill])
        #expect(FaultKind.list("kill,,cut") == nil)
        #expect(FaultKind.list("flood") == nil)
        let lists: [[FaultKind]] = [
            [], [.kill], [.cut, .setBack], FaultKind.usual, FaultKind.allCases,
        ]
        for faults in lists {
            #expect(FaultKind.list(FaultKind.text(of: faults)) == faults)
        }
    }
}

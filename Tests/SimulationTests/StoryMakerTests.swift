import Simulation
import Testing

@Suite("Made-up stories")
struct StoryMakerTests {
    @Test("a seed and a plan determine the story")
    func deterministic() {
        let plan = StoryPlan(replicaCount: 2...4, stepCount: 60)
        for seed in 1...20 as ClosedRange<UInt64> {
            #expect(
                StoryMaker.story(seed: seed, plan: plan) == StoryMaker.story(seed: seed, plan: plan)
            )
        }
        #expect(StoryMaker.story(seed: 1, plan: plan) != StoryMaker.story(seed: 2, plan: plan))
    }

    @Test("a longer story begins as the shorter one")
    func prefix() {
        let short = StoryMaker.story(seed: 5, plan: StoryPlan(stepCount: 30))
        let long = StoryMaker.story(seed: 5, plan: StoryPlan(stepCount: 90))
        #expect(Array(long.steps.prefix(30)) == short.steps)
        #expect(long.devices == short.devices)
    }

    @Test("every sort of action happens in some story, but for expectations")
    func coversActions() {
        var seen: Set<ActionKind> = []
        for seed in 1...200 as ClosedRange<UInt64> {
            let story = StoryMaker.story(seed: seed, plan: StoryPlan(faults: FaultKind.allCases))
            seen.formUnion(story.steps.map(\.action.kind))
        }
        #expect(Set(ActionKind.allCases).subtracting(seen) == [.expect])
    }

    @Test("every fault is struck in some story, and alone if it alone is asked for")
    func coversFaults() {
        for fault in FaultKind.allCases {
            var struck: Set<FaultKind> = []
            let plan = StoryPlan(stepCount: 120, faults: [fault])
            for seed in 1...30 as ClosedRange<UInt64> {
                #expect(StoryMaker.faults(seed: seed, plan: plan) == [fault])
                let story = StoryMaker.story(seed: seed, plan: plan)
                struck.formUnion(story.steps.compactMap(\.fault))
            }
            #expect(struck.contains(fault), "\(fault)")
            // What needs a backup or a session that stays brings these along, and lies need a relay.
            let others = struck.subtracting([fault, .backup, .duplicateSessions, .relay])
            #expect(others.isEmpty, "\(fault) brings \(others)")
        }
    }

    @Test("without faults nothing goes wrong")
    func noFaults() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let story = StoryMaker.story(seed: seed, plan: StoryPlan(faults: []))
            #expect(story.steps.allSatisfy { $0.fault == nil })
        }
    }

    @Test("faults after which less is promised are rare")
    func weakeningFaultsAreRare() {
        let seeds = 1...400 as ClosedRange<UInt64>
        let weakened = seeds.filter { seed in
            StoryMaker.faults(seed: seed, plan: StoryPlan()).contains { $0.isWeakening }
        }
        #expect(weakened.count > 10)
        #expect(weakened.count < 100)
    }

    @Test("a made-up story can be written and read back")
    func readsBack() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let story = StoryMaker.story(seed: seed, plan: StoryPlan())
            #expect(try StoryReader.read(StoryWriter.text(of: story)) == story)
        }
    }

    @Test("worlds differ in kind: items, devices and faults vary from seed to seed")
    func varies() {
        let stories = (1...60 as ClosedRange<UInt64>).map {
            StoryMaker.story(seed: $0, plan: StoryPlan(replicaCount: 2...4))
        }
        #expect(Set(stories.map { $0.devices.count { !$0.isRelay } }) == [2, 3, 4])
        #expect(Set(stories.map(\.policy)).count == 2)
        #expect(Set(stories.map(\.items.count)).count > 3)
    }

    @Test("a list of faults reads back, and a wrong name is refused")
    func faultLists() {
        #expect(FaultKind.list("all") == FaultKind.usual)
        #expect(FaultKind.list("none") == [])
        #expect(FaultKind.list("kill,cut") == [.cut, .kill])
        #expect(FaultKind.list("kill,,cut") == nil)
        #expect(FaultKind.list("flood") == nil)
        for faults in [[], [.kill], [.cut, .setBack], FaultKind.allCases] as [[FaultKind]] {
            #expect(FaultKind.list(FaultKind.text(of: faults)) == faults)
        }
    }
}

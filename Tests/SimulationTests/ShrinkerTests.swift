import Simulation
import Testing

@Suite("Making failing stories shorter")
struct ShrinkerTests {
    /// A run that fails if the story satisfies a condition.
    private func run(_ fails: @escaping (Story) -> Bool) -> (Story) -> StoryResult {
        { StoryResult(Outcome(fails($0) ? .diverged : .passed)) }
    }

    private let story = StoryMaker.story(
        seed: 11,
        plan: StoryPlan(
            replicaCount: 4...4, stepCount: 200,
            faults: [.cut, .delay, .kill, .clock, .otherProcess]))

    @Test("two steps that need each other are all that is left")
    func pair() {
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { story in
                let kinds = story.steps.map(\.action.kind)
                guard let delete = kinds.firstIndex(of: .delete) else { return false }
                return kinds[delete...].contains(.sync)
            })
        let shrunk = shrinker.shrink(story)
        #expect(shrunk.steps.map(\.action.kind) == [.delete, .sync])
        #expect(shrinker.runCount < 400)
    }

    @Test("what is needed of every tenth step is kept")
    func scattered() {
        let needed = Set(
            story.steps.enumerated().filter { $0.offset % 10 == 0 }.map(\.element))
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { needed.isSubset(of: Set($0.steps)) })
        #expect(Set(shrinker.shrink(story).steps) == needed)
    }

    @Test("a device goes with all that is told of it")
    func devices() {
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { story in story.steps.contains { $0.action.kind == .create } })
        let shrunk = shrinker.shrink(story)
        #expect(shrunk.steps.count == 1)
        #expect(shrunk.devices.count == 1)
        #expect(shrunk.devices[0] == DeviceTraits(shrunk.devices[0].name))
    }

    @Test("settings become fewer, numbers smaller, and what stays open is replaced by a sync")
    func simpler() {
        let long = Story(
            seed: 9, devices: [DeviceTraits("laptop", isDurable: true), DeviceTraits("phone")],
            isLenient: true,
            steps: [
                Step(
                    .create(
                        device: "laptop", item: "milk",
                        [
                            .value(field: "notes", .text("long text")),
                            .add(field: "tags", element: "a"),
                        ]
                    ), isElsewhere: true),
                Step(.connect("laptop", "phone")),
                Step(.wait(milliseconds: 86_400_000)),
            ])
        var shrinker = Shrinker(
            verdict: .diverged, run: run { Set($0.steps.map(\.action.kind)).count == 3 })
        #expect(
            shrinker.shrink(long)
                == Story(
                    devices: [DeviceTraits("laptop"), DeviceTraits("phone")], isLenient: true,
                    steps: [
                        Step(
                            .create(
                                device: "laptop", item: "milk",
                                [.value(field: "title", .text("a"))])),
                        Step(.sync("laptop", "phone")), Step(.wait(milliseconds: 1)),
                    ]))
    }

    @Test("the number of runs is bounded, and what was reached by then is kept")
    func bounded() {
        var shrinker = Shrinker(
            verdict: .diverged, runCountMax: 10,
            run: run { $0.steps.contains { $0.action.kind == .sync } })
        let shrunk = shrinker.shrink(story)
        #expect(shrinker.runCount <= 10)
        #expect(shrunk.steps.contains { $0.action.kind == .sync })
    }

    @Test("another verdict is another failure")
    func otherVerdict() {
        var shrinker = Shrinker(verdict: .diverged) { story in
            StoryResult(Outcome(story.steps.count > 3 ? .diverged : .stuck))
        }
        #expect(shrinker.shrink(story).steps.count == 4)
    }

    @Test("the same story shrinks the same way")
    func deterministic() {
        let fails: (Story) -> Bool = { $0.steps.filter { $0.action.kind == .edit }.count > 2 }
        var first = Shrinker(verdict: .diverged, run: run(fails))
        var second = Shrinker(verdict: .diverged, run: run(fails))
        #expect(first.shrink(story) == second.shrink(story))
        #expect(first.runCount == second.runCount)
    }

    @Test("what is refused says so once the story is no longer lenient")
    func annotated() {
        let short = Story(
            devices: [DeviceTraits("laptop")], isLenient: true,
            steps: [
                Step(.delete(device: "laptop", item: "milk")), Step(.settle),
            ])
        var shrinker = Shrinker(verdict: .diverged) { _ in
            StoryResult(Outcome(.diverged), refused: [0])
        }
        let strict = shrinker.annotate(short)
        #expect(!strict.isLenient)
        #expect(strict.steps.map(\.refusal) == [.anyReason, nil])
    }

    @Test("a story that needs to be lenient stays so")
    func stayingLenient() {
        let short = Story(devices: [DeviceTraits("laptop")], isLenient: true)
        var shrinker = Shrinker(verdict: .diverged) { story in
            StoryResult(Outcome(story.isLenient ? .diverged : .passed))
        }
        #expect(shrinker.annotate(short).isLenient)
    }
}

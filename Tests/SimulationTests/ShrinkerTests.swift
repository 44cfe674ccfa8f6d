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

    @Test("two statements that need each other are all that is left")
    func pair() {
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { story in
                let kinds = story.statements.map(\.action.kind)
                guard let delete = kinds.firstIndex(of: .delete) else { return false }
                return kinds[delete...].contains(.sync)
            })
        let shrunk = shrinker.shrink(story)
        #expect(shrunk.statements.map(\.action.kind) == [.delete, .sync])
        #expect(shrinker.runCount < 400)
    }

    @Test("what is needed of every tenth statement is kept")
    func scattered() {
        let needed = Set(
            story.statements.enumerated().filter { $0.offset % 10 == 0 }.map(\.element))
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { needed.isSubset(of: Set($0.statements)) })
        #expect(Set(shrinker.shrink(story).statements) == needed)
    }

    @Test("a device goes with all that is told of it")
    func devices() {
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { story in story.statements.contains { $0.action.kind == .create } })
        let shrunk = shrinker.shrink(story)
        #expect(shrunk.statements.count == 1)
        #expect(shrunk.devices.count == 1)
        #expect(shrunk.devices[0] == DeviceTraits(shrunk.devices[0].name))
    }

    @Test("settings become fewer, numbers smaller, and what stays open is replaced by a sync")
    func simpler() {
        let long = Story(
            seed: 9, devices: [DeviceTraits("laptop", isDurable: true), DeviceTraits("phone")],
            isLenient: true,
            statements: [
                Statement(
                    .create(
                        device: "laptop", item: "milk",
                        [
                            .value(field: "notes", .text("long text")),
                            .add(field: "tags", element: "a"),
                        ]
                    ), isElsewhere: true),
                Statement(.connect("laptop", "phone")),
                Statement(.wait(milliseconds: 86_400_000)),
            ])
        var shrinker = Shrinker(
            verdict: .diverged, run: run { Set($0.statements.map(\.action.kind)).count == 3 })
        #expect(
            shrinker.shrink(long)
                == Story(
                    devices: [DeviceTraits("laptop"), DeviceTraits("phone")], isLenient: true,
                    statements: [
                        Statement(
                            .create(
                                device: "laptop", item: "milk",
                                [.value(field: "title", .text("a"))])),
                        Statement(.sync("laptop", "phone")), Statement(.wait(milliseconds: 1)),
                    ]))
    }

    @Test("the number of runs is bounded, and what was reached by then is kept")
    func bounded() {
        var shrinker = Shrinker(
            verdict: .diverged, runCountMax: 10,
            run: run { $0.statements.contains { $0.action.kind == .sync } })
        let shrunk = shrinker.shrink(story)
        #expect(shrinker.runCount <= 10)
        #expect(shrunk.statements.contains { $0.action.kind == .sync })
    }

    @Test("another verdict is another failure")
    func otherVerdict() {
        var shrinker = Shrinker(verdict: .diverged) { story in
            StoryResult(Outcome(story.statements.count > 3 ? .diverged : .stuck))
        }
        #expect(shrinker.shrink(story).statements.count == 4)
    }

    @Test("the same story shrinks the same way")
    func deterministic() {
        let fails: (Story) -> Bool = { $0.statements.filter { $0.action.kind == .edit }.count > 2 }
        var first = Shrinker(verdict: .diverged, run: run(fails))
        var second = Shrinker(verdict: .diverged, run: run(fails))
        #expect(first.shrink(story) == second.shrink(story))
        #expect(first.runCount == second.runCount)
    }

    @Test("what is refused says so once the story is no longer lenient")
    func annotated() {
        let short = Story(
            devices: [DeviceTraits("laptop")], isLenient: true,
            statements: [
                Statement(.delete(device: "laptop", item: "milk")), Statement(.settle),
            ])
        var shrinker = Shrinker(verdict: .diverged) { _ in
            StoryResult(Outcome(.diverged), refused: [0])
        }
        let strict = shrinker.annotate(short)
        #expect(!strict.isLenient)
        #expect(strict.statements.map(\.refusal) == [.anyReason, nil])
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

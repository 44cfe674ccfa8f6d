import Simulation
import Testing

@Suite("Making failing scenarios shorter")
struct ShrinkerTests {
    /// A run that fails if the scenario satisfies a condition.
    private func run(_ fails: @escaping (Scenario) -> Bool) -> (Scenario) -> ScenarioResult {
        { ScenarioResult(Outcome(fails($0) ? .diverged : .passed)) }
    }

    private let scenario = ScenarioMaker.scenario(
        seed: 11,
        plan: ScenarioPlan(
            replicaCount: 4...4, stepCount: 200,
            faults: [.cut, .delay, .kill, .clock, .otherProcess]))

    @Test("two steps that need each other are all that is left")
    func pair() {
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { scenario in
                let kinds = scenario.steps.map(\.event.kind.name)
                guard let delete = kinds.firstIndex(of: "delete") else { return false }
                return kinds[delete...].contains("sync")
            })
        let shrunk = shrinker.shrink(scenario)
        #expect(shrunk.steps.map(\.event.kind.name) == ["delete", "sync"])
        #expect(shrinker.runCount < 400)
    }

    @Test("what is needed of every tenth step is kept")
    func scattered() {
        let needed = Set(
            scenario.steps.enumerated().filter { $0.offset % 10 == 0 }.map(\.element))
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { needed.isSubset(of: Set($0.steps)) })
        #expect(Set(shrinker.shrink(scenario).steps) == needed)
    }

    @Test("a device goes with all that is told of it")
    func devices() {
        var shrinker = Shrinker(
            verdict: .diverged,
            run: run { scenario in scenario.steps.contains { $0.event.kind.name == "create" } })
        let shrunk = shrinker.shrink(scenario)
        #expect(shrunk.steps.count == 1)
        #expect(shrunk.devices.count == 1)
        #expect(shrunk.devices[0] == DeviceTraits(shrunk.devices[0].name))
    }

    @Test("settings become fewer, numbers smaller, and what stays open is replaced by a sync")
    func simpler() {
        let long = Scenario(
            seed: 9, devices: [DeviceTraits("laptop", isDurable: true), DeviceTraits("phone")],
            isLenient: true,
            steps: [
                Step(
                    .edit(
                        .create(
                            device: "laptop", item: "milk",
                            [
                                .value(field: "notes", .text("long text")),
                                .add(field: "tags", element: "a"),
                            ]
                        )), isElsewhere: true),
                Step(.meeting(.connect("laptop", "phone"))),
                Step(.meeting(.wait(milliseconds: 86_400_000))),
            ])
        var shrinker = Shrinker(
            verdict: .diverged, run: run { Set($0.steps.map(\.event.kind)).count == 3 })
        #expect(
            shrinker.shrink(long)
                == Scenario(
                    devices: [DeviceTraits("laptop"), DeviceTraits("phone")], isLenient: true,
                    steps: [
                        Step(
                            .edit(
                                .create(
                                    device: "laptop", item: "milk",
                                    [.value(field: "title", .text("a"))]))),
                        Step(.meeting(.sync("laptop", "phone"))),
                        Step(.meeting(.wait(milliseconds: 1))),
                    ]))
    }

    @Test("the number of runs is bounded, and what was reached by then is kept")
    func bounded() {
        var shrinker = Shrinker(
            verdict: .diverged, runCountMax: 10,
            run: run { $0.steps.contains { $0.event.kind.name == "sync" } })
        let shrunk = shrinker.shrink(scenario)
        #expect(shrinker.runCount <= 10)
        #expect(shrunk.steps.contains { $0.event.kind.name == "sync" })
    }

    @Test("another verdict is another failure")
    func otherVerdict() {
        var shrinker = Shrinker(verdict: .diverged) { scenario in
            ScenarioResult(Outcome(scenario.steps.count > 3 ? .diverged : .stuck))
        }
        #expect(shrinker.shrink(scenario).steps.count == 4)
    }

    @Test("the same scenario shrinks the same way")
    func deterministic() {
        let fails: (Scenario) -> Bool = {
            $0.steps.filter { $0.event.kind.name == "edit" }.count > 2
        }
        var first = Shrinker(verdict: .diverged, run: run(fails))
        var second = Shrinker(verdict: .diverged, run: run(fails))
        #expect(first.shrink(scenario) == second.shrink(scenario))
        #expect(first.runCount == second.runCount)
    }

    @Test("what is refused says so once the scenario is no longer lenient")
    func annotated() {
        let short = Scenario(
            devices: [DeviceTraits("laptop")], isLenient: true,
            steps: [
                Step(.edit(.delete(device: "laptop", item: "milk"))), Step(.meeting(.settle)),
            ])
        var shrinker = Shrinker(verdict: .diverged) { _ in
            ScenarioResult(Outcome(.diverged), refused: [0])
        }
        let strict = shrinker.annotate(short)
        #expect(!strict.isLenient)
        #expect(strict.steps.map(\.refusal) == [.anyReason, nil])
    }

    @Test("a scenario that needs to be lenient stays so")
    func stayingLenient() {
        let short = Scenario(devices: [DeviceTraits("laptop")], isLenient: true)
        var shrinker = Shrinker(verdict: .diverged) { scenario in
            ScenarioResult(Outcome(scenario.isLenient ? .diverged : .passed))
        }
        #expect(shrinker.annotate(short).isLenient)
    }
}

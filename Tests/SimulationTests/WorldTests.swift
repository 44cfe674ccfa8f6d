import Core
import Simulation
import Testing

@Suite("Worlds in which scenarios take place")
struct WorldTests {
    /// A scenario of a laptop and a phone.
    static func scenario(
        _ events: [ScenarioEvent], policy: DeletePolicy = .deletesWin
    ) -> Scenario {
        Scenario(
            title: "test", policy: policy,
            devices: [DeviceTraits("laptop"), DeviceTraits("phone")],
            steps: events.map { Step($0) })
    }

    static func expects(_ devices: [String]?, _ claim: Claim) -> ScenarioEvent {
        .expect(Expectation(devices, claim))
    }

    private static let milk: [Setting] = [.value(field: "title", .text("Buy milk"))]
    private static let oats: [Setting] = [.value(field: "title", .text("Buy oats"))]
    private static let soy: [Setting] = [.value(field: "title", .text("Buy soy"))]

    @Test("two devices that change one field while apart both keep both values")
    func conflict() {
        let scenario = Self.scenario([
            .edit(.create(device: "laptop", item: "milk", Self.milk)),
            .meeting(.sync("laptop", "phone")),
            .edit(.edit(device: "laptop", item: "milk", Self.oats)),
            .edit(.edit(device: "phone", item: "milk", Self.soy)),
            .meeting(.sync("phone", "laptop")),
            Self.expects(
                nil,
                .conflict(
                    item: "milk", field: "title", among: [.text("Buy oats"), .text("Buy soy")])
            ),
            .edit(.resolve(device: "phone", item: "milk", field: "title", to: .text("Buy oats"))),
            .meeting(.sync("phone", "laptop")), Self.expects(nil, .conflictCount(0)),
            Self.expects(nil, .shows(item: "milk", field: "title", .text("Buy oats"))),
            Self.expects(nil, .agrees),
        ])
        let outcome = World(scenario).run()
        #expect(outcome.verdict == .passed, "\(outcome)")
    }

    @Test("what is not as expected is told, with the step")
    func unmet() {
        let scenario = Self.scenario([
            .edit(.create(device: "laptop", item: "milk", Self.milk)),
            Self.expects(["phone"], .holds(item: "milk", .alive)),
        ])
        let outcome = World(scenario).run()
        #expect(outcome.verdict == .expectationFailed)
        #expect(outcome.step == 1)
        #expect(outcome.detail.contains("phone") && outcome.detail.contains("milk"))
    }

    @Test(
        "all expectations of a run that are not met are told, of every device, and the first is the ending"
    )
    func allUnmet() {
        var scenario = Self.scenario([
            .edit(.create(device: "laptop", item: "milk", Self.milk)),
            Self.expects(["laptop", "phone"], .holds(item: "milk", .purged)),
            .edit(.delete(device: "laptop", item: "milk")),
            Self.expects(["laptop"], .holds(item: "milk", .deleted)),
            Self.expects(["laptop"], .itemCount(5)),
        ])
        let outcome = World(scenario).run()
        #expect(outcome.verdict == .expectationFailed && outcome.step == 1)
        #expect(outcome.failures.map(\.step) == [1, 1, 4])
        #expect(outcome.detail == outcome.failures.first?.detail)
        #expect(outcome.stepCount == 1)
        // A later failure is no other ending.
        scenario.steps.append(Step(.edit(.restore(device: "phone", item: "milk"))))
        #expect(World(scenario).run().verdict == .expectationFailed)
        #expect(World(scenario).run().failures == outcome.failures)
    }

    @Test(
        "what was written, conflicts, one of several values, and bytes are told if they are others")
    func claims() throws {
        let lines = """
            title "x"
            devices laptop and phone
            laptop creates milk title "Milk"
            laptop syncs with phone
            expect laptop wrote nothing
            laptop retitles milk "Oat"
            expect laptop wrote nothing
            phone retitles milk "Rye"
            laptop syncs with phone
            expect laptop has no conflict on milk title
            expect laptop has no conflict on milk notes
            expect phone shows milk title "Oat" or "Rye"
            expect phone shows milk title "A" or "B"
            laptop edits milk photo bytes "00ff" n number "1.5"
            expect laptop shows milk photo bytes "00ff"
            expect laptop shows milk photo bytes "00fe"
            """
        let failures = World(try ScenarioReader.read(lines)).run().failures
        #expect(failures.map(\.step) == [4, 7, 10, 13])
    }

    @Test("an action that is refused must be foreseen")
    func refused() {
        var scenario = Self.scenario([
            .edit(.create(device: "laptop", item: "milk", Self.milk)),
            .edit(.openEditor(device: "laptop", item: "milk")),
            .edit(.delete(device: "laptop", item: "milk")),
            .edit(.saveEditor(device: "laptop", item: "milk", Self.oats)),
        ])
        #expect(World(scenario).run().verdict == .expectationFailed)
        scenario.steps[3].refusal = .deleted
        #expect(World(scenario).run().verdict == .passed)
        scenario.steps[3].refusal = .purged
        #expect(World(scenario).run().verdict == .expectationFailed)
        scenario.isLenient = true
        #expect(World(scenario).run().verdict == .passed)
    }

    @Test("a live session carries edits over, and breaks when told so")
    func live() {
        let scenario = Self.scenario([
            .meeting(.connect("laptop", "phone")),
            .edit(.create(device: "laptop", item: "milk", Self.milk)),
            .meeting(.settle),
            Self.expects(["phone"], .holds(item: "milk", .alive)), .link(.cut("laptop", "phone")),
            .edit(.edit(device: "laptop", item: "milk", Self.oats)),
            .meeting(.wait(milliseconds: 60_000)),
            Self.expects(["phone"], .shows(item: "milk", field: "title", .text("Buy milk"))),
            .meeting(.sync("laptop", "phone")),
            Self.expects(["phone"], .shows(item: "milk", field: "title", .text("Buy oats"))),
        ])
        let outcome = World(scenario).run()
        #expect(outcome.verdict == .passed, "\(outcome)")
    }

    @Test("the same scenario gives the same events, another seed others")
    func deterministic() {
        var scenario = Self.scenario([
            .edit(.create(device: "laptop", item: "milk", Self.milk)),
            .link(.delay(from: "laptop", to: "phone", least: 1, most: 500)),
            .meeting(.sync("laptop", "phone")),
        ])
        let first = World(scenario).run()
        #expect(World(scenario).run() == first)
        scenario.seed = 2
        #expect(World(scenario).run().traceHash != first.traceHash)
    }

    @Test("deletes are accepted at rest on a reader alone: of those of others a session must tell")
    func heldAtRest() throws {
        let scenario = try ScenarioReader.read(
            """
            title "test"
            deletes above 0 are held
            devices laptop, phone and desk
            relay harbor
            devices meet only at relays

            laptop creates milk title "Milk"
            laptop visits harbor
            phone visits harbor
            desk visits harbor as a reader
            laptop deletes milk
            laptop visits harbor
            phone visits harbor but fails: deletes held
            expect phone has deletes held
            """)
        let world = World(scenario)
        let outcome = world.run()
        #expect(outcome.verdict == .passed, "\(outcome)")
        #expect(world.counts["deletes accepted as everything heals"] == nil)
    }
}

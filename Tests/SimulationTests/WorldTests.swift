import Core
import Simulation
import Testing

@Suite("Worlds in which stories take place")
struct WorldTests {
    /// A story of a laptop and a phone.
    static func story(
        _ actions: [Action], policy: DeletePolicy = .deletesWin
    ) -> Story {
        Story(
            title: "test", policy: policy,
            devices: [DeviceTraits("laptop"), DeviceTraits("phone")],
            steps: actions.map { Step($0) })
    }

    static func expects(_ devices: [String]?, _ claim: Claim) -> Action {
        .expect(Expectation(devices, claim))
    }

    private static let milk: [Setting] = [.value(field: "title", .text("Buy milk"))]
    private static let oats: [Setting] = [.value(field: "title", .text("Buy oats"))]
    private static let soy: [Setting] = [.value(field: "title", .text("Buy soy"))]

    @Test("two devices that change one field while apart both keep both values")
    func conflict() {
        let story = Self.story([
            .create(device: "laptop", item: "milk", Self.milk), .sync("laptop", "phone"),
            .edit(device: "laptop", item: "milk", Self.oats),
            .edit(device: "phone", item: "milk", Self.soy), .sync("phone", "laptop"),
            Self.expects(
                nil,
                .conflict(
                    item: "milk", field: "title", among: [.text("Buy oats"), .text("Buy soy")])
            ), .resolve(device: "phone", item: "milk", field: "title", to: .text("Buy oats")),
            .sync("phone", "laptop"), Self.expects(nil, .conflictCount(0)),
            Self.expects(nil, .shows(item: "milk", field: "title", .text("Buy oats"))),
            Self.expects(nil, .agrees),
        ])
        let outcome = World(story).run()
        #expect(outcome.verdict == .passed, "\(outcome)")
    }

    @Test("what is not as expected is told, with the step")
    func unmet() {
        let story = Self.story([
            .create(device: "laptop", item: "milk", Self.milk),
            Self.expects(["phone"], .holds(item: "milk", .alive)),
        ])
        let outcome = World(story).run()
        #expect(outcome.verdict == .expectationFailed)
        #expect(outcome.step == 1)
        #expect(outcome.detail == "phone has milk missing, not alive")
    }

    @Test("an action that is refused must be foreseen")
    func refused() {
        var story = Self.story([
            .create(device: "laptop", item: "milk", Self.milk),
            .openEditor(device: "laptop", item: "milk"),
            .delete(device: "laptop", item: "milk"),
            .saveEditor(device: "laptop", item: "milk", Self.oats),
        ])
        #expect(World(story).run().verdict == .expectationFailed)
        story.steps[3].refusal = .deleted
        #expect(World(story).run().verdict == .passed)
        story.steps[3].refusal = .purged
        #expect(World(story).run().verdict == .expectationFailed)
        story.isLenient = true
        #expect(World(story).run().verdict == .passed)
    }

    @Test("a live session carries edits over, and breaks when told so")
    func live() {
        let story = Self.story([
            .connect("laptop", "phone"), .create(device: "laptop", item: "milk", Self.milk),
            .settle,
            Self.expects(["phone"], .holds(item: "milk", .alive)), .cut("laptop", "phone"),
            .edit(device: "laptop", item: "milk", Self.oats), .wait(milliseconds: 60_000),
            Self.expects(["phone"], .shows(item: "milk", field: "title", .text("Buy milk"))),
            .sync("laptop", "phone"),
            Self.expects(["phone"], .shows(item: "milk", field: "title", .text("Buy oats"))),
        ])
        let outcome = World(story).run()
        #expect(outcome.verdict == .passed, "\(outcome)")
    }

    @Test("the same story gives the same events, another seed others")
    func deterministic() {
        var story = Self.story([
            .create(device: "laptop", item: "milk", Self.milk),
            .delay(from: "laptop", to: "phone", least: 1, most: 500), .sync("laptop", "phone"),
        ])
        let first = World(story).run()
        #expect(World(story).run() == first)
        story.seed = 2
        #expect(World(story).run().traceHash != first.traceHash)
    }
}

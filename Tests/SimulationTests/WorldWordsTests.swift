import Simulation
import Testing

/// The words in which a world ends; everywhere else tests compare verdicts and names.
@Suite("Words of a world's end")
struct WorldWordsTests {
    @Test("the first scenario in the manual ends in the manual's words")
    func manualEnding() throws {
        let manual = try GalleryTests.manual()
        let text = try #require(GalleryTests.blocks("scenario", in: manual).first)
        let outcome = World(try ScenarioReader.read(text)).run()
        #expect(manual.contains("milk.scenario: expectation failed: \(outcome.detail)\n"))
    }

    @Test("what is not as expected is said")
    func unmet() {
        let scenario = WorldTests.scenario([
            .edit(.create(device: "laptop", item: "milk", [])),
            WorldTests.expects(["phone"], .holds(item: "milk", .alive)),
        ])
        #expect(World(scenario).run().detail == "phone has milk missing, not alive")
    }
}

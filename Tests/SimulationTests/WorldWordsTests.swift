import Simulation
import Testing

/// The words in which a world ends; everywhere else tests compare verdicts, exit codes and names.
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

    @Test("the manual gives every exit code its word and its meaning")
    func exitCodesInManual() throws {
        let manual = try GalleryTests.manual()
        for row in SimulatorEnding.table {
            #expect(manual.contains("\n| \(row.code) | \(row.word) | \(row.meaning) |\n"))
        }
    }

    @Test("the help gives every exit code its word and its meaning", arguments: ["exit", "run"])
    func exitCodesInHelp(_ page: String) throws {
        let help = try SimulateProgram.run(["help", page]).output
        for row in SimulatorEnding.table {
            let line = help.split(separator: "\n").first { line in
                line.drop { $0 == " " }.hasPrefix("\(row.code)  \(row.word) ")
            }
            #expect(line?.hasSuffix("  \(row.meaning)") ?? false, "\(row.code)")
        }
    }
}

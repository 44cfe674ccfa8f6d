import Simulation
import Testing

@Suite("Scenarios as text")
struct ScenarioWriterTests {
    private static func name(_ value: some Any) -> String {
        String("\(value)".prefix { $0 != "(" })
    }

    @Test("what is written reads back to an equal scenario")
    func roundTrip() throws {
        var events: Set<String> = []
        var claims: Set<String> = []
        for seed in 1...600 {
            var random = RandomScenario(seed: UInt64(seed))
            let scenario = random.scenario()
            let text = ScenarioWriter.text(of: scenario)
            do {
                let again = try ScenarioReader.read(text)
                #expect(again == scenario, "seed \(seed)")
                #expect(ScenarioWriter.text(of: again) == text, "seed \(seed)")
            } catch {
                Issue.record("seed \(seed): \(error.rendered(file: "scenario"))")
            }
            for step in scenario.steps {
                events.insert(step.event.kind.name)
                if case .expect(let expectation) = step.event {
                    claims.insert(Self.name(expectation.claim))
                }
            }
        }
        // Every event and every claim has been drawn.
        #expect(events.count == 47)
        #expect(claims.count == 17)
    }

    @Test("the canonical text of a small scenario")
    func canonical() throws {
        let text = #"""
              # Two edits of one title
            title   "Two \"edits\" meet\n\u{1F600}"
            seed 7   # any number
            lenient
            policy edits-win
            devices laptop , phone
            device server   flushes every commit and runs a newer version
            device other is of another space
            device plain

            laptop creates milk title "Milk" tags +shop +"a b" -food people +Ann
            another program on laptop edits milk title none but fails: disk full
            laptop syncs with phone but is refused
            laptop retitles milk "Oat" but is refused : conflict
              wait 120 seconds
            wait 1 minutes
            messages from laptop to phone take 0 hours to 1500 ms
            expect laptop, phone and server shows milk tags food and shop
            expect everyone agree
            """#
        let expected = #"""
            title "Two \"edits\" meet\n😀"
            policy edits-win
            seed 7
            lenient
            devices laptop and phone
            device server flushes every commit and runs a newer version
            device other is of another space
            devices plain

            laptop creates milk title "Milk" tags +shop +"a b" -food people +Ann
            another program on laptop edits milk title none but is refused: disk full
            laptop syncs with phone but fails
            laptop edits milk title "Oat" but is refused: conflict
            wait 2 minutes
            wait 1 minute
            messages from laptop to phone take 0 ms to 1500 ms
            expect laptop, phone and server show milk tags food, shop
            expect everyone agrees

            """#
        #expect(ScenarioWriter.text(of: try ScenarioReader.read(text)) == expected)
    }

    @Test("a scenario of nothing is an empty text, which is no scenario that can be read")
    func empty() throws {
        #expect(ScenarioWriter.text(of: Scenario()) == "")
        for text in ["", "\n\n", "\u{FEFF}", " \t\r\n", "# nothing", "# \"\u{0}"] {
            let faults = try #require(ScenarioFaultTests.faults(text)?.faults)
            #expect(faults.map(\.message) == ["the scenario has no devices"])
            let devices = text + "\ndevices laptop"
            #expect(try ScenarioReader.read(devices) == Scenario(devices: [DeviceTraits("laptop")]))
        }
    }

    @Test("a scenario that speaks of what it has not made known cannot be told")
    func untold() {
        let create = Step(.edit(.create(device: "laptop", item: "milk", [])))
        let delete = Step(.edit(.delete(device: "laptop", item: "milk")))
        let devices = [DeviceTraits("laptop")]
        #expect(ScenarioWriter.canTell(Scenario(devices: devices, steps: [create, delete])))
        #expect(!ScenarioWriter.canTell(Scenario(devices: devices, steps: [delete])))
        #expect(!ScenarioWriter.canTell(Scenario(steps: [create])))
        #expect(!ScenarioWriter.canTell(Scenario(devices: [DeviceTraits("my laptop")])))
    }

    @Test("steps know their lines")
    func positions() throws {
        let scenario = try ScenarioReader.read("devices a1\r\n\r\n  a1 opens\r\n\ta1 closes")
        #expect(
            scenario.steps.map(\.position) == [
                Position(line: 3, column: 3), Position(line: 4, column: 2),
            ])
    }

    @Test("lengths of time are written in the longest unit without a fraction")
    func spans() throws {
        let scenario = Scenario(
            devices: [DeviceTraits("laptop")],
            steps: [
                0, 1, 999, 1_000, 60_000, 7_200_000, 86_400_000, 604_800_000, 31_536_000_000,
                ScenarioLimits.spanMax,
            ].map { Step(.meeting(.wait(milliseconds: $0))) })
        let lines = """
            devices laptop

            wait 0 ms
            wait 1 ms
            wait 999 ms
            wait 1 second
            wait 1 minute
            wait 2 hours
            wait 1 day
            wait 1 week
            wait 1 year
            wait 100 years

            """
        #expect(ScenarioWriter.text(of: scenario) == lines)
        #expect(try ScenarioReader.read(lines) == scenario)
    }
}

import Simulation
import Testing

@Suite("Stories as text")
struct StoryWriterTests {
    private static func name(_ value: some Any) -> String {
        String("\(value)".prefix { $0 != "(" })
    }

    @Test("what is written reads back to an equal story")
    func roundTrip() throws {
        var actions: Set<String> = []
        var claims: Set<String> = []
        for seed in 1...600 {
            var random = RandomStory(seed: UInt64(seed))
            let story = random.story()
            let text = StoryWriter.text(of: story)
            do {
                let again = try StoryReader.read(text)
                #expect(again == story, "seed \(seed)")
                #expect(StoryWriter.text(of: again) == text, "seed \(seed)")
            } catch {
                Issue.record("seed \(seed): \(error.rendered(file: "story"))")
            }
            for step in story.steps {
                actions.insert(Self.name(step.action))
                if case .expect(let expectation) = step.action {
                    claims.insert(Self.name(expectation.claim))
                }
            }
        }
        // Every action and every claim has been drawn.
        #expect(actions.count == 46)
        #expect(claims.count == 14)
    }

    @Test("the canonical text of a small story")
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
        #expect(StoryWriter.text(of: try StoryReader.read(text)) == expected)
    }

    @Test("a story of nothing is an empty text, which is no story that can be read")
    func empty() throws {
        #expect(StoryWriter.text(of: Story()) == "")
        for text in ["", "\n\n", "\u{FEFF}", " \t\r\n", "# nothing", "# \"\u{0}"] {
            let faults = try #require(StoryFaultTests.faults(text)?.faults)
            #expect(faults.map(\.message) == ["the story has no devices"])
            let devices = text + "\ndevices laptop"
            #expect(try StoryReader.read(devices) == Story(devices: [DeviceTraits("laptop")]))
        }
    }

    @Test("a story that speaks of what it has not made known cannot be told")
    func untold() {
        let create = Step(.create(device: "laptop", item: "milk", []))
        let delete = Step(.delete(device: "laptop", item: "milk"))
        let devices = [DeviceTraits("laptop")]
        #expect(StoryWriter.canTell(Story(devices: devices, steps: [create, delete])))
        #expect(!StoryWriter.canTell(Story(devices: devices, steps: [delete])))
        #expect(!StoryWriter.canTell(Story(steps: [create])))
        #expect(!StoryWriter.canTell(Story(devices: [DeviceTraits("my laptop")])))
    }

    @Test("steps know their lines")
    func positions() throws {
        let story = try StoryReader.read("devices a1\r\n\r\n  a1 opens\r\n\ta1 closes")
        #expect(
            story.steps.map(\.position) == [
                Position(line: 3, column: 3), Position(line: 4, column: 2),
            ])
    }

    @Test("lengths of time are written in the longest unit without a fraction")
    func spans() throws {
        let story = Story(
            devices: [DeviceTraits("laptop")],
            steps: [
                0, 1, 999, 1_000, 60_000, 7_200_000, 86_400_000, 604_800_000, 31_536_000_000,
                StoryLimits.spanMax,
            ].map { Step(.wait(milliseconds: $0)) })
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
        #expect(StoryWriter.text(of: story) == lines)
        #expect(try StoryReader.read(lines) == story)
    }
}

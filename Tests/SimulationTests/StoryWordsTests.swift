import Simulation
import Testing

@Suite("Tables of the scenario language")
struct StoryWordsTests {
    @Test("the example of each form reads, and is written as a line that reads the same")
    func examples() throws {
        for (topic, forms) in StoryWords.lines {
            for form in forms {
                let example = form.example.replacing("backed up as monday", with: "backed up as x")
                let who = example.hasPrefix("holds") ? "harbor" : "laptop"
                let beginning = "relay harbor\n" + StoryFormTests.beginning
                let text =
                    switch topic {
                    case "Headings": example
                    case "What can be expected":
                        beginning + "expect \(who) \(example)"
                    default: beginning + example
                    }
                let story = try StoryReader.read(text)
                #expect(try StoryReader.read(StoryWriter.text(of: story)) == story, "\(text)")
            }
        }
    }

    @Test("each form has words without marks, and says what it means in a sentence")
    func meanings() {
        for form in StoryWords.lines.flatMap(\.forms) {
            #expect(!form.words.contains { "!?|".contains($0) }, "\(form.words)")
            #expect(form.meaning.last == ".", "\(form.words)")
            #expect(form.meaning.count <= 100, "\(form.words)")
        }
        let words = Set(StoryWords.lines.flatMap(\.forms).map(\.words))
        let capitals = Set(
            words.flatMap { $0.split(separator: " ") }.filter { $0 == $0.uppercased() })
        #expect(capitals == Set(StoryWords.parts.map { Substring($0.words) }))
        for known in [
            "DEVICE creates ITEM SETTINGS", "expect WHO CLAIM", "has ITEM missing", "wait SPAN",
            "the disk of DEVICE has NUMBER bytes left",
        ] {
            #expect(words.contains(known))
        }
    }

    @Test("no word that a line can begin with is a name")
    func reserved() {
        for form in StoryWords.lines.dropLast().flatMap(\.forms) {
            let first = form.words.prefix { $0 != " " }
            if first == "DEVICE" || first == "RELAY" { continue }
            let fault = StoryFaultTests.faults("devices \(first)")?.faults.first
            #expect(fault?.message == "`\(first)` cannot be a name")
        }
    }
}

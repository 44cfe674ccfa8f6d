import Simulation
import Testing

@Suite("Tables of the scenario language")
struct ScenarioWordsTests {
    @Test("the example of each form reads, and is written as a line that reads the same")
    func examples() throws {
        for (topic, forms) in ScenarioWords.lines {
            for form in forms {
                let example = form.example.replacing("backed up as monday", with: "backed up as x")
                let who = example.hasPrefix("holds") ? "harbor" : "laptop"
                let beginning = "relays harbor and depot on vault\n" + ScenarioFormTests.beginning
                let text =
                    switch topic {
                    case "Headings": example + "\ndevice spare"
                    case "What can be expected":
                        beginning + "expect \(who) \(example)"
                    default: beginning + example
                    }
                let scenario = try ScenarioReader.read(text)
                #expect(
                    try ScenarioReader.read(ScenarioWriter.text(of: scenario)) == scenario,
                    "\(text)")
            }
        }
    }

    @Test("each form has words without marks, and says what it means in a sentence")
    func meanings() {
        for form in ScenarioWords.lines.flatMap(\.forms) {
            #expect(!form.words.contains { "!?|".contains($0) }, "\(form.words)")
            #expect(form.meaning.last == ".", "\(form.words)")
            #expect(form.meaning.count <= 100, "\(form.words)")
        }
        let words = Set(ScenarioWords.lines.flatMap(\.forms).map(\.words))
        let capitals = Set(
            words.flatMap { $0.split(separator: " ") }.filter { $0 == $0.uppercased() })
        #expect(capitals == Set(ScenarioWords.parts.map { Substring($0.words) }))
        for known in [
            "DEVICE creates ITEM SETTINGS", "expect WHO CLAIM", "has ITEM missing", "wait SPAN",
            "the disk of DEVICE has NUMBER bytes left",
        ] {
            #expect(words.contains(known))
        }
    }

    @Test("no word that a line can begin with is a name")
    func reserved() {
        for form in ScenarioWords.lines.dropLast().flatMap(\.forms) {
            let first = form.words.prefix { $0 != " " }
            if first == "DEVICE" || first == "RELAY" { continue }
            let fault = ScenarioFaultTests.faults("devices \(first)")?.faults.first
            #expect(fault?.message == "`\(first)` cannot be a name")
        }
    }

    @Test("every word of the language is refused as a name, or does as one in every form")
    func names() throws {
        let forms = ScenarioWords.lines.flatMap(\.forms)
        var words = Set(forms.flatMap { $0.example.split { !$0.isLetter } }.map { String($0) })
        words.formUnion(["but", "is", "refused", "fails", "program", "on", "empty", "newer"])
        words = words.filter { $0.first?.isLowercase ?? false }
        words.subtract(["laptop", "phone", "tablet", "milk", "harbor", "depot", "monday", "twin"])
        let reserved = try #require(ScenarioWords.tables.last?.rows.map(\.words))
        let known = Set(reserved.flatMap { $0.split(separator: " ") }.map { String($0) })
        var refused: Set<String> = []
        for word in words.union(known) {
            let faults = ScenarioFaultTests.faults("device \(word)")?.faults ?? []
            if word == "but" {
                // The text after it may be the end of any step.
                #expect(faults.map(\.message) == ["`but` does not fit here"])
                refused.insert(word)
                continue
            }
            if !faults.isEmpty {
                #expect(faults.map(\.message) == ["`\(word)` cannot be a name"])
                #expect(faults[0].hint?.hasPrefix("it is a word of the language") ?? false)
                refused.insert(word)
                continue
            }
            for name in ["laptop", "phone", "milk", "harbor", "monday"] {
                try Self.check(word, insteadOf: name)
            }
        }
        #expect(refused == known)
    }

    /// Has a name mean a word in the examples of all forms.
    private static func check(_ word: String, insteadOf name: String) throws {
        var lines = [
            "lenient", "devices laptop, phone and tablet", "relays harbor and depot on vault",
            "laptop creates milk",
            "laptop is backed up as monday",
        ]
        for (topic, forms) in ScenarioWords.lines where topic != "Headings" {
            for form in forms where !form.example.hasSuffix("backed up as monday") {
                let isClaim = topic == "What can be expected"
                let who = form.example.hasPrefix("holds") ? "harbor" : "laptop"
                lines.append((isClaim ? "expect \(who) " : "") + form.example)
            }
        }
        let text = lines.map { line in
            line.split(separator: " ").map { part -> String in
                part.filter(\.isLetter) == name
                    ? String(part).replacing(name, with: word) : String(part)
            }.joined(separator: " ")
        }.joined(separator: "\n")
        let faults = ScenarioFaultTests.faults(text)?.faults ?? []
        #expect(faults.isEmpty, "\(word) for \(name): \(faults.first?.rendered(file: "") ?? "")")
        if faults.isEmpty {
            let scenario = try ScenarioReader.read(text)
            #expect(try ScenarioReader.read(ScenarioWriter.text(of: scenario)) == scenario)
        }
    }
}

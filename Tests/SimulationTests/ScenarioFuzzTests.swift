import Simulation
import Testing

@Suite("Hostile scenarios")
struct ScenarioFuzzTests {
    /// The pieces that a mutation inserts: words of the language, and text that no line should
    /// have.
    private static let pieces =
        ScenarioWords.lines.flatMap { $0.forms.flatMap { $0.example.split(separator: " ") } }
        .map { Array(String($0).unicodeScalars) }
        + [
            "\"", "\\", "\\u{", "\n", "\r", "\t", "\u{0}", "\u{301}", "\u{FEFF}", "#", "@", "+",
            "-", ":", ",", "9", "99999999999999999999", "-1", "2026-02-30", "relay", "é", "👩‍👩‍👧",
        ].map { Array($0.unicodeScalars) }

    private static func mutated(
        _ scalars: [Unicode.Scalar], _ chance: inout Chance
    ) -> [Unicode.Scalar] {
        var scalars = scalars
        for _ in 0..<1 + chance.below(6) {
            let start = chance.below(scalars.count + 1)
            let end = min(scalars.count, start + chance.below(12))
            switch chance.below(4) {
            case 0: scalars.removeSubrange(start..<end)
            case 1: scalars.insert(contentsOf: chance.pick(pieces), at: start)
            case 2: scalars.replaceSubrange(start..<end, with: [" "] + chance.pick(pieces) + [" "])
            default:
                let other = chance.below(scalars.count + 1)
                scalars.insert(contentsOf: scalars[start..<end], at: other)
            }
        }
        return scalars
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    @Test("whatever is done to a scenario, it reads and is written again, or its faults are told")
    func mutations() throws {
        var chance = Chance(seed: 11, "mutations")
        var (readCount, refusedCount) = (0, 0)
        for seed in 1...40 {
            var random = RandomScenario(seed: UInt64(seed))
            let scalars = Array(ScenarioWriter.text(of: random.scenario()).unicodeScalars)
            for _ in 0..<60 {
                let text = Self.string(Self.mutated(scalars, &chance))
                do throws(ScenarioFaults) {
                    let scenario = try ScenarioReader.read(text)
                    readCount += 1
                    let again = try ScenarioReader.read(ScenarioWriter.text(of: scenario))
                    #expect(again == scenario, "\(text)")
                } catch {
                    refusedCount += 1
                    Self.check(error, of: text)
                }
            }
        }
        // Both ends are reached often.
        #expect(readCount > 20)
        #expect(refusedCount > 1_000)
    }

    /// Whether faults lie within the text, in order, and can be shown.
    private static func check(_ faults: ScenarioFaults, of text: String) {
        let lineCount = text.unicodeScalars.count { $0 == "\n" } + 1
        #expect((1...ScenarioLimits.faultCountMax).contains(faults.faults.count))
        var last = 0
        for fault in faults.faults {
            #expect((last...lineCount).contains(fault.position.line), "\(text)")
            #expect(fault.position.column >= 1)
            #expect(fault.excerptOffset <= fault.excerpt.count)
            #expect(fault.message.unicodeScalars.allSatisfy { $0 != "\n" && $0.value != 0 })
            #expect(fault.rendered(file: "f").split(separator: "\n").count >= 1)
            last = fault.position.line
        }
    }

    @Test("strange texts end soon")
    func strange() {
        let texts = [
            String(repeating: "a", count: 4_000_000),
            String(repeating: "\u{0}", count: 1_000_000),
            String(repeating: "\"", count: 1_000_000),
            String(repeating: "\u{301}", count: 1_000_000),
            String(repeating: "🇩🇪", count: 200_000),
            String(repeating: "x y z\n", count: 200_000),
            String(repeating: "\n", count: 1_000_000) + "x",
            String(repeating: "\r", count: 1_000_000),
            "title \"" + String(repeating: "\\", count: 9_000),
            "devices " + String(repeating: "a,", count: 4_900),
            "devices a1\nexpect a1 " + String(repeating: "and a1 ", count: 1_400),
            "devices a1\na1 edits b1 tags " + String(repeating: "+", count: 9_000),
            "devices " + String(repeating: "e\u{301}", count: 4_000),
            "wait " + String(repeating: "9", count: 9_000) + " days",
            "seed " + String(repeating: "0", count: 9_000) + "x",
        ]
        for text in texts {
            #expect(ScenarioFaultTests.faults(text) != nil, "\(text.prefix(40))")
        }
    }
}

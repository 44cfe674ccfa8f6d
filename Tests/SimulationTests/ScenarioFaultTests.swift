import Simulation
import Testing

@Suite("Faults in scenarios")
struct ScenarioFaultTests {
    /// A bad line, and what is said of it.
    struct Row: CustomTestStringConvertible {
        let line: String
        let column: Int
        let message: String
        let hint: String

        init(_ line: String, _ column: Int, _ message: String, _ hint: String) {
            self.line = line
            self.column = column
            self.message = message
            self.hint = hint
        }

        var testDescription: String { line }
    }

    @Test("each bad line is told where and how it is wrong, and what to do", arguments: rows)
    func oneFault(row: Row) throws {
        let faults = try #require(Self.faults(ScenarioFormTests.beginning + row.line))
        let fault = try #require(faults.faults.first)
        #expect(faults.faults.count == 1)
        #expect(fault.position == Position(line: 4, column: row.column))
        #expect(fault.message == row.message)
        #expect(fault.hint == row.hint)
        #expect(!faults.isCutShort)
    }

    /// Returns the errors in a text; nil if there are none.
    static func faults(_ text: String) -> ScenarioFaults? {
        do throws(ScenarioFaults) {
            _ = try ScenarioReader.read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("headings that do not go together are refused")
    func headings() {
        let texts: [(text: String, line: Int, message: String, hint: String)] = [
            (
                "title \"a\"\ntitle \"b\"", 2, "`title` is given twice",
                "the first one is in line 1"
            ),
            ("seed 1\nlenient\nseed 1", 3, "`seed` is given twice", "the first one is in line 1"),
            (
                "policy edits-win\npolicy deletes-win", 2, "`policy` is given twice",
                "the first one is in line 1"
            ),
            ("lenient\nlenient", 2, "`lenient` is given twice", "the first one is in line 1"),
            (
                "devices a1\n\na1 opens\ndevice b1", 4, "`device` comes too late",
                "headings stand before the first action, which is in line 3"
            ),
        ]
        for (text, line, message, hint) in texts {
            let fault = Self.faults(text)?.faults.first
            #expect(fault?.position == Position(line: line, column: 1))
            #expect(fault?.message == message)
            #expect(fault?.hint == hint)
        }
    }

    @Test("all faults are told, and none that only follows from another one")
    func several() throws {
        let text = """
            devices laptop phone
            devices tablet
            laptop creats milk
            laptop edits milk title "Oat"
            phone edits milk titel "Oat"
            tablet is copyed to twin
            twin opens
            tablet is backd up as monday
            tablet is restored from monday
            tablet edits egg title "Egg"
            tablet creates ham parent @spam
            expect tablet has ham alive
            """
        let faults = try #require(Self.faults(text))
        #expect(
            faults.faults.map { "\($0.position.line): \($0.message)" } == [
                "1: `phone` is too much", "3: `creats` does not fit here",
                "5: there is no field `titel`", "6: `copyed` does not fit here",
                "8: `backd` does not fit here", "10: no earlier line creates `egg`",
                "11: no line creates `spam`",
            ])
    }

    @Test("reading stops after so many faults")
    func many() throws {
        let most = ScenarioLimits.faultCountMax
        let exact = try #require(Self.faults(String(repeating: "5\n", count: most)))
        #expect(exact.faults.count == most)
        #expect(!exact.isCutShort)
        let more = try #require(Self.faults(String(repeating: "5\n", count: most + 1)))
        #expect(more.faults.count == most)
        #expect(more.isCutShort)
        #expect(more.rendered(file: "f").hasSuffix("f: too many faults, the rest was not read"))
    }

    @Test("a lenient scenario may speak of items that nothing creates")
    func lenient() throws {
        let text = """
            lenient
            devices laptop
            laptop edits milk parent @egg
            expect laptop shows milk colour 5
            """
        #expect(try ScenarioReader.read(text).steps.count == 2)
        #expect(Self.faults("devices laptop\nlaptop deletes milk but is refused: missing") == nil)
        #expect(Self.faults("devices laptop\nexpect laptop has milk missing") == nil)
        #expect(Self.faults("lenient\nlaptop opens") != nil)
    }

    @Test("a device that is spoken of before it is there comes too late, and is not unknown")
    func order() throws {
        let text = """
            title "x"
            laptop creates milk
            twin opens
            devices laptop and phone
            laptop is copied to twin
            """
        let faults = try #require(Self.faults(text)).faults
        #expect(
            faults.map { "\($0.position.line): \($0.message)" } == [
                "2: `laptop` comes into the world only later, in line 4",
                "3: `twin` comes into the world only later, in line 5",
            ])
        let hint =
            "put `devices` before the first action, and what makes a copy before what it does"
        #expect(faults.map(\.hint) == [hint, hint])
    }

    @Test(
        "without a device there is no scenario, whatever else it says",
        arguments: [
            ("", 1, 1), ("# nothing", 1, 1), ("title \"x\"\nseed 4", 1, 1), ("relay harbor", 1, 1),
            ("\n  wait 3 days\neveryone syncs", 2, 3),
        ])
    func noDevices(text: String, line: Int, column: Int) throws {
        let faults = try #require(Self.faults(text)).faults
        #expect(faults.map(\.message) == ["the scenario has no devices"])
        #expect(faults[0].position == Position(line: line, column: column))
        #expect(faults[0].hint == "begin with the names of some: `devices laptop and phone`")
    }

    @Test(
        "what takes two devices is refused of one",
        arguments: [
            "laptop syncs with laptop", "laptop starts to sync with laptop",
            "laptop connects to laptop", "laptop disconnects from laptop",
            "the link of laptop and laptop breaks",
            "the link of laptop and laptop breaks after 5 bytes",
            "messages from laptop to laptop take 5 ms to 2 seconds", "laptop cannot reach laptop",
            "laptop can reach laptop again", "a bit flips on the way from laptop to laptop",
            "laptop loses its end of the link to laptop",
            "laptop sends laptop a message of an unknown kind",
        ])
    func oneForTwo(line: String) throws {
        let fault = try #require(Self.faults("devices laptop and phone\n\(line)")?.faults.first)
        let second = line.ranges(of: "laptop")[1].lowerBound
        let column = line.distance(from: line.startIndex, to: second) + 1
        #expect(fault.position == Position(line: 2, column: column))
        #expect(fault.length == 6)
        #expect(fault.message == "`laptop` is named at both ends")
        #expect(fault.hint == "this takes two devices, such as `laptop` and `phone`")
        let meant = line.replacing("laptop", with: "phone", maxReplacements: 1)
        #expect(Self.faults("devices laptop and phone\n\(meant)") == nil)
        #expect(Self.faults("devices laptop and phone\n\(line) but fails") == nil)
    }

    @Test("a fault shows its line with a mark, without harm to a terminal")
    func rendering() throws {
        let faults = try #require(Self.faults("devices laptop\n\tlaptop creats milk # \u{1B}[2J"))
        let lines = faults.rendered(file: "milk.scenario").split(separator: "\n")
        #expect(lines[0] == "milk.scenario:2:9: `creats` does not fit here")
        #expect(lines[1] == "     laptop creats milk # \u{FFFD}[2J")
        #expect(lines[2] == "            ^~~~~~")
        #expect(lines[3].hasPrefix("  hint: did you mean `creates`? Here comes"))
    }

    @Test("of a long line the part around the fault is shown")
    func excerpt() throws {
        let padding = String(repeating: "x", count: 300)
        let text = "title \"\(padding)\" é\u{301}! \(padding)"
        let fault = try #require(Self.faults(text)?.faults.first)
        #expect(fault.position == Position(line: 1, column: 311))
        #expect(fault.excerpt.count <= ScenarioLimits.excerptLengthMax + 2)
        #expect(fault.excerpt.hasPrefix("…xx") && fault.excerpt.hasSuffix("xx…"))
        let index = fault.excerpt.index(fault.excerpt.startIndex, offsetBy: fault.excerptOffset)
        #expect(fault.excerpt[index] == "!")
        let tower = "\"" + String(repeating: "\u{301}", count: 5_000)
        #expect((Self.faults(tower)?.rendered(file: "f").utf8.count ?? 0) < 500)
    }
}

import FoundationEssentials
import Testing
import ToDo

@Suite("ChronoList archive")
struct ChronoListFormatTests {
    /// The archive's type as the app declares it.
    private struct Archived: Codable {
        var title: String
        var note: String?
        var projectName: String
        var isComplete: Bool
        var dueDate: Date?
        var startDate: Date?
        var finishDate: Date?
    }

    private let format = ChronoListFormat(zone: .utc)

    private var pythonBinary: [UInt8] {
        let base64 = PythonPropertyLists.binaryBase64.replacing("\n", with: "")
        return Array(Data(base64Encoded: base64) ?? Data())
    }

    @Test("archives written by Python are read in both forms")
    func python() throws {
        let xml = Array(PythonPropertyLists.xml.utf8)
        for (bytes, fraction) in [(pythonBinary, Int64(123)), (xml, 0)] {
            let items = try format.decode(bytes).items
            #expect(items.map(\.title) == ["Gym", "B"])
            #expect(items[0].due == .instant(1_796_115_600_000 + fraction))
            #expect(items[0].project == "")
            #expect(items.map(\.isComplete) == [false, true])
            #expect(items[1].notes == "n\n2")
            #expect(items[1].start == .instant(1_793_523_600_000))
            #expect(items[1].finish == .instant(1_793_527_200_000))
            #expect(items[1].custom["extra"] == .int(5))
            #expect(items[1].custom["b"] == .bool(true))
            #expect(items[1].custom["r"] == .double(1.5))
            #expect(
                items[1].custom["nest"] == .text(#"{"a":[1,"eHk=","2026-01-01T00:00:00Z"]}"#))
        }
    }

    @Test("the app's own coding and ours are the same archive")
    func appCoding() throws {
        let date = Date(timeIntervalSince1970: 1_796_115_600.25)
        let archived = [
            Archived(title: "a", projectName: "", isComplete: true, dueDate: date),
            Archived(title: "b", note: "n", projectName: "P", isComplete: false),
        ]
        let encoder = PropertyListEncoder()
        let items = try format.decode(Array(try encoder.encode(archived))).items
        let back = try PropertyListDecoder().decode(
            [Archived].self, from: Data(try format.encode(items).bytes))
        #expect(back.map(\.title) == ["a", "b"])
        #expect(back[0].dueDate == date)
        #expect(back[0].note == nil)
        #expect(back[1].note == "n")
        #expect(back.map(\.isComplete) == [true, false])
    }

    @Test("both forms read back, XML to the second, a day as its midnight")
    func roundTrip() throws {
        var item = ToDoItem(title: "a <&> é")
        item.notes = "n"
        item.project = "P"
        item.start = .instant(1_795_239_247_123)
        let berlin = ChronoListFormat(zone: try Fixed.berlin())
        #expect(try berlin.decode(berlin.encode([item]).bytes).items == [item])
        item.start = .instant(1_795_239_247_000)
        item.due = Fixed.day("2026-12-01")
        var expected = item
        expected.due = .instant(1_796_079_600_000)
        #expect(try berlin.decode(berlin.encode([item], form: .xml).bytes).items == [expected])
        #expect(try berlin.decode(berlin.encode([]).bytes).items.isEmpty)
    }

    @Test("ids are the same at every import, and tell equal entries apart")
    func identifiers() throws {
        func hash(_ bytes: [UInt8]) -> UInt128 {
            bytes.reduce(UInt128(1)) { ($0 ^ UInt128($1)) &* 0x1_0000_0000_0000_0000_0000_0163 }
        }
        var first = try format.decode(pythonBinary).items
        first += first
        ChronoListFormat.assignIdentifiers(&first, hash: hash)
        let identifiers = first.compactMap(\.identifier)
        #expect(Set(identifiers).count == 4)
        for identifier in identifiers {
            #expect(identifier >> 76 & 15 == 8)
            #expect(identifier >> 62 & 3 == 2)
        }
        var second = try format.decode(Array(PythonPropertyLists.xml.utf8)).items
        second[0].status = .completed
        second[1].notes = "changed"
        ChronoListFormat.assignIdentifiers(&second, hash: hash)
        #expect(second.map(\.identifier) == first.prefix(2).map(\.identifier))
    }

    @Test("a wrong entry is named by its number and key")
    func badEntry() throws {
        func archive(_ second: String) -> [UInt8] {
            Array(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><array><dict><key>title</key><string>a</string></dict>
                <dict>\(second)</dict></array></plist>
                """.utf8)
        }
        #expect(try format.decode(archive("<key>title</key><string>b</string>")).items.count == 2)
        let rows = [
            ("<key>title</key><integer>5</integer>", "title"),
            ("<key>title</key><string>b</string><key>dueDate</key><string>x</string>", "dueDate"),
            (
                "<key>title</key><string>b</string><key>isComplete</key><string>x</string>",
                "isComplete"
            ),
        ]
        for (second, key) in rows {
            let reading = try format.decode(archive(second))
            #expect(reading.items.map(\.title) == ["a"])
            #expect(reading.faults.map(\.entry) == [2])
            #expect(reading.faults.map(\.line) == [3])
            #expect(reading.faults.map(\.key) == [key])
        }
        let untitled = try format.decode(archive("<key>note</key><string>x</string>"))
        #expect(untitled.faults.map(\.entry) == [2])
        #expect(untitled.faults.map(\.key) == ["title"])
    }

    @Test("what is no archive is refused, whatever the bytes")
    func hostile() throws {
        let foreign = ["", "hello", "<plist></plist>", "bplist00", "<plist><dict/></plist>"]
        for text in foreign {
            do {
                _ = try format.decode(Array(text.utf8))
                Issue.record("was read: \(text)")
            } catch FormatFault.cannotDecode(let name, _, _, _) {
                #expect(name == "ChronoList")
            }
        }
        let bytes = pythonBinary
        for index in bytes.indices {
            _ = try? format.decode(Array(bytes.prefix(index)))
            var changed = bytes
            changed[index] ^= 0x55
            _ = try? format.decode(changed)
        }
    }
}

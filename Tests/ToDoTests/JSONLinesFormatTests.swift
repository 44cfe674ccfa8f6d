import Testing
import ToDo

@Suite("Tandem JSON lines")
struct JSONLinesFormatTests {
    private func decode(_ text: String) throws -> [ToDoItem] {
        try JSONLinesFormat.decode(Array(text.utf8)).items
    }

    @Test("nothing is lost")
    func lossless() throws {
        var item = ToDoItem(title: "a \"b\" \\ / \u{1}\n\t é 🎉 \u{2028}")
        item.identifier = .max
        item.notes = "two\nlines"
        item.project = "A.B"
        item.due = .day(20_788)
        item.scheduled = .instant(1_795_239_247_123)
        item.wait = .instant(-1)
        item.until = .day(.max)
        item.start = .day(.min)
        item.finish = .instant(.max)
        item.status = .cancelled
        item.completed = .min
        item.created = 0
        item.modified = 1
        item.priority = .low
        item.setTags(["b", "a,b", " "])
        item.people = ["", "Ann"]
        item.location = "x"
        item.custom = [
            "e": .text(""), "text": .text("5"), "int": .int(.min), "double": .double(1),
            "small": .double(.leastNonzeroMagnitude), "large": .double(1e300),
            "minus": .double(-0.0),
            "inf": .double(-.infinity), "flag": .bool(false), "at": .instant(1),
            "json:title": .text("1"), "json:x": .text("not json"), "json:y": .int(1),
        ]
        let bytes = JSONLinesFormat.encode([item, ToDoItem(title: "")]).bytes
        #expect(bytes.count { $0 == 10 } == 2)
        #expect(try JSONLinesFormat.decode(bytes).items == [item, ToDoItem(title: "")])
    }

    @Test("a line reads as documented")
    func documented() {
        var item = ToDoItem(title: "Buy milk")
        item.identifier = 1
        item.due = Fixed.day("2026-12-01")
        item.scheduled = .instant(1_795_239_247_123)
        item.custom = ["size": .int(5), "when": .instant(0)]
        #expect(
            JSONLinesFormat.line(item)
                == #"{"tandem":1,"id":"00000000-0000-0000-0000-000000000001","title":"Buy milk","#
                + #""status":"pending","due":"2026-12-01","scheduled":"2026-11-21T05:34:07.123Z","#
                + #""custom":{"size":5,"when":{"instant":"1970-01-01T00:00:00Z"}}}"#)
    }

    @Test("keys and kinds of a newer version are kept and written back unchanged")
    func unknown() throws {
        let line =
            #"{"tandem":1,"title":"a","status":"pending","next":{"k":[1,2.50,1e400,null]},"#
            + #""custom":{"shape":{"points":[1.0]},"void":null}}"#
        let items = try decode(line)
        #expect(items[0].custom["json:next"] == .text(#"{"k":[1,2.50,1e400,null]}"#))
        #expect(JSONLinesFormat.line(items[0]) == line)
    }

    @Test("offsets, fractions and empty lines are read")
    func tolerant() throws {
        let items = try decode(
            "\u{feff}\n"
                + #"{"tandem":1,"title":"a","due":"2026-12-01T10:00:00.5+01:00"}"# + "\r\n\r\n")
        #expect(items[0].due == .instant(1_796_115_600_500))
    }

    @Test(
        "a bad object is named by its number and key",
        arguments: [
            (#"{"title":"a"}"#, "tandem"), (#"{"tandem":2,"title":"a"}"#, "tandem"),
            (#"{"tandem":1}"#, "title"), (#"{"tandem":1,"title":5}"#, "title"),
            (#"{"tandem":1,"title":"a","due":"friday"}"#, "due"),
            (#"{"tandem":1,"title":"a","due":"2026-02-30"}"#, "due"),
            (#"{"tandem":1,"title":"a","due":"2026-12-01T10:00:00"}"#, "due"),
            (#"{"tandem":1,"title":"a","created":"2026-12-01"}"#, "created"),
            (#"{"tandem":1,"title":"a","status":"done"}"#, "status"),
            (#"{"tandem":1,"title":"a","priority":"top"}"#, "priority"),
            (#"{"tandem":1,"title":"a","id":"1"}"#, "id"),
            (#"{"tandem":1,"title":"a","tags":"x"}"#, "tags"),
            (#"{"tandem":1,"title":"a","custom":[]}"#, "custom"),
        ])
    func badEntries(text: String, key: String) throws {
        let file = #"{"tandem":1,"title":"good"}"# + "\n\n" + text
        let reading = try JSONLinesFormat.decode(Array(file.utf8))
        #expect(reading.items.map(\.title) == ["good"])
        #expect(reading.faults.map(\.entry) == [2])
        #expect(reading.faults.map(\.line) == [3])
        #expect(reading.faults.map(\.key) == [key])
    }

    @Test("a line that is no JSON is bad alone; a file without a single to-do is refused")
    func badLine() throws {
        let good = #"{"tandem":1,"title":"good"}"#
        let reading = try JSONLinesFormat.decode(Array("\(good)\n{\"tandem\":1,\n\(good)".utf8))
        #expect(reading.items.count == 2)
        #expect(reading.faults.map(\.line) == [2])
        #expect(reading.faults[0].reason.contains(" 12 "))
        #expect(throws: FormatFault.self) { try decode("\u{1}PNG\n\n\u{0}") }
    }

    @Test(
        "malformed JSON is refused",
        arguments: [
            "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "01", "1.", ".5", "-", "+1", "1e",
            "tru", "nul", "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
            "\"\\udc00\"", "\"abc", "{\"a\":1,\"a\":2}", "]", "NaN", "\"\\", "\"\\u00",
            String(repeating: "[", count: 100_000),
        ])
    func malformed(text: String) {
        #expect(throws: FormatFault.self) { try decode(text) }
    }

    @Test("every cut of a file is refused or read, never a trap")
    func cuts() {
        let line =
            #"{"tandem":1,"title":"\u00e9\ud83c\udf89\n","due":"2026-12-01T10:00:00Z","custom":{"a":-1.5e+3}}"#
        let bytes = Array(line.utf8)
        for count in 1..<bytes.count {
            #expect(throws: FormatFault.self) {
                try JSONLinesFormat.decode(Array(bytes.prefix(count)))
            }
            var changed = bytes
            changed[count] = 0xff
            _ = try? JSONLinesFormat.decode(changed)
        }
        #expect(throws: Never.self) { try JSONLinesFormat.decode(bytes) }
    }
}

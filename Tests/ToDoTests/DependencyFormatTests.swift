import Core
import Testing
import ToDo

@Suite("What waits for what, in files")
struct DependencyFormatTests {
    /// Titles of the to-dos that each one waits for, by its title; `?` for one that is not in the file.
    private func ends(_ items: [ToDoItem]) -> [String: Set<String>] {
        var titles: [UInt128: String] = [:]
        for item in items { titles[item.identifier ?? 0] = item.title }
        var found: [String: Set<String>] = [:]
        for item in items where !item.depends.isEmpty {
            found[item.title] = Set(item.depends.map { titles[$0] ?? "?" })
        }
        return found
    }

    private func todo(_ lines: String...) throws -> FormatReading {
        try TodoTextFormat(zone: .utc).decode(Array(lines.joined(separator: "\n").utf8))
    }

    @Test(
        "todo.txt: ids of other programs lead to lines above and below, each name once or in a list"
    )
    func foreignLines() throws {
        let reading = try todo("Paint dep:2 dep:3", "Sand id:2 dep:3", "Buy id:3", "Hang dep:2,3")
        #expect(reading.faults.isEmpty && reading.losses.isEmpty)
        #expect(
            ends(reading.items)
                == ["Paint": ["Sand", "Buy"], "Sand": ["Buy"], "Hang": ["Sand", "Buy"]])
        #expect(reading.items.allSatisfy { $0.custom["dep"] == nil })
        let again = try TodoTextFormat(zone: .utc).encode(reading.items)
        #expect(try TodoTextFormat(zone: .utc).decode(again.bytes).items == reading.items)
        #expect(again.losses.isEmpty)
    }

    @Test(
        "todo.txt: a name that no line or two lines have stays a field of one's own, and goes out again"
    )
    func unknownNames() throws {
        let reading = try todo("Paint dep:9 dep:2", "Sand id:2", "Buy id:2", "Hang dep:8,7")
        #expect(ends(reading.items) == [:])
        #expect(reading.items[0].custom["dep"] == .text("9,2"))
        #expect(reading.items[3].custom["dep"] == .text("8,7"))
        let again = try TodoTextFormat(zone: .utc).encode(reading.items)
        #expect(try TodoTextFormat(zone: .utc).decode(again.bytes).items == reading.items)
    }

    private func calendar(_ lines: String...) throws -> FormatReading {
        var text = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x"]
        for (uid, more) in [("a@x", lines), ("b@x", []), ("c@x", [])] {
            text += ["BEGIN:VTODO", "UID:\(uid)", "DTSTAMP:20260101T000000Z", "SUMMARY:\(uid)"]
            text += more + ["END:VTODO"]
        }
        text += ["END:VCALENDAR", ""]
        return try ICalendarFormat(zone: .utc).decode(
            Array(text.joined(separator: "\r\n").utf8))
    }

    @Test(
        "iCalendar: DEPENDS-ON is read and written beside other relations, which stay as they came")
    func relations() throws {
        let other = "RELATED-TO;RELTYPE=FINISHTOSTART;GAP=P1D:c@x"
        let link = "RELATED-TO;RELTYPE=DEPENDS-ON;VALUE=URI:https://x.org/c"
        let reading = try calendar(
            "RELATED-TO;RELTYPE=depends-on:b@x", other, link, "RELATED-TO:c@x")
        #expect(reading.faults.isEmpty)
        #expect(ends(reading.items) == ["a@x": ["b@x"]])
        #expect(reading.items[0].parent == reading.items[2].identifier)
        func written(_ items: [ToDoItem]) throws -> String {
            String(decoding: try ICalendarFormat(zone: .utc).encode(items).bytes, as: UTF8.self)
        }
        let text = try written(reading.items)
        for line in ["RELATED-TO;RELTYPE=depends-on:b@x", other, link, "RELATED-TO:c@x"] {
            #expect(text.contains(line + "\r\n"), "\(line)")
        }
        var items = reading.items
        items[0].setDepends(items.suffix(2).compactMap(\.identifier))
        let changed = try written(items)
        for line in [
            "RELATED-TO;RELTYPE=DEPENDS-ON:b@x", "RELATED-TO;RELTYPE=DEPENDS-ON:c@x", other, link,
            "RELATED-TO:c@x",
        ] { #expect(changed.contains(line + "\r\n"), "\(line)") }
        let again = try ICalendarFormat(zone: .utc).decode(Array(changed.utf8)).items
        #expect(ends(again) == ["a@x": ["b@x", "c@x"]])
        items[0].setDepends([])
        let none = try written(items)
        #expect(!none.contains("DEPENDS-ON:b") && none.contains(other) && none.contains(link))
    }

    @Test(
        "Taskwarrior: a task that comes again is named by its id there, above, below and on the way back"
    )
    func occurrences() throws {
        func uuid(_ number: Int) -> String { "0000000\(number)-0000-4000-8000-000000000000" }
        let text = """
            [{"uuid":"\(uuid(1))","description":"Paint","status":"pending","depends":["\(uuid(3))"]},
            {"uuid":"\(uuid(2))","description":"Sweep","status":"recurring","recur":"weekly",
            "due":"20990105T000000Z","mask":"-"},
            {"uuid":"\(uuid(3))","description":"Sweep 1","status":"pending","recur":"weekly",
            "due":"20990105T000000Z","parent":"\(uuid(2))","imask":0,"rtype":"periodic",
            "depends":"\(uuid(4)),\(uuid(9))"},
            {"uuid":"\(uuid(4))","description":"Buy","status":"pending"}]
            """
        let format = TaskwarriorFormat(zone: .utc)
        let items = try format.decode(Array(text.utf8)).items
        #expect(ends(items) == ["Paint": ["Sweep 1"], "Sweep 1": ["Buy", "?"]])
        let writing = try format.encode(items)
        let written = String(decoding: writing.bytes, as: UTF8.self)
        #expect(written.contains(#""depends":["\#(uuid(3))"]"#))
        #expect(!writing.losses.contains { $0.field == "depends" })
        #expect(try format.decode(writing.bytes).items == items)
    }

    @Test("a task that waits for one that is not in the file keeps that, and it is told")
    func openEnds() throws {
        let task =
            #"{"uuid":"00000000-0000-4000-8000-00000000000%","description":"t%","depends":["&"]}"#
        func line(_ number: Int, waitsFor other: Int) -> String {
            task.replacing("%", with: "\(number)").replacing(
                "&", with: "00000000-0000-4000-8000-00000000000\(other)")
        }
        let format = try TaskwarriorFormat(FormatSettings(zone: .utc, now: Fixed.now))
        let bytes = Array(
            [line(1, waitsFor: 2), line(2, waitsFor: 9), line(3, waitsFor: 1)].joined(
                separator: "\n"
            ).utf8)
        let whole = try format.read(bytes)
        #expect(whole.remarks.filter { $0.field == "depends" }.map(\.title) == ["t2"])
        #expect(whole.items.map(\.depends.count) == [1, 1, 1])
        let pages = try format.pages(bytes, of: 50)
        #expect(pages.flatMap(\.remarks).map(\.title) == whole.remarks.map(\.title))
    }

    @Test("four thousand names in one line or one to-do are read in time that grows with them")
    func many() throws {
        let ids = (1...4_000).map { RecordID(value: UInt128($0)).uuidText }
        let line = "Paint " + ids.map { "dep:\($0) dep:x\($0)" }.joined(separator: " ")
        let item = try todo(line).items[0]
        #expect(item.depends.count == 4_000)
        #expect(item.custom["dep"]?.displayText.split(separator: ",").count == 4_000)
        let related = ids.map { "RELATED-TO;RELTYPE=DEPENDS-ON:\($0)" }
        let text =
            ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", "UID:a", "SUMMARY:a"] + related
            + ["END:VTODO", "END:VCALENDAR", ""]
        let bytes = Array(text.joined(separator: "\r\n").utf8)
        #expect(try ICalendarFormat(zone: .utc).decode(bytes).items[0].depends.count == 4_000)
    }
}

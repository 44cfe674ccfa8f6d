import Testing
import ToDo

/// Entries that other programs read or write, and that must not refuse the rest of a file.
@Suite("Odd entries in files")
struct OddEntryTests {
    private let todoText = TodoTextFormat(zone: .utc)
    private let calendar = ICalendarFormat(zone: .utc)

    private func decode(_ text: String) throws -> FormatReading {
        try todoText.decode(Array(text.utf8))
    }

    private func calendar(_ lines: String...) throws -> FormatReading {
        let text = "BEGIN:VCALENDAR\n\(lines.joined(separator: "\n"))\nEND:VCALENDAR\n"
        return try calendar.decode(Array(text.utf8))
    }

    // MARK: todo.txt

    @Test("a date in words becomes a field, goes out again, and is told")
    func dateInWords() throws {
        let reading = try decode("Pay rent due:tomorrow t:2026-02-30\n")
        let item = try #require(reading.items.first)
        #expect(reading.faults.isEmpty && item.title == "Pay rent")
        #expect(item.due == nil && item.wait == nil)
        #expect(item.custom == ["due": .text("tomorrow"), "t": .text("2026-02-30")])
        #expect(reading.remarks.map(\.field) == ["due", "t"])
        #expect(
            reading.remarks.first?.code as? TodoTextReason == .dateKept("tomorrow"))
        let written = String(decoding: try todoText.encode([item]).bytes, as: UTF8.self)
        #expect(written.hasPrefix("Pay rent due:tomorrow t:2026-02-30 id:"))
        // A date of a field of one's own would become the to-do's.
        var dated = ToDoItem(title: "a")
        dated.custom = ["due": .text("2026-12-01")]
        #expect(
            String(decoding: try todoText.encode([dated]).bytes, as: UTF8.self) == "a\n")
    }

    @Test(
        "a line without plain words has the words that it has as its title",
        arguments: [
            ("+Garden", "+Garden"), ("+Garden @home @home", "+Garden @home"),
            ("(B) +Garden", "+Garden"), ("x 2026-11-20 @home", "@home"),
            ("due:2026-12-01", "due:2026-12-01"), ("(A)", "(A)"), ("x ", "x"),
        ])
    func wordsAlone(line: String, title: String) throws {
        let reading = try decode("one\n\(line)\ntwo\n")
        #expect(reading.items.map(\.title) == ["one", title, "two"])
        #expect(reading.faults.isEmpty)
        // It is the same to-do when it comes back.
        let writing = try todoText.encode([reading.items[1]])
        let back = try todoText.decode(writing.bytes).items
        #expect(back == [reading.items[1]])
    }

    @Test("a line of nothing but white space is passed over, and one inside of a line is kept")
    func whiteSpace() throws {
        let reading = try decode("one\n\u{85}\n\u{a0}\u{2003}\nt\u{85}wo\nthree\u{b}\n")
        #expect(reading.items.map(\.title) == ["one", "t\u{85}wo", "three"])
        #expect(reading.faults.isEmpty)
    }

    @Test(
        "a title that begins as a line does goes out and comes back",
        arguments: ["x", "x marks the spot", "(A) team", "2026-11-20 minutes", "2026-11-20", "X"])
    func ambiguousTitles(title: String) throws {
        for (status, letter, isDated) in [
            (ToDoStatus.pending, ToDoPriority.none, false), (.pending, .high, false),
            (.pending, .none, true), (.completed, .none, false), (.completed, .none, true),
        ] {
            var item = ToDoItem(title: title)
            item.identifier = 5
            item.status = status
            item.priority = letter
            if isDated { item.created = 1_795_219_200_000 }
            if status == .completed, isDated { item.completed = 1_795_219_200_000 }
            let writing = try todoText.encode([item])
            #expect(writing.losses.isEmpty, "\(writing.losses)")
            #expect(try todoText.decode(writing.bytes).items == [item])
        }
    }

    // MARK: One id twice

    private static let id = "00000000-0000-4000-8000-000000000001"

    @Test(
        "two entries of one id that say the same count once, and that is told",
        arguments: [
            (FormatSamples.todoText, "a id:\(id)\n", 2),
            (.jsonLines, "{\"tandem\":1,\"id\":\"\(id)\",\"title\":\"a\"}\n", 2),
            (.taskwarrior, "{\"uuid\":\"\(id)\",\"description\":\"a\"}\n", 2),
            (.vtodo, "BEGIN:VTODO\nUID:a\nSUMMARY:a\nEND:VTODO\n", 2),
        ])
    func sameTwice(format: FormatSamples, entry: String, count: Int) throws {
        let reading = try format.decode(
            Array(String(repeating: entry, count: count).utf8))
        #expect(reading.items.map(\.title) == ["a"])
        #expect(reading.faults.isEmpty)
        #expect(reading.remarks.map { $0.code as? CommonReason } == [.sameEntry("in line 1")])
        #expect(reading.remarks.map(\.entry) == [2])
    }

    @Test(
        "of two entries of one id that differ the second is bad, and names the line of the first",
        arguments: [
            (FormatSamples.todoText, "a id:\(id)\nb id:\(id)\n", 2),
            (
                .jsonLines,
                "{\"tandem\":1,\"id\":\"\(id)\",\"title\":\"a\"}\n"
                    + "{\"tandem\":2,\"kind\":\"deleted\",\"id\":\"\(id)\",\"title\":\"b\"}\n", 2
            ),
            (
                .taskwarrior,
                "{\"uuid\":\"\(id)\",\"description\":\"a\"}\n"
                    + "{\"uuid\":\"\(id)\",\"description\":\"b\",\"status\":\"deleted\"}\n", 2
            ),
            (.csv, "id,title\n\(id),a\n\(id),b\n", 3),
            (
                .vtodo,
                "BEGIN:VTODO\nUID:a\nSUMMARY:a\nEND:VTODO\nBEGIN:VTODO\nUID:a\nEND:VTODO\n", 5
            ),
        ])
    func twoOfOneID(format: FormatSamples, text: String, line: Int) throws {
        let reading = try format.decode(Array(text.utf8))
        #expect(reading.items.map(\.title) == ["a"])
        #expect(reading.trash.isEmpty)
        #expect(reading.faults.map(\.line) == [line])
        #expect(reading.faults.first?.reason.contains(" \(line == 3 ? 2 : 1)") == true)
    }

    // MARK: Calendars

    @Test(
        "a value out of its range says nothing, is kept and told, and goes out as it came",
        arguments: [
            "PERCENT-COMPLETE:101", "PERCENT-COMPLETE:half", "PRIORITY:10", "PRIORITY:high",
            "CREATED:never", "COMPLETED:never",
        ])
    func valuesOutOfRange(line: String) throws {
        let reading = try calendar("BEGIN:VTODO", "UID:a", "SUMMARY:a", line, "END:VTODO")
        let item = try #require(reading.items.first)
        let name = String(line.prefix { $0 != ":" })
        #expect(reading.faults.isEmpty && item.status == .pending && item.priority == .none)
        #expect(reading.losses.map(\.field) == [name])
        #expect(item.custom["ical:" + name] == .text(String(line.dropFirst(name.count))))
        let written = String(decoding: try calendar.encode([item]).bytes, as: UTF8.self)
        #expect(written.contains("\r\n\(line)\r\n"))
        #expect(try calendar.decode(Array(written.utf8)).items == [item])
    }

    @Test("a to-do without a calendar around it is read, beside others")
    func bareToDo() throws {
        let bare = "BEGIN:VTODO\nUID:a\nSUMMARY:bare\nEND:VTODO\n"
        let whole = "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:c\nSUMMARY:c\nEND:VTODO\nEND:VCALENDAR\n"
        let second = bare.replacing("UID:a", with: "UID:b")
        for (text, titles) in [
            (bare, ["bare"]), (bare + second, ["bare", "bare"]), (bare + whole, ["bare", "c"]),
            (whole + bare, ["c", "bare"]),
        ] {
            let reading = try calendar.decode(Array(text.utf8))
            #expect(reading.items.map(\.title) == titles)
            #expect(reading.faults.isEmpty)
        }
        #expect(try !calendar.decode(Array("BEGIN:VTODO\nUID:a\n".utf8)).faults.isEmpty)
    }

    @Test("a changed occurrence whose series is not in the file becomes a to-do of its own")
    func loneOccurrence() throws {
        let lone = [
            "BEGIN:VTODO", "UID:r", "RECURRENCE-ID;VALUE=DATE:20261201", "SUMMARY:moved",
            "DUE;VALUE=DATE:20261203", "END:VTODO",
        ].joined(separator: "\n")
        let reading = try calendar(lone)
        let item = try #require(reading.items.first)
        #expect(item.title == "moved" && item.due == Fixed.day("2026-12-03"))
        #expect(reading.faults.isEmpty && reading.losses.isEmpty)
        #expect(reading.remarks.map { $0.code as? ICalendarReason } == [.loneOccurrence])
        #expect(try calendar(lone).items == [item])
        // Out it goes as a to-do of its own, and comes back as the same one.
        let written = try calendar.encode([item]).bytes
        #expect(!String(decoding: written, as: UTF8.self).contains("\r\nRECURRENCE-ID"))
        #expect(try calendar.decode(written).items == [item])
        // Other occurrences are other to-dos; one of a series in the file is left out and told.
        let other = lone.replacing("20261201", with: "20261208")
        #expect(try Set(calendar(lone, other, lone).items.map(\.identifier)).count == 2)
        for order in [[lone, "SERIES"], ["SERIES", lone]] {
            let series = "BEGIN:VTODO\nUID:r\nSUMMARY:series\nEND:VTODO"
            let reading = try calendar(
                order.map { $0 == "SERIES" ? series : $0 }.joined(separator: "\n"))
            #expect(reading.items.map(\.title) == ["series"])
            #expect(reading.losses.map { $0.code as? ICalendarReason } == [.changedOccurrence])
        }
    }

    @Test("control characters that a calendar cannot have are left out and told")
    func controlCharacters() throws {
        let reading = try calendar(
            "BEGIN:VTODO", "UID:a", "SUMMARY:a\0b", "DESCRIPTION:c\u{7f}\u{1}d", "END:VTODO")
        #expect(reading.items.map(\.title) == ["ab"] && reading.items.map(\.notes) == ["cd"])
        #expect(
            reading.losses.map { $0.code as? ICalendarReason }
                == [.controlsLeftOut(lineCount: 2, first: 4)])
    }

    // MARK: Other formats

    @Test("a date of a year that nobody plans for is left out and told")
    func distantPast() throws {
        let archive = """
            <plist><array><dict><key>title</key><string>never</string>
            <key>dueDate</key><date>0000-12-30T00:00:00Z</date>
            <key>startDate</key><date>2026-11-20T00:00:00Z</date></dict>
            <dict><key>title</key><string>b</string></dict></array></plist>
            """
        let reading = try ChronoListFormat(zone: .utc).decode(Array(archive.utf8))
        #expect(reading.items.map(\.title) == ["never", "b"])
        #expect(reading.items[0].due == nil && reading.items[0].start != nil)
        #expect(reading.faults.isEmpty)
        #expect(reading.losses.map { $0.code as? CommonReason } == [.leftOutInYear(0)])
        #expect(reading.losses.map(\.field) == ["due"])
    }

    @Test("a bad row behind cells with line breaks of any kind has its own line")
    func linesOfRows() throws {
        for (end, lines) in [("\n", [5]), ("\r\n", [5]), ("\r", [5])] {
            let text = ["title,notes", "a,\"x", "y\"", "b,c", "d,e,f", ""].joined(separator: end)
            let reading = try CSVFormat(zone: .utc).decode(Array(text.utf8))
            #expect(reading.faults.map(\.line) == lines)
        }
        let open = "title\na\n\"b\nc\n"
        #expect {
            try CSVFormat(zone: .utc).decode(Array(open.utf8))
        } throws: { error in
            guard case FormatFault.cannotDecode("CSV", _, 3, 8) = error else { return false }
            return true
        }
    }

    @Test("a file of nothing, or of nothing but blanks, is known as empty")
    func emptyFiles() {
        for text in ["", "\n", "\u{feff}", " \t\r\n\n"] {
            #expect(FormatReading.isEmptyFile(Array(text.utf8)))
        }
        #expect(!FormatReading.isEmptyFile(Array("[]".utf8)))
        #expect(!FormatReading.isEmptyFile([0]))
    }
}

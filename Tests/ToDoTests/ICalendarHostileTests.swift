import TestSupport
import Testing
import ToDo

@Suite("Hostile iCalendar files")
struct ICalendarHostileTests {
    private let format = ICalendarFormat(zone: .utc)

    private func calendar(_ inside: String) -> [UInt8] {
        Array("BEGIN:VCALENDAR\r\n\(inside)\r\nEND:VCALENDAR\r\n".utf8)
    }

    @Test(
        "what is wrong in one to-do is told with its line, and the others are read",
        arguments: [
            ("DUE:soon", "DUE"), ("DUE:20260230", "DUE"),
            ("DUE:99999999T999999Z", "DUE"),
            ("no colon here", nil), (":value", nil),
            ("X;=1:2", nil), ("X;P:2", nil), ("X;P=\"a:2", nil),
            ("END:VALARM", nil),
            ("BEGIN:VALARM", nil),
            ("X-TANDEM-WAIT:later", "X-TANDEM-WAIT"),
            ("X-TANDEM-MORE:[]", "X-TANDEM-MORE"),
            ("X-TANDEM-MORE:{\"work\":7}", "X-TANDEM-MORE"),
        ])
    func badEntries(line: String, key: String?) throws {
        let reading = try format.decode(
            calendar(
                "BEGIN:VTODO\r\nUID:a\r\nEND:VTODO\r\nBEGIN:VTODO\r\n\(line)\r\nEND:VTODO\r\n"
                    + "BEGIN:VTODO\r\nUID:c\r\nEND:VTODO"))
        #expect(reading.items.count == 2)
        let fault = try #require(reading.faults.first)
        #expect(reading.faults.count == 1)
        #expect(fault.line == 6 && fault.entry == 2 && fault.key == key)
        #expect(!fault.reason.isEmpty)
    }

    @Test("a line without harm refuses no to-do, and what is not read is told")
    func harmless() throws {
        func read(_ lines: String...) throws -> (item: ToDoItem, losses: [String]) {
            let text = (["UID:a", "SUMMARY:a"] + lines).joined(separator: "\r\n")
            let reading = try format.decode(calendar("BEGIN:VTODO\r\n\(text)\r\nEND:VTODO"))
            #expect(reading.faults.isEmpty, "\(lines)")
            var item = try #require(reading.items.first)
            item.custom["ical:UID"] = nil
            return (item, reading.losses.map(\.reason))
        }
        for empty in ["DUE:", "DTSTART:", "DUE;VALUE=DATE:", "COMPLETED:", "PRIORITY:", "STATUS: "]
        {
            let (item, losses) = try read(empty)
            #expect(item.due == nil && item.scheduled == nil && item.status == .pending)
            #expect(item.custom.isEmpty && losses.isEmpty, "\(empty)")
        }
        #expect(try read("DUE:", "DUE:20261201").item.due == .day(20_788))
        // The forms of ISO 8601 have one meaning.
        #expect(try read("DUE:2026-12-01").item.due == .day(20_788))
        #expect(try read("DUE:2026-12-01T10:00:00Z").item.due == .instant(1_796_119_200_000))
        #expect(
            try read("DTSTART:2026-12-01T10:00:00").item.scheduled == .instant(1_796_119_200_000))
        #expect(try read("DUE:2026-12-01", "RRULE:FREQ=DAILY").item.repeats.isEmpty == false)
        let (unread, losses) = try read("DTSTART:foo")
        #expect(unread.scheduled == nil && unread.custom == ["ical:DTSTART": .text(":foo")])
        #expect(losses == ["'foo' is not understood; the line is kept, and says nothing here"])
        #expect(try read("X-FOO").item.custom == ["ical:X-FOO": .text(":")])
    }

    @Test("a date that decides is not guessed: the to-do is refused")
    func undecided() throws {
        for lines in [
            "DUE:01/02/2026", "DUE:2026-13-01", "DUE:2026-12-1", "DUE:2026-12-01 10:00:00",
            "DTSTART:foo\r\nRRULE:FREQ=DAILY", "X-TANDEM-WAIT", "SUMMARY",
        ] {
            let reading = try format.decode(
                calendar("BEGIN:VTODO\r\nUID:a\r\n\(lines)\r\nEND:VTODO"))
            #expect(reading.items.isEmpty && reading.faults.count == 1, "\(lines)")
        }
    }

    @Test("a file that is cut short is told at every place, and never crashes")
    func truncated() throws {
        let whole = calendar(
            "BEGIN:VTODO\r\nUID:a\r\nSUMMARY:é🎉 long\r\n er\r\nBEGIN:VALARM\r\nEND:VALARM\r\nEND:VTODO"
        )
        for count in 0..<whole.count - 2 {
            let cut = Array(whole.prefix(count))
            do throws(FormatFault) {
                #expect(!(try format.decode(cut)).faults.isEmpty, "after \(count) bytes")
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
    }

    @Test("what is no calendar is refused")
    func noCalendar() {
        for text in ["", "\n\n", "END:VTODO\n", "{}", "\u{feff}", "BEGIN:VCARD\n"] {
            #expect(throws: FormatFault.self) { try format.decode(Array(text.utf8)) }
        }
        #expect(throws: FormatFault.self) { try format.decode([0xff, 0xfe, 0x00]) }
    }

    @Test("limits hold: depth, line, lines, name")
    func limits() throws {
        let deep = String(repeating: "BEGIN:X\r\n", count: 10_000)
        #expect(throws: FormatFault.self) { try format.decode(calendar(deep)) }
        let long = String(repeating: "x", count: ICalendarLimits.lineByteCountMax)
        let many = String(repeating: "X-A:1\r\n", count: ICalendarLimits.lineCountMax + 1)
        let name = String(repeating: "X", count: ICalendarLimits.nameByteCountMax + 1) + ":1"
        for inside in ["SUMMARY:\(long)", many, name] {
            let reading = try format.decode(
                calendar("BEGIN:VTODO\r\nUID:a\r\n\(inside)\r\nEND:VTODO"))
            #expect(reading.items.isEmpty && reading.faults.count == 1)
        }
        let fits = String(repeating: "X", count: ICalendarLimits.nameByteCountMax) + ":1"
        #expect(
            try format.decode(calendar("BEGIN:VTODO\r\nUID:a\r\n\(fits)\r\nEND:VTODO")).items.count
                == 1)
    }

    @Test("a title of a megabyte is refused by its key")
    func largeTitle() throws {
        let title = String(repeating: "é", count: 1 << 19)
        let reading = try format.decode(
            calendar("BEGIN:VTODO\r\nUID:a\r\nSUMMARY:\(title)\r\nEND:VTODO"))
        #expect(reading.items.isEmpty && reading.faults.first?.key == "title")
    }

    @Test("one UID twice is told with the line of the first")
    func repeatedUID() throws {
        let todo = "BEGIN:VTODO\r\nUID:a\r\nEND:VTODO"
        let other = "BEGIN:VTODO\r\nUID:a\r\nSUMMARY:b\r\nEND:VTODO"
        let reading = try format.decode(calendar("\(todo)\r\n\(other)"))
        #expect(reading.items.count == 1 && reading.faults.first?.line == 5)
        #expect(reading.faults.first?.reason.contains(" 2") == true)
    }

    @Test("text that is not UTF-8 spoils its own to-do alone; a fold inside of a character none")
    func invalidText() throws {
        var bytes = calendar("BEGIN:VTODO\r\nUID:a\r\nSUMMARY:é\r\nEND:VTODO")
        let index = try #require(bytes.firstIndex(of: 0xc3))
        bytes.insert(contentsOf: Array("\r\n ".utf8), at: index + 1)
        #expect(try format.decode(bytes).items.first?.title == "é")
        bytes.remove(at: index)
        #expect(try format.decode(bytes).faults.first?.line == 4)
    }

    @Test(
        "random bytes and random cuts of real files are read or refused, and what is read is written"
    )
    func noise() throws {
        var chance = SplitMix64(seed: 7)
        var random = RandomItems(seed: 9)
        for _ in 0..<300 {
            var bytes = try format.encode([random.item(), random.item()]).bytes
            for _ in 0...chance.below(6) {
                let index = chance.below(bytes.count)
                switch chance.below(4) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: chance.next())
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(contentsOf: Array("\r\n".utf8), at: index)
                default: bytes.removeSubrange(index..<min(bytes.count, index + chance.below(80)))
                }
                if bytes.isEmpty { break }
            }
            guard let reading = try? format.decode(bytes) else { continue }
            let items = reading.items.filter { $0.identifier != nil }
            let again = try format.decode(try format.encode(items).bytes)
            #expect(again.faults.isEmpty && again.items == items)
        }
    }
}

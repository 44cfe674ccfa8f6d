import Testing
import ToDo

extension ICalendarFormatTests {
    func calendar(_ lines: String...) -> String {
        "BEGIN:VCALENDAR\nVERSION:2.0\n" + lines.joined(separator: "\n") + "\nEND:VCALENDAR\n"
    }

    func todo(_ lines: String...) -> String {
        calendar("BEGIN:VTODO\nUID:u1\n" + lines.joined(separator: "\n") + "\nEND:VTODO")
    }

    func read(_ text: String) throws -> FormatReading {
        try format().decode(Array(text.utf8))
    }

    func item(_ lines: String...) throws -> ToDoItem {
        let text = calendar("BEGIN:VTODO\nUID:u1\n" + lines.joined(separator: "\n") + "\nEND:VTODO")
        let reading = try read(text)
        #expect(reading.faults.isEmpty)
        return try #require(reading.items.first)
    }

    @Test("a pending to-do with a time of completion is read without it")
    func pendingWithCompletion() throws {
        for status in ["NEEDS-ACTION", "IN-PROCESS", "ODD"] {
            let item = try item("SUMMARY:a", "STATUS:\(status)", "COMPLETED:20261102T000000Z")
            #expect(item.status == .pending && item.completions.isEmpty)
        }
    }

    @Test("a to-do of another program is read field by field and goes out as it came")
    func foreign() throws {
        let source = todo(
            "DTSTAMP:20261121T053407Z", "SUMMARY;LANGUAGE=en:Buy milk\\, eggs\\; \\\"x\\\\y",
            "DESCRIPTION:one\\ntwo\\Nthr", " ee", "DUE;TZID=Europe/Berlin:20261201T100000",
            "DTSTART;VALUE=DATE:20261130", "PRIORITY:3", "CATEGORIES:b\\,c,a", "CATEGORIES:d",
            "PERCENT-COMPLETE:40", "STATUS:IN-PROCESS", "LOCATION:Desk", "SEQUENCE:4",
            "GEO:48.1;11.5", "X-FOO;P=\"a;b\":1", "X-FOO:2",
            "RELATED-TO;RELTYPE=SIBLING:z", "RELATED-TO:parent@x", "BEGIN:VALARM", "ACTION:DISPLAY",
            "TRIGGER:-PT15M", "END:VALARM")
        let reading = try read(source)
        #expect(reading.faults.isEmpty && reading.losses.isEmpty)
        let item = try #require(reading.items.first)
        #expect(item.title == "Buy milk, eggs; \"x\\y")
        #expect(item.notes == "one\ntwo\nthree")
        #expect(item.due == .instant(1_796_115_600_000))
        #expect(item.scheduled == Fixed.day("2026-11-30"))
        #expect(item.priority == .high)
        #expect(item.tags == ["a", "b,c", "d"])
        #expect(item.status == .pending && item.location == "Desk")
        #expect(item.parent != nil && item.parent != item.identifier)
        #expect(item.custom["ical:GEO"] == .text(":48.1;11.5"))
        #expect(item.custom["ical:X-FOO"] == .text(";P=\"a;b\":1\n:2"))
        #expect(item.custom["ical:VALARM"] != nil && item.custom["ical:SEQUENCE"] == nil)
        let bytes = try format().encode([item]).bytes
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n ", with: "")
        for line in [
            "UID:u1", "SUMMARY;LANGUAGE=en:Buy milk\\, eggs\\; \\\"x\\\\y",
            "DUE;TZID=Europe/Berlin:20261201T100000", "PRIORITY:3", "PERCENT-COMPLETE:40",
            "STATUS:IN-PROCESS", "GEO:48.1;11.5", "X-FOO;P=\"a;b\":1", "X-FOO:2",
            "RELATED-TO;RELTYPE=SIBLING:z", "RELATED-TO:parent@x", "TRIGGER:-PT15M",
            "DTSTART;VALUE=DATE:20261130",
        ] {
            #expect(text.split(separator: "\r\n").contains(Substring(line)), "\(line)")
        }
        #expect(try format().decode(bytes).items == [item])
    }

    @Test("a zone that a line names is described in the file, as the system knows it")
    func zoneDescribed() throws {
        let item = try item("DUE;TZID=Europe/Berlin:20261201T100000")
        let text = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
        #expect(text.contains("BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n"))
        #expect(
            text.contains(
                "BEGIN:DAYLIGHT\r\nDTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\n"
                    + "TZOFFSETTO:+0200\r\nTZNAME:CEST\r\nEND:DAYLIGHT"))
        #expect(text.contains("BEGIN:STANDARD\r\nDTSTART:20261025T030000\r\nTZOFFSETFROM:+0200"))
        #expect(try read(text).items == [item])
    }

    @Test("a value that was changed here goes out anew, with the others as they came")
    func changed() throws {
        var item = try item("SUMMARY:a", "DUE;TZID=Europe/Berlin:20261201T100000", "PRIORITY:3")
        item.due = Fixed.day("2026-12-02")
        let text = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
        #expect(text.contains("\r\nDUE;VALUE=DATE:20261202\r\n"))
        #expect(text.contains("\r\nPRIORITY:3\r\n"))
        item.priority = .low
        #expect(
            String(decoding: try format().encode([item]).bytes, as: UTF8.self)
                .contains("\r\nPRIORITY:9\r\n"))
    }

    @Test(
        "a time of day is told by its zone",
        arguments: [
            ("DUE:20261201T090000Z", 1_796_115_600_000),
            ("DUE:20261201T100000", 1_796_115_600_000),
            ("DUE;TZID=America/New_York:20261201T040000", 1_796_115_600_000),
            ("DUE;TZID=/some.org/20070129_1/Europe/Berlin:20261201T100000", 1_796_115_600_000),
            ("DUE;TZID=Own Time:20261201T100000", 1_796_115_600_000),
            ("DUE;TZID=Own Time:20260701T110000", 1_782_896_400_000),
            ("DUE;TZID=../../etc/passwd:20261201T100000", 1_796_115_600_000),
            ("DUE;TZID=/dev/zero:20261201T100000", 1_796_115_600_000),
        ])
    func zones(line: String, instant: Int64) throws {
        let reading = try read(
            calendar(
                "BEGIN:VTIMEZONE", "TZID:Own Time", "BEGIN:STANDARD", "DTSTART:16010101T030000",
                "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
                "END:STANDARD", "BEGIN:DAYLIGHT", "DTSTART:16010101T020000", "TZOFFSETFROM:+0100",
                "TZOFFSETTO:+0200", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", "END:DAYLIGHT",
                "END:VTIMEZONE", "BEGIN:VTODO", "UID:1", line, "END:VTODO"))
        #expect(reading.items.first?.due == .instant(instant))
        #expect(reading.losses.isEmpty == !(line.contains("etc") || line.contains("zero")))
    }

    @Test(
        "a rule is read as far as to-dos come again, else kept and told",
        arguments: [
            ("FREQ=DAILY", "every day"), ("FREQ=WEEKLY;INTERVAL=2;WKST=SU", "every 2 weeks"),
            ("FREQ=WEEKLY;BYDAY=TH,MO", "every mon, thu"), ("FREQ=MONTHLY", "every month"),
            ("FREQ=MONTHLY;BYMONTHDAY=1", "every month"), ("FREQ=MONTHLY;BYMONTHDAY=2", ""),
            ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month"), ("FREQ=MONTHLY;BYMONTHDAY=-2", ""),
            ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1;COUNT=3", "every 2 months, 3 times"),
            ("FREQ=YEARLY;BYMONTHDAY=-1", ""),
            ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=1", "every year"),
            ("FREQ=DAILY;COUNT=3", "every day, 3 times"), ("FREQ=DAILY;COUNT=0", ""),
            ("FREQ=WEEKLY;UNTIL=20261231;BYDAY=MO", "every mon until 2026-12-31"),
            ("FREQ=WEEKLY;UNTIL=20261231T090000Z", "every week until 2026-12-31T09:00:00Z"),
            ("FREQ=DAILY;COUNT=3;UNTIL=20261231", ""), ("FREQ=DAILY;UNTIL=soon", ""),
            ("FREQ=DAILY;COUNT=3;BYHOUR=8", ""),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "every 2 weeks"), ("FREQ=HOURLY", ""),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", ""), ("", ""), ("FREQ=DAILY;INTERVAL=0", ""),
            ("FREQ=DAILY;INTERVAL=99999999999999999999", ""),
            ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last fri"),
            ("FREQ=MONTHLY;BYDAY=2TU", "every month on the 2nd tue"),
            ("FREQ=MONTHLY;BYDAY=+3MO,1MO;WKST=SU", "every month on the 1st mon, 3rd mon"),
            ("FREQ=MONTHLY;INTERVAL=3;BYDAY=1MO;COUNT=4", "every 3 months on the 1st mon, 4 times"),
            ("FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1", "every month on the last fri"),
            ("FREQ=MONTHLY;BYSETPOS=2,4;BYDAY=WE", "every month on the 2nd wed, 4th wed"),
            (
                "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;UNTIL=20271231",
                "every month on the last workday until 2027-12-31"
            ),
            ("FREQ=YEARLY;BYMONTH=12;BYDAY=1TU", "every year on the 1st tue"),
            (
                "FREQ=YEARLY;INTERVAL=2;BYMONTH=12;BYDAY=TU;BYSETPOS=1",
                "every 2 years on the 1st tue"
            ),
            ("FREQ=MONTHLY;BYDAY=TU,TH", "every tue, thu"),
            ("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", ""), ("FREQ=YEARLY;BYDAY=4TH", ""),
            ("FREQ=MONTHLY;BYDAY=-2FR", ""), ("FREQ=MONTHLY;BYDAY=6FR", ""),
            ("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1", ""), ("FREQ=MONTHLY;BYDAY=1MO,FR", ""),
            ("FREQ=MONTHLY;BYDAY=FR;BYSETPOS=0", ""), ("FREQ=MONTHLY;BYDAY=;BYSETPOS=1", ""),
            ("FREQ=MONTHLY;BYDAY=FR;BYSETPOS=", ""), ("FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=1", ""),
            ("FREQ=MONTHLY;INTERVAL=2;BYDAY=FR", ""), ("FREQ=WEEKLY;BYDAY=1MO", ""),
        ])
    func rules(rule: String, repeats: String) throws {
        let reading = try read(todo("DUE;VALUE=DATE:20261201", "RRULE:\(rule)"))
        #expect(reading.items.first?.repeats == repeats)
        #expect(reading.losses.isEmpty == !repeats.isEmpty)
        let bytes = try format().encode(reading.items).bytes
        #expect(String(decoding: bytes, as: UTF8.self).contains("\r\nRRULE:\(rule)\r\n"))
    }

    @Test(
        "days of months go out as an RRULE that comes back as they were",
        arguments: [
            ("every month on the 1st mon, last fri", "FREQ=MONTHLY;BYDAY=1MO,-1FR"),
            (
                "every year on the last workday, 3 times",
                "FREQ=MONTHLY;INTERVAL=12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3"
            ),
        ])
    func monthDays(rule: String, line: String) throws {
        var item = ToDoItem(title: "a")
        item.identifier = 1
        item.due = Fixed.day("2026-12-01")
        item.repeats = rule
        let writing = try format().encode([item])
        #expect(String(decoding: writing.bytes, as: UTF8.self).contains("\r\nRRULE:\(line)\r\n"))
        #expect(writing.losses.isEmpty)
        #expect(try format().decode(writing.bytes).items == [item])
    }

    @Test("days that are left out are EXDATE, at the time at which DTSTART would come")
    func leftOut() throws {
        let berlin = try Fixed.berlin()
        for (due, scheduled, line) in [
            (Fixed.day("2026-12-04"), nil, "EXDATE;VALUE=DATE:20261225,20270108"),
            (
                Fixed.day("2026-12-04"), Fixed.day("2026-12-02"),
                "EXDATE;VALUE=DATE:20261223,20270106"
            ),
            (
                .instant(Fixed.instant("2026-12-04", 0, 30, in: berlin)), nil,
                "EXDATE:20261224T233000Z,20270107T233000Z"
            ),
            (
                .instant(Fixed.instant("2026-12-04", 9, in: berlin)), Fixed.day("2026-12-03"),
                "EXDATE:20261225T080000Z,20270108T080000Z"
            ),
        ] as [(Moment, Moment?, String)] {
            var item = ToDoItem(title: "a")
            item.identifier = 1
            item.due = due
            item.scheduled = scheduled
            item.repeats = "every week in Europe/Berlin"
            item.setExceptions(
                ["2026-12-25", "2027-01-08"].compactMap { Fixed.date($0).map { Int32($0.day) } })
            let format = ICalendarFormat(zone: berlin)
            let writing = try format.encode([item])
            let text = String(decoding: writing.bytes, as: UTF8.self)
            #expect(text.contains("\r\n\(line)\r\n"))
            #expect(writing.losses.isEmpty)
            #expect(try format.decode(writing.bytes).items == [item])
            #expect(try ICalendarFormat(zone: .utc).decode(writing.bytes).items == [item])
            // Another program put one of them back.
            let changed = text.replacing(line, with: line.split(separator: ",")[0])
            #expect(try format.decode(Array(changed.utf8)).items.first?.exceptions == [20_812])
        }
    }

    @Test(
        "EXDATE of other programs is read in all its forms, and goes out as it came",
        arguments: [
            (["EXDATE;VALUE=DATE:20261208"], ["2026-12-08"]),
            (["EXDATE:20261208,20261215"], ["2026-12-08", "2026-12-15"]),
            (["EXDATE;TZID=Europe/Berlin:20261208T003000"], ["2026-12-08"]),
            (
                ["EXDATE:20261208T000000Z", "EXDATE;VALUE=DATE:20261215"],
                ["2026-12-08", "2026-12-15"]
            ),
            (["EXDATE:20261207T233000Z"], ["2026-12-08"]),
        ])
    func foreignLeftOut(lines: [String], days: [String]) throws {
        let source = calendar(
            "BEGIN:VTODO\nUID:u1\nSUMMARY:a\nDUE;VALUE=DATE:20261201\nRRULE:FREQ=WEEKLY\n"
                + lines.joined(separator: "\n") + "\nEND:VTODO")
        let reading = try read(source)
        #expect(reading.faults.isEmpty && reading.losses.isEmpty)
        let item = try #require(reading.items.first)
        #expect(item.exceptions.map { TimestampText.day(Int($0)) } == days)
        let text = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
        for line in lines { #expect(text.contains("\r\n\(line)\r\n")) }
    }

    @Test("an EXDATE that is none is told, and one without a rule that is understood is kept")
    func oddLeftOut() throws {
        let odd = try read(
            todo("DUE;VALUE=DATE:20261201", "RRULE:FREQ=WEEKLY", "EXDATE:soon,20261208"))
        #expect(odd.items.first?.exceptions == [20_795] && odd.losses.count == 1)
        for rule in ["X-NONE:1", "RRULE:FREQ=HOURLY"] {
            let item = try #require(
                try read(todo("DUE;VALUE=DATE:20261201", rule, "EXDATE;VALUE=DATE:20261208")).items
                    .first)
            #expect(item.exceptions.isEmpty)
            let text = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
            #expect(text.contains("\r\nEXDATE;VALUE=DATE:20261208\r\n"))
        }
    }

    @Test("an RRULE has a DTSTART, which is no planned start when it comes back")
    func standIn() throws {
        var item = ToDoItem(title: "a")
        item.identifier = 1
        item.due = Fixed.day("2026-12-01")
        item.repeats = "every week"
        let text = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
        #expect(text.contains("\r\nDTSTART;VALUE=DATE;X-TANDEM=DUE:20261201\r\n"))
        let moved = text.replacing("DUE;VALUE=DATE:20261201", with: "DUE;VALUE=DATE:20261202")
        let back = try #require(try read(moved).items.first)
        #expect(back.due == Fixed.day("2026-12-02") && back.scheduled == nil)
    }

    @Test("where another program changed a line, it counts, and not what we said more exactly")
    func otherProgram() throws {
        var item = ToDoItem(title: "a\u{7}b")
        item.identifier = 1
        item.due = .instant(1_796_115_600_250)
        item.created = 1_795_239_247_123
        item.repeats = "every week after completion"
        item.custom = ["n": .int(5)]
        let text = String(decoding: try format().encode([item]).bytes, as: UTF8.self)
            .replacing("DUE:20261201T090000Z", with: "DUE:20261202T090000Z")
        var back = try #require(try read(text).items.first)
        #expect(back.due == .instant(1_796_202_000_000))
        back.due = item.due
        #expect(back == item)
        let renamed = text.replacing("SUMMARY:ab", with: "SUMMARY:abc")
        #expect(try read(renamed).items.first?.title == "abc")
    }

    @Test("a status that is missing is told by completion")
    func status() throws {
        #expect(try item("COMPLETED:20261121T053407Z").status == .completed)
        #expect(try item("PERCENT-COMPLETE:100").status == .completed)
        #expect(try item("SUMMARY:a").status == .pending)
        #expect(try item("STATUS:cancelled").status == .cancelled)
        let odd = try read(todo("STATUS:DRAFT"))
        #expect(odd.items.first?.status == .pending && odd.losses.count == 1)
    }
}

extension ICalendarFormatTests {
    @Test("the end of what comes again goes out as COUNT or UNTIL, and comes back as it was")
    func ends() throws {
        for (rule, due, line) in [
            ("every week, 5 times", Fixed.day("2026-12-01"), "FREQ=WEEKLY;COUNT=5"),
            ("every day until 2026-12-31", Fixed.day("2026-12-01"), "FREQ=DAILY;UNTIL=20261231"),
            (
                "every day until 2026-12-31", .instant(1_796_115_600_000),
                "FREQ=DAILY;UNTIL=20261231T235959Z"
            ),
            (
                "every day until 2026-12-31T10:00:00Z", .instant(1_796_115_600_000),
                "FREQ=DAILY;UNTIL=20261231T100000Z"
            ),
        ] as [(String, Moment, String)] {
            var item = ToDoItem(title: "a")
            item.identifier = 1
            item.due = due
            item.repeats = rule
            let format = ICalendarFormat(zone: .utc)
            let writing = try format.encode([item])
            let text = String(decoding: writing.bytes, as: UTF8.self)
            #expect(text.contains("\r\nRRULE:\(line)\r\n"))
            #expect(writing.losses.isEmpty)
            #expect(try format.decode(writing.bytes).items == [item])
        }
    }

    @Test("the next of what ends has a rule of its own, not the line of another program")
    func nextOfWhatEnds() throws {
        let format = ICalendarFormat(zone: .utc)
        let text = """
            BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:a\r\nDUE;VALUE=DATE:20261201\r
            RRULE:FREQ=WEEKLY;WKST=SU;COUNT=3\r\nEND:VTODO\r\nEND:VCALENDAR\r\n
            """
        let item = try #require(try format.decode(Array(text.utf8)).items.first)
        let next = try #require(item.nextOccurrence(completed: 0, zone: .utc) { _ in nil })
        #expect(next.repeats == "every week, 2 times")
        let bytes = try format.encode([next]).bytes
        #expect(String(decoding: bytes, as: UTF8.self).contains("RRULE:FREQ=WEEKLY;COUNT=2"))
        #expect(try format.decode(bytes).items.first?.repeats == "every week, 2 times")
    }
}

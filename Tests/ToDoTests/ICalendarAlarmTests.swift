import Testing
import ToDo

@Suite("Alarms of iCalendar to-dos")
struct ICalendarAlarmTests {
    private func format() throws -> ICalendarFormat { ICalendarFormat(zone: try Fixed.berlin()) }

    private func todo(_ lines: [String]) -> String {
        (["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VTODO", "UID:u1", "SUMMARY:call"]
            + lines
            + ["END:VTODO", "END:VCALENDAR", ""]).joined(separator: "\r\n")
    }

    private func read(_ lines: [String]) throws -> ToDoItem {
        let reading = try format().decode(Array(todo(lines).utf8))
        #expect(reading.faults.isEmpty && reading.losses.isEmpty)
        return try #require(reading.items.first)
    }

    private func written(_ item: ToDoItem) throws -> String {
        String(decoding: try format().encode([item]).bytes, as: UTF8.self)
            .replacing("\r\n ", with: "")
    }

    private func alarm(_ lines: String...) -> [String] {
        ["BEGIN:VALARM"] + lines + ["END:VALARM"]
    }

    @Test(
        "a trigger is the reminder that it says",
        arguments: [
            ("TRIGGER:-PT15M", "scheduled-PT15M"), ("TRIGGER;RELATED=START:PT0S", "scheduled"),
            ("TRIGGER;RELATED=END:-P1W", "due-P7D"), ("TRIGGER;RELATED=END:+PT5M", "due+PT5M"),
            ("TRIGGER;RELATED=end:-P1DT2H", "due-P1DT2H"),
            ("TRIGGER;VALUE=DATE-TIME:20261201T090000Z", "2026-12-01T09:00:00Z"),
            ("TRIGGER;VALUE=DURATION:-PT1H", "scheduled-PT1H"),
        ])
    func triggers(line: String, text: String) throws {
        let dates = ["DTSTART:20261201T080000Z", "DUE:20261201T100000Z"]
        let item = try read(dates + alarm("ACTION:DISPLAY", "DESCRIPTION:call", line))
        #expect(item.reminders.map(\.text) == [text])
        // Without a start the date that a to-do has counts.
        let other = try read(
            ["DUE:20261201T100000Z"] + alarm("ACTION:DISPLAY", "DESCRIPTION:call", line))
        #expect(
            other.reminders.map(\.text) == [text.replacing("scheduled", with: "due")])
        #expect(try format().decode(Array(try written(item).utf8)).items == [item])
        #expect(try format().decode(Array(try written(other).utf8)).items == [other])
    }

    @Test(
        "of a whole day a trigger counts from midnight, as other programs count, and a lead of days from the morning",
        arguments: [
            ("-PT15H", "due-P1D"), ("PT9H", "due"), ("-P6DT15H", "due-P7D"), ("P1DT9H", "due+P1D"),
            ("-P1D", "due-PT24H"), ("P2D", "due+PT48H"), ("-PT2H", "due-PT2H"),
            ("-P1DT1H", "due-P1DT1H"),
        ])
    func wholeDays(trigger: String, text: String) throws {
        let lines = alarm(
            "ACTION:DISPLAY", "DESCRIPTION:call", "TRIGGER;RELATED=END:\(trigger)")
        let item = try read(["DUE;VALUE=DATE:20261201"] + lines)
        #expect(item.reminders.map(\.text) == [text])
        #expect(item.custom["ical:VALARM"] == nil)
        #expect(try written(item).contains(lines.joined(separator: "\r\n")))
        #expect(try format().decode(Array(try written(item).utf8)).items == [item])
        let zone = try Fixed.berlin()
        let lead = try #require(
            Reminder.Lead(isoText: trigger.drop { $0 == "-" }, isBefore: trigger.first == "-"))
        let midnight = Fixed.instant("2026-12-01", 0, in: zone)
        #expect(
            item.reminders[0].time(in: item, zone: zone)
                == midnight + Int64(lead.days * 86_400 + lead.seconds) * 1000)
        // A plan of a whole day is counted from in the same way.
        let planned = try read(
            ["DTSTART;VALUE=DATE:20261201"]
                + alarm("ACTION:DISPLAY", "DESCRIPTION:call", "TRIGGER:\(trigger)"))
        #expect(
            planned.reminders.map(\.text) == [text.replacing("due", with: "scheduled")])
    }

    @Test("an alarm at the midnight of a whole day is told in the morning, and goes out as it came")
    func midnight() throws {
        let lines = alarm("ACTION:DISPLAY", "DESCRIPTION:call", "TRIGGER;RELATED=END:PT0S")
        let item = try read(["DUE;VALUE=DATE:20261201"] + lines)
        #expect(item.reminders.map(\.text) == ["due"])
        #expect(try written(item).contains(lines.joined(separator: "\r\n")))
    }

    @Test("several alarms and when one was dismissed come in and go out")
    func several() throws {
        var item = ToDoItem(title: "call; now")
        item.identifier = 7
        item.due = .instant(Fixed.now)
        item.setReminders(
            ["due-P1D", "due-PT30M/2026-11-21T05:10:00Z", "2026-11-20T08:00:00Z"]
                .compactMap { Reminder(text: $0) })
        let text = try written(item)
        let alarm = """
            BEGIN:VALARM\r
            ACTION:DISPLAY\r
            DESCRIPTION:call\\; now\r
            TRIGGER;RELATED=END:-PT30M\r
            ACKNOWLEDGED:20261121T051000Z\r
            END:VALARM\r

            """
        #expect(text.contains(alarm))
        #expect(text.contains("TRIGGER;VALUE=DATE-TIME:20261120T080000Z\r\n"))
        #expect(text.split(separator: "BEGIN:VALARM").count == 4)
        #expect(!text.contains("X-TANDEM-MORE") && item.custom.isEmpty)
        #expect(try format().decode(Array(text.utf8)).items == [item])
    }

    @Test(
        "an alarm that says more than a reminder goes out as it came, until the reminder is another one"
    )
    func kept() throws {
        let sound = alarm(
            "ACTION:AUDIO", "TRIGGER;RELATED=END:-PT15M", "ATTACH;VALUE=URI:Basso", "X-A:1")
        let mail = alarm("ACTION:EMAIL", "TRIGGER:-P2D", "SUMMARY:s", "DESCRIPTION:d")
        let odd = alarm("ACTION:DISPLAY", "DESCRIPTION:call", "TRIGGER:someday")
        var item = try read(["DUE:20261201T100000Z"] + sound + mail + odd)
        #expect(item.reminders.map(\.text) == ["due-PT15M"])
        let lines = (sound + mail + odd).joined(separator: "\r\n") + "\r\n"
        #expect(try written(item).contains(lines))
        #expect(try format().decode(Array(try written(item).utf8)).items == [item])
        item.setReminders(["due-PT20M"].compactMap { Reminder(text: $0) })
        let text = try written(item)
        #expect(!text.contains("ATTACH;VALUE=URI:Basso\r\n"))
        #expect(text.contains((mail + odd).joined(separator: "\r\n") + "\r\n"))
        #expect(text.contains("TRIGGER;RELATED=END:-PT20M\r\n"))
        item.setReminders([])
        #expect(try !written(item).contains("PT20M") && written(item).contains("ACTION:EMAIL"))
    }

    @Test("what another program makes of our alarm counts, and not what we noted beside it")
    func edited() throws {
        var item = ToDoItem(title: "call")
        item.identifier = 7
        item.due = .instant(Fixed.now)
        // Not to be said in whole seconds: the exact time stands in a line of our own.
        item.setReminders(["2026-11-20T08:00:00.250Z"].compactMap { Reminder(text: $0) })
        let text = try written(item)
        #expect(text.contains("X-TANDEM-MORE"))
        #expect(try format().decode(Array(text.utf8)).items == [item])
        let moved = text.replacing("20261120T080000Z", with: "20261120T093000Z")
        let read = try #require(try format().decode(Array(moved.utf8)).items.first)
        #expect(read.reminders.map(\.text) == ["2026-11-20T09:30:00Z"])
    }

    @Test("a reminder of a plan that stands in no DTSTART is kept in a line of our own")
    func planned() throws {
        var item = ToDoItem(title: "call")
        item.identifier = 7
        item.due = .instant(Fixed.now)
        item.scheduled = .day(20_700)
        item.setReminders(["scheduled-PT5M"].compactMap { Reminder(text: $0) })
        let text = try written(item)
        #expect(!text.contains("VALARM"))
        #expect(try format().decode(Array(text.utf8)).items == [item])
    }
}

import Testing
import ToDo

/// Every format, as the tests over all of them take it.
enum FormatSamples: String, CaseIterable, Sendable {
    case taskwarrior
    case jsonLines
    case chronoListXML
    case chronoListBinary
    case csv
    case todoist
    case todoText
    case vtodo

    func decode(
        _ bytes: [UInt8], zone: LocalTimeZone = .utc
    ) throws(FormatFault) -> FormatReading {
        switch self {
        case .taskwarrior: try TaskwarriorFormat(zone: zone).decode(bytes)
        case .jsonLines: try JSONLinesFormat.decode(bytes)
        case .chronoListXML, .chronoListBinary: try ChronoListFormat(zone: zone).decode(bytes)
        case .csv: try CSVFormat(zone: zone).decode(bytes)
        case .todoText: try TodoTextFormat(zone: zone).decode(bytes)
        case .vtodo: try ICalendarFormat(zone: zone).decode(bytes)
        case .todoist:
            try TodoistFormat(now: Fixed.now, zone: zone, fileName: "Work [1].csv") { _ in nil }
                .decode(bytes)
        }
    }

    /// Nil for a format that is only read.
    func encode(
        _ items: [ToDoItem], zone: LocalTimeZone = .utc
    ) throws(FormatFault) -> FormatWriting? {
        switch self {
        case .taskwarrior: try TaskwarriorFormat(zone: zone).encode(items)
        case .jsonLines: JSONLinesFormat.encode(items)
        case .chronoListXML: try ChronoListFormat(zone: zone).encode(items, form: .xml)
        case .chronoListBinary: try ChronoListFormat(zone: zone).encode(items)
        case .csv: try CSVFormat(zone: zone).encode(items)
        case .todoText: try TodoTextFormat(zone: zone).encode(items)
        case .vtodo: try ICalendarFormat(zone: zone).encode(items)
        case .todoist: nil
        }
    }

    /// A valid file of a few entries that use most of the format.
    func sample() throws -> [UInt8] {
        if self == .todoist { return Array(Self.todoistText.utf8) }
        return try #require(try encode(Self.items)).bytes
    }

    static let todoistText = #"""
        TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
        section,Garden,,,,,,,,
        task,Repot the basil @home,"Terracotta, ""old"" pot",1,1,Kai (4),Ann (5),Oct 5 2026,en,
        task,Buy compost,,4,2,Kai (4),,every! 2 weeks at 9am,en,
        note,Peat-free,,,,,,,,

        """#.replacing("\n", with: "\r\n")

    /// Items that say something in every field.
    static var items: [ToDoItem] {
        var first = ToDoItem(title: "Buy \"milk\", bread; é 🎉")
        first.identifier = 0x281f_ce64_8188_47eb_8eb4_4b9e_531f_1d7f
        first.notes = "two\nlines, \"quoted\"\n\n[2026-11-21T05:34:08Z] noted"
        first.project = "Home.Shop"
        first.due = .day(20_788)
        first.scheduled = .instant(1_795_239_247_123)
        first.wait = .day(20_780)
        first.created = 1_795_239_200_000
        first.priority = .high
        first.setTags(["errand", "größe"])
        first.people = ["Ann", "Bob"]
        first.location = "corner"
        first.repeats = "every 2 weeks"
        first.setExceptions([20_802, 20_816])
        first.setReminders(["due-P1D", "due-PT30M"].compactMap { Reminder(text: $0) })
        first.custom = ["size": .int(5), "note": .text("x y"), "when": .instant(1_795_239_247_000)]
        var second = ToDoItem(title: "Done")
        second.identifier = 2
        second.status = .completed
        second.completed = 1_795_239_300_000
        second.created = 1_795_239_200_000
        second.start = .instant(1_795_239_210_000)
        second.finish = .instant(1_795_239_290_000)
        second.work = [WorkInterval(start: 1_795_239_210_000, end: 1_795_239_290_000)]
        second.parent = first.identifier
        first.setDepends([2, 77])
        return [first, second]
    }
}

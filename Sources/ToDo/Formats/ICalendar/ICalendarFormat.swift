/// iCalendar to-dos: VTODO of RFC 5545, checked with icalendar, todoman and vdirsyncer.
///
/// | ours | theirs |
/// |---|---|
/// | id | `UID`: the UUID; a foreign UID gives an id that is the same everywhere and goes out unchanged |
/// | title, notes, location | `SUMMARY`, `DESCRIPTION`, `LOCATION` |
/// | due, scheduled | `DUE`, `DTSTART`: a day as `VALUE=DATE`, an instant in UTC; with TZID or floating they are read |
/// | pending | `STATUS:NEEDS-ACTION`, or `IN-PROCESS` while work goes on |
/// | completed, and when | `STATUS:COMPLETED`, `PERCENT-COMPLETE:100`, `COMPLETED` |
/// | cancelled | `STATUS:CANCELLED` |
/// | priority high, medium, low | `PRIORITY` 1 to 4, 5, 6 to 9; written as 1, 5, 9; none is 0 or nothing |
/// | tags | `CATEGORIES` |
/// | parent | `RELATED-TO`, the first whose RELTYPE is PARENT |
/// | repeat | `RRULE`, see `ICalendarRule` |
/// | created, modified | `CREATED`, `LAST-MODIFIED` |
/// | project, people | `X-TANDEM-PROJECT`, `X-TANDEM-PERSON` for each |
/// | wait, until, start, finish | `X-TANDEM-WAIT` and so on, in the form of RFC 3339 |
/// | what these do not say exactly | `X-TANDEM-MORE`, see `ICalendarMore` |
/// | custom fields `ical:NAME` | the lines of property or component NAME |
///
/// What we wrote and nobody touched reads back as it was. Unknown properties, parameters and alarms are
/// kept as `ICalendarNames` says, and a line of a known one as long as it says what the to-do says: a
/// priority of 3, `DUE;TZID=Europe/Berlin:…`. `DTSTAMP` and `SEQUENCE` tell of the file, and are not kept.
package struct ICalendarFormat: Sendable {
    static let name = "iCalendar"

    /// What the file says made it.
    static let product = "-//Tandem//Tandem//EN"

    /// The zone in which a time without a zone is meant.
    let zone: LocalTimeZone

    /// Reads times without a zone as those of `zone`.
    package init(zone: LocalTimeZone) {
        self.zone = zone
    }

    /// Reads the to-dos of a file; one that is wrong is told and passed over.
    ///
    /// - Throws: `cannotDecode` if the file is no calendar, or over a limit that holds for all of it.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        let file = try ICalendarParser.parse(bytes)
        var reading = FormatReading()
        var codec = ICalendarItem(zones: ICalendarZones(local: zone))
        var entry = 0
        var lines: [UInt128: Int] = [:]
        for calendar in file.calendars {
            codec.describe(calendar)
            var others: [String: Int] = [:]
            for component in calendar.components {
                guard component.name == "VTODO" else {
                    others[component.name, default: 0] += 1
                    if let problem = component.problems.first {
                        reading.faults.append(Self.fault(problem))
                    }
                    continue
                }
                entry += 1
                do throws(ICalendarProblem) {
                    try read(component, entry, &codec, &lines, &reading)
                } catch {
                    reading.faults.append(
                        .badEntry(
                            format: Self.name, line: error.line, entry: entry,
                            key: error.property, reason: error.reason))
                }
            }
            others["VTIMEZONE"] = nil
            for (name, count) in others.sorted(by: { $0.key < $1.key }) {
                reading.losses.append(
                    FormatLoss(
                        entry: 0, title: "", field: name,
                        reason: count == 1
                            ? "1 in the file, which is no to-do, is left out"
                            : "\(count) in the file, which are no to-dos, are left out"))
            }
        }
        reading.faults += file.problems.map(Self.fault)
        return reading
    }

    private static func fault(_ problem: ICalendarProblem) -> FormatFault {
        .cannotDecode(format: name, reason: problem.reason, line: problem.line)
    }

    private func read(
        _ component: ICalendarComponent, _ entry: Int, _ codec: inout ICalendarItem,
        _ lines: inout [UInt128: Int], _ reading: inout FormatReading
    ) throws(ICalendarProblem) {
        let (item, losses) = try codec.read(component)
        func lose(_ field: String, _ reason: String) {
            reading.losses.append(
                FormatLoss(entry: entry, title: item.title, field: field, reason: reason))
        }
        if component["RECURRENCE-ID"] != nil {
            return lose("RECURRENCE-ID", "one changed occurrence of what repeats is left out")
        }
        if let problem = ItemCheck(limitsYears: false).problem(item) {
            throw ICalendarProblem(line: component.line, problem.key, problem.reason)
        }
        if let identifier = item.identifier {
            if let line = lines.updateValue(component.line, forKey: identifier) {
                lines[identifier] = line
                throw ICalendarProblem(
                    line: component.line, "UID", "the UID is that of the to-do in line \(line)")
            }
        }
        for loss in losses { lose(loss.property, loss.reason) }
        reading.items.append(item)
    }

    /// Writes one calendar with all items.
    ///
    /// - Throws: `cannotEncode` for an item without an id.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        var uids: [UInt128: String] = [:]
        for item in items {
            if let identifier = item.identifier { uids[identifier] = ICalendarNames.uid(of: item) }
        }
        var codec = ICalendarItem(zones: ICalendarZones(local: zone)) { uids[$0] }
        var writing = FormatWriting()
        var writer = ICalendarWriter()
        for line in Self.head { writer.append(line) }
        var components: [ICalendarComponent] = []
        for (index, item) in items.enumerated() {
            guard let component = codec.component(item) else {
                throw .cannotEncode(
                    format: Self.name, entry: index + 1, key: "UID", reason: "the item has no id")
            }
            components.append(component)
            writing.losses += Self.losses(item, entry: index + 1)
        }
        for zone in codec.zoneComponents(for: components) { writer.append(zone) }
        for component in components { writer.append(component) }
        writer.append("END:VCALENDAR")
        writing.bytes = writer.bytes
        return writing
    }

    /// An id as a UID of ours has it.
    package static func idText(_ identifier: UInt128) -> String { UUIDText.text(identifier) }

    static let head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:\(product)"]

    /// What other programs do not learn; we read all of it back.
    private static func losses(_ item: ToDoItem, entry: Int) -> [FormatLoss] {
        guard !item.repeats.isEmpty else { return [] }
        let reason: String
        if item.repetition == nil || (item.due == nil && item.scheduled == nil) {
            reason = "other programs do not learn that it comes again"
        } else if item.repetition?.basis == .completion {
            reason = "other programs count from the due date, not from completion"
        } else {
            return []
        }
        return [FormatLoss(entry: entry, title: item.title, field: "repeat", reason: reason)]
    }
}

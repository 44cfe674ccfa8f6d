/// A question about iCalendar documents, as a client of CalDAV asks it (RFC 4791, section 9.7).
package struct ICalendarQuery: Hashable, Sendable {
    /// A time from its start up to, but not including, its end; milliseconds since 1970-01-01 UTC.
    package struct TimeRange: Hashable, Sendable {
        /// The start; nil for none.
        package var start: Int64?
        /// The end; nil for none.
        package var end: Int64?

        /// A time that is open where nil is given.
        package init(start: Int64?, end: Int64?) {
            self.start = start
            self.end = end
        }

        /// A time in the form of iCalendar, both ends in UTC; nil if they are not, or are not in order.
        package init?(startText: String?, endText: String?) {
            func instant(_ text: String) -> Int64? {
                // Queries are made by programs, which write the one form that RFC 5545 has.
                if !text.contains("-"), case .instant(let instant)? = ICalendarDate(text) {
                    instant
                } else {
                    nil
                }
            }
            if let startText {
                guard let instant = instant(startText) else { return nil }
                start = instant
            }
            if let endText {
                guard let instant = instant(endText) else { return nil }
                end = instant
            }
            if let start, let end, start >= end { return nil }
            if start == nil, end == nil { return nil }
        }

        /// Whether an instant is in it.
        func contains(_ instant: Int64) -> Bool {
            instant >= start ?? .min && instant < end ?? .max
        }
    }

    /// How letters compare.
    package enum Collation: Hashable, Sendable {
        /// Byte for byte.
        case octet
        /// Without the case of ASCII's letters (RFC 4790).
        case asciiCase
        /// Without the case of any letter (RFC 5051, without its decomposition).
        case unicodeCase
    }

    /// A text that has to be in a value, or must not be.
    package struct TextMatch: Hashable, Sendable {
        /// The text.
        package var text: String
        /// How its letters compare.
        package var collation = Collation.asciiCase
        /// Whether it must not be there.
        package var isNegated = false

        /// A text that has to be in a value, in whatever case of ASCII's letters.
        package init(_ text: String) { self.text = text }
    }

    /// The tests of a part, or that there is none.
    package indirect enum Condition: Hashable, Sendable {
        /// There is none of that name.
        case isNotDefined
        /// There is one, and it matches all of these.
        case isDefined([Test])
    }

    /// One of several tests, all of which have to hold.
    package enum Test: Hashable, Sendable {
        case time(TimeRange)
        case text(TextMatch)
        /// A parameter of a property.
        case parameter(String, Condition)
        /// A property of a component.
        case property(String, Condition)
        /// A component in a component.
        case component(String, Condition)
    }

    /// A part of a question that is not answered.
    package enum Unsupported: Error, Hashable, Sendable {
        /// A time of a component other than a to-do, or of a property that has none.
        case timeRange(of: String)
    }

    /// The tests of the calendar that a document is.
    package var tests: [Test]

    /// A question; refused if it has a part that is not answered.
    package init(_ tests: [Test]) throws(Unsupported) {
        self.tests = tests
        try Self.check(tests, in: "VCALENDAR")
    }

    /// Whether every to-do is an answer, so that no document needs to be read.
    package var takesAll: Bool {
        tests.allSatisfy { $0 == .component("VTODO", .isDefined([])) }
    }

    /// Whether a document is an answer.
    ///
    /// - Parameter zone: the zone in which days begin.
    package func matches(_ document: ServedDocument, zone: LocalTimeZone) -> Bool {
        if takesAll { return true }
        guard let file = try? ICalendarParser.parse(document.bytes),
            let calendar = file.calendars.first
        else { return false }
        let properties = calendar.components.first { $0.name == "VTODO" }?.properties ?? []
        let matching = ICalendarMatching(
            item: document.item, zone: zone,
            dates: ICalendarAlarms.Dates(document.item, properties))
        return tests.allSatisfy { matching.holds($0, in: calendar) }
    }

    /// The properties whose times are compared.
    static let timedProperties: Set<String> = [
        "DTSTART", "DUE", "COMPLETED", "CREATED", "LAST-MODIFIED", "DTSTAMP",
    ]

    /// The components whose times are compared.
    ///
    /// Of events and journals there is none in a document of a to-do, so a question about their times has an answer: none.
    private static let timedComponents: Set<String> = [
        "VTODO", ICalendarAlarms.name, "VEVENT", "VJOURNAL", "VFREEBUSY",
    ]

    private static func check(_ tests: [Test], in part: String) throws(Unsupported) {
        for test in tests {
            switch test {
            case .time:
                guard timedComponents.contains(part) || timedProperties.contains(part) else {
                    throw .timeRange(of: part)
                }
            case .property(let name, .isDefined(let inner)),
                .component(let name, .isDefined(let inner)):
                try check(inner, in: name)
            case .text, .parameter, .property, .component: break
            }
        }
    }
}

/// The tests of a question on one document.
struct ICalendarMatching {
    /// The to-do that the document says.
    let item: ToDoItem
    let zone: LocalTimeZone
    /// The dates from which its alarms are counted.
    let dates: ICalendarAlarms.Dates
    /// The times, which several alarms ask for.
    let times: ICalendarTimes

    init(item: ToDoItem, zone: LocalTimeZone, dates: ICalendarAlarms.Dates) {
        self.item = item
        self.zone = zone
        self.dates = dates
        times = ICalendarTimes(item, zone)
    }

    /// Whether a test of a component holds.
    func holds(_ test: ICalendarQuery.Test, in component: ICalendarComponent) -> Bool {
        switch test {
        case .time(let range):
            return component.name == ICalendarAlarms.name
                ? ICalendarAlarms.goesOff(component, of: times, dates, in: range)
                : times.overlaps(range)
        case .component(let name, .isNotDefined):
            return !component.components.contains { $0.name == name }
        case .component(let name, .isDefined(let tests)):
            let parts = component.components.lazy.filter { $0.name == name }
            return parts.prefix(ICalendarAlarms.alarmCountMax).contains { part in
                tests.allSatisfy { holds($0, in: part) }
            }
        case .property(let name, .isNotDefined): return component[name] == nil
        case .property(let name, .isDefined(let tests)):
            let found = component.properties.filter { $0.name == name }
            return !found.isEmpty && tests.allSatisfy { holds($0, of: found) }
        // These are tests of a property.
        case .text, .parameter: return false
        }
    }

    /// Whether a test of a property holds for one of its lines; one that must not hold, for none.
    private func holds(
        _ test: ICalendarQuery.Test, of lines: [ICalendarProperty]
    ) -> Bool {
        switch test {
        case .text(let match):
            let isFound = lines.contains { Self.contains(ICalendarText.read($0.value), match) }
            return isFound != match.isNegated
        case .time(let range):
            return lines.contains { line in instant(line).map(range.contains) ?? false }
        case .parameter(let name, .isNotDefined): return lines.contains { $0[name] == nil }
        case .parameter(let name, .isDefined(let tests)):
            return lines.contains { line in
                guard let values = line.parameters.first(where: { $0.name == name })?.values else {
                    return false
                }
                return tests.allSatisfy { test in
                    guard case .text(let match) = test else { return false }
                    return values.contains { Self.contains($0, match) } != match.isNegated
                }
            }
        case .property, .component: return false
        }
    }

    private func instant(_ line: ICalendarProperty) -> Int64? {
        switch line.name {
        // Their zones were read with the to-do.
        case "DTSTART": (item.scheduled ?? item.due)?.start(in: zone)
        case "DUE": item.due?.start(in: zone)
        default:
            switch ICalendarDate(line.value) {
            case .instant(let instant)?: instant
            case .day(let day)?: zone.startOfDay(Int(day))
            case .clock(let time)?: zone.instant(of: time)
            case nil: nil
            }
        }
    }

    /// Whether a text is in another one.
    static func contains(_ value: String, _ match: ICalendarQuery.TextMatch) -> Bool {
        let (value, text) = (
            folded(value, match.collation), folded(match.text, match.collation)
        )
        return text.isEmpty || value.firstRange(of: text) != nil
    }

    private static func folded(
        _ text: String, _ collation: ICalendarQuery.Collation
    ) -> [UInt8] {
        switch collation {
        case .octet: Array(text.utf8)
        case .unicodeCase: Array(text.lowercased().utf8)
        case .asciiCase:
            text.utf8.map { byte in
                byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte + 32 : byte
            }
        }
    }
}

/// The times of a to-do, against which a time range is compared (RFC 4791, section 9.9).
package struct ICalendarTimes {
    let item: ToDoItem
    let zone: LocalTimeZone
    private let found = Found()

    /// The occurrences that were looked for: finding those of a series that is counted takes all dates before them.
    private final class Found {
        var occurrences: [ICalendarQuery.TimeRange: [ToDoItem]] = [:]
    }

    /// The most times for which later occurrences are looked for; for others there are none.
    static let lookCountMax = 8
    /// The last day that a date can name; days since 1970-01-01.
    private static let lastDay = CivilDate(9_999, 12, 31).day

    /// The times of a to-do on days of a zone.
    package init(_ item: ToDoItem, _ zone: LocalTimeZone) {
        self.item = item
        self.zone = zone
    }

    /// Whether the to-do, or one that comes again behind it, is in a time.
    package func overlaps(_ range: ICalendarQuery.TimeRange) -> Bool {
        if isIn(range, start: item.scheduled ?? firstDue, due: item.due) { return true }
        return occurrences(in: range).contains { occurrence in
            isIn(range, start: occurrence.scheduled ?? occurrence.due, due: occurrence.due)
        }
    }

    /// The later occurrences of the to-do on the days of a time.
    func occurrences(in range: ICalendarQuery.TimeRange) -> [ToDoItem] {
        if item.repeats.isEmpty { return [] }
        if let known = found.occurrences[range] { return known }
        guard found.occurrences.count < Self.lookCountMax else { return [] }
        let first = range.start.map { zone.localTime(at: $0).day } ?? 0
        let last = range.end.map { zone.localTime(at: $0).day } ?? Self.lastDay
        let occurrences =
            first <= last
            ? item.toCome(on: first..<last + 2, zone: zone, named: ToDoStore.zone(named:)) : []
        found.occurrences[range] = occurrences
        return occurrences
    }

    /// An occurrence with the due date that its length gives it, if the document says that in place of one.
    func withEnd(_ occurrence: ToDoItem) -> ToDoItem {
        guard occurrence.due == nil, let start = occurrence.scheduled, let duration else {
            return occurrence
        }
        var item = occurrence
        item.due = .instant(start.start(in: zone).plus(duration))
        return item
    }

    /// A rule needs a start: what has none and comes again starts when it is due.
    private var firstDue: Moment? { item.repeats.isEmpty ? nil : item.due }

    /// The rows of the table for VTODO.
    private func isIn(
        _ range: ICalendarQuery.TimeRange, start moment: Moment?, due: Moment?
    ) -> Bool {
        let (start, end) = (range.start ?? .min, range.end ?? .max)
        let begin = moment?.start(in: zone)
        if let begin, let due = due?.start(in: zone) {
            return (start < due || start <= begin) && (end > begin || end >= due)
        }
        if let begin {
            guard let duration else { return start <= begin && end > begin }
            let finish = begin.plus(duration)
            return start <= finish && (end > begin || end >= finish)
        }
        if let due = due?.start(in: zone) { return start < due && end >= due }
        switch (item.completed, item.created) {
        case (let completed?, let created?):
            return (start <= created || start <= completed) && (end >= created || end >= completed)
        case (let completed?, nil): return start <= completed && end >= completed
        case (nil, let created?): return end > created
        case (nil, nil): return true
        }
    }

    /// The length that the document gives instead of a due date; milliseconds.
    private var duration: Int64? {
        guard case .text(let rest)? = item.custom[ICalendarNames.customPrefix + "DURATION"],
            let line = try? ICalendarProperty(reading: "DURATION" + rest, line: 0),
            let lead = Reminder.Lead(isoText: line.value.uppercased()[...], isBefore: false)
        else { return nil }
        return Int64(lead.days) * 86_400_000 + Int64(lead.seconds) * 1_000
    }
}

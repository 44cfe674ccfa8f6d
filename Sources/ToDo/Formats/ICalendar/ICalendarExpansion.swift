/// A to-do that comes again as one component for each occurrence (RFC 4791, section 9.6.5).
package enum ICalendarExpansion {
    /// The document with the occurrences that lie in a time, in place of the rule by which they come.
    ///
    /// Its own occurrence is first, if it lies there. Later ones are given as each is done on its day.
    /// - Parameter zone: the zone in which days begin.
    /// - Returns: the bytes as they are of a to-do that does not come again.
    package static func bytes(
        of document: ServedDocument, in range: ICalendarQuery.TimeRange, zone: LocalTimeZone
    ) -> [UInt8] {
        let item = document.item
        guard !item.repeats.isEmpty,
            let file = try? ICalendarParser.parse(document.bytes),
            var calendar = file.calendars.first,
            let index = calendar.children.firstIndex(where: { child in
                if case .component(let part) = child { part.name == "VTODO" } else { false }
            }), case .component(let own) = calendar.children[index]
        else { return document.bytes }
        let times = ICalendarTimes(item, zone)
        var once = item
        once.repeats = ""
        var parts: [ICalendarComponent] = []
        if ICalendarTimes(once, zone).overlaps(range) {
            parts.append(occurrence(own, of: item, item))
        }
        for later in times.occurrences(in: range) {
            var alone = later
            alone.repeats = ""
            guard ICalendarTimes(alone, zone).overlaps(range) else { continue }
            parts.append(occurrence(own, of: later, item))
        }
        calendar.children.removeAll { child in
            guard case .component(let part) = child else { return false }
            return part.name == "VTODO" || part.name == "VTIMEZONE"
        }
        calendar.children += parts.map { .component($0) }
        var writer = ICalendarWriter()
        writer.append(calendar)
        return writer.bytes
    }

    /// The properties that say how a to-do comes again, and the dates, which are another for each occurrence.
    private static let replaced: Set<String> = [
        "RRULE", "RDATE", "EXDATE", "EXRULE", "DUE", "DTSTART", "DURATION", "RECURRENCE-ID",
        ICalendarNames.more, ICalendarNames.exceptions,
    ]

    private static func occurrence(
        _ component: ICalendarComponent, of occurrence: ToDoItem, _ item: ToDoItem
    ) -> ICalendarComponent {
        var part = component
        part.children.removeAll { child in
            if case .property(let line) = child { replaced.contains(line.name) } else { false }
        }
        let begin = occurrence.scheduled ?? occurrence.due
        let lines = [
            property("RECURRENCE-ID", begin), property("DTSTART", begin),
            property("DUE", occurrence.due),
        ]
        let first = part.children.firstIndex { child in
            if case .property(let line) = child { line.name == "UID" } else { false }
        }
        part.children.insert(
            contentsOf: lines.compactMap { $0.map { .property($0) } },
            at: first.map { $0 + 1 } ?? 0)
        return part
    }

    private static func property(_ name: String, _ moment: Moment?) -> ICalendarProperty? {
        switch moment {
        case .day(let day)?:
            ICalendarDate.written(day: Int(day)).map {
                ICalendarProperty(name, [ICalendarParameter("VALUE", ["DATE"])], $0)
            }
        case .instant(let instant)?:
            ICalendarDate.written(instant: instant).map { ICalendarProperty(name, $0) }
        case nil: nil
        }
    }
}

/// A day by its hours.
package struct DayAgenda: Sendable, Equatable {
    /// Something at a time of the day.
    package struct Entry: Sendable, Equatable {
        /// The kind of entry.
        package enum Kind: String, Sendable {
            case due
            case planned
            case work
        }

        /// The to-do.
        package let item: ToDoItem
        /// The kind of entry.
        package let kind: Kind
        /// When it begins; milliseconds since 1970.
        package let start: Int64
        /// When it ends, for work that has; milliseconds since 1970.
        package let end: Int64?
    }

    /// The day; days since 1970-01-01.
    package let day: Int
    /// Due or planned that day, at no time of day.
    package let wholeDay: [ToDoItem]
    /// The entries that have a time, sorted.
    package let entries: [Entry]

    /// The agenda of a day.
    package init(_ items: [ToDoItem], day: Int, in context: CalendarContext) {
        self.day = day
        let instants = context.instants(day..<day + 1)
        var wholeDay: [ToDoItem] = []
        var entries: [Entry] = []
        for item in items {
            if item.status != .cancelled {
                let dates = [(item.due, Entry.Kind.due), (item.scheduled, .planned)]
                for (date, kind) in dates {
                    if case .instant(let time)? = date, instants.contains(time) {
                        entries.append(Entry(item: item, kind: kind, start: time, end: nil))
                    }
                }
                if [item.due, item.scheduled].contains(.day(Int32(clamping: day))) {
                    wholeDay.append(item)
                }
            }
            for interval in item.work
            where interval.start < instants.upperBound
                && (interval.end ?? max(context.now, interval.start)) >= instants.lowerBound
            {
                entries.append(
                    Entry(item: item, kind: .work, start: interval.start, end: interval.end))
            }
        }
        self.wholeDay = wholeDay
        self.entries = entries.sorted {
            ($0.start, $0.kind.rawValue, $0.item.title) < (
                $1.start, $1.kind.rawValue, $1.item.title
            )
        }
    }
}

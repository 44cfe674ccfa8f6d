import Core
import Storage

/// A date as a list shows it, with words around it.
package struct ListedDate {
    /// The words in front.
    package let before: String
    /// The date; nil for no words at all.
    package let moment: Moment?
    /// The words behind.
    package let after: String
    /// A second date with the word in front of it, left out of the shortest form.
    ///
    /// It tells when a to-do that is out of sight is due, or from when one that is due is planned.
    package let second: (word: String, moment: Moment)?

    /// A date, or no words at all.
    package init(
        _ moment: Moment?, before: String = "", after: String = "",
        second: (word: String, moment: Moment)? = nil
    ) {
        self.before = before
        self.moment = moment
        self.after = after
        self.second = second
    }

    /// Until when a to-do is out of sight unless it is overdue, else when it is due and from when it is planned to be worked
    /// on if that day is not past, else when it is planned; of a finished one when it was finished.
    package init(_ item: ToDoItem, in calendar: CalendarContext) {
        let again = item.repeats.isEmpty ? "" : " *"
        if item.status != .pending, let time = item.completed {
            self.init(.instant(time))
        } else if item.wait != nil, calendar.has(item, .waiting),
            !(item.due?.isOver(now: calendar.now, zone: calendar.zone) ?? false)
        {
            self.init(
                item.wait, before: "waits to ", after: again, second: item.due.map { ("due", $0) })
        } else if let due = item.due {
            let planned = item.scheduled.flatMap { scheduled in
                scheduled.day(in: calendar.zone) >= calendar.today ? ("from", scheduled) : nil
            }
            self.init(due, after: again, second: planned)
        } else {
            self.init(item.scheduled, before: "from ", after: again)
        }
    }

    /// The words of dates in a form; without a date there are none.
    package static func texts(
        of dates: [ListedDate], _ form: DatePhrase.Width, in calendar: CalendarContext
    ) -> [String] {
        // Lists are in the order of dates, more often than not: most rows say what the row before said.
        var last: (moment: Moment, words: String)?
        return dates.map { date in
            guard let moment = date.moment else { return "" }
            // Two dates in a row leave no room for how far the first one is.
            if let second = date.second {
                let words = [(moment, form == .long ? .middle : .short), (second.moment, .short)]
                    .map {
                        DatePhrase.listed($0, now: calendar.now, zone: calendar.zone, width: $1)
                    }
                return date.before + words[0]
                    + (form == .short ? "" : ", \(second.word) \(words[1])") + date.after
            }
            if last?.moment != moment {
                let words = DatePhrase.listed(
                    moment, now: calendar.now, zone: calendar.zone, width: form)
                last = (moment, words)
            }
            let words = last?.words ?? ""
            let isBare = date.before.isEmpty && date.after.isEmpty
            return isBare ? words : date.before + words + date.after
        }
    }
}

/// A to-do as a list shows it.
package struct ToDoRow {
    /// The to-do and what belongs to it, which all rows that are made of this one share.
    private final class Shown: Sendable {
        let stored: Record
        let item: ToDoItem
        let waiting: ToDoStore.Waiting
        let isActive: Bool

        init(
            _ stored: Record, _ item: ToDoItem, _ waiting: ToDoStore.Waiting, isActive: Bool
        ) {
            self.stored = stored
            self.item = item
            self.waiting = waiting
            self.isActive = isActive
        }
    }

    private let shown: Shown
    /// Its record.
    package var stored: Record { shown.stored }
    /// The to-do as it is shown.
    package var item: ToDoItem { shown.item }
    /// The to-dos that hold it up, and those that it holds up.
    package var waiting: ToDoStore.Waiting { shown.waiting }
    /// Whether work on it goes on.
    package var isActive: Bool { shown.isActive }
    /// Whether devices disagree on it.
    package var isInConflict: Bool { stored.isInConflict }
    /// How many of those that it is a part of stand above it.
    package var depth = 0
    /// Whether it is a part of something that stands elsewhere in the list.
    package var isApart = false

    /// A to-do, and what it waits for.
    ///
    /// - Parameter calendar: when it is looked at.
    package init(
        _ stored: Record, _ item: ToDoItem, _ waiting: ToDoStore.Waiting? = nil,
        in calendar: CalendarContext
    ) {
        shown = Shown(
            stored, item, waiting ?? ToDoStore.Waiting(),
            isActive: item.isActive(now: calendar.now, zone: calendar.zone))
    }

    /// Its id.
    package var id: RecordID { stored.id }

    /// The marks before the title.
    package var mark: String {
        var mark = isApart ? "\u{21b3} " : ""
        if isInConflict { mark += "? " }
        switch shown.item.status {
        case .completed: mark += "x "
        case .cancelled: mark += "- "
        case .pending:
            if shown.isActive {
                mark += "> "
            } else if shown.item.priority == .high {
                mark += "! "
            }
        }
        return mark
    }

    /// Rows with parts beneath what they are a part of; all else keeps its order.
    package static func nested(_ rows: [ToDoRow]) -> [ToDoRow] {
        if rows.allSatisfy({ $0.shown.item.parent == nil }) { return rows }
        var parts: [UInt128: [Int]] = [:]
        let present = Set(rows.map(\.id.value))
        var roots: [Int] = []
        for (context, row) in rows.enumerated() {
            if let parent = row.item.parent, present.contains(parent) {
                parts[parent, default: []].append(context)
            } else {
                roots.append(context)
            }
        }
        if parts.isEmpty { return rows }
        var result: [ToDoRow] = []
        for root in roots {
            var open = [(context: root, depth: 0)]
            while let (context, depth) = open.popLast() {
                var row = rows[context]
                row.depth = depth
                result.append(row)
                let below = parts[row.id.value] ?? []
                open += below.reversed().map { (context: $0, depth: depth + 1) }
            }
        }
        return result
    }

    /// Rows in their order, where a part whose whole is among them says that it is one.
    package static func marked(_ rows: [ToDoRow]) -> [ToDoRow] {
        if rows.allSatisfy({ $0.item.parent == nil }) { return rows }
        let present = Set(rows.map(\.id.value))
        return rows.map { row in
            var row = row
            row.isApart = row.item.parent.map(present.contains) ?? false
            return row
        }
    }
}

/// A part of a list, with its heading.
package struct ToDoSection {
    /// The heading; empty for none.
    package let title: String
    /// The to-dos, in order.
    package let rows: [ToDoRow]

    /// A part with its heading.
    package init(title: String, rows: [ToDoRow]) {
        self.title = title
        self.rows = rows
    }
}

extension ToDoStore {
    /// To-dos as a list shows them: parted, each with what it waits for.
    ///
    /// - Parameter keepsOrder: whether somebody chose the order, so that parts are marked where they stand, and not
    ///   moved beneath what they are a part of.
    package func sections(
        _ found: [Record], by sections: ToDoSections, keepsOrder: Bool = false,
        in calendar: CalendarContext
    ) throws(StoreFault) -> [ToDoSection] {
        let waiting = try waiting(of: found)
        let items = try items(found)
        let rows = found.indices.map {
            ToDoRow(found[$0], items[$0], waiting[found[$0].id], in: calendar)
        }
        return sections.parts(items, keepsOrder: keepsOrder, in: calendar).map { part in
            let rows = part.positions.map { rows[$0] }
            return ToDoSection(
                title: part.title, rows: keepsOrder ? ToDoRow.marked(rows) : ToDoRow.nested(rows))
        }
    }
}

import Core
import Storage

/// Entries of the journal, and changes of this device, in words.
package struct JournalWords {
    private let todos: ToDoStore
    private let cutValue: (String) -> String
    private let cutTitle: (String) -> String

    /// Words for the to-dos of a store.
    ///
    /// - Parameters:
    ///   - cutValue: cuts a value so that two of them have room in a line.
    ///   - cutTitle: cuts a title.
    package init(
        _ todos: ToDoStore, cutValue: @escaping (String) -> String = { $0 },
        cutTitle: @escaping (String) -> String = { $0 }
    ) {
        self.todos = todos
        self.cutValue = cutValue
        self.cutTitle = cutTitle
    }

    /// Returns an entry's change of its field, in words.
    ///
    /// - Parameter isApartFromDelete: whether it is an edit that a delete had not seen.
    package func words(_ entry: JournalEntry, isApartFromDelete: Bool) -> String {
        words(entry) + (isApartFromDelete ? "; the delete had not seen this" : "")
    }

    /// Returns an entry's change of its field, in words.
    package func words(_ entry: JournalEntry) -> String {
        func text(_ value: Value?) -> String {
            let text = ToDoMapping.describe(
                value ?? .null, of: entry.field, now: todos.now, zone: todos.zone)
            return cutValue(VisibleText.escaped(text))
        }
        let name = VisibleText.escaped(ToDoSchema.name(of: entry.field))
        switch entry.kind {
        case .made: return "made it"
        case .erased: return "(purged)"
        case .beside: return "\(name): \(text(entry.after)) kept beside \(text(entry.before))"
        case .above:
            return "\(name): \(text(entry.after)) shown, \(text(entry.before)) kept beside it"
        case .dropped where entry.isDecisionOnDelete:
            return entry.after == .bool(true) ? "kept it deleted" : "kept it"
        case .opened where entry.isDecisionOnDelete:
            return "asked again whether it stays deleted"
        case .dropped where entry.isChosen: return "\(name): decided for \(text(entry.after))"
        case .dropped: return "\(name): decided against \(text(entry.before))"
        case .opened: return "\(name): \(text(entry.after)) is in question again"
        case .local, .merged:
            if entry.field == .deleted {
                return entry.after == .bool(true) ? "deleted it" : "brought it back"
            }
            if let words = words(ofElement: entry.field, entry.after) { return words }
            return "\(name): \(text(entry.before)) → \(text(entry.after))"
        }
    }

    /// Returns what a write gave to a field, in words; of the field `deleted` that it brought the to-do back.
    package func words(_ field: Field, _ value: Value) -> String {
        if field == .deleted { return "brought it back" }
        if let words = words(ofElement: field, value) { return words }
        let text = ToDoMapping.describe(value, of: field, now: todos.now, zone: todos.zone)
        return "\(VisibleText.escaped(ToDoSchema.name(of: field))): \(VisibleText.escaped(text))"
    }

    /// Returns what became of an element of a set, in words; nil for any other field.
    private func words(
        ofElement field: Field, _ value: Value?
    ) -> String? {
        guard case .element(let field, let element) = field else { return nil }
        let isIn = value == .bool(true)
        if field == .number(ToDoSchema.Number.position) {
            return isIn ? "moved it" : "moved it away"
        }
        if field == .number(ToDoSchema.Number.work), case .text(let text) = element,
            let work = WorkInterval(text: text)
        {
            return (isIn ? "work: " : "work, not any more: ") + words(work)
        }
        let set = VisibleText.escaped(ToDoSchema.name(of: Field(field)))
        let text = words(of: element, in: field)
        return "\(set): \(isIn ? "added" : "removed") \(text)"
    }

    /// Returns an element of a set, or a value; of another to-do its title, as long as it is here.
    package func words(
        of element: Value, in set: FieldName
    ) -> String {
        if let id = element.toDo, let other = try? todos.stored(id) {
            return other.shownTitle
        }
        if set == .number(ToDoSchema.Number.reminders), case .text(let text) = element,
            let reminder = Reminder(text: text)
        {
            return ReminderWords.describe(reminder, zone: todos.zone)
        }
        return VisibleText.escaped(
            ToDoMapping.describe(element, of: Field(set), now: todos.now, zone: todos.zone))
    }

    private func words(_ work: WorkInterval) -> String {
        let start = DatePhrase.absolute(.instant(work.start), zone: todos.zone)
        guard let end = work.end else { return "since \(start)" }
        return "\(start), for \(WorkInterval.clock(end - work.start))"
    }

    /// The title of a to-do, or the name of a view, in a line; `?` for what is not here.
    package func title(of record: RecordName) throws(StoreFault) -> String {
        if let name = try todos.viewName(of: record) { return "view \(VisibleText.escaped(name))" }
        return try todos.stored(record.id).map(\.shownTitle) ?? "?"
    }

    /// A change of this device in a few words.
    package func summary(_ change: LocalChange) throws(StoreFault) -> String {
        let count = Set(change.entries.map(\.record)).count
        guard let first = change.firstShown else { return "nothing" }
        let short = cutTitle(try title(of: first.record))
        let own = change.shownEdits.filter { $0.record == first.record }
        let words =
            switch own.count {
            case 0: "added"
            case 1: words(first)
            default:
                Set(own.map { ToDoSchema.name(of: Field($0.field.name)) }).sorted()
                    .joined(separator: ", ")
            }
        return count > 1
            ? "\(count) to-dos\(change.mayHaveMadeMore ? " or more" : ""), such as \(short): \(words)"
            : "\(short): \(words)"
    }
}

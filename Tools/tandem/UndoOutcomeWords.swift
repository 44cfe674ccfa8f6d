import Core
import Storage
import Terminal
import ToDo

/// The new state after an undo or redo, named so that its direction is clear.
enum UndoOutcomeWords {
    /// In a few words: "Buy milk: due is Fri 27 Nov 2026 again".
    ///
    /// - Parameter change: the change that was taken back or made again.
    static func describe(_ change: LocalChange, _ place: CommandContext) throws -> String {
        let records = Set(change.entries.map(\.record))
        let edits = change.entries.filter { $0.kind != .made && JournalOutput.isShown($0) }
        guard let first = edits.first ?? change.entries.first,
            let stored = try place.todos.stored(first.record)
        else { return try UndoCommand.summary(change, place) }
        let title = Cells.cut(ToDoMapping.item(stored).shownTitle, to: 40)
        let own = edits.filter { $0.record == first.record }
        let words = state(own, stored, place)
        return records.count > 1
            ? "\(Echo.count(records.count)), such as \(title): \(words)" : "\(title): \(words)"
    }

    private static func state(
        _ entries: [JournalEntry], _ stored: StoredRecord, _ place: CommandContext
    ) -> String {
        if stored.verdict.isDeleted { return "it is in the trash now" }
        guard let entry = entries.first else { return "it is in the list again" }
        let names = Set(entries.map { ToDoSchema.name(of: Field($0.field.name)).shownInLine })
        let conflicts = stored.record.fieldConflicts.map(\.field)
        if names.count == 1, conflicts.contains(entry.field) {
            // A decision was taken back; which of the values is shown now says little.
            return "\(names.first ?? "") is in conflict again; decide it: tandem conflicts"
        }
        guard entries.count == 1 else {
            return "\(names.sorted().joined(separator: ", ")) \(names.count == 1 ? "is" : "are") "
                + "as before"
        }
        if entry.field == .deleted { return "it is in the list again" }
        let name = ToDoSchema.name(of: Field(entry.field.name)).shownInLine
        if case .element(let field, let element) = entry.field {
            let isIn = stored.record.visible(entry.field) == .bool(true)
            if field == .number(ToDoSchema.Number.position) { return "it is where it was" }
            if field == .number(ToDoSchema.Number.work) {
                return "the work is \(isIn ? "noted again" : "not noted any more")"
            }
            let value = ToDoMapping.describe(
                element, of: Field(field), now: place.now, zone: place.zone)
            return "\(name): \(isIn ? "has" : "has not") \(value.shownInLine)"
        }
        func text(_ value: Value) -> String {
            let text = ToDoMapping.describe(
                value, of: entry.field, now: place.now, zone: place.zone)
            return Cells.cut(text.shownInLine, to: 60)
        }
        let isStatus = entry.field == .number(ToDoSchema.Number.status)
        let value = stored.record.visible(entry.field) ?? .null
        let other = (value == entry.before ?? .null ? entry.after : entry.before) ?? .null
        let was = other == .null && !isStatus ? "" : " (was: \(text(other)))"
        if value == .null, !isStatus { return "it has no \(name) again\(was)" }
        return "\(name) is \(text(value)) again\(was)"
    }
}

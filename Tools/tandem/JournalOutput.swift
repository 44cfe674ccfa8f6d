import Devices
import JSON
import Terminal
import ToDo

/// Entries of the journal for people and for programs.
enum JournalOutput {
    /// Writes an entry, in a line if it fits.
    static func write(
        _ entry: JournalEntry, isApartFromDelete: Bool = false, _ context: CommandContext
    ) throws {
        let time = DatePhrase.absolute(
            .instant(entry.timestamp.milliseconds), zone: context.zone)
        let device = try context.todos.deviceName(entry.author).shownInLine
        let words = context.journalWords.words(entry, isApartFromDelete: isApartFromDelete)
        write("\(time)  \(device)", words)
    }

    /// Writes who and when, and what.
    static func write(_ author: String, _ words: String) {
        let label = "  \(author)  "
        let isTooLong = Screen.width.map { Cells.count(label) > $0 / 2 } ?? false
        if isTooLong {
            Screen.paragraph(author, label: "  ", hanging: 4, style: Screen.faint)
            Screen.paragraph(words, label: "    ", hanging: 4)
        } else {
            Screen.paragraph(words, label: label, hanging: 4, labelStyle: Screen.faint)
        }
    }

    /// Returns an entry's change of its field, in words.
    static func words(_ entry: JournalEntry, _ context: CommandContext) -> String {
        context.journalWords.words(entry)
    }

    /// Returns what a write gave to a field, in words; of the field `deleted` that it brought the to-do back.
    static func words(_ field: Field, _ value: Value, _ context: CommandContext) -> String {
        context.journalWords.words(field, value)
    }

    /// Returns an element of a set; of another to-do its title, as long as it is here.
    static func words(
        of element: Value, in set: FieldName, _ context: CommandContext
    ) -> String {
        context.journalWords.words(of: element, in: set)
    }

    /// The same as JSON.
    static func json(_ entry: JournalEntry, _ context: CommandContext) throws -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("number", .number(entry.number)), ("id", JSONOutput.text(entry.record.id.uuidText)),
            ("field", JSONOutput.text(name(entry.field))),
            ("kind", JSONOutput.text(entry.isChosen ? "chosen" : "\(entry.kind)")),
            ("device", JSONOutput.text(try context.todos.deviceName(entry.author))),
            ("time", JSONOutput.text(TimestampText.rfc3339(entry.timestamp.milliseconds))),
            ("arrived", JSONOutput.text(TimestampText.rfc3339(entry.arrived))),
        ]
        if let value = entry.before {
            members.append(("before", ToDoMapping.json(value, of: entry.field)))
        }
        if let value = entry.after {
            members.append(("after", ToDoMapping.json(value, of: entry.field)))
        }
        return JSONOutput.object(members)
    }

    /// The name of a field for programs; that of an element has its value.
    static func name(_ field: Field) -> String {
        if field == .deleted { return "deleted" }
        if case .element(let name, let element) = field, let other = element.toDo {
            return "\(ToDoSchema.name(of: Field(name)))/\(other.uuidText)"
        }
        if case .element(let name, .text(let text)) = field {
            return "\(ToDoSchema.name(of: Field(name)))/\(text)"
        }
        return ToDoSchema.name(of: field)
    }
}

/// The new state after an undo or redo, named so that its direction is clear.
enum UndoOutcomeWords {
    /// In a few words: "Buy milk: due is Fri 27 Nov 2026 again".
    ///
    /// - Parameters:
    ///   - change: the change that was taken back or made again.
    ///   - changed: the records that this changed.
    ///   - replaced: the value that the first field showed before this.
    static func describe(
        _ change: LocalChange, changed: [RecordName], replacing replaced: Value?,
        _ context: CommandContext
    ) throws -> String {
        let count = change.recordCount(undone: changed)
        guard let first = change.firstShown else {
            return try UndoCommand.summary(change, context)
        }
        guard let stored = try context.todos.stored(first.record.id) else {
            guard let view = try context.device.record(first.record) else {
                return try UndoCommand.summary(change, context)
            }
            let title = Cells.cut(try context.journalWords.title(of: first.record), to: 40)
            let words = viewState(change.shownEdits.filter { $0.record == first.record }, view)
            return "\(title): \(words)"
        }
        let title = Cells.cut(stored.shownTitle, to: 40)
        let own = change.shownEdits.filter { $0.record == first.record }
        let isMade = change.entries.contains { $0.kind == .made && $0.record == first.record }
        let words = state(own, isMade: isMade, stored, replacing: replaced, context)
        return count > 1
            ? "\(EditMessages.count(count)), such as \(title): \(words)"
            : "\(title): \(words)"
    }

    /// The value that the first field of a change shows now; nil if nothing is shown.
    static func shown(_ change: LocalChange, _ context: CommandContext) throws -> Value? {
        guard let first = change.firstShown, let stored = try context.device.record(first.record)
        else { return nil }
        return stored.record.visible(first.field) ?? .null
    }

    /// The state of a view of the user's own.
    private static func viewState(_ entries: [JournalEntry], _ view: Record) -> String {
        if view.verdict.isContested {
            return
                "whether it stays removed is in question again; decide it: \(AdvisedLine.program) conflicts"
        }
        if view.verdict.isDeleted { return "it is removed again" }
        let names = Set(entries.map { ToDoSchema.name(of: Field($0.field.name)).shownInLine })
        if entries.isEmpty || entries.contains(where: { $0.field == .deleted }) {
            return "it is there again"
        }
        return
            "\(names.sorted().joined(separator: ", ")) \(names.count == 1 ? "is" : "are") as before"
    }

    private static func state(
        _ entries: [JournalEntry], isMade: Bool, _ stored: Record, replacing replaced: Value?,
        _ context: CommandContext
    ) -> String {
        switch stored.standing {
        case .live: break
        case .trashed where stored.verdict.isContested:
            return
                "whether it stays deleted is in question again; decide it: \(AdvisedLine.program) conflicts"
        case .trashed:
            // To take back the making of it is to delete it; nothing of it is lost.
            return isMade
                ? "it was added by that, and is in the trash now" : "it is in the trash again"
        case .purged, .editedAfterPurge: return "it \(stored.standing.predicate)"
        }
        guard let entry = entries.first else { return "it is in the list again" }
        let names = Set(entries.map { ToDoSchema.name(of: Field($0.field.name)).shownInLine })
        let conflicts = stored.record.fieldConflicts.map(\.field)
        if names.count == 1, conflicts.contains(entry.field) {
            // A decision was taken back; which of the values is shown now says little.
            return
                "\(names.first ?? "") is in conflict again; decide it: \(AdvisedLine.program) conflicts"
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
            let value = JournalOutput.words(of: element, in: field, context)
            return "\(name): \(isIn ? "has" : "has not") \(value)"
        }
        func text(_ value: Value) -> String {
            let text = ToDoMapping.describe(
                value, of: entry.field, now: context.now, zone: context.zone)
            return Cells.cut(text.shownInLine, to: 60)
        }
        let isStatus = entry.field == .number(ToDoSchema.Number.status)
        let value = stored.record.visible(entry.field) ?? .null
        let known = value == entry.before ?? .null ? entry.after : entry.before
        // Forced, it replaces another value than the one that the change gave.
        let other = (replaced == value ? known : replaced ?? known) ?? .null
        let was = other == .null && !isStatus ? "" : " (was: \(text(other)))"
        if value == .null, !isStatus { return "it has no \(name) again\(was)" }
        return "\(name) is \(text(value)) again\(was)"
    }
}

extension CommandContext {
    /// Entries of the journal in words for this screen.
    var journalWords: JournalWords {
        // Two values stand beside time, device and field in one line of a screen.
        let room = Screen.width.map { max(($0 - 50) / 2, 14) } ?? 200
        return JournalWords(
            todos, cutValue: { Cells.cut($0, to: room) }, cutTitle: { Cells.cut($0, to: 40) })
    }
}

import HTTP
import ToDo

/// Decides conflicts, against what whoever decides has seen: a value that came since stays in question.
enum ConflictWrites {
    static func resolve(_ context: PageContext) throws -> HTTPResponse {
        let stored = try context.toDo(try context.field("id"))
        guard let seen = stored.record.clock.seen(try context.field("seen")) else {
            throw PageRefusalError(.badForm)
        }
        let isCurrent = seen == stored.record.clock
        switch try context.field("operation") {
        case "decide": try decide(stored, seen, isCurrent, context)
        case let operation where !isCurrent:
            _ = operation
            tellChanged(stored, context)
        case "keep":
            _ = try context.todos.restore([stored.id])
            try tell("Kept", stored, context)
        case "delete":
            _ = try context.todos.delete([stored.id])
            try tell("Deleted", stored, context)
        case "copy":
            let copies = try context.todos.copyFromPurged([stored.id])
            let links = try copies.compactMap { try context.todos.stored($0) }.map {
                HTML.link($0.id.path, .typed($0.shownTitle))
            }
            context.tell("Made a new to-do: " + ToDoRows.joined(links))
        case "forget":
            _ = try context.todos.purge([stored.id], isForced: true)
            context.tell("Let go of it.")
        default: throw PageRefusalError(.badForm)
        }
        return context.redirect("/conflicts")
    }

    private static func tellChanged(_ stored: Record, _ context: PageContext) {
        context.tellRefused(
            "Nothing was decided: " + .link(stored.id.path, .typed(stored.shownTitle))
                + " has changed since you saw it. Look again.")
    }

    private static func tell(_ words: HTML, _ stored: Record, _ context: PageContext) throws {
        context.tell(
            words + ": " + .link(stored.id.path, .typed(stored.shownTitle)),
            undo: try UndoWrites.button(context))
    }

    private static func decide(
        _ stored: Record, _ seen: VersionVector, _ isCurrent: Bool, _ context: PageContext
    ) throws {
        let name = try context.field("field")
        var meant: (field: Field, candidates: [ToDoConflict.Candidate])?
        for conflict in try context.todos.conflicts(of: stored.id) {
            if case .field(let field, let candidates) = conflict.kind,
                ToDoSchema.name(of: field) == name
            {
                meant = (field, candidates)
            }
        }
        guard let (field, candidates) = meant else {
            context.tellRefused(
                "Nothing was decided: that was decided already, on this or on another device.")
            return
        }
        let word = try context.field("choice")
        let choice: ConflictChoice
        switch word {
        case "both": choice = .both
        case "own": choice = .value(context.form["text"] ?? "")
        default:
            guard let position = Int(word), position > 0 else { throw PageRefusalError(.badForm) }
            choice = .position(position)
        }
        // Which value is the first may be another one by now.
        if !isCurrent, word != "own" { return tellChanged(stored, context) }
        let value: Value
        do {
            value = try context.todos.value(choice, of: field, among: candidates)
        } catch {
            context.tellRefused(
                "Nothing was decided: "
                    + HTML(
                        error is ConflictChoiceFault
                            ? "say one value." : PageFaultWords.words(error)))
            return
        }
        let isOpen = try save(value, field, stored, seen, context)
        let text = ToDoMapping.describe(
            value, of: field, now: context.now, zone: context.zone)
        context.tell(
            "Decided: " + HTML(name) + " is " + .typed(text)
                + (isOpen ? ". Another value came meanwhile, and is still in question." : ""),
            undo: try UndoWrites.button(context))
    }

    /// Writes the value in place of those that were seen.
    ///
    /// - Returns: whether values are left that were not.
    private static func save(
        _ value: Value, _ field: Field, _ stored: Record, _ seen: VersionVector,
        _ context: PageContext
    ) throws(StoreFault) -> Bool {
        if seen == stored.record.clock {
            try context.todos.resolve(stored.id, field, with: value)
        } else {
            try context.todos.resolve(stored.id, field, with: value, seen: seen)
        }
        let now = try context.todos.stored(stored.id)
        return now?.record.fieldConflicts.contains { $0.field == field } ?? false
    }
}

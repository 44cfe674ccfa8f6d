import HTTP
import ToDo

/// Saves the form of a to-do against what its author had seen.
///
/// The form is a scratchpad: what others changed meanwhile stays, or stands beside it as a conflict. Where it cannot be saved
/// it comes back with all that was typed.
enum EditWrites {
    /// The most bytes of the to-do that a form carries as it was.
    private static let baseByteCountMax = 1 << 20

    static func save(_ stored: Record, _ context: PageContext) throws -> HTTPResponse {
        var draft = try draft(stored, context)
        guard let seen = stored.record.clock.seen(draft.seen) else {
            throw PageRefusalError(.badForm)
        }
        let new: ToDoItem
        do {
            new = try read(draft, context)
        } catch {
            draft.fault = HTML(PageFaultWords.words(error) + " Nothing was saved yet.")
            return try ToDoScreen.page(stored, draft, status: 422, context)
        }
        let edit = LateEdit(stored.id, from: draft.base, to: new, seen: seen)
        do {
            let outcome = try context.todos.save(edit, restores: context.form["restore"] == "1")
            try tell(outcome, stored.id, draft.base, new, context)
            return context.redirect(stored.id.path)
        } catch StoreFault.recordDeleted {
            return try deleted(stored, draft, context)
        } catch StoreFault.recordPurged {
            draft.fault =
                "It was purged while you edited it, so nothing was saved. What you typed is below; copy what you need."
            draft.offersRestore = false
            return try purged(stored, draft, context)
        } catch {
            draft.fault = HTML(PageFaultWords.words(error) + " Nothing was saved.")
            return try ToDoScreen.page(stored, draft, status: 409, context)
        }
    }

    private static func draft(
        _ stored: Record, _ context: PageContext
    ) throws -> ToDoScreen.Draft {
        let text = try context.field("base")
        guard text.utf8.count <= baseByteCountMax,
            let reading = try? JSONLinesFormat.decode(Array(text.utf8)), reading.faults.isEmpty,
            let base = reading.items.first, reading.items.count == 1,
            base.identifier == stored.id.value
        else { throw PageRefusalError(.badForm) }
        var draft = ToDoScreen.Draft(
            values: [:], notes: context.form["notes"], base: base,
            seen: try context.field("seen"))
        for (name, value) in context.form.all where name.hasPrefix(ToDoScreen.fieldPrefix) {
            let key = String(name.dropFirst(ToDoScreen.fieldPrefix.count))
            draft.values[key] = value.replacing("\r\n", with: " ")
        }
        draft.values["more"] = context.form["more"]
        return draft
    }

    /// The to-do as the form wants it.
    private static func read(_ draft: ToDoScreen.Draft, _ context: PageContext) throws -> ToDoItem {
        let form = ToDoForm(draft.base, zone: context.zone)
        let known = form.fields.map(\.key)
        let values = known.compactMap { key -> (key: String, text: String)? in
            guard let value = draft.values[key] else { return nil }
            // The form names the priority that is none.
            return (key, key == "priority" && value == "none" ? "" : value)
        }
        var new = try form.read(
            values, notes: draft.notes, now: context.now,
            weekStart: context.settings.weekStart, dateOrder: context.settings.user.dateOrder)
        if let more = draft.values["more"], more.contains(where: { !$0.isWhitespace }) {
            guard let typed = ShellWords.split(more) else { throw PageWordsFault.openQuote }
            let words = try ToDoWords.parse(
                typed, for: .editing, now: context.now, zone: context.zone,
                weekStart: context.settings.weekStart, dateOrder: context.settings.user.dateOrder)
            if words.title != nil { throw PageWordsFault.plainWords }
            try CaptureWrites.apply(words, to: &new, context)
        }
        guard ToDoStore.isComplete(new, before: draft.base) else { throw PageWordsFault.untitled }
        return new
    }

    private static func tell(
        _ outcome: LateEditOutcome, _ id: RecordID, _ old: ToDoItem, _ new: ToDoItem,
        _ context: PageContext
    ) throws {
        context.naming.setLatest(id)
        guard outcome.isChanged else {
            context.tell("Nothing was changed.")
            return
        }
        var words: HTML = "Saved."
        if !outcome.conflicts.isEmpty {
            let names = outcome.conflicts.map { HTML(ToDoSchema.name(of: $0)) }
            words +=
                " Somebody changed " + ToDoRows.joined(names) + " meanwhile, and both are kept: "
                + .link("/conflicts", "decide")
        }
        if let next = outcome.next { words += " Next: " + .link(next.path, "the next time") }
        context.tell(words, undo: try UndoWrites.button(context))
        for hint in context.todos.hints(new, before: old).prefix(5) {
            context.tell(HTML("\(hint)"))
        }
    }

    /// The to-do was deleted while it was edited: what was typed stays, and can bring it back.
    private static func deleted(
        _ stored: Record, _ draft: ToDoScreen.Draft, _ context: PageContext
    ) throws -> HTTPResponse {
        var draft = draft
        var by: HTML = .nothing
        if let deletion = try context.todos.deletion(of: stored) {
            by = " on " + .typed(deletion.device) + ", " + context.time(deletion.time)
        }
        draft.fault =
            "It was deleted" + by
            + " while you edited it, so nothing was saved yet. What you typed is still here: restore it and save, or leave it in the trash."
        draft.offersRestore = true
        return try ToDoScreen.page(stored, draft, status: 409, context)
    }

    /// The to-do was purged while it was edited: what was typed is shown, so that it can be copied.
    private static func purged(
        _ stored: Record, _ draft: ToDoScreen.Draft, _ context: PageContext
    ) throws -> HTTPResponse {
        let title = draft.values["title"] ?? draft.base.title
        let typed = draft.values.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value)" }
        let text = typed.joined(separator: "\n") + "\n\n" + (draft.notes ?? draft.base.notes)
        return try PageLayout.page(
            title, screen: "purged", status: 410,
            .element("div", [.class("fault"), .set(.role, "alert")], draft.fault ?? .nothing)
                + .labelled(
                    "f-kept", "What you typed",
                    .textArea(
                        [.set(.id, "f-kept"), .set(.rows, "16"), .flag("readonly")], text)),
            context)
    }
}

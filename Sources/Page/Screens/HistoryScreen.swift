import HTTP
import ToDo

/// The changes of a to-do, each with its device and time and a way back to what was before.
enum HistoryScreen {
    /// The changes that are shown.
    private static let entryCount = 200

    static func show(_ stored: Record, _ context: PageContext) throws -> HTTPResponse {
        let (entries, since) = try context.todos.history(of: stored.id, limit: entryCount)
        var parts: [HTML] = []
        var lastTime: Int64?
        for step in try context.todos.steps(of: stored, entries) {
            guard case .change(let entry, let isApart) = step else {
                if case .purge(let device, let time) = step {
                    parts.append(line(time, .typed(device) + ": purged it", .nothing, context))
                }
                continue
            }
            let device = try context.todos.deviceName(entry.author)
            let back =
                entry.arrived == lastTime ? .nothing : restoring(entry, stored, context)
            lastTime = entry.arrived
            parts.append(
                line(
                    entry.timestamp.milliseconds,
                    .typed(device) + ": "
                        + .typed(context.journalWords.words(entry, isApartFromDelete: isApart)),
                    back, context))
        }
        if parts.isEmpty, let write = stored.record.writes.first {
            parts.append(
                line(
                    write.timestamp.milliseconds,
                    .typed(try context.todos.deviceName(write.dot.replica)) + ": "
                        + HTML(stored.record.writes.count == 1 ? "made it" : "first seen"),
                    .nothing, context))
        }
        let foot: HTML =
            since.map { .paragraph("The journal goes back to " + context.time($0), class: "foot") }
            ?? .nothing
        return try PageLayout.page(
            "History", screen: "history",
            .paragraph(.link(stored.id.path, .typed(stored.shownTitle)))
                + .element("ol", [.class("history")], HTML(parts.map { .element("li", [], $0) }))
                + foot, context)
    }

    /// A change in a line: when, what, and a button.
    static func line(
        _ time: Int64, _ what: HTML, _ button: HTML, _ context: PageContext
    ) -> HTML {
        .span("when", context.time(time)) + .span("what", what) + button
    }

    /// A button that makes the to-do show again what it showed before a change.
    private static func restoring(
        _ entry: JournalEntry, _ stored: Record, _ context: PageContext
    ) -> HTML {
        guard entry.kind != .made, entry.kind != .erased, !stored.standing.isPurged else {
            return .nothing
        }
        return context.form(
            "/history", class: "inline",
            [
                .hidden("back", "\(stored.id.path)/history"), .hidden("id", stored.id.uuidText),
                .hidden("time", String(entry.arrived - 1)),
                .button("As before this", class: "quiet"),
            ])
    }

    static func restore(_ context: PageContext) throws -> HTTPResponse {
        let stored = try context.toDo(try context.field("id"))
        guard let time = Int64(try context.field("time")) else { throw PageRefusalError(.badForm) }
        switch try context.todos.past(of: stored, at: time) {
        case .notYetHere: context.tellRefused("It was not here yet at that time.")
        case .unknown: context.tellRefused("The journal does not go back to that time.")
        case .shown(let assignments, let isDeleted):
            let isChanged = try !context.todos.restore([(stored.id, assignments, isDeleted)])
                .isEmpty
            context.tell(
                isChanged ? "It is as it was then." : "It is so already.",
                undo: isChanged ? try UndoWrites.button(context) : .nothing)
        }
        return context.redirect()
    }
}

/// The changes that this device made and can take back.
enum UndoScreen {
    private static let changeCount = 50

    static func show(_ context: PageContext) throws -> HTTPResponse {
        let changes = try context.todos.localChanges(limit: changeCount)
        let parts = try changes.map { change in
            let isOver = change.undoneBy != nil
            let words = HTML.typed(try context.journalWords.summary(change))
            let state: HTML =
                isOver ? "undone: " : change.undoes != nil ? "an undo: " : .nothing
            return HistoryScreen.line(
                change.timestamp.milliseconds, state + words,
                isOver ? .nothing : UndoWrites.form(change, "Undo", context, isQuiet: true), context
            )
        }
        return try PageLayout.page(
            "Undo", screen: "undo",
            parts.isEmpty
                ? .paragraph("Nothing was changed on this device.", class: "empty")
                : .paragraph(
                    "What was done on this device, the latest first. An undo syncs as any edit does."
                )
                    + .element(
                        "ol", [.class("history")], HTML(parts.map { .element("li", [], $0) })),
            context)
    }
}

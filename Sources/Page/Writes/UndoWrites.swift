import HTTP
import ToDo

/// Takes back what this device did.
enum UndoWrites {
    /// A button that takes back the change that was made just now.
    static func button(_ context: PageContext) throws -> HTML {
        guard let change = try context.todos.nextToUndo().change else { return .nothing }
        return form(change, "Undo", context)
    }

    /// A button that takes a change back.
    static func form(
        _ change: LocalChange, _ word: String, _ context: PageContext, isQuiet: Bool = false
    ) -> HTML {
        context.form(
            "/undo", class: "inline",
            [
                .hidden("back", context.screenPath),
                .hidden("change", String(change.timestamp.rawValue)),
                .button(
                    HTML(word), class: isQuiet ? "quiet" : nil,
                    label: "\(word): \((try? context.journalWords.summary(change)) ?? "")"),
            ])
    }

    static func run(_ context: PageContext) throws -> HTTPResponse {
        let change: LocalChange?
        if let text = context.form["change"] {
            guard let number = UInt64(text) else { throw PageRefusalError(.badForm) }
            change = try context.todos.localChange(at: HybridTimestamp(rawValue: number))
        } else {
            let next = try context.todos.nextToUndo()
            if case .purge(let purge, let before) = next {
                try tell(purge, before, context)
                return context.redirect()
            }
            change = next.change
        }
        guard let change else {
            context.tellRefused("There is nothing to undo that the journal keeps.")
            return context.redirect()
        }
        let summary = try context.journalWords.summary(change)
        switch try context.todos.undo(
            change.timestamp, isForced: context.form["force"] == "1")
        {
        case .undoneAlready: context.tellRefused("That was undone already.")
        case .refused(let obstacles): try tell(obstacles, of: change, summary, context)
        case .done:
            context.tell("Undone: " + .typed(summary), undo: try button(context, after: change))
        }
        return context.redirect()
    }

    /// A button that makes a change again, which is an undo of its undo.
    private static func button(_ context: PageContext, after change: LocalChange) throws -> HTML {
        guard
            let undo = try context.todos.localChanges(limit: 1).first,
            undo.undoes != nil
        else { return .nothing }
        return form(undo, "Redo", context)
    }

    /// Tells that nothing was undone, and offers the change before the purge.
    private static func tell(
        _ purge: PassedPurge, _ change: LocalChange?, _ context: PageContext
    ) throws {
        let last: HTML =
            "Nothing was undone: the last thing done here " + HTML(purge.predicate) + "."
        let before = try change.map {
            HTML(" The change before it: ") + .typed(try context.journalWords.summary($0))
        }
        context.session.tell(
            PageNotice(
                kind: .refused, text: last + (before ?? .nothing),
                undo: change.map { form($0, "Undo that", context) } ?? .nothing))
    }

    private static func tell(
        _ obstacles: [UndoOutcome.Obstacle], of change: LocalChange, _ summary: String,
        _ context: PageContext
    ) throws {
        let reasons = try obstacles.prefix(8).map { try words($0, context) }
        context.session.tell(
            PageNotice(
                kind: .refused, text: "Not undone: " + .typed(summary) + .list(reasons),
                undo: obstacles.allSatisfy(\.reason.yields) ? force(change, context) : .nothing))
    }

    private static func force(_ change: LocalChange, _ context: PageContext) -> HTML {
        context.form(
            "/undo", class: "inline",
            [
                .hidden("back", context.screenPath),
                .hidden("change", String(change.timestamp.rawValue)),
                .hidden("force", "1"), .button("Undo all the same"),
            ])
    }

    private static func words(
        _ obstacle: UndoOutcome.Obstacle, _ context: PageContext
    ) throws -> HTML {
        let title = HTML.link(
            obstacle.record.id.path, .typed(try context.journalWords.title(of: obstacle.record)))
        let field = HTML(ToDoSchema.name(of: obstacle.field))
        switch obstacle.reason {
        case .changedLater(let author, let time):
            let device = try context.todos.deviceName(author)
            if try context.todos.isMadeElsewhere(obstacle) {
                return title + " was made on " + .typed(device) + " as well, "
                    + context.time(time.milliseconds)
            }
            let what: HTML =
                obstacle.field == .deleted
                ? " was deleted or restored" : ": " + field + " was changed"
            return title + what + " later, on " + .typed(device) + ", "
                + context.time(time.milliseconds)
        case .inConflict:
            return title + ": " + field + " is in conflict; "
                + .link("/conflicts", "decide it first")
        case .deleted: return title + " is in the trash; restore it first"
        case .purged: return "a to-do was purged, and nothing is left of it"
        }
    }
}

/// Keeps and removes the user's own lists.
enum ViewWrites {
    static func run(_ context: PageContext) throws -> HTTPResponse {
        let name = try context.field("name")
        if context.form["remove"] != nil {
            let isGone = try context.todos.removeView(named: name)
            if !isGone, try context.todos.letGo(ofView: name) {
                context.tell("Let go of what was changed in the list " + .typed(name))
                return context.redirect("/conflicts")
            }
            context.tell(
                isGone ? "Removed the list " + .typed(name) : "There was no such list",
                undo: isGone ? try UndoWrites.button(context) : .nothing)
            return context.redirect("/")
        }
        // A decision was written by a device: its words need not be as they are typed here.
        let decision = context.form["decide"]
        let typed = if let decision { decision } else { try context.field("words") }
        guard let words = ShellWords.split(typed) else { throw PageWordsFault.openQuote }
        do {
            if decision == nil { _ = try context.filter(words) }
            let change = try SavedViewChange(words)
            let view = try context.todos.save(view: name, change)
            context.tell("Kept as the list " + .typed(view.name))
            return context.redirect("/view/\(PercentCoding.encoded(view.name))")
        } catch let fault where fault is SavedViewFault || fault is SavedViewSavingFault {
            context.tellRefused("That cannot be kept: a name is one word of letters.")
        }
        return context.redirect()
    }
}

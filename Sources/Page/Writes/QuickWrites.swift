import HTTP
import ToDo

/// The operations of the buttons of a list, each against what its reader had seen of the to-do.
enum QuickWrites {
    /// A to-do, and what was seen of it.
    struct Target {
        let stored: Record
        let seen: VersionVector

        /// Reads the value of a button.
        init(_ value: String, _ context: PageContext) throws {
            let words = value.split(separator: " ", maxSplits: 1).map(String.init)
            guard let id = words.first, let stored = try? context.toDo(id) else {
                throw PageRefusalError(.badForm)
            }
            guard let seen = stored.record.clock.seen(words.count > 1 ? words[1] : "") else {
                throw PageRefusalError(.badForm)
            }
            self.stored = stored
            self.seen = seen
        }
    }

    /// The names of the buttons.
    private enum Operation: String {
        case done, cancel, skip, reopen, delete, restore, purge, start, stop, tomorrow
    }

    private static func run(
        _ operation: Operation, _ target: Target, _ context: PageContext
    ) throws {
        switch operation {
        case .done: try setStatus(.completed, target, context)
        case .cancel: try setStatus(.cancelled, target, context)
        case .skip: try setStatus(.cancelled, isSkip: true, target, context)
        case .reopen: try setStatus(.pending, target, context)
        case .delete: try delete(target, context)
        case .restore: try restore(target, context)
        case .purge: try purge(target, context)
        case .start: try start(target, context)
        case .stop: try stop(target, context)
        case .tomorrow: try postpone(target, context)
        }
    }

    static func run(_ context: PageContext) throws -> HTTPResponse {
        let asked = context.form.all.filter { Operation(rawValue: $0.name) != nil }
        guard asked.count == 1, let field = asked.first,
            let operation = Operation(rawValue: field.name)
        else { throw PageRefusalError(.badForm) }
        let target = try Target(field.value, context)
        do {
            try run(operation, target, context)
        } catch StoreFault.recordDeleted, StoreFault.recordPurged {
            context.tellRefused(
                "Nothing was done: " + link(target) + " "
                    + HTML(target.stored.standing.predicate))
        } catch {
            context.tellRefused(HTML(PageFaultWords.words(error)))
        }
        return context.redirect()
    }

    private static func link(_ target: Target) -> HTML {
        .link(target.stored.id.path, .typed(target.stored.shownTitle))
    }

    private static func tell(
        _ words: HTML, _ target: Target, _ more: HTML = .nothing, _ context: PageContext
    ) throws {
        context.naming.setLatest(target.stored.id)
        context.tell(words + ": " + link(target) + more, undo: try UndoWrites.button(context))
    }

    // MARK: Operations

    private static func setStatus(
        _ status: ToDoStatus, isSkip: Bool = false, _ target: Target, _ context: PageContext
    ) throws {
        let id = target.stored.id
        if target.stored.standing != .live { throw StoreFault.recordDeleted }
        if isSkip, ToDoStore.obstacle(toSkipping: ToDoMapping.item(target.stored)) != nil {
            context.tellRefused("Nothing was changed: the to-do does not repeat, or is finished.")
            return
        }
        let waiting = try context.todos.waiting(of: [target.stored])[id]
        let outcome = try context.todos.setStatus(
            status, of: [id], isSkip: isSkip, seen: [id: target.seen])
        guard outcome.changed.contains(id) else {
            context.tell("Was so already: " + link(target))
            return
        }
        var more: HTML = .nothing
        if let next = outcome.next[id], let stored = try context.todos.stored(next) {
            let due = ToDoMapping.item(stored).due.map { ", due \(context.date($0))" } ?? ""
            more += "; next: " + .link(next.path, .typed(stored.shownTitle)) + HTML(due)
        }
        if outcome.last.contains(id) { more += "; no other one comes after it" }
        switch outcome.following[id] {
        case .takenBack: more += "; the next one is in the trash, as nobody had touched it"
        case .kept(let next):
            more += "; " + .link(next.path, "the next one") + " stays, as it is not as it was made"
        case nil: break
        }
        if status == .completed, let open = waiting?.waitsFor, !open.isEmpty {
            let titles = open.prefix(3).map { HTML.typed($0.shownTitle) }
            more += "; it waited for " + ToDoRows.joined(titles)
        }
        let parts =
            status == .pending
            ? [] : try context.todos.list(ToDoFilter([.parent(id.value)]), pendingOnly: true)
        if !parts.isEmpty {
            more += HTML("; \(parts.count) open parts stay as they are")
        }
        let words: HTML =
            switch status {
            case .completed: "Done"
            case .cancelled: isSkip ? "Skipped" : "Cancelled"
            case .pending: "Pending again"
            }
        try tell(words, target, more, context)
    }

    private static func delete(_ target: Target, _ context: PageContext) throws {
        guard try context.todos.delete(target.stored.id, seen: target.seen) else {
            context.tell("Was in the trash already: " + link(target))
            return
        }
        let isContested = try context.todos.stored(target.stored.id)?.isInConflict ?? false
        try tell(
            "In the trash", target,
            isContested
                ? "; it was changed since you saw it: " + .link("/conflicts", "see the conflict")
                : .nothing, context)
    }

    private static func restore(_ target: Target, _ context: PageContext) throws {
        _ = try context.todos.restore([target.stored.id])
        try tell("Restored", target, .nothing, context)
    }

    private static func purge(_ target: Target, _ context: PageContext) throws {
        guard context.form["sure"] == "1" else {
            context.tellRefused("Nothing was done: tick that you are sure, as it cannot be undone.")
            return
        }
        if ToDoStore.obstacle(toPurging: [target.stored], isForced: false) != nil {
            context.tellRefused("Nothing was done: it is not in the trash, or in conflict.")
            return
        }
        _ = try context.todos.purge([target.stored.id])
        context.tell("Purged for good, on every device.")
    }

    private static func start(_ target: Target, _ context: PageContext) throws {
        let result = try context.todos.start(target.stored.id)
        let stopped = result.stopped.map { HTML.typed($0.item.shownTitle) }
        try tell(
            result.isNew ? "Started" : "Running already", target,
            stopped.isEmpty ? .nothing : "; stopped: " + ToDoRows.joined(stopped), context)
    }

    private static func stop(_ target: Target, _ context: PageContext) throws {
        let stopped = try context.todos.stop()
        guard !stopped.isEmpty else {
            context.tell("Nothing was running.")
            return
        }
        try tell("Stopped", target, .nothing, context)
    }

    private static func postpone(_ target: Target, _ context: PageContext) throws {
        let old = ToDoMapping.item(target.stored)
        var new = old
        new.due = .day(Int32(clamping: context.calendar.today + 1))
        _ = try context.todos.save(
            LateEdit(target.stored.id, from: old, to: new, seen: target.seen))
        try tell("Due tomorrow", target, .nothing, context)
    }
}

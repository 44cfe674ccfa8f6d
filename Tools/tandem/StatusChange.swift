import Terminal
import ToDo

/// The shared parts of `done`, `cancel`, `skip` and `reopen`.
enum StatusChange {
    /// Gives to-dos another status, all of them or none.
    ///
    /// - Parameter isSkip: whether what comes again comes although this occurrence is cancelled.
    static func run(
        _ arguments: Arguments, to status: ToDoStatus, verb: String, isSkip: Bool = false
    ) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let found = try Selection.find(
            arguments, in: status == .pending ? .finished : .alive, settled: status, context)
        try Selection.confirm(found, "\(verb): these", arguments, context)
        if isSkip { for stored in found { try refuseUnlessSkippable(stored, context) } }
        let waiting = status == .pending ? [:] : try context.todos.waiting(of: found)
        let parts = status == .pending ? [:] : try context.todos.openParts(of: found)
        let outcome = try context.todos.setStatus(status, of: found.map(\.id), isSkip: isSkip)
        try report(found, arguments, context) { stored in
            let before = ToDoMapping.status(of: stored)
            let isOther = outcome.changed.contains(stored.id) && before != .pending
            return isOther && status != .pending ? "it was \(before.rawValue)" : nil
        } _: { stored in
            guard outcome.changed.contains(stored.id) else {
                return "Was \(status.rawValue) already"
            }
            return verb
        }
        if arguments.has("json") { return .ok }
        for stored in found {
            if let id = outcome.next[stored.id] {
                try tell("next", id, context)
                try CatchUpCommand.offer(id, context)
            }
            if outcome.last.contains(stored.id) {
                Screen.line(
                    status == .cancelled && !isSkip
                        ? "  no other one comes after it; to cancel only this one: "
                            + "\(AdvisedLine.program) undo, then \(AdvisedLine.program) skip \(context.end(of: stored.id))"
                        : "  it was the last one")
            }
            switch outcome.following[stored.id] {
            case .takenBack(let id):
                try tell("the next one is in the trash, as nobody had touched it", id, context)
            case .kept(let id):
                try tell("the next one stays, as it is not as it was made", id, context)
                Screen.line(
                    "    if it is one too many: \(AdvisedLine.program) delete \(context.end(of: id))"
                )
            case nil: break
            }
        }
        if status != .pending {
            let command = status == .completed ? DoneCommand.name : CancelCommand.name
            PartsOutput.tell(parts, of: found, command: command, context)
            let changed = found.filter { outcome.changed.contains($0.id) }
            if status == .completed { WaitingOutput.tellWaits(of: changed, waiting, context) }
            try WaitingOutput.tellFreed(by: changed, waiting, context)
        }
        return .ok
    }

    /// Tells of the next occurrence that completing a to-do by an edit has made.
    static func tellNext(of old: ToDoItem, _ new: ToDoItem, _ context: CommandContext) throws {
        guard old.status == .pending, new.status == .completed, let next = new.nextIdentifier,
            let stored = try context.todos.stored(RecordID(value: next)), stored.standing == .live
        else { return }
        try tell("next", stored.id, context)
    }

    /// An occurrence, and what became of it.
    private static func tell(_ what: String, _ id: RecordID, _ context: CommandContext) throws {
        guard let stored = try context.todos.stored(id) else { return }
        let item = ToDoMapping.item(stored)
        let due = item.due.map {
            ", due \(DatePhrase.describe($0, now: context.now, zone: context.zone))"
        }
        let state = item.status == .pending ? "" : ", \(item.status.rawValue)"
        let isOpen = item.status == .pending && stored.standing == .live
        let name = isOpen ? " (\(context.name(of: stored)))" : ""
        Screen.line("  \(what): \(item.shownTitle)\(name)\(due ?? "")\(state)")
    }

    /// Refuses to skip a to-do of which no next one would come.
    private static func refuseUnlessSkippable(_ stored: Record, _ context: CommandContext) throws {
        let item = ToDoMapping.item(stored)
        let (title, id) = (item.shownTitle, context.end(of: stored.id))
        switch ToDoStore.obstacle(toSkipping: item) {
        case .doesNotRepeat:
            throw CommandFailure(
                .refused,
                "'\(title)' does not repeat, so it has no occurrence to skip, and nothing was changed; to "
                    + "cancel it: \(AdvisedLine.program) cancel \(id); to put it in the trash: \(AdvisedLine.program) delete \(id)"
            )
        case .unknownRepetition:
            throw CommandFailure(
                .refused,
                "'\(title)' repeats in a way that this version does not know "
                    + "(\(item.repeats.shownInLine)), so nothing was changed; update this program, or "
                    + "end it: \(AdvisedLine.program) cancel \(id)")
        case .isFinished:
            throw CommandFailure(
                .refused,
                "'\(title)' is \(item.status.rawValue) already, so nothing was changed; skip the one "
                    + "that is pending")
        case nil: return
        }
    }
}

/// The message for to-dos that are completed or deleted while parts of them are open.
enum PartsOutput {
    /// No more to-dos and no more parts of each are named.
    private static let namedCountMax = 5
    private static let titleWidthMax = 40

    /// Tells of the parts of each that were open before, which stay as they are, and which command they are for.
    static func tell(
        _ openParts: [RecordID: [Record]], of found: [Record], command: String,
        _ context: CommandContext
    ) {
        let changed = Set(found.map(\.id))
        var toldCount = 0
        for stored in found {
            let parts = (openParts[stored.id] ?? []).filter { !changed.contains($0.id) }
            if parts.isEmpty { continue }
            toldCount += 1
            if toldCount > namedCountMax {
                return Screen.line(
                    "  others have open parts, too: \(AdvisedLine.program) list +SUBTASK")
            }
            let named = parts.prefix(namedCountMax)
            let titles = named.map {
                Cells.cut($0.shownTitle, to: titleWidthMax)
            }
            let rest = parts.count > named.count ? ", and \(parts.count - named.count) more" : ""
            let title = Cells.cut(stored.shownTitle, to: titleWidthMax)
            Screen.paragraph(
                "'\(title)' has \(EditMessages.count(parts.count, "open part")), left as "
                    + (parts.count == 1 ? "it is" : "they are")
                    + ": \(titles.joined(separator: ", "))\(rest)",
                label: "  ", hanging: 4)
            Screen.paragraph(
                "\(AdvisedLine.program) \(command) "
                    + named.map { context.name(of: $0) }.joined(separator: " "),
                label: "    ", hanging: 6, style: Screen.faint)
        }
    }
}

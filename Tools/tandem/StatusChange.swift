import Core
import Storage
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
        let place = try CommandContext.open(arguments)
        let found = try Selection.find(arguments, place)
        try Selection.confirm(found, "\(verb): these", arguments)
        if isSkip { try found.forEach(refuseUnlessSkippable) }
        let outcome = try place.todos.setStatus(status, of: found.map(\.id), isSkip: isSkip)
        try report(found, arguments, place) { stored in
            guard outcome.changed.contains(stored.id) else {
                return "Was \(status.rawValue) already"
            }
            return verb
        }
        if arguments.has("json") { return .ok }
        for stored in found {
            if let id = outcome.next[stored.id] { try tell("next", id, place) }
            switch outcome.following[stored.id] {
            case .takenBack(let id):
                try tell("the next one is in the trash, as nobody had touched it", id, place)
            case .kept(let id):
                try tell("the next one stays, as it is not as it was made", id, place)
                Screen.line("    if it is one too many: tandem delete \(id.short)")
            case nil: break
            }
        }
        if status != .pending {
            let command = status == .completed ? DoneCommand.name : CancelCommand.name
            try PartsOutput.tell(of: found, command: command, place)
        }
        return .ok
    }

    /// An occurrence, and what became of it.
    private static func tell(_ what: String, _ id: RecordID, _ place: CommandContext) throws {
        guard let stored = try place.todos.stored(id) else { return }
        let item = ToDoMapping.item(stored)
        let due = item.due.map {
            ", due \(DatePhrase.describe($0, now: place.now, zone: place.zone))"
        }
        let state = item.status == .pending ? "" : ", \(item.status.rawValue)"
        Screen.line("  \(what): \(item.shownTitle)\(due ?? "")\(state)")
    }

    /// To pass over what does not come again would be to cancel it, which has a command of its own.
    private static func refuseUnlessSkippable(_ stored: StoredRecord) throws {
        let item = ToDoMapping.item(stored)
        let (title, id) = (item.shownTitle, stored.id.short)
        if item.repeats.isEmpty {
            throw CommandFailure(
                .refused,
                "'\(title)' does not come again, so there is nothing to pass over, and nothing was "
                    + "changed; if it is not to be done after all: tandem cancel \(id); to put it in "
                    + "the trash: tandem delete \(id)")
        }
        if item.repetition == nil {
            throw CommandFailure(
                .refused,
                "'\(title)' comes again in a way that this version does not know "
                    + "(\(item.repeats.shownInLine)), so nothing was changed; update this program, or "
                    + "end it: tandem cancel \(id)")
        }
        if item.status != .pending {
            throw CommandFailure(
                .refused,
                "'\(title)' is \(item.status.rawValue) already, so nothing was changed; skip the one "
                    + "that is pending")
        }
    }
}

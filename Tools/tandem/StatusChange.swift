import Causality
import Records
import Storage
import ToDo

/// What `done`, `cancel`, `skip` and `reopen` share.
enum StatusChange {
    /// Gives to-dos another status, all of them or none.
    ///
    /// - Parameter isSkip: whether what comes again comes although this occurrence is cancelled.
    static func run(
        _ arguments: Arguments, to status: ToDoStatus, verb: String, isSkip: Bool = false
    ) throws -> ExitCode {
        let place = try Workplace.open(arguments)
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
            guard let id = outcome.next[stored.id], let next = try place.todos.stored(id) else {
                continue
            }
            let item = ToDoMapping.item(next)
            let due = item.due.map {
                DatePhrase.describe($0, now: place.now, zone: place.zone)
            }
            Terminal.line("  next: \(item.shownTitle)\(due.map { ", due \($0)" } ?? "")")
        }
        return .ok
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

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
}

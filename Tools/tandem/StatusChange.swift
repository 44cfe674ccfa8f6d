import Causality
import Records
import Storage
import ToDo

/// What `done`, `cancel` and `reopen` share.
enum StatusChange {
    /// Gives to-dos another status, all of them or none.
    static func run(_ arguments: Arguments, to status: ToDoStatus, verb: String) throws -> ExitCode
    {
        let place = try Workplace.open(arguments)
        let found = try place.findAlive(arguments.words)
        let changed = try place.todos.setStatus(status, of: found.map(\.id))
        try report(found, arguments, place) { stored in
            changed.contains(stored.id) ? verb : "Was \(status.rawValue) already"
        }
        return .ok
    }
}

import Storage
import ToDo

/// What `done` and `reopen` share.
enum StatusChange {
    /// Gives to-dos another status, all of them or none.
    static func run(_ arguments: Arguments, to status: ToDoStatus, verb: String) throws -> ExitCode
    {
        let place = try Workplace.open(arguments)
        let found = try place.findAll(arguments.words)
        let changed = try place.todos.setStatus(status, of: found.map(\.id))
        try report(found.map(\.id), arguments, place) {
            let word = changed == 0 ? "Was so already" : verb
            for stored in found { Terminal.line("\(word): \(ToDoMapping.item(stored).title)") }
        }
        return .ok
    }
}

import Storage
import ToDo

/// Brings to-dos back from the trash.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "brings to-dos back from the trash, whole"
    static let help = """
          tandem trash
          tandem restore 2
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let found = try place.findAll(arguments.words)
        let restored = try place.todos.restore(found.map(\.id))
        try report(found, arguments, place) {
            restored.contains($0.id) ? "Restored" : "Was not deleted"
        }
        return .ok
    }
}

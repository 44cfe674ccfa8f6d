import Terminal
import ToDo

/// Puts to-dos in the trash.
enum DeleteCommand: Command {
    static let name = "delete"
    static let summary = "Move to-dos to the trash, on every device"
    static let help = """
          tandem delete 3
          tandem delete 3 5 --yes

        `tandem trash` lists deleted to-dos, `tandem restore` brings them back. Before
        it deletes more than one it asks; without a terminal it needs --yes.
        If another device edited the to-do while one deleted it, this keeps it deleted.

        \(Selection.help)
        """
    static let values = ["where"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let found =
            try Selection.filter(arguments).map { try Selection.find($0, context) }
            ?? context.findAll(arguments.words, in: .alive)
        try Selection.confirmMany(found, "Delete", arguments, context)
        let waiting = try context.todos.waiting(of: found)
        let parts = try context.todos.openParts(of: found)
        let deleted = try context.todos.delete(found.map(\.id))
        // Where another device purged it, to keep it deleted purges it.
        let purged = Set(
            try found.filter {
                try $0.standing.isPurged || context.todos.stored($0.id)?.standing.isPurged == true
            }.map(\.id))
        try report(
            found, arguments, context,
            next: {
                purged.contains($0.id)
                    ? nil : "back with: \(AdvisedLine.program) restore \(context.name(of: $0))"
            },
            {
                if deleted.contains($0.id) {
                    return purged.contains($0.id) ? "Purged" : "Deleted"
                }
                return $0.standing.isPurged ? "Was purged already" : "Was in the trash already"
            })
        if !arguments.has("json") {
            PartsOutput.tell(parts, of: found, command: name, context)
            try WaitingOutput.tellFreed(by: found, waiting, context)
        }
        return .ok
    }
}

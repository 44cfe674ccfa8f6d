import Terminal
import ToDo

/// Makes finished to-dos pending again.
enum ReopenCommand: Command {
    static let name = "reopen"
    static let summary = "Make finished to-dos pending again"
    static let help = """
          tandem reopen 3
          tandem reopen 3 5 milk

        If the to-do repeats, its next occurrence moves to the trash, unless somebody
        changed that one: then it stays, and a line says so.

        \(Selection.help)
        --all             with --where: include finished to-dos
        """
    static let values = ["where"]
    static let flags = ["all"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .pending, verb: "Reopened")
    }
}

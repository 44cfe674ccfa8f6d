import ToDo

/// Makes finished to-dos pending again.
enum ReopenCommand: Command {
    static let name = "reopen"
    static let summary = "makes finished to-dos pending again"
    static let help = """
          tandem reopen 3
          tandem reopen 3 5 6f1c1f60

        Of what comes again the next occurrence goes to the trash, if it is as it was
        made; if somebody did anything with it, it stays, and that is told.

        \(Selection.help)
        --all             with --where: finished ones too
        """
    static let values = ["where"]
    static let flags = ["all"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .pending, verb: "Reopened")
    }
}

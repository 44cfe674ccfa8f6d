import ToDo

/// Marks to-dos as done.
enum DoneCommand: Command {
    static let name = "done"
    static let summary = "marks to-dos as done"
    static let help = """
          tandem done 3
          tandem done 3 5 6f1c1f60
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .completed, verb: "Done")
    }
}

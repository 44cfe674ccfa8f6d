import ToDo

/// Marks to-dos as done.
enum DoneCommand: Command {
    static let name = "done"
    static let summary = "marks to-dos as done"
    static let help = """
          tandem done 3
          tandem done 3 5 6f1c1f60
          tandem done --where "project:Home +errand"

        What comes again gets its next occurrence: one, however many devices do this at
        once. A running timer on it stops.

        \(Selection.help)
        """
    static let values = ["where"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .completed, verb: "Done")
    }
}

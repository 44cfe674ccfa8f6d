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

        The next occurrence is made of what this device shows of the to-do now. Undone or
        reopened, edited and done again, it takes over what has changed; what you wrote
        in it stays. What another device changes in the to-do without having heard that
        it is done stays with the one that is done: look at it with `tandem show`, and
        edit the next one.

        \(Selection.help)
        """
    static let values = ["where"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .completed, verb: "Done")
    }
}

import Terminal
import ToDo

/// Marks to-dos as done.
enum DoneCommand: Command {
    static let name = "done"
    static let summary = "Mark to-dos as done"
    static let help = """
          tandem done 3
          tandem done 3-5 7
          tandem done oat milk
          tandem done --where "project:Home +errand"

        A running timer on the to-do stops.
        Completing a repeating to-do creates its next occurrence, once, even if several
        devices complete it.

        The next occurrence is a copy of the to-do as this device shows it. If you undo
        or reopen, edit and complete it again, the next occurrence takes over the edits
        and keeps its own. An edit by a device that did not know of the completion stays
        with the completed to-do; `tandem show` of the next one lists the difference.

        \(Selection.help)
        """
    static let values = ["where"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .completed, verb: "Done")
    }
}

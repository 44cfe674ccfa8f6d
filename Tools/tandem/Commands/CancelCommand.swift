import Terminal
import ToDo

/// Marks to-dos as not to be done.
enum CancelCommand: Command {
    static let name = "cancel"
    static let summary = "Mark to-dos as cancelled"
    static let help = """
          tandem cancel 3
          tandem cancel 3-5 last

        Cancelled to-dos are kept with the finished ones. To revert: `tandem reopen`.

        \(Selection.help)
        """
    static let values = ["where"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .cancelled, verb: "Cancelled")
    }
}

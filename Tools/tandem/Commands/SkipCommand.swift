import Terminal
import ToDo

/// Passes an occurrence over.
enum SkipCommand: Command {
    static let name = "skip"
    static let summary = "Skip one occurrence of a repeating to-do"
    static let help = """
          tandem skip 3

        The occurrence counts as cancelled, and the next one is created. To drop a to-do
        that does not repeat, use `tandem cancel` or `tandem delete`.

        \(Selection.help)
        """
    static let values = ["where"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .cancelled, verb: "Skipped", isSkip: true)
    }
}

import ToDo

/// Passes an occurrence over.
enum SkipCommand: Command {
    static let name = "skip"
    static let summary = "passes over one occurrence of what comes again"
    static let help = """
          tandem skip 3

        It counts as cancelled, and the next occurrence takes its place. What does not
        come again is not skipped: tandem cancel, or tandem delete.

        \(Selection.help)
        """
    static let values = ["where"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try StatusChange.run(arguments, to: .cancelled, verb: "Skipped", isSkip: true)
    }
}

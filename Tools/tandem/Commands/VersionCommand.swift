/// Shows the version.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "Show the version"
    static let help = """
          tandem version
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        if arguments.has("json") {
            Terminal.line(JSONOutput.object([("tandem", JSONOutput.text(CommandTable.version))]))
        } else {
            Terminal.line("tandem \(CommandTable.version)")
        }
        return .ok
    }
}

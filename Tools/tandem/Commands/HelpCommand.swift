/// Explains commands.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "explains a command"
    static let help = """
          tandem help
          tandem help list
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let text = try CommandTable.help(arguments.words.first)
        if arguments.has("json") {
            Terminal.line(JSONOutput.object([("help", JSONOutput.text(text))]))
        } else {
            Terminal.write(text)
        }
        return .ok
    }
}

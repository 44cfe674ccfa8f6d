import Terminal

/// Explains commands.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "Explain a command or a topic"
    static let help = """
          tandem help
          tandem help list
          tandem help exit
          tandem help --man-pages ~/.local/share/man/man1

        Topics: environment, exit, files.

        --man-pages FOLDER  write all help as manual pages to a folder
        """
    static let values = ["man-pages"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        if let folder = arguments["man-pages"] {
            try arguments.refuseWords()
            return try writeManual(into: folder, arguments)
        }
        let text = try CommandTable.help(arguments.words.first)
        if arguments.has("json") {
            Terminal.line(JSONOutput.object([("help", JSONOutput.text(text))]))
        } else {
            CommandTable.show(text)
        }
        return .ok
    }

    private static func writeManual(into folder: String, _ arguments: Arguments) throws -> ExitCode
    {
        let paths: [String]
        do {
            paths = try ManualShelf.write(
                Manual.pages, into: folder, product: "tandem \(CommandTable.version)")
        } catch {
            throw CommandFailure(.cannotCreate, error.description)
        }
        if arguments.has("json") {
            Terminal.line(JSONOutput.array(paths.map { JSONOutput.text($0) }))
        } else {
            Terminal.line("Wrote \(paths.count) pages into \(folder)")
        }
        return .ok
    }
}

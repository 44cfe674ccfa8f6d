import JSON

extension Program {
    /// The commands that every program has: its version and its help.
    ///
    /// Made from here, where the program is a parameter: where it is named, the runtime looks for its conformance first.
    package static var standardCommands: [any Command.Type] {
        [VersionCommand<Self>.self, HelpCommand<Self>.self]
    }
}

/// Explains the commands of a program.
package enum HelpCommand<Explained: Program>: Command {
    /// The same in every program.
    package static var name: String { "help" }
    /// The program's.
    package static var summary: String { Explained.aboutHelp.summary }
    /// The program's.
    package static var help: String { Explained.aboutHelp.help }
    /// The folder to write the manual to.
    package static var values: [String] { ["man-pages"] }

    /// Shows a help text, or writes the manual pages.
    package static func run(_ arguments: Arguments) throws -> ExitCode {
        if let folder = arguments["man-pages"] {
            try arguments.refuseWords()
            try writeManual(into: folder, arguments)
            return .ok
        }
        let text = try Explained.help(arguments.words.first)
        if arguments.has("json") {
            Screen.line(JSONValue.named([("help", .text(text))]))
        } else {
            Explained.show(text)
        }
        return .ok
    }

    private static func writeManual(into folder: String, _ arguments: Arguments) throws {
        let pages = Explained.pages
        let paths = try ManualShelf.write(
            pages, into: folder, product: "\(Explained.name) \(Explained.version)")
        if arguments.has("json") {
            Screen.line(JSONLines(paths.map { .text($0) }))
        } else {
            Screen.line("Wrote \(paths.count) page\(paths.count == 1 ? "" : "s") into \(folder)")
        }
    }
}

/// Shows the version of a program.
package enum VersionCommand<Versioned: Program>: Command {
    /// The same in every program.
    package static var name: String { "version" }
    /// The same in every program.
    package static var summary: String { "Show the version" }
    /// An example.
    package static var help: String { "  \(Versioned.name) version" }

    /// Shows the version.
    package static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        if arguments.has("json") {
            Screen.line(JSONValue.named([(Versioned.name, .text(Versioned.version))]))
        } else {
            Screen.line("\(Versioned.name) \(Versioned.version)")
        }
        return .ok
    }
}

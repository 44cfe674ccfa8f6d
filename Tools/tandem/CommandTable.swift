import ToDo

/// All commands, in the order of the help.
enum CommandTable {
    /// The version of the program.
    static let version = "0.1.0"

    private static let commands: [any Command.Type] = [
        InitCommand.self, AddCommand.self, ListCommand.self, ShowCommand.self, EditCommand.self,
        DoneCommand.self, CancelCommand.self, ReopenCommand.self, DeleteCommand.self,
        RestoreCommand.self,
        TrashCommand.self, PurgeCommand.self, ConflictsCommand.self, ResolveCommand.self,
        SyncCommand.self, DaemonCommand.self, PauseCommand.self, ResumeCommand.self,
        WhyCommand.self, ServeCommand.self, RelayCommand.self, InviteCommand.self,
        JoinCommand.self,
        DevicesCommand.self, RenameCommand.self, RevokeCommand.self, StatusCommand.self,
        ImportCommand.self,
        ExportCommand.self, BackupCommand.self, DoctorCommand.self, VersionCommand.self,
        HelpCommand.self,
    ]

    /// Runs the command that a command line names.
    static func run(_ words: [String]) throws -> ExitCode {
        // Options that every command has may stand before its name.
        var rest = words
        var early: [String] = []
        while let first = rest.first, first.hasPrefix("--"), first != "--", first != "--help",
            first != "--version"
        {
            early.append(rest.removeFirst())
            if first == "--store", let value = rest.first {
                early.append(value)
                rest.removeFirst()
            }
        }
        guard let name = rest.first else {
            Terminal.write(overview)
            return early.isEmpty ? .ok : .usage
        }
        let line = early + rest.dropFirst()
        let command = try find(Self.synonyms[name] ?? name)
        let arguments = try Arguments(
            line, values: command.values, flags: command.flags,
            keepsSeparator: command.keepsSeparator)
        if arguments.has("help") {
            Terminal.write(page(command))
            return .ok
        }
        return try command.run(arguments)
    }

    /// What other programs have taught people to type.
    private static let synonyms = ["-h": "help", "--help": "help", "--version": "version"]

    /// The command of that name.
    private static func find(_ name: String) throws -> any Command.Type {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw unknown(name)
        }
        return command
    }

    private static func unknown(_ name: String) -> CommandFailure {
        let guess = Spelling.suggestion(for: name, among: commands.map { $0.name })
        return CommandFailure(
            .usage,
            "there is no command '\(name)'" + (guess.map { "; did you mean '\($0)'?" } ?? "")
                + " (see: tandem help)")
    }

    /// What a command does and how it is called; without a name, what there is.
    static func help(_ name: String?) throws -> String {
        try name.map { page(try find($0)) } ?? overview
    }

    private static func page(_ command: any Command.Type) -> String {
        """
        \(command.summary)

        \(command.help)

        Every command takes --json, --store FOLDER, --yes, --no-input and --help.

        """
    }

    private static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(padding)  \(command.summary)"
        }
        return """
            The same to-dos on all of your machines.

              tandem init --name laptop
              tandem add Buy milk project:Home +errand due:fri
              tandem list
              tandem sync ssh://desk

            \(lines.joined(separator: "\n"))

            tandem help COMMAND explains one. The store is a folder: --store, else
            TANDEM_STORE, else $XDG_DATA_HOME/tandem (~/.local/share/tandem).

            """
    }
}

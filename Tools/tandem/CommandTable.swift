import Devices
import Storage
import ToDo

/// All commands, in the order of the help.
enum CommandTable {
    /// The version of the program.
    static let version = "0.1.0"

    private static let all: [any Command.Type] = [
        InitCommand.self, AddCommand.self, ListCommand.self, ViewCommand.self,
        RecentCommand.self, AgendaCommand.self, CalendarCommand.self, WeekCommand.self,
        WatchCommand.self, ShowCommand.self, EditCommand.self, DoneCommand.self,
        CancelCommand.self, SkipCommand.self, ReopenCommand.self, MoveCommand.self,
        StartCommand.self, StopCommand.self, TimesCommand.self, DeleteCommand.self,
        RestoreCommand.self, TrashCommand.self, PurgeCommand.self, UndoCommand.self,
        RedoCommand.self, HistoryCommand.self, ConflictsCommand.self, ResolveCommand.self,
        SyncCommand.self, AcceptDeletesCommand.self, DaemonCommand.self, PauseCommand.self,
        ResumeCommand.self,
        WhyCommand.self, ServeCommand.self, RelayCommand.self, InviteCommand.self,
        JoinCommand.self,
        DevicesCommand.self, RenameCommand.self, RevokeCommand.self, StatusCommand.self,
        ImportCommand.self,
        ExportCommand.self, VdirCommand.self, BackupCommand.self, DoctorCommand.self,
        CompletionCommand.self, CompleteCommand.self, VersionCommand.self, HelpCommand.self,
    ]

    /// Those that people are told of.
    static let commands = all.filter { !$0.isHidden }

    /// What a command line may begin with, and what that does.
    static var words: [(word: String, summary: String)] {
        commands.map { ($0.name, $0.summary) }
            + ToDoView.allCases.map { ($0.rawValue, $0.summary) }
    }

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
        let line = early + (ToDoView(rawValue: name) == nil ? rest.dropFirst() : rest[...])
        // Views are commands of their own.
        let isView = ToDoView(rawValue: name) != nil
        let command = try find(isView ? ViewCommand.name : Self.synonyms[name] ?? name)
        let arguments = try Arguments(
            line, values: command.values, flags: command.flags,
            keepsSeparator: command.keepsSeparator)
        if arguments.has("help") {
            Terminal.write(page(command))
            return .ok
        }
        do {
            return try command.run(arguments)
        } catch let fault as StoreFault where command.name != RelayCommand.name {
            // What a relay keeps is no store of to-dos.
            throw (try? DamagedStore(arguments))?.explained(fault) ?? fault
        } catch let fault as DeviceFault {
            throw (try? DamagedStore(arguments))?.explained(fault) ?? fault
        }
    }

    /// What other programs have taught people to type.
    private static let synonyms = ["-h": "help", "--help": "help", "--version": "version"]

    /// The command of that name.
    private static func find(_ name: String) throws -> any Command.Type {
        guard let command = all.first(where: { $0.name == name }) else { throw unknown(name) }
        return command
    }

    /// The command that the first word of a command line means; nil if there is none.
    static func named(_ word: String) -> (any Command.Type)? {
        ToDoView(rawValue: word) == nil
            ? all.first { $0.name == word } : ViewCommand.self as any Command.Type
    }

    /// What other programs call a command: no slips, so their spelling suggests nothing.
    private static let names = [
        "modify": "edit", "mod": "edit", "annotate": "edit", "append": "edit", "denotate": "edit",
        "info": "show", "information": "show", "ls": "list", "new": "add", "rm": "delete",
        "remove": "delete", "complete": "done", "projects": "list --by project",
        "waiting": "list +WAITING", "ready": "list +READY", "search": "list WORD",
        "find": "list WORD", "grep": "list WORD",
    ]

    private static func unknown(_ name: String) -> CommandFailure {
        if !name.isEmpty, name.allSatisfy(\.isNumber) {
            return CommandFailure(
                .usage,
                "'\(name)' is no command: the command goes first, as in `tandem done \(name)` "
                    + "(see: tandem help)")
        }
        if let meant = names[name] {
            return CommandFailure(
                .usage,
                "there is no command '\(name)'; it is `tandem \(meant)` here (see: tandem help)")
        }
        let guess = Spelling.suggestion(
            for: name, among: commands.map { $0.name } + ToDoView.allCases.map(\.rawValue))
        return CommandFailure(
            .usage,
            "there is no command '\(name)'" + (guess.map { "; did you mean '\($0)'?" } ?? "")
                + " (see: tandem help)")
    }

    /// What a command does and how it is called, or what a topic is about; without a name, what there is.
    static func help(_ name: String?) throws -> String {
        guard let name else { return overview }
        if let topic = HelpTopic(rawValue: name) { return "\(topic.summary)\n\n\(topic.help)\n" }
        return page(try find(ToDoView(rawValue: name) == nil ? name : ViewCommand.name))
    }

    private static func page(_ command: any Command.Type) -> String {
        """
        \(command.summary)

        \(command.help)

        Every command takes --json, --store FOLDER, --yes, --no-input and --help.

        """
    }

    /// What this program is for, in a line.
    static let purpose = "the same to-dos on all of your machines"

    /// The first things to type.
    static let examples = """
          tandem init --name laptop
          tandem add Buy milk project:Home +errand due:fri
          tandem list
          tandem sync ssh://desk
        """

    private static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(padding)  \(command.summary)"
        }
        let topics = HelpTopic.allCases.map { "tandem help \($0.rawValue)" }
        return """
            The same to-dos on all of your machines.

            \(examples)

            \(lines.joined(separator: "\n"))

            tandem help COMMAND explains one. The store is a folder: --store, else
            TANDEM_STORE, else $XDG_DATA_HOME/tandem (~/.local/share/tandem).
            See also: \(topics.joined(separator: ", ")).

            """
    }
}

import Devices
import Storage
import Terminal
import ToDo

/// Commands that people use for one purpose: a part of the overview.
struct CommandGroup {
    /// A line of the overview.
    struct Row {
        let text: String
        /// The words in front of the text.
        let shown: String
        let commands: [any Command.Type]

        /// A line about some commands, which are shown by their names unless other words are given.
        init(_ text: String, shown: String? = nil, _ commands: any Command.Type...) {
            self.text = text
            self.shown = shown ?? commands.map { $0.name }.joined(separator: ", ")
            self.commands = commands
        }
    }

    let title: String
    let rows: [Row]

    /// A group with its heading.
    init(_ title: String, _ rows: Row...) {
        self.title = title
        self.rows = rows
    }
}

/// All commands, and the overview of them.
enum CommandTable {
    /// The version of the program.
    static let version = "0.1.0"

    /// The commands for people, by what people do; the order of the help.
    static let groups = [
        CommandGroup(
            "every day",
            .init(
                "create, change, show to-dos", AddCommand.self, EditCommand.self, ShowCommand.self),
            .init(
                "finish, give up, skip an occurrence", DoneCommand.self, CancelCommand.self,
                SkipCommand.self),
            .init("make pending again; order by hand", ReopenCommand.self, MoveCommand.self),
            .init("track working time", StartCommand.self, StopCommand.self, TimesCommand.self)),
        CommandGroup(
            "lists",
            .init(
                "all to-dos; \(ToDoView.allCases.count) lists: tandem help view",
                shown: "list, today, overdue …",
                ListCommand.self, ViewCommand.self),
            .init(
                "a day, a month, a report on a week", AgendaCommand.self, CalendarCommand.self,
                WeekCommand.self),
            .init("last shown; changes as they happen", RecentCommand.self, WatchCommand.self)),
        CommandGroup(
            "undo",
            .init(
                "revert edits; see who made them", UndoCommand.self, RedoCommand.self,
                HistoryCommand.self),
            .init(
                "to the trash, list it, bring back", DeleteCommand.self, TrashCommand.self,
                RestoreCommand.self),
            .init("erase for good, on every device", PurgeCommand.self)),
        CommandGroup(
            "conflicts",
            .init("list them, choose a value", ConflictsCommand.self, ResolveCommand.self)),
        CommandGroup(
            "devices",
            .init(
                "create a store; pair two devices", InitCommand.self, InviteCommand.self,
                JoinCommand.self),
            .init(
                "list, rename, remove devices", DevicesCommand.self, RenameCommand.self,
                RevokeCommand.self)),
        CommandGroup(
            "sync",
            .init("sync once; sync continuously", SyncCommand.self, DaemonCommand.self),
            .init("problems; where a to-do has arrived", StatusCommand.self, WhyCommand.self),
            .init("stop the daemon's syncing for a while", PauseCommand.self, ResumeCommand.self),
            .init("confirm deletes that were held", AcceptDeletesCommand.self),
            .init("accept other devices; run a relay", ServeCommand.self, RelayCommand.self)),
        CommandGroup(
            "files",
            .init(
                "other formats; a folder of .ics files", ImportCommand.self, ExportCommand.self,
                VdirCommand.self)),
        CommandGroup(
            "repair",
            .init("copy the store; check and repair it", BackupCommand.self, DoctorCommand.self)),
        CommandGroup(
            "program",
            .init(
                "complete with Tab; version; help", CompletionCommand.self, VersionCommand.self,
                HelpCommand.self)),
    ]

    /// The commands for people, in the order of the help.
    static let commands = groups.flatMap { $0.rows.flatMap(\.commands) }

    private static let all = commands + [CompleteCommand.self as any Command.Type]

    /// The words that a command line may begin with, and what they do.
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
            show(overview)
            return early.isEmpty ? .ok : .usage
        }
        let line = early + (ToDoView(rawValue: name) == nil ? rest.dropFirst() : rest[...])
        // Views are commands of their own.
        let isView = ToDoView(rawValue: name) != nil
        let command = try find(isView ? ViewCommand.name : Self.synonyms[name] ?? name)
        let arguments = try Arguments(
            line, of: command.name, values: command.values, flags: command.flags,
            keepsSeparator: command.keepsSeparator)
        if arguments.has("help") {
            show(page(command))
            return .ok
        }
        do {
            return try command.run(arguments)
        } catch let fault as StoreFault where command.name != RelayCommand.name {
            // A relay's folder is not a store of to-dos.
            throw (try? DamagedStore(arguments))?.explained(fault) ?? fault
        } catch let fault as DeviceFault {
            throw (try? DamagedStore(arguments))?.explained(fault) ?? fault
        }
    }

    /// The spellings that other programs use.
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

    /// The names of commands in other programs, which are no misspellings of ours.
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
                "'\(name)' is not a command. The command comes first, for example: tandem done \(name)"
            )
        }
        if let meant = names[name] {
            return CommandFailure(
                .usage, "there is no command '\(name)'. In this program it is: tandem \(meant)")
        }
        let guess = Spelling.suggestion(
            for: name, among: commands.map { $0.name } + ToDoView.allCases.map(\.rawValue))
        return CommandFailure(
            .usage,
            "there is no command '\(name)'." + (guess.map { " Did you mean '\($0)'?" } ?? "")
                + " To see all commands, run: tandem help")
    }

    /// The page of a command or a topic; without a name the overview.
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

    /// Writes a help text, broken where the screen ends.
    static func show(_ help: String) {
        Terminal.write(HelpLayout.fitted(help, to: Terminal.width ?? HelpLayout.standardWidth))
    }

    /// The purpose of this program, in a line.
    static let purpose = "one to-do list on all of your devices"

    /// The first things to type.
    static let examples = """
          tandem init --name laptop
          tandem add Buy milk project:Home +errand due:fri
          tandem list
          tandem sync ssh://desk
        """

    private static var overview: String {
        let titleWidth = (groups.map(\.title.count).max() ?? 0) + 2
        let width = (groups.flatMap(\.rows).map { Cells.count($0.shown) }.max() ?? 0) + 3
        let lines = groups.flatMap { group in
            group.rows.enumerated().map { index, row in
                Cells.padded(index == 0 ? group.title : "", to: titleWidth)
                    + Cells.padded(row.shown, to: width) + row.text
            }
        }
        let topics = HelpTopic.allCases.map(\.rawValue).joined(separator: ", ")
        return """
            One to-do list on all of your devices. It works offline and keeps every edit.

            \(examples)

            \(lines.joined(separator: "\n"))

            To learn more, run: tandem help COMMAND. Other topics: \(topics).
            The store is --store FOLDER, else $TANDEM_STORE, else $XDG_DATA_HOME/tandem.

            """
    }
}

import Terminal
import ToDo

/// Commands that people use for one purpose: a part of the overview.
struct CommandGroup {
    /// A line of the overview.
    struct Row {
        let text: String
        let commands: [any Command.Type]
        private let words: String?

        /// A line about some commands, which are shown by their names unless other words are given.
        init(_ text: String, shown: String? = nil, _ commands: any Command.Type...) {
            self.init(text, shown: shown, all: commands)
        }

        /// The same for commands in an array.
        init(_ text: String, shown: String? = nil, all commands: [any Command.Type]) {
            self.text = text
            words = shown
            self.commands = commands
        }

        /// The words in front of the text.
        ///
        /// Made when they are asked for: every command looks through the groups for itself, and none but the overview shows them.
        var shown: String { words ?? commands.map { $0.name }.joined(separator: ", ") }
    }

    let title: String
    let rows: [Row]

    /// A group with its heading.
    init(_ title: String, _ rows: Row...) {
        self.title = title
        self.rows = rows
    }
}

extension Tandem {
    /// The commands for people, by what people do; the order of the help.
    static let groups = [
        CommandGroup(
            "every day",
            .init(
                "create, change, show to-dos", AddCommand.self, EditCommand.self, ShowCommand.self),
            .init(
                "add to a title or to the notes", AppendCommand.self, PrependCommand.self,
                AnnotateCommand.self),
            .init(
                "finish, give up, skip an occurrence", DoneCommand.self, CancelCommand.self,
                SkipCommand.self),
            .init("overdue series go on from today", CatchUpCommand.self),
            .init("make pending again; order by hand", ReopenCommand.self, MoveCommand.self),
            .init("track working time", StartCommand.self, StopCommand.self, TimesCommand.self)),
        CommandGroup(
            "lists",
            .init(
                "all to-dos; \(ToDoView.allCases.count) lists: tandem help view",
                shown: "list, today, overdue …",
                ListCommand.self, ViewCommand.self),
            .init(
                "lists of your own; narrow all to one", SaveCommand.self,
                ContextCommand.self),
            .init(
                "a day, a month, a report on a week", AgendaCommand.self, CalendarCommand.self,
                WeekCommand.self),
            .init(
                "figures; pending over time; each project", StatsCommand.self,
                BurndownCommand.self, SummaryCommand.self),
            .init("reminders to come", RemindCommand.self),
            .init("last shown; changes as they happen", RecentCommand.self, WatchCommand.self),
            .init("a page in your browser", WebCommand.self)),
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
            .init("keep what those would delete", RefuseDeletesCommand.self),
            .init("accept other devices; run a relay", ServeCommand.self, RelayCommand.self),
            .init("serve phone and calendar apps", CaldavCommand.self)),
        CommandGroup(
            "files",
            .init(
                "other formats; a folder of .ics files", ImportCommand.self, ExportCommand.self,
                VdirCommand.self),
            .init("changes of another program", ApplyCommand.self)),
        CommandGroup(
            "repair",
            .init("copy the store; check and repair it", BackupCommand.self, DoctorCommand.self)),
        CommandGroup(
            "program",
            .init(
                "settings; complete with Tab", ConfigCommand.self, CompletionCommand.self),
            .init("version; help", all: Tandem.standardCommands)),
    ]

    /// The first things to type.
    static let examples = """
          tandem init --name laptop
          tandem add Buy milk project:Home +errand due:fri
          tandem list
          tandem sync ssh://desk
        """

    /// All commands by what people do.
    static var overview: String {
        let titleWidth = (groups.map(\.title.count).max() ?? 0) + 2
        let width = (groups.flatMap(\.rows).map { Cells.count($0.shown) }.max() ?? 0) + 3
        let screen = Screen.width ?? HelpLayout.standardWidth
        // Where no column is left for the texts, each stands below its commands.
        let isNarrow = screen < titleWidth + width + narrowestTextWidth
        let lines = groups.flatMap { group in
            if isNarrow { return narrowLines(of: group) }
            return group.rows.enumerated().map { index, row in
                Cells.padded(index == 0 ? group.title : "", to: titleWidth)
                    + Cells.padded(row.shown, to: width) + row.text
            }
        }
        return """
            One to-do list on all of your devices. It works offline and keeps every edit.

            \(examples)

            \(lines.joined(separator: "\n"))

            More: tandem help COMMAND. Topics: \(HelpTopic.names).
            The store is --store FOLDER, else $TANDEM_STORE, else $XDG_DATA_HOME/tandem.

            """
    }

    /// The cells of the narrowest column for texts.
    private static let narrowestTextWidth = 20

    private static func narrowLines(of group: CommandGroup) -> [String] {
        [group.title] + group.rows.flatMap { ["  \($0.shown)", "      \($0.text)"] }
    }
}

import Devices
import Terminal
import ToDo

/// The kinds of the words and options of each command.
enum CompletionTable {
    /// How the words of a command are written, for a person.
    static func usage(of command: any Command.Type) -> String { words(command).usage }

    /// Returns the kinds of a command's words, one by one; the last holds for all that follow.
    static func kinds(of command: any Command.Type) -> [CompletionKind] { words(command).kinds }

    private static func words(
        _ command: any Command.Type
    ) -> (usage: String, kinds: [CompletionKind]) {
        let days = CompletionKind.choices(CompletionKind.days)
        return switch command.name {
        case "add": ("WORD...", [.newItem])
        case "list", "watch", "times", "export": ("[FILTER...]", [.filter])
        case "view": ("[VIEW [FILTER...]]", [.view(ToDoView.allCases.map(\.rawValue)), .filter])
        case "save": ("NAME [WORD...]", [.view([]), .filter])
        case "context": ("[NAME]", [.view(["none"]), .free])
        case "agenda": ("[DAY]", [days, .free])
        case "calendar": ("[MONTH]", [.free])
        case "week": ("[WEEK]", [.choices(["last", "this", "next"]), .free])
        case "show", "history", "why": ("WHICH...", [.todo(.all)])
        case "edit": ("WHICH [WORD...]", [.todo(.pending), .change])
        case "done", "cancel", "skip", "catchup": ("[WHICH...]", [.todo(.pending)])
        case "start": ("WHICH", [.todo(.pending), .free])
        case "move": ("WHICH...", [.todo(.pending)])
        case "reopen": ("[WHICH...]", [.todo(.finished)])
        case "delete": ("[WHICH...]", [.todo(.alive)])
        case "restore": ("[WHICH...]", [.todo(.all)])
        case "purge": ("WHICH...", [.todo(.trash)])
        case "undo": ("[NUMBER]", [.free])
        case "resolve": ("[WHICH...]", [.todo(.conflicted)])
        case "sync": ("[ADDRESS]", [.free])
        case "join": ("CODE", [.free])
        case "rename": ("NAME", [.free])
        case "revoke", "accept-deletes", "refuse-deletes": ("[DEVICE]", [.device, .free])
        case "import": ("FILE", [.file, .free])
        case "backup", "vdir": ("FOLDER", [.folder, .free])
        case "config":
            ("[KEY [VALUE...]]", [.choices(UserSetting.all.map(\.name)), .free])
        case "completion": ("SHELL", [.choices(CompletionShell.allCases.map(\.rawValue)), .free])
        case "help": ("[COMMAND]", [.command, .free])
        default: ("", [.free])
        }
    }

    /// Returns the kind of an option's value.
    static func value(of option: String, _ command: any Command.Type) -> CompletionKind {
        switch (command.name, option) {
        case (_, "store"), ("relay", "folder"), ("help", "man-pages"), ("restore", "from"):
            .folder
        case (_, "where"): .filter
        case ("export", "format"): .choices(FileFormat.writtenNames)
        case (_, "format"): .choices(FileFormat.names)
        case (_, "config"), (_, "port-file"), (_, "token-file"): .file
        case ("list", "by"), ("view", "by"): .choices(ToDoGrouping.allCases.map(\.rawValue))
        case ("init", "policy"): .choices(DeletePolicyWord.all)
        case ("move", "before"), ("move", "after"): .todo(.pending)
        case ("resolve", "field"), ("restore", "field"):
            .choices(ToDoSchema.names.map(\.name))
        case ("resolve", "device"): .device
        case ("vdir", "project"): .project
        case ("relay", "log-level"): .choices(["debug", "info", "warning", "error"])
        case ("times", "from"), ("times", "to"): .choices(CompletionKind.days)
        default: .free
        }
    }
}

/// The kind of a word of a command line or of an option's value.
enum CompletionKind {
    /// Nothing that can be guessed.
    case free
    /// One of these.
    case choices([String])
    /// A to-do, by its number or the beginning of its id.
    case todo(ToDoGlance.Scope)
    /// Words of a filter.
    case filter
    /// Words of a new to-do.
    case newItem
    /// Words that change a to-do.
    case change
    /// The name of a device.
    case device
    /// A project.
    case project
    /// A view of the user's own, or one of these.
    case view([String])
    /// A command of this program.
    case command
    /// A file.
    case file
    /// A folder.
    case folder

    /// Days in words, of all that dates may be.
    static let days = [
        "today", "tomorrow", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday",
        "saturday", "sunday", "eow", "som", "eom",
    ]
    /// Rules by which to-dos come again.
    static let rules = [
        "daily", "weekdays", "weekly", "monthly", "yearly", "daily!", "weekly!", "monthly!",
    ]
    /// Reminders, of all that they may be.
    static let reminders = ["due", "-10m", "-30m", "-1h", "-1d", "tomorrow"]
}

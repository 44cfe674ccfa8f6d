import Runtime
import ToDo

/// What the words and options of each command may be.
enum CompletionTable {
    /// What the words of a command may be, one by one; the last goes for all that follow.
    static func words(of command: any Command.Type) -> [CompletionKind] {
        switch command.name {
        case "add": [.newItem]
        case "list", "watch", "times", "export": [.filter]
        case "view": [.choices(ToDoView.allCases.map(\.rawValue)), .filter]
        case "agenda": [.choices(CompletionKind.days), .free]
        case "week": [.choices(["last", "this", "next"]), .free]
        case "show", "history", "why": [.todo(.all)]
        case "edit": [.todo(.pending), .change]
        case "done", "cancel", "skip": [.todo(.pending)]
        case "start", "move": [.todo(.pending), .free]
        case "reopen": [.todo(.finished)]
        case "delete": [.todo(.alive)]
        case "restore": [.todo(.all)]
        case "purge": [.todo(.trash)]
        case "resolve": [.todo(.conflicted), .free]
        case "revoke": [.device, .free]
        case "import": [.file, .free]
        case "backup": [.folder, .free]
        case "completion": [.choices(CompletionShell.allCases.map(\.rawValue)), .free]
        case "help": [.command, .free]
        default: [.free]
        }
    }

    /// What the value of an option may be.
    static func value(of option: String, _ command: any Command.Type) -> CompletionKind {
        switch (command.name, option) {
        case (_, "store"), ("relay", "folder"): .folder
        case (_, "where"): .filter
        case (_, "format"): .choices(FileFormat.allCases.map(\.rawValue))
        case (_, "config"), (_, "port-file"), (_, "token-file"): .file
        case ("list", "by"): .choices(ListCommand.sectionWords)
        case ("init", "policy"): .choices(DeletePolicyWord.all)
        case ("move", "before"), ("move", "after"): .todo(.pending)
        case ("resolve", "field"), ("restore", "field"): .choices(ToDoSchema.names.map(\.name))
        case ("resolve", "device"): .device
        case ("relay", "log-level"): .choices(["debug", "info", "warning", "error"])
        case ("times", "from"), ("times", "to"): .choices(CompletionKind.days)
        default: .free
        }
    }
}

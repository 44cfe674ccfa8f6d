/// The commands of other programs, by the line of ours for the same purpose.
///
/// They are no misspellings of ours. `tandem help NAME` and the answer to a line go by this table alone.
enum ForeignCommand {
    /// How the words around the name go on in our line.
    enum Form {
        /// All of them choose what is listed; it only reads.
        case list
        /// They name to-dos, and the words behind them say what to change.
        case change
        /// They describe a new to-do.
        case new
        /// They name a to-do that a new one is like, and the words behind them say what is other.
        case copy
        /// None of them means anything to ours.
        case alone
    }

    /// A line of ours, in words, and what becomes of the words around.
    struct Meaning {
        let line: [String]
        let form: Form
    }

    /// Every name.
    static let meanings: [String: Meaning] = {
        var all: [String: Meaning] = [:]
        for (form, lines) in table {
            for (names, line) in lines {
                let meaning = Meaning(
                    line: line.split(separator: " ").map { String($0) }, form: form)
                for name in names.split(separator: " ") { all[String(name)] = meaning }
            }
        }
        return all
    }()

    private static let table: [(Form, [(names: String, line: String)])] = [
        (
            .list,
            [
                ("ls long minimal next search find grep", "list"),
                ("ready", "list +READY"), ("active", "list +ACTIVE"),
                ("blocked", "list +BLOCKED"), ("blocking", "list +BLOCKING"),
                ("unblocked", "list -BLOCKED"), ("waiting", "list +WAITING"),
                ("recurring", "list +REPEATING"), ("completed", "list status:completed"),
                ("all", "list --all"), ("projects _projects", "list --by project"),
                ("count", "stats"), ("ids uuids _ids _uuids _zshids _zshuuids", "list --json"),
                ("information info", "show"), ("burndown.daily", "burndown --by day"),
                ("burndown.weekly", "burndown --by week"),
                ("burndown.monthly", "burndown --by month"),
                ("ghistory.daily history.daily", "burndown --by day"),
                ("ghistory.weekly history.weekly", "burndown --by week"),
                ("ghistory ghistory.monthly history.monthly", "burndown --by month"),
                ("ghistory.annual history.annual", "burndown --by month"),
                ("_urgency", "list"),
            ]
        ),
        (
            .change,
            [
                ("modify mod", "edit"), ("rm remove rem del", "delete"), ("finish", "done"),
                ("undelete", "restore"),
                ("denotate", "edit"),
            ]
        ),
        (.copy, [("duplicate copy clone", "add")]),
        (.new, [("new create", "add")]),
        (
            .alone,
            [
                ("newest", "list sort:-created"), ("oldest", "list sort:created"),
                ("tags _tags", "save tags columns:tags sort:tags"),
                ("udas _udas", "export --format csv"), ("timesheet", "times"),
                ("colors colours color colour _config _show _aliases", "config"),
                ("columns _columns", "help save"), ("reports _context", "view"),
                ("commands _commands", "help"), ("logo news _version", "version"),
                ("diagnostics", "doctor"), ("calc", "help dates"), ("execute repl", "help"),
                ("flush", "delete status:completed"), ("_unique", "list --by project"),
                ("_zshcommands _zshattributes", "completion zsh"), ("synchronize", "sync"),
            ]
        ),
    ]

    /// Our commands that only list what a filter takes, and may stand behind it.
    static let reading: Set<String> = ["list", "show", "export", "stats", "summary", "burndown"]
    /// Our commands that change the to-dos named behind them, each with all words.
    static let changing: Set<String> = [
        "done", "cancel", "delete", "start", "reopen", "restore", "purge", "skip",
    ]
    /// Our commands whose first word names to-dos, and whose others say what to change.
    static let editing: Set<String> = ["edit", "append", "prepend", "annotate"]
    /// Our other commands whose words name to-dos.
    static let naming: Set<String> = ["history", "why", "move", "resolve"]
    /// The names of editing commands, there and here, that may stand behind words to look for.
    static let behindWords: [String: String] = [
        "modify": "edit", "mod": "edit", "append": "append", "prepend": "prepend",
        "annotate": "annotate",
    ]
}

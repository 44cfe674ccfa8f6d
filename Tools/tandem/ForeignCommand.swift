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
                ("ls long minimal next search find grep print", "list"),
                ("ready", "list +READY"), ("active", "list +ACTIVE"),
                ("blocked", "list +BLOCKED"), ("blocking", "list +BLOCKING"),
                ("unblocked", "list -BLOCKED"), ("waiting", "list +WAITING"),
                ("recurring", "list +REPEATING"), ("completed", "list status:completed"),
                ("all listall lsa", "list --all"),
                ("projects _projects lsprj listproj", "list --by project"),
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
                ("modify mod replace", "edit"), ("rm remove rem del", "delete"),
                ("finish do close tick", "done"), ("undelete", "restore"),
                ("undone unfinish uncheck", "reopen"), ("note comment", "annotate"),
                ("app", "append"), ("prep", "prepend"),
                ("denotate pri prioritize depri tag untag", "edit"),
                ("postpone defer snooze delay reschedule", "edit"),
            ]
        ),
        (.copy, [("duplicate copy clone", "add")]),
        (.new, [("new create", "add"), ("cal", "calendar")]),
        (
            .alone,
            [
                ("newest", "list sort:-created"), ("oldest", "list sort:created"),
                ("tags _tags lsc listcon", "save tags columns:tags sort:tags"),
                ("udas _udas", "export --format csv"), ("timesheet", "times"),
                ("colors colours color colour _config _show _aliases", "config"),
                ("columns _columns", "help save"), ("reports _context", "view"),
                ("commands _commands", "help"), ("logo news _version", "version"),
                ("diagnostics", "doctor"), ("calc", "help dates"), ("execute repl", "help"),
                ("flush", "delete status:completed"), ("archive", "list status:completed"),
                ("_unique", "list --by project"),
                ("_zshcommands _zshattributes", "completion zsh"), ("synchronize", "sync"),
            ]
        ),
    ]

    /// The names behind which a number stands before the value: without one they are no words of a title.
    static let valued: Set<String> = [
        "pri", "prioritize", "depri", "postpone", "defer", "snooze", "delay", "reschedule",
        "tag", "untag",
    ]

    /// The words of an edit of ours for those behind a name that an edit of ours stands for.
    static func changes(of name: String, _ words: [String]) -> [String] {
        let text = words.joined(separator: " ")
        switch name {
        case "denotate": return text.isEmpty ? [] : ["notes-:\(text)"]
        case "pri", "prioritize": return text.isEmpty ? [] : ["priority:\(priority(text))"]
        case "tag", "untag":
            let sign = name == "tag" ? "+" : "-"
            return words.map { "+-".contains($0.prefix(1)) ? $0 : sign + $0 }
        case "depri": return ["priority:"] + words
        case "postpone", "defer", "snooze", "delay", "reschedule":
            if text.isEmpty { return ["due:due+2d"] }
            if words.contains(where: { $0.contains(":") }) { return words }
            let isDuration =
                text.first.map("+-".contains) ?? false
                || text.contains(where: \.isNumber) && text.last?.isLetter ?? false
                    && !text.contains(" ")
            let sign = "+-".contains(text.prefix(1)) ? "" : "+"
            return [isDuration ? "due:due\(sign)\(text)" : "due:\(text)"]
        default: return words
        }
    }

    /// The priority of todo.txt's letters from A on, and of Taskwarrior's.
    private static func priority(_ text: String) -> String {
        switch text.uppercased() {
        case "A", "(A)", "H": "high"
        case "B", "(B)", "M": "medium"
        case "C", "(C)", "L": "low"
        default: text
        }
    }

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

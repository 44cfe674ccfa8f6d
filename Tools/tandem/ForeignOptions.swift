import Terminal
import ToDo

/// Options of another program behind a command of ours, or behind one for new to-dos.
enum ForeignOptions {
    /// The options with a value, and the key that has it here.
    private static let keys = [
        "-l": "project:", "--list": "project:", "-d": "due:", "--due": "due:", "-s": "start:",
        "--start": "start:", "--location": "location:", "--priority": "priority:",
    ]
    /// The options that ours needs not.
    private static let needless: Set<String> = [
        "-i", "--interactive", "-r", "--read-description", "--raw", "--reverse", "--no-reverse",
        "-h", "--humanize",
    ]
    private static let words: [String: [String]] = [
        "--startable": ["+READY"], "--porcelain": ["--json"],
    ]
    /// The options of the whole program that have a value.
    private static let general = [
        "--color", "--colour", "-v", "--verbosity", "-c", "--config",
    ]
    private static let statuses: [String: [String]] = [
        "ANY": ["--all"], "COMPLETED": ["status:completed"], "CANCELLED": ["status:cancelled"],
        "NEEDS-ACTION": ["status:pending"], "IN-PROCESS": ["+ACTIVE"],
    ]

    /// Refuses a line with such options, and says the line of ours.
    static func check(_ typed: [String]) throws {
        let early = early(typed)
        let rest = Array(typed.dropFirst(early.count))
        guard let name = rest.first else { return }
        var words = early.contains("--porcelain") ? ["--json"] : []
        if let change = ForeignChange(ours: rest) {
            throw change.refusal ?? ForeignLine.refusal(change.lines)
        }
        if rest.dropFirst().contains(where: ForeignLine.isSetting), !takesText.contains(name),
            Tandem.command(name) != nil
        {
            throw ForeignLine.refusal([rest.filter { !ForeignLine.isSetting($0) }])
        }
        let line: [String]?
        switch name {
        case "new", "create":
            let described = tail(rest)
            line = (described.isEmpty ? ["help", "add"] : ["add"]) + described
        case "edit": line = ["edit"] + tail(rest)
        case "copy" where namesList(rest):
            line = ForeignLine([name] + tail(rest))?.words
        case "move": line = namesList(rest) ? moved(rest) : nil
        case "list": line = listed(rest)
        case "context": line = context(rest)
        case "config"
        where rest.count == 3 && rest[2].isEmpty && UserSetting.named(rest[1]) != nil:
            line = ["config", rest[1], "--unset"]
        case "calendar": line = calendar(rest)
        case "sync" where rest == ["sync", "init"]: line = ["sync"]
        case "save": line = rest.map { $0 == "--delete" ? "--remove" : $0 }
        default: line = nil
        }
        guard !early.isEmpty || line.map({ $0 != rest }) ?? false else { return }
        words = (line ?? rest) + words
        throw ForeignLine.refusal([words])
    }

    /// The commands behind which any word may be a part of a text.
    private static let takesText: Set<String> = [
        AddCommand.name, EditCommand.name, AppendCommand.name, PrependCommand.name,
        AnnotateCommand.name,
    ]

    /// The options of the whole program in front of the command.
    private static func early(_ typed: [String]) -> [String] {
        var found: [String] = []
        var rest = typed[...]
        while let word = rest.first {
            let isGeneral = general.contains(word)
            guard isGeneral || word == "--porcelain" || word == "--humanize" else { break }
            found.append(rest.removeFirst())
            if isGeneral, let value = rest.popFirst() { found.append(value) }
        }
        return found
    }

    /// The words behind the command, with keys in place of options.
    static func tail(_ line: [String]) -> [String] {
        var words: [String] = []
        var given: [String] = []
        var rest = line.dropFirst()
        while let word = rest.popFirst() {
            if word == "--" { return words + given + ["--"] + rest }
            let (name, joined) = parts(word)
            if needless.contains(name) { continue }
            if let others = self.words[name] {
                given += others
            } else if let key = keys[name], let value = joined ?? rest.first {
                if joined == nil { rest.removeFirst() }
                given.append(key + value)
            } else {
                words.append(word)
            }
        }
        return words + given
    }

    /// The words of a line, and its options with their values; behind `--`, which stays, all are words.
    ///
    /// - Parameter values: the names of the options that have a value.
    static func parted(
        _ line: some Sequence<String>, values: Set<String>
    ) -> (words: [String], options: [[String]]) {
        var rest = Array(line)[...]
        var (words, options): ([String], [[String]]) = ([], [])
        while let word = rest.popFirst() {
            if word == "--" { return (words + [word] + rest, options) }
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            let (name, joined) = Arguments.parts(ofOption: word)
            let value = joined == nil && values.contains(name) ? rest.popFirst() : nil
            options.append([word] + (value.map { [$0] } ?? []))
        }
        return (words, options)
    }

    /// The names of the options with a value that our commands for to-dos have.
    static let valueNames: Set<String> = {
        let names = ForeignCommand.reading.union(ForeignCommand.changing)
            .union(ForeignCommand.editing).union(ForeignCommand.naming)
        return Set(Tandem.commonValues + names.flatMap { Tandem.command($0)?.values ?? [] })
    }()

    /// The option that names the store, which each of several lines needs.
    static func store(in options: [[String]]) -> [String] {
        options.last { $0[0] == "--store" || $0[0].hasPrefix("--store=") } ?? []
    }

    private static func parts(_ word: String) -> (name: String, value: String?) {
        guard word.hasPrefix("--") else { return (word, nil) }
        let (name, value) = Arguments.parts(ofOption: word)
        return ("--" + name, value)
    }

    private static func namesList(_ line: [String]) -> Bool {
        line.contains { ["-l", "--list"].contains(parts($0).name) }
    }

    /// A list is a project here, so that moving between lists is an edit.
    private static func moved(_ line: [String]) -> [String] {
        let words = tail(line)
        let names = words.filter { ToDoName.isNumberOrLast($0) }
        return ["edit", names.joined(separator: ",")]
            + words.filter { !ToDoName.isNumberOrLast($0) }
    }

    private static func listed(_ line: [String]) -> [String] {
        var words: [String] = []
        var rest = line.dropFirst()
        var lists: [String] = []
        var isForeign = false
        var sort: String?
        while let word = rest.popFirst() {
            let (name, joined) = parts(word)
            if needless.contains(name), name != "-i", name != "-r", name != "-h" {
                isForeign = true
                continue
            }
            if let others = self.words[name] {
                words += others
                isForeign = true
                continue
            }
            guard
                [
                    "--location", "--category", "--grep", "--sort", "--due", "--priority",
                    "--start", "--status", "-s",
                ].contains(name), let value = joined ?? rest.first,
                name != "-s" || !status(value).isEmpty
            else {
                if word.hasPrefix("-") || ToDoFilter.isTerm(word)
                    || ["or", "and", "not"].contains(word)
                {
                    words.append(word)
                    let isOwn = (ListCommand.values + Tandem.commonValues).contains {
                        "--" + $0 == word
                    }
                    if isOwn, let value = rest.popFirst() { words.append(value) }
                } else {
                    lists.append(word)
                }
                continue
            }
            if joined == nil { rest.removeFirst() }
            isForeign = true
            switch name {
            case "--category": words.append("+" + value)
            case "--grep": words.append(value)
            case "--sort": sort = sorted(value)
            case "--priority": words += priority(value)
            case "--due": words.append("due.before:\(value)h")
            case "--status", "-s":
                let found = status(value)
                words += found.isEmpty ? ["status:" + value] : found
            case "--start": words.append("start.\(value):\(rest.popFirst() ?? "today")")
            default: words.append("\(name.dropFirst(2)):\(value)")
            }
        }
        // Words beside such options name lists, which are projects here.
        if !isForeign {
            words = Array(line.dropFirst())
        } else if lists.count > 1 {
            words.append("(" + lists.map { "project:" + $0 }.joined(separator: " or ") + ")")
        } else {
            words += lists.map { "project:" + $0 }
        }
        return ["list"] + (sort.map { ["sort:" + $0] } ?? []) + words
    }

    /// A priority of another program means those above it, too.
    private static func priority(_ value: String) -> [String] {
        switch value.lowercased() {
        case "medium": ["priority.above:low"]
        case "low": ["priority.above:none"]
        default: ["priority:" + value]
        }
    }

    /// The columns of another program that have other names here.
    private static let columns = [
        "summary": "title", "description": "notes", "categories": "tags", "list": "project",
        "created_at": "created", "completed_at": "completed", "last_modified": "modified",
        "dtstamp": "modified", "percent_complete": "status", "is_completed": "status",
    ]

    /// The columns to sort by, `-` before one for the greatest first, with their names here.
    private static func sorted(_ names: String) -> String {
        names.split(separator: ",").map { name in
            let sign = name.hasPrefix("-") ? "-" : ""
            let bare = String(name.dropFirst(sign.count))
            return sign + (columns[bare] ?? bare)
        }.joined(separator: ",")
    }

    /// The words for one status, or for several between commas; none if one is unknown.
    private static func status(_ value: String) -> [String] {
        let found = value.uppercased().split(separator: ",").map { statuses[String($0)] }
        guard !found.contains(nil) else { return [] }
        let words = found.compactMap { $0 }
        if words.count < 2 || words.contains(["--all"]) { return words.first ?? [] }
        return ["("] + words.flatMap { ["or"] + $0 }.dropFirst() + [")"]
    }

    private static func context(_ line: [String]) -> [String]? {
        switch (line.count > 1 ? line[1] : "", line.count) {
        case ("define", 4...): ["save"] + line[2...]
        case ("delete", 3): ["save", line[2], "--remove"]
        case ("list", 2): ["view"]
        case ("show", 2): ["context"]
        default: nil
        }
    }

    private static func calendar(_ line: [String]) -> [String]? {
        let words = line.dropFirst().filter { $0 != "y" && $0 != "due" }
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == words.count else { return nil }
        let (month, year) =
            numbers.count == 2 ? (numbers[0], numbers[1]) : (1, numbers.first ?? 0)
        if words.isEmpty { return ["calendar"] }
        guard (1...12).contains(month), (1000...9999).contains(year) else { return nil }
        return ["calendar", "\(year)-\(month < 10 ? "0" : "")\(month)"]
    }
}

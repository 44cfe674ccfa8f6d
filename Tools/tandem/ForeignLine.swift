import Terminal
import ToDo

/// A line as it is typed in another program: the filter in front of the command, or a command of another name.
struct ForeignLine {
    /// The line of ours.
    let words: [String]
    /// Whether it only lists, so that it may run at once.
    let onlyReads: Bool

    /// The refusal of what was typed, which says what to type instead.
    func refusal(of typed: [String]) -> CommandFailure {
        // Who looked for words that begin with such a name is told how, too.
        let isSearch = !typed.contains { ToDoName.isNumberOrLast($0) }
        return Self.refusal(words, search: isSearch ? typed : nil)
    }

    /// A refusal with the line to type, and the one that looks for the words.
    static func refusal(_ words: [String], search: [String]? = nil) -> CommandFailure {
        let other = search.map { "\nto look for these words: tandem list " + Self.line($0) }
        return CommandFailure(
            .usage, "for that, run: tandem \(Self.line(words))\(other ?? "")")
    }

    /// The line that was meant with words to look for in front of a command; nil if there is none.
    static func search(_ words: [String]) -> String? {
        guard words.count > 1, let name = words.last else { return nil }
        let isOurs =
            name == ListCommand.name || ToDoView(rawValue: name) != nil
            || ForeignCommand.changing.contains(name)
        let start: [String]? = isOurs ? [name] : ForeignCommand.meanings[name]?.line
        return start.map { line($0 + plain(words.dropLast())) }
    }

    private static func line(_ words: [String]) -> String {
        words.map { SavedViewWords.words(ofFilter: [$0]).shownInLine }.joined(separator: " ")
    }

    /// Reads a line that begins with none of our commands; nil if it is no such line.
    init?(_ typed: [String]) {
        let options = typed.filter { $0.hasPrefix("--") && $0 != "--" }
        let hasSetting = typed.contains(where: Self.isSetting)
        let typed = typed.filter { !$0.hasPrefix("--") && !Self.isSetting($0) || $0 == "--" }
        guard let place = typed.firstIndex(where: { !Self.isTarget($0) }) else {
            // Filters alone list already, numbers alone show.
            let isNamed = !typed.isEmpty && typed.allSatisfy(ToDoName.isNumberOrLast)
            guard isNamed || hasSetting || Self.plain(typed) != typed else { return nil }
            self.init(reading: [isNamed ? "show" : "list"], typed, options)
            return
        }
        let name = typed[place]
        let targets = Array(typed[..<place])
        let rest = Array(typed[(place + 1)...])
        if let meaning = ForeignCommand.meanings[name] {
            self.init(meaning, name, targets, rest, options)
        } else if targets.isEmpty, !hasSetting {
            return nil
        } else if targets.contains(where: Self.isBeginning),
            ToDoView(rawValue: name) != nil || name == "list"
        {
            // No filter of ours takes the beginning of a name.
            self.init(words: ["list", "--by", "project"], onlyReads: false)
        } else if ForeignCommand.reading.contains(name) || ToDoView(rawValue: name) != nil {
            self.init(reading: [name], targets + rest, options)
        } else if ForeignCommand.changing.contains(name) {
            self.init(words: [name] + Self.plain(targets) + rest + options, onlyReads: false)
        } else if ForeignCommand.editing.contains(name) {
            self.init(
                words: [name] + Self.oneName(targets) + rest + options, onlyReads: false)
        } else if name == StopCommand.name {
            self.init(words: [name] + options, onlyReads: false)
        } else {
            return nil
        }
    }

    private init(words: [String], onlyReads: Bool) {
        self.words = words
        self.onlyReads = onlyReads
    }

    private init(
        _ meaning: ForeignCommand.Meaning, _ name: String, _ targets: [String], _ rest: [String],
        _ options: [String]
    ) {
        switch meaning.form {
        case .list: self.init(reading: meaning.line, targets + rest, options)
        case .alone: self.init(words: meaning.line, onlyReads: false)
        case .new: self.init(words: meaning.line + targets + rest + options, onlyReads: false)
        case .copy:
            let words = ForeignOptions.tail([name] + targets + rest)
            self.init(
                words: Self.copy(words, options).map { meaning.line + $0 }
                    ?? ["help"] + meaning.line, onlyReads: false)
        case .change:
            // Words behind it that name to-dos stand where ours has them.
            let named =
                targets.isEmpty ? Array(rest.prefix { ToDoName.isNumberOrLast($0) }) : targets
            var changes = targets.isEmpty ? Array(rest.dropFirst(named.count)) : rest
            if name == "denotate", !changes.isEmpty {
                changes = ["/\(changes.joined(separator: " "))//"]
            }
            if named.isEmpty, changes.first.map(ToDoFilter.isTerm) ?? true {
                // Nobody is to change all to-dos by a word that is missing.
                self.init(words: ["help"] + meaning.line, onlyReads: false)
            } else if meaning.line == ["edit"] {
                self.init(
                    words: meaning.line + Self.oneName(named) + changes + options, onlyReads: false)
            } else {
                self.init(
                    words: meaning.line + Self.plain(named) + changes + options, onlyReads: false)
            }
        }
    }

    /// A line that lists what a filter takes; to-dos that are named by numbers are shown.
    private init(reading line: [String], _ words: [String], _ options: [String]) {
        let words = Self.plain(words)
        let names = words.filter { ToDoName.isNumberOrLast($0) }
        let isShow = line.first == ShowCommand.name || !names.isEmpty
        guard isShow else {
            self.init(words: line + words + options, onlyReads: true)
            return
        }
        let isForPrograms = line.first == ExportCommand.name || line.contains("--json")
        self.init(
            words: names.isEmpty
                ? ["list"] + words + options
                : ["show"] + names + (isForPrograms ? ["--json"] : []) + options,
            onlyReads: true)
    }

    /// The words that make a to-do like the one that is named, with what is other.
    private static func copy(_ words: [String], _ options: [String]) -> [String]? {
        guard let number = words.first(where: ToDoName.isNumberOrLast),
            let context = try? CommandContext.openToRead(
                Arguments(options, of: ShowCommand.self, in: Tandem.self)),
            let found = try? context.findAlive([number]), found.count == 1
        else { return nil }
        let item = ToDoMapping.item(found[0])
        var made = [item.title]
        for field in ToDoForm(item, zone: context.zone).fields where !field.text.isEmpty {
            if field.key != "title", field.key != "status" {
                made.append("\(field.key):\(field.text)")
            }
        }
        if !item.notes.isEmpty { made.append("notes:" + item.notes) }
        let others = words.filter { $0 != number }
        let keys = others.compactMap { word in
            word.firstIndex(of: ":").map { String(word[...$0]) }
        }
        let kept = made.filter { word in !keys.contains { word.hasPrefix($0) } }
        // Words behind notes would be a part of these.
        let isNotes = { (word: String) in word.hasPrefix("notes:") }
        return kept.filter { !isNotes($0) } + others + kept.filter(isNotes)
    }

    // MARK: Words

    /// Whether a word in front of a command chooses to-dos.
    private static func isTarget(_ word: String) -> Bool {
        ToDoName.isNumberOrLast(word) || pattern(word) != nil || word.hasPrefix("limit:")
            || ["or", "and", "not"].contains(word)
            || ToDoFilter.isTerm(word) || word.contains("( ")
    }

    /// A setting of another program for one line: `rc.NAME:VALUE`.
    private static func isSetting(_ word: String) -> Bool {
        word.hasPrefix("rc.") || word.hasPrefix("rc:")
    }

    /// Whether a word asks how a name begins.
    private static func isBeginning(_ word: String) -> Bool {
        word.hasPrefix("project.startswith:") || word.hasPrefix("project.left:")
    }

    /// The text of `/text/`.
    private static func pattern(_ word: String) -> String? {
        guard word.count > 2, word.first == "/", word.last == "/" else { return nil }
        let text = word.dropFirst().dropLast()
        return text.contains("/") ? nil : String(text)
    }

    /// The words of a filter as ours are written.
    private static func plain(_ words: [String]) -> [String] {
        words.flatMap { word -> [String] in
            if word == "and" { return [] }
            if let text = pattern(word) { return [text] }
            guard let colon = word.firstIndex(of: ":"), let dot = word[..<colon].firstIndex(of: ".")
            else { return [word] }
            let key = String(word[..<dot])
            let value = String(word[word.index(after: colon)...])
            switch word[word.index(after: dot)..<colon] {
            case "has", "contains", "word":
                return ["description", "title"].contains(key) ? [value] : ["\(key):\(value)"]
            case "is", "equals": return ["\(key):\(value)"]
            case "not", "isnt": return ["not", "\(key):\(value)"]
            case "none": return ["\(key):"]
            case "any": return ["not", "\(key):"]
            case "under": return ["\(key).before:\(value)"]
            case "over": return ["\(key).after:\(value)"]
            default: return [word]
            }
        }.reduce(into: []) { words, word in
            // A limit is an option here.
            words += word.hasPrefix("limit:") ? ["--limit=" + word.dropFirst(6)] : [word]
        }
    }

    /// The words that name to-dos as the one that an edit takes.
    private static func oneName(_ words: [String]) -> [String] {
        let words = plain(words)
        if words.count < 2 { return words }
        if words.allSatisfy(ToDoName.isNumberOrLast) { return [words.joined(separator: ",")] }
        return ["--where", words.joined(separator: " ")]
    }
}

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
    private static let general: Set<String> = [
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
        let line: [String]?
        switch name {
        case "new", "create":
            let described = tail(rest)
            line = (described.isEmpty ? ["help", "add"] : ["add"]) + described
        case "show" where rest.count == 1: line = ["config"]
        case "edit": line = ["edit"] + tail(rest)
        case "copy" where namesList(rest):
            line = ForeignLine([name] + tail(rest))?.words
        case "move": line = namesList(rest) ? moved(rest) : nil
        case "list": line = listed(rest)
        case "context": line = context(rest)
        case "config" where rest.count == 3 && rest[2].isEmpty:
            line = ["config", rest[1], "--unset"]
        case "calendar": line = calendar(rest)
        case "sync" where rest == ["sync", "init"]: line = ["sync"]
        default: line = nil
        }
        guard !early.isEmpty || line.map({ $0 != rest }) ?? false else { return }
        words = (line ?? rest) + words
        throw ForeignLine.refusal(words)
    }

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

    /// What stands behind the command, with keys in place of options.
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
        var sort: String?
        while let word = rest.popFirst() {
            let (name, joined) = parts(word)
            if needless.contains(name), name != "-i", name != "-r", name != "-h" { continue }
            if let others = self.words[name] {
                words += others
                continue
            }
            guard
                [
                    "--location", "--category", "--grep", "--sort", "--due", "--priority",
                    "--start", "--status", "-s",
                ].contains(name), let value = joined ?? rest.first,
                name != "-s" || statuses[value.uppercased()] != nil
            else {
                words.append(word)
                continue
            }
            if joined == nil { rest.removeFirst() }
            switch name {
            case "--category": words.append("+" + value)
            case "--grep": words.append(value)
            case "--sort": sort = value
            case "--due": words.append("due.before:\(value)h")
            case "--status", "-s": words += statuses[value.uppercased()] ?? ["status:" + value]
            case "--start": words.append("start.\(value):\(rest.popFirst() ?? "today")")
            default: words.append("\(name.dropFirst(2)):\(value)")
            }
        }
        return sort.map { ["save", "sorted", "sort:" + $0] + words } ?? ["list"] + words
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

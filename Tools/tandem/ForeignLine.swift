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
        // Words to look for may begin with such a name, too.
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
        guard let index = typed.firstIndex(where: { !Self.isTarget($0) }) else {
            // Filters alone list already, numbers alone show.
            let isNamed = !typed.isEmpty && typed.allSatisfy(ToDoName.isNumberOrLast)
            guard isNamed || hasSetting || Self.plain(typed) != typed else { return nil }
            self.init(reading: [isNamed ? "show" : "list"], typed, options)
            return
        }
        let name = typed[index]
        let targets = Array(typed[..<index])
        let rest = Array(typed[(index + 1)...])
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

import Terminal
import ToDo

/// A line as it is typed in another program: the filter in front of the command, or a command of another name.
struct ForeignLine {
    /// The lines of ours, one after another.
    let lines: [[String]]
    /// Whether it only lists, so that it may run at once.
    let onlyReads: Bool
    /// The parts of a to-do that is copied which stand in no line.
    private var leftOut: [String] = []
    /// Why none of the lines does what was meant; nil if they do.
    private var refused: CommandFailure?

    /// The first line of ours.
    var words: [String] { lines[0] }

    /// The refusal of what was typed, which says what to type instead.
    func refusal(of typed: [String]) -> CommandFailure {
        if let refused { return refused }
        // Words to look for may begin with such a name, too.
        let isSearch =
            Self.withRange(typed) == typed
            && !typed.contains { Self.isName($0) || ForeignFilter.isForeign($0) }
        let refusal = Self.refusal(lines, search: isSearch ? typed : nil)
        if leftOut.isEmpty { return refusal }
        let names = leftOut.map(\.shownInLine).joined(separator: ", ")
        return CommandFailure(
            refusal.code, "\(refusal.message)\nleft out, as no line takes it: \(names)")
    }

    /// A refusal with the lines to type, and the one that looks for the words.
    static func refusal(_ lines: [[String]], search: [String]? = nil) -> CommandFailure {
        let other = search.map { "\nto look for these words: " + Self.advised(["list"] + $0) }
        let commands = lines.map(advised).joined(separator: " && ")
        return CommandFailure(.usage, "for that, run: \(commands)\(other ?? "")")
    }

    /// The line that was meant with words to look for in front of a command; nil if there is none.
    static func search(_ words: [String]) -> String? {
        guard words.count > 1, let name = words.last else { return nil }
        if let index = words.indices.dropFirst().first(where: { index in
            ForeignCommand.behindWords[words[index]] != nil
        }), index < words.index(before: words.endIndex),
            let command = ForeignCommand.behindWords[words[index]]
        {
            return line(
                [command] + ForeignChange.oneName(Array(words[..<index])) + words[(index + 1)...])
        }
        let isOurs =
            name == ListCommand.name || ToDoView(rawValue: name) != nil
            || ForeignCommand.changing.contains(name)
        let start: [String]? = isOurs ? [name] : ForeignCommand.meanings[name]?.line
        return start.map { line($0 + ForeignFilter(Array(words.dropLast())).words) }
    }

    /// A line to type, in the store of the line that was typed: its options say which, if it goes on with them.
    static func advised(_ words: [String]) -> String {
        let options = ForeignOptions.parted(words, values: ["store"]).options
        let program =
            ForeignOptions.store(in: options).isEmpty ? AdvisedLine.program : Tandem.name
        return "\(program) \(line(words))"
    }

    static func line(_ words: [String]) -> String {
        words.map { SavedViewWords.words(ofFilter: [$0]).shownInLine }.joined(separator: " ")
    }

    /// Reads a line that begins with none of our commands; nil if it is no such line.
    init?(_ typed: [String]) {
        if typed.contains(Self.value) {
            self.init(words: Self.shown(typed.filter { $0 != Self.value }), onlyReads: false)
            return
        }
        let (words, given) = ForeignOptions.parted(
            Self.withRange(typed), values: ForeignOptions.valueNames)
        let options = given.flatMap(\.self)
        let store = ForeignOptions.store(in: given)
        let hasSetting = words.contains(where: Self.isSetting)
        let typed = words.filter { !Self.isSetting($0) }
        guard let index = typed.firstIndex(where: { !Self.isTarget($0) }) else {
            // Filters alone list already, numbers alone show.
            let isNamed = !typed.isEmpty && typed.allSatisfy(Self.isName)
            let named = typed.prefix(while: Self.isName)
            guard isNamed || hasSetting || ForeignFilter(typed).words != typed else {
                if named.isEmpty { return nil }
                // What stands behind a number is to be changed: a filter takes no numbers.
                self.init(
                    words: ["edit"] + ForeignChange.oneName(Array(named))
                        + typed.dropFirst(named.count) + options, onlyReads: false)
                return
            }
            self.init(reading: [isNamed ? "show" : "list"], typed, options)
            return
        }
        let targets = Array(typed[..<index])
        let rest = Array(typed[(index + 1)...])
        // The beginning of a command in front of a number is hardly a word to look for.
        let isBegun =
            targets.isEmpty && typed[index].count >= Self.beginningCountMin
            && rest.first.map(Self.isName) ?? false
        var name = targets.isEmpty && !isBegun ? typed[index] : Self.whole(typed[index])
        if name == "_unique", rest.contains("tags") { name = "tags" }
        if let meaning = ForeignCommand.meanings[name] {
            self.init(meaning, name, targets, rest, options, store)
        } else if isBegun, name != typed[index] {
            self.init(words: [name] + rest + options, onlyReads: false)
        } else if targets.isEmpty, !hasSetting {
            return nil
        } else if ForeignCommand.reading.contains(name) || ToDoView(rawValue: name) != nil {
            self.init(reading: [name], targets + rest, options)
        } else if ForeignCommand.changing.contains(name) || name == StopCommand.name {
            let change = ForeignChange(name, targets, rest, store: store)
            self.init(lines: change.lines.map { $0 + options }, onlyReads: false)
            refused = change.refusal
        } else if ForeignCommand.editing.contains(name) {
            self.init(
                words: [name] + ForeignChange.oneName(targets, store: store) + rest + options,
                onlyReads: false)
        } else if ForeignCommand.naming.contains(name), targets.allSatisfy(Self.isName) {
            let directions = ["top", "bottom", "before", "after"]
            let words = rest.map {
                name == MoveCommand.name && directions.contains($0) ? "--\($0)" : $0
            }
            self.init(words: [name] + targets + words + options, onlyReads: false)
        } else if targets.isEmpty, Tandem.command(name) != nil {
            // A setting of another program stood in front of a line of ours.
            self.init(words: typed + options, onlyReads: false)
        } else {
            return nil
        }
    }

    private init(words: [String], onlyReads: Bool) {
        self.init(lines: [words], onlyReads: onlyReads)
    }

    private init(lines: [[String]], onlyReads: Bool) {
        self.lines = lines
        self.onlyReads = onlyReads
    }

    private init(
        _ meaning: ForeignCommand.Meaning, _ name: String, _ targets: [String], _ rest: [String],
        _ options: [String], _ store: [String]
    ) {
        switch meaning.form {
        case .list: self.init(reading: meaning.line, targets + rest, options)
        case .alone: self.init(words: meaning.line, onlyReads: false)
        case .new: self.init(words: meaning.line + targets + rest + options, onlyReads: false)
        case .copy:
            let words = ForeignOptions.tail([name] + targets + rest)
            let copy = CopiedToDo(words, targets, store)
            self.init(
                words: copy.map { meaning.line + store + $0.words } ?? ["help"] + meaning.line,
                onlyReads: false)
            leftOut = copy?.leftOut ?? []
        case .change:
            // Words behind it that name to-dos stand where ours has them.
            let named = targets.isEmpty ? Array(rest.prefix(while: Self.isName)) : targets
            let typed = targets.isEmpty ? Array(rest.dropFirst(named.count)) : rest
            let changes = named.isEmpty ? typed : ForeignCommand.changes(of: name, typed)
            let isNameless = changes.first.map(ToDoFilter.isTerm) ?? true
            if named.isEmpty, isNameless || ForeignCommand.valued.contains(name) {
                // Nobody is to change all to-dos by a word that is missing.
                self.init(words: ["help"] + meaning.line, onlyReads: false)
            } else if let command = meaning.line.first, ForeignCommand.editing.contains(command) {
                self.init(
                    words: meaning.line + ForeignChange.oneName(named, store: store) + changes
                        + options,
                    onlyReads: false)
            } else {
                let change = ForeignChange(meaning.line[0], named, changes, store: store)
                self.init(lines: change.lines.map { $0 + options }, onlyReads: false)
            }
        }
    }

    /// A line that lists what a filter takes; to-dos that are named by numbers are shown.
    private init(reading line: [String], _ typed: [String], _ options: [String]) {
        let filter = ForeignFilter(typed)
        if let other = filter.command {
            self.init(words: other + options, onlyReads: false)
            return
        }
        let names = filter.words.filter(Self.isName)
        if names.isEmpty, line.first != ShowCommand.name {
            self.init(words: line + filter.words + options, onlyReads: filter.isExact)
            return
        }
        let isForPrograms = line.first == ExportCommand.name || line.contains("--json")
        self.init(
            words: names.isEmpty
                ? ["list"] + filter.words + options
                : ["show"] + names + (isForPrograms ? ["--json"] : []) + options,
            onlyReads: filter.isExact)
    }

    /// A range at the beginning that is written in another way, as `1..3` or `1 to 3`, as ours.
    private static func withRange(_ typed: [String]) -> [String] {
        for count in [3, 1] where typed.count > count {
            if let range = ToDoName.rangeMeant(by: Array(typed.prefix(count))) {
                return ["\(range.lowerBound)-\(range.upperBound)"] + typed.dropFirst(count)
            }
        }
        return typed
    }

    // MARK: Values

    /// The command of another program that prints single values.
    private static let value = "_get"

    /// The line that shows what values of another program stand for: `3.due`, `rc.NAME`, `tw.version`.
    private static func shown(_ values: [String]) -> [String] {
        let values = values.filter { $0 != "--" }
        let names = values.map { $0.prefix { $0 != "." } }.map { String($0) }
        let todos = names.filter(isName)
        if !todos.isEmpty { return ["show"] + todos + ["--json"] }
        switch names.first {
        case "rc"?: return ["config"]
        case "tw"? where values.contains { $0.hasPrefix("tw.sync") }: return ["status"]
        case "tw"?, "system"?, "context"?: return ["version"]
        default: return ["list", "--json"]
        }
    }

    // MARK: Words

    /// Whether a word names to-dos: a number, several, `last`, or a whole id.
    static func isName(_ word: String) -> Bool {
        if ToDoName.isNumberOrLast(word) { return true }
        guard case .digits(let digits, _)? = ToDoName.read([word]).first else { return false }
        return digits.utf8.count == idDigitCount
    }

    /// The digits of a whole id.
    private static let idDigitCount = 32

    /// The fewest letters by which the beginning of a command is known in front of a number.
    private static let beginningCountMin = 3

    /// Whether a word in front of a command chooses to-dos.
    private static func isTarget(_ word: String) -> Bool {
        isName(word) || ForeignFilter.isTerm(word)
    }

    /// A setting of another program for one line: `rc.NAME:VALUE`, `rc.NAME=VALUE` or `rc:FILE`.
    static func isSetting(_ word: String) -> Bool {
        word.hasPrefix("rc:") || word.hasPrefix("rc.") && word.contains { ":=".contains($0) }
    }

    /// The command that a name behind a filter is the beginning of, if it is that of one alone.
    private static func whole(_ name: String) -> String {
        let known =
            Set(ForeignCommand.meanings.keys).union(ForeignCommand.reading)
            .union(ForeignCommand.changing).union(ForeignCommand.editing)
        if known.contains(name) || ToDoView(rawValue: name) != nil { return name }
        let found = known.filter { $0.hasPrefix(name) }
        let meanings = Set(found.map { ForeignCommand.meanings[$0]?.line ?? [$0] })
        return meanings.count == 1 ? found.min() ?? name : name
    }
}

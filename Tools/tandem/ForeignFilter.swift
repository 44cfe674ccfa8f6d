import Terminal
import ToDo

/// The words of a filter as another program has them, in words of ours.
struct ForeignFilter {
    /// The words of ours.
    private(set) var words: [String] = []
    /// Whether ours choose the same to-dos: no filter here asks where a text begins or ends, or for whole words.
    private(set) var isExact = true
    /// The command that shows what no filter of ours can ask for; nil if the words do.
    private(set) var command: [String]?

    init(_ typed: [String]) {
        // Words of their own are an expression as well, where one of them joins others as no word of ours does.
        let isExpression = typed.contains(Self.either)
        for word in isExpression ? ["( \(typed.joined(separator: " ")) )"] : typed { add(word) }
        // A limit is an option here.
        words = words.map { $0.hasPrefix(Self.limit) ? "--limit=" + $0.dropFirst(6) : $0 }
    }

    /// Whether the words ask for what is in the trash.
    var isOfTrash: Bool { command == [TrashCommand.name] }

    /// Whether the words ask for the to-do that was added last.
    var isOfNewest: Bool { command == Self.newest }

    private static let newest = ["save", "newest", "sort:-created"]

    /// Whether a word is one that no search of ours begins with: an expression, or a tag that means something elsewhere.
    static func isForeign(_ word: String) -> Bool {
        isExpression(word) || tag(word).map { tags[$0.name] != nil } ?? false
    }

    /// Whether a word in front of a command chooses to-dos.
    static func isTerm(_ word: String) -> Bool {
        pattern(word) != nil || word.hasPrefix(limit)
            || ["or", "and", "not", "!", either].contains(word) || ToDoFilter.isTerm(word)
            || isExpression(word)
    }

    /// The key of a number of rows.
    static let limit = "limit:"

    /// Whether a word says how many rows are shown.
    static func isLimit(_ word: String) -> Bool {
        let count = word.dropFirst(limit.count)
        return word.hasPrefix(limit) && !count.isEmpty && count.allSatisfy(\.isNumber)
    }

    /// One of two, and not both.
    static let either = "xor"
    /// The number of rows where another program fills a screen.
    private static let pageLimit = "25"

    // MARK: Words

    private mutating func add(_ word: String) {
        if Self.isExpression(word) {
            var expression = ForeignExpression(word)
            guard let found = expression.read() else { return tell(["help", "list"]) }
            for part in found { add(part) }
        } else if word == "and" {
            return
        } else if word == "!" {
            words.append("not")
        } else if let text = Self.pattern(word) {
            add(pattern: text)
        } else if word == Self.limit + "page" {
            words.append(Self.limit + Self.pageLimit)
        } else if let (sign, name) = Self.tag(word), let meaning = Self.tags[name] {
            add(meaning, sign: sign)
        } else if let colon = word.firstIndex(of: ":") {
            add(word, key: word[..<colon], value: String(word[word.index(after: colon)...]))
        } else {
            words.append(word)
        }
    }

    private mutating func add(_ word: String, key: Substring, value: String) {
        let parts = key.split(separator: ".", maxSplits: 1)
        guard let name = parts.first.map({ String($0) }) else { return words.append(word) }
        // Nothing counts how urgent a to-do is; lists have the most urgent first.
        if ["urgency", "urg"].contains(name) { return tell(["list", "--by", "urgency"]) }
        guard parts.count == 2 else { return words.append(word) }
        let isTitle = ["description", "title"].contains(name)
        let text = isTitle ? value : "\(name):\(value)"
        switch parts[1] {
        case "has", "contains": words.append(text)
        case "hasnt": words += ["not", text]
        case "word", "startswith", "left", "endswith", "right":
            isExact = false
            // No filter of ours takes a part of the name of a project.
            if name == "project" { tell(["list", "--by", "project"]) } else { words.append(text) }
        case "noword":
            isExact = false
            words += ["not", text]
        case "is", "equals": words.append("\(name):\(value)")
        case "not", "isnt": words += ["not", "\(name):\(value)"]
        case "none": words.append("\(name):")
        case "any": words += ["not", "\(name):"]
        case "before", "under", "below", "after", "over", "above", "by":
            order(name, String(parts[1]), value)
        default: words.append(word)
        }
    }

    private mutating func order(_ name: String, _ modifier: String, _ value: String) {
        let isBefore = ["before", "under", "below", "by"].contains(modifier)
        if ["priority", "pri"].contains(name) {
            words.append("\(name).\(isBefore ? "below" : "above"):\(value)")
        } else if name == "project" {
            isExact = false
            tell(["list", "--by", "project"])
        } else {
            words.append(
                "\(name).\(modifier == "by" ? "by" : isBefore ? "before" : "after"):\(value)")
        }
    }

    /// Another command tells it: the first that does counts.
    private mutating func tell(_ command: [String]) { self.command = self.command ?? command }

    // MARK: Tags

    /// The sign of a tag, and its name.
    private static func tag(_ word: String) -> (sign: Character, name: String)? {
        guard let sign = word.first, sign == "+" || sign == "-" else { return nil }
        return (sign, String(word.dropFirst()))
    }

    /// The meaning here of a tag that follows from a to-do there.
    private enum Meaning {
        /// The words of ours, which must all hold.
        case words([String])
        /// A command of ours.
        case command([String])
    }

    private static let tags: [String: Meaning] = [
        "ANNOTATED": .words(["not", "notes:"]), "PRIORITY": .words(["not", "priority:"]),
        "UNTIL": .words(["not", "until:"]),
        "MONTH": .words(["due.by:eom", "not", "due.before:som"]),
        "QUARTER": .words(["due.by:eoq", "not", "due.before:soq"]),
        "YEAR": .words(["due.by:eoy", "not", "due.before:soy"]),
        "INSTANCE": .words(["+REPEATING"]), "CHILD": .words(["+REPEATING"]),
        "TEMPLATE": .words(["+REPEATING"]), "PARENT": .words(["+REPEATING"]),
        "DELETED": .command(["trash"]), "LATEST": .command(newest),
        "UDA": .command(["export", "--format", "csv"]),
        "ORPHAN": .command(["export", "--format", "csv"]),
    ]

    private mutating func add(_ meaning: Meaning, sign: Character) {
        switch meaning {
        case .command(let line): tell(line)
        case .words(let meant):
            if meant == ["+REPEATING"] { isExact = false }
            if sign == "+" {
                words += meant
            } else if meant.count == 1 || meant.count == 2 && meant[0] == "not" {
                words += meant.count == 2 ? [meant[1]] : ["not"] + meant
            } else {
                words += ["not", "(" + meant.joined(separator: " ") + ")"]
            }
        }
    }

    // MARK: Patterns

    /// The text of `/text/`.
    private static func pattern(_ word: String) -> String? {
        guard word.count > 2, word.first == "/", word.last == "/" else { return nil }
        let text = word.dropFirst().dropLast()
        return text.contains("/") ? nil : String(text)
    }

    /// A pattern of plain texts, as `[Cc]at|[Dd]og`: case never matters here.
    private mutating func add(pattern: String) {
        let texts = pattern.split(separator: "|").map { Self.plain($0) }
        guard !texts.contains(nil) else { return tell(["help", "list"]) }
        let found = texts.compactMap { $0 }
        if found.count == 1 {
            words += found
        } else {
            words += ["("] + found.flatMap { ["or", $0] }.dropFirst() + [")"]
        }
    }

    /// The text that a pattern stands for; nil if it stands for more than one.
    private static func plain(_ pattern: Substring) -> String? {
        var text = ""
        var rest = pattern
        while let letter = rest.popFirst() {
            if letter == "[" {
                let letters = rest.prefix { $0 != "]" }
                guard let first = letters.first, letters.count < rest.count,
                    letters.allSatisfy({ $0.lowercased() == first.lowercased() })
                else { return nil }
                text.append(first)
                rest = rest.dropFirst(letters.count + 1)
            } else if ".*+?^$(){}\\".contains(letter) {
                return nil
            } else {
                text.append(letter)
            }
        }
        return text.isEmpty ? nil : text
    }

    /// Whether a word is an expression: several words in quotes, with signs or parentheses between them.
    private static func isExpression(_ word: String) -> Bool {
        word.contains(" ") && ForeignExpression.hasSign(word) && !word.contains(":\"")
    }
}

/// An expression of another program, as `( due < eom or priority != L )`, in words of a filter.
///
/// expression = part (("or" | "xor" | "and")? part)*; part = "!" part | "(" expression ")" | name sign value | word
struct ForeignExpression {
    private var rest: ArraySlice<String>

    init(_ text: String) {
        rest = text.split(separator: " ").flatMap(Self.parted)[...]
    }

    /// A word, with a parenthesis at its beginning or end by itself.
    private static func parted(_ word: Substring) -> [String] {
        if word.count < 2 { return [String(word)] }
        if word.first == "(" { return ["("] + parted(word.dropFirst()) }
        guard word.last == ")", !word.contains("(") else { return [String(word)] }
        return parted(word.dropLast()) + [")"]
    }

    /// Whether a text in quotes is an expression.
    static func hasSign(_ text: String) -> Bool {
        let words = text.split(separator: " ").map { String($0) }
        return words.contains { joints.contains($0) || signs.contains($0) }
    }

    private static let joints = ["(", ")", "!", "or", "and", ForeignFilter.either]
    private static let signs = ["<", "<=", "=", "==", "!=", "!==", ">=", ">", "~", "!~"]

    /// The words; nil if it is no such expression.
    mutating func read() -> [String]? {
        guard let words = parts(), rest.isEmpty else { return nil }
        return words
    }

    private mutating func parts() -> [String]? {
        guard var words = part() else { return nil }
        while let next = rest.first, next != ")" {
            if ["or", ForeignFilter.either, "and"].contains(next) { rest.removeFirst() }
            guard let other = part() else { return nil }
            switch next {
            case "or": words += ["or"] + other
            case ForeignFilter.either: words = Self.either(words, other)
            default: words += other
            }
        }
        return words
    }

    private static func either(_ one: [String], _ other: [String]) -> [String] {
        ["("] + one + ["not", "("] + other + [")", "or"] + other + ["not", "("] + one + [")", ")"]
    }

    private mutating func part() -> [String]? {
        guard let word = rest.popFirst() else { return nil }
        switch word {
        case "!", "not": return part().map { ["not", "("] + $0 + [")"] }
        case "(":
            guard let inside = parts(), rest.popFirst() == ")" else { return nil }
            return ["("] + inside + [")"]
        case ")": return nil
        default:
            guard let sign = rest.first, Self.signs.contains(sign) else { return [word] }
            rest.removeFirst()
            return rest.popFirst().flatMap { Self.compared(word, sign, $0) }
        }
    }

    private static func compared(_ name: String, _ sign: String, _ value: String) -> [String]? {
        switch sign {
        case "<": ["\(name).before:\(value)"]
        case "<=": ["\(name).by:\(value)"]
        case ">": ["\(name).after:\(value)"]
        case ">=": ["not", "\(name).before:\(value)"]
        case "=", "==": ["\(name).is:\(value)"]
        case "!=", "!==": ["not", "\(name).is:\(value)"]
        case "~": ["\(name).has:\(value)"]
        case "!~": ["not", "\(name).has:\(value)"]
        default: nil
        }
    }
}

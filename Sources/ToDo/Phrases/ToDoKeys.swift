/// A key before the colon in words such as `due:friday`.
enum ToDoKey: Equatable {
    case title
    case notes
    case project
    case location
    case people
    case tags
    case status
    case priority
    case date(ToDoDateAttribute)
    case repeats
    case exceptions
    case reminders
    case parent
    case depends
    /// A field the user added: `x.name`.
    case custom(String)

    /// Every spelling of the keys with a fixed name.
    static let names: [(name: String, key: ToDoKey)] = [
        ("title", .title), ("description", .title), ("notes", .notes), ("note", .notes),
        ("project", .project), ("location", .location), ("people", .people),
        ("person", .people), ("tags", .tags), ("tag", .tags), ("status", .status),
        ("priority", .priority), ("pri", .priority), ("due", .date(.due)),
        ("scheduled", .date(.scheduled)), ("wait", .date(.wait)), ("until", .date(.until)),
        ("start", .date(.start)), ("finish", .date(.finish)), ("completed", .date(.completed)),
        ("end", .date(.completed)), ("created", .date(.created)), ("entry", .date(.created)),
        ("modified", .date(.modified)), ("repeat", .repeats), ("recur", .repeats),
        ("every", .repeats), ("except", .exceptions), ("remind", .reminders),
        ("reminder", .reminders),
        ("alarm", .reminders), ("parent", .parent), ("depends", .depends),
    ]

    /// Short forms of keys and their todo.txt names, where these mean the same here; never
    /// suggested.
    private static let abbreviations: [(name: String, key: ToDoKey)] = [
        ("proj", .project), ("pro", .project), ("prj", .project), ("prio", .priority),
        ("sched", .date(.scheduled)), ("sch", .date(.scheduled)), ("t", .date(.wait)),
        ("loc", .location), ("dep", .depends), ("deps", .depends),
    ]

    static func named(_ name: Substring, orAbbreviated: Bool = false) -> ToDoKey? {
        if let whole = names.first(where: { $0.name == name }) { return whole.key }
        return orAbbreviated ? abbreviations.first { $0.name == name }?.key : nil
    }
}

/// The keys that may stand before a colon, for completion.
package enum ToDoWordKeys {
    /// The text behind the colon.
    package enum Meaning: Sendable {
        case project
        case location
        case people
        case tags
        case priority
        case status
        case date
        /// How a to-do comes again.
        case rule
        /// When a to-do is brought to mind.
        case reminders
        /// Another to-do.
        case todo
        /// Any text.
        case text
    }

    /// The text behind a key; any text if it is none.
    package static func meaning(of name: String) -> Meaning {
        switch ToDoKey.named(name[...]) {
        case .project?: .project
        case .location?: .location
        case .people?: .people
        case .tags?: .tags
        case .priority?: .priority
        case .status?: .status
        case .date?, .exceptions?: .date
        case .repeats?: .rule
        case .reminders?: .reminders
        case .parent?, .depends?: .todo
        case .title?, .notes?, .custom?, nil: .text
        }
    }

    /// One name for each key, in the order of the help.
    ///
    /// - Parameter forFilters: whether they choose among to-dos; the others give values to one.
    package static func names(forFilters: Bool) -> [String] {
        let both = [
            "due", "scheduled", "wait", "until", "start", "finish", "project", "priority", "notes",
            "location", "people", "tags", "status", "depends",
        ]
        return both
            + (forFilters
                ? ["title", "completed", "created", "modified"]
                : ["repeat", "except", "remind", "parent"])
    }
}

/// Keys of other programs that mean nothing here, or not the same: refused with what to write instead.
enum ForeignKey {
    private static let hints: [(names: [String], hint: String)] = [
        (
            ["blocks", "blocking"],
            "the other one takes it: depends:3 lets it wait for 3"
        ),
        (
            ["rec"],
            "write repeat:1w to count from when it was due, repeat:1w! from when it was done"
        ),
        (["desc"], "write title: or notes:"),
        (["annotation", "annotate"], "write notes:"),
        (["deadline"], "write due:"),
        (
            ["threshold", "defer", "snooze"],
            "write wait: for the day until which it is out of sight"
        ),
    ]

    /// The word to write instead of a key and its value; nil if no other program has it.
    static func hint(for name: String, _ value: String) -> String? {
        if name == "rec", let hint = repetition(value) { return hint }
        return hints.first { $0.names.contains(name) }?.hint
    }

    /// The word to write instead of todo.txt's key of a repetition, whose value may begin with a plus sign; nil for a value
    /// that says none.
    private static func repetition(_ value: String) -> String? {
        let rule = String(value.first == "+" ? value.dropFirst() : value[...])
        guard Repetition(text: rule) != nil else { return nil }
        if rule.last != "!", rule.first?.isNumber == true {
            return
                "write repeat:\(rule) to count from when it was due, repeat:\(rule)! from when it was done"
        }
        return "write repeat:\(rule.shellQuoted)"
    }
}

/// A word taken apart at its first colon: `due.before:friday`.
struct KeyedWord: Equatable {
    var key: ToDoKey
    /// The key as it was written, without modifier.
    var name: String
    var modifier: String?
    var value: String
    /// The sign that stands before the colon.
    var change: Change?

    /// The effect on what is there already, where a key has a sign behind it.
    enum Change {
        /// `notes+:`, `depends+:`, `except+:`: the value comes to it.
        case addition
        /// `notes-:`, `depends-:`, `except-:`: the value is taken from it.
        case removal
    }

    /// Nil if the word is plain text: `12:30`, `http://x`, `Note:`, `what:ever`.
    ///
    /// Keys are lower case; in another case, and abbreviated, they are known only if something stands right behind
    /// the colon, so that `Note:`, `Note: call` and `pro: and contra:` stay what they are.
    ///
    /// - Throws: `misspeltKey` if the part before the colon is nearly a key, `foreignKey` if other programs have it.
    init?(_ word: String) throws(ToDoWordsError) {
        guard let colon = word.firstIndex(of: ":") else { return nil }
        value = String(word[word.index(after: colon)...])
        guard !value.hasPrefix("//") else { return nil }
        let parts = word[..<colon].split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard var first = parts.first else { return nil }
        if parts.count == 1, let found = Self.change(first) {
            first = first.dropLast()
            change = found
        } else if parts.count == 1, let sign = first.last, sign == "+" || sign == "-",
            let key = ToDoKey.named(first.dropLast()), !(value.first?.isWhitespace ?? true)
        {
            throw .foreignKey(
                String(first), hint: Self.instead(of: sign, of: key, first.dropLast(), value))
        }
        guard Self.isName(first) else { return nil }
        name = String(first)
        let plainName = name.lowercased()
        let isInOtherCase = name != plainName
        if isInOtherCase, value.first?.isWhitespace ?? true { return nil }
        if plainName == "x", parts.count == 2 {
            let custom = String(parts[1])
            guard !custom.isEmpty, !custom.contains(where: { $0.isWhitespace }) else {
                return nil
            }
            modifier = nil
            key = .custom(custom)
            return
        }
        modifier = parts.count == 2 ? parts[1].lowercased() : nil
        if let modifier, !Self.isName(modifier[...]) { return nil }
        let isFollowed = !(value.first?.isWhitespace ?? true)
        guard let known = ToDoKey.named(plainName[...], orAbbreviated: isFollowed) else {
            if ToDoKey.named(plainName[...], orAbbreviated: true) != nil { return nil }
            if let hint = ForeignKey.hint(for: plainName, value) {
                if isFollowed { throw .foreignKey(name, hint: hint) }
                return nil
            }
            let names = ToDoKey.names.map(\.name)
            if let suggestion = Spelling.suggestion(for: plainName, among: names) {
                throw .misspeltKey(name, suggestion: suggestion)
            }
            return nil
        }
        name = plainName
        key = known
    }

    /// The sign at the end of a key that takes it.
    private static func change(_ name: Substring) -> Change? {
        let key = ToDoKey.named(name.dropLast(), orAbbreviated: true)
        return switch (name.last, key) {
        case ("+", .notes), ("+", .depends), ("+", .exceptions): .addition
        case ("-", .notes), ("-", .depends), ("-", .exceptions): .removal
        default: nil
        }
    }

    /// The advice for a key that takes no sign.
    private static func instead(
        of sign: Character, of key: ToDoKey, _ name: Substring, _ value: String
    ) -> String {
        key == .tags
            ? "write \(sign)\(value)"
            : "a sign goes with notes, depends and except; to set it: \(name):\(value)"
    }

    /// The text before the colon of a word that has the form of a key and a value.
    static func unknownKey(in word: String) -> String? {
        guard let colon = word.firstIndex(of: ":"), isName(word[..<colon]) else { return nil }
        let value = word[word.index(after: colon)...]
        if value.isEmpty || value.hasPrefix("//") || value.first?.isWhitespace ?? false {
            return nil
        }
        return String(word[..<colon])
    }

    /// Why a word that is the whole of a new title is refused; nil if it is not.
    static func refusal(asTitle word: String) -> ToDoWordsError? {
        if word.contains(where: \.isWhitespace) { return nil }
        if let key = unknownKey(in: word) { return .unknownKey(key) }
        guard word.last == ":", isName(word.dropLast()) else { return nil }
        let name = word.dropLast().lowercased()
        guard let key = ToDoKey.named(name[...], orAbbreviated: true) else { return nil }
        let isWhole = ToDoKey.named(name[...]) != nil
        let whole = isWhole ? name : ToDoKey.names.first { $0.key == key }?.name ?? name
        return .misspeltKey(String(word.dropLast()), suggestion: whole)
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (97...122).contains($0) || (65...90).contains($0) }
    }
}

extension KeyedWord {
    /// Words that say that there is no value.
    private static let wordsForNone: Set<String> = [
        "none", "never", "null", "nil", "nothing", "clear", "remove", "unset", "off",
    ]

    /// Refuses a word that says that there is no value, as a key without one says that.
    func refuseWordForNone() throws(ToDoWordsError) {
        guard Self.wordsForNone.contains(value.lowercased()) else { return }
        throw .badValue(
            key: name, value: value, hint: "\(name): with nothing behind it clears the field")
    }

    /// The value of a date key.
    func moment(_ context: DatePhraseContext) throws(ToDoWordsError) -> Moment {
        do throws(DatePhraseError) {
            return try DatePhrase.parse(
                value, now: context.now, zone: context.zone, weekStart: context.weekStart,
                dateOrder: context.dateOrder)
        } catch {
            throw .badDate(key: name, error.quoted(behind: name))
        }
    }

    /// Whether the value holds a blank, so that a shell had it in quotes.
    var isQuoted: Bool { value.contains(where: \.isWhitespace) }

    /// The key as it was written: `x.size`.
    var writtenName: String {
        if case .custom(let custom) = key { "\(name).\(custom)" } else { name }
    }

    /// Whether a plain word behind it may have been meant as a part of the value.
    ///
    /// Not so if either of them was quoted, as their ends were said then; but any may have been meant as the
    /// value where none stands.
    func mayGoOn(with word: String) -> Bool {
        if value.isEmpty { return true }
        switch key {
        case .title, .notes, .project, .location, .people, .tags, .repeats, .custom:
            return !isQuoted && !word.contains(where: \.isWhitespace)
        // Words of a title have blanks between them, numbers have not.
        case .depends, .parent:
            return !ToDoName.isNumberOrLast(value) && !isQuoted
                && !word.contains(where: \.isWhitespace)
        case .status, .priority, .date, .exceptions, .reminders: return false
        }
    }

    /// Whether a word behind the key of a repetition may say where the series ends.
    func mayEnd(with word: String) -> Bool {
        guard key == .repeats, !isQuoted else { return false }
        return ["until", "till", "ending", "for"].contains(word.lowercased())
            || word.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether a date that the value gave is the last day of a month because the words say so.
    func namesMonthEnd(_ moment: Moment, _ context: DatePhraseContext) -> Bool {
        let words = value.lowercased().split { $0.isWhitespace || $0 == "," }
        let isNamed =
            words.contains { ["eom", "eonm", "eoq", "eonq", "eoy", "eony"].contains($0) }
            || words.first == "end" && words.contains { ["month", "quarter", "year"].contains($0) }
        let date = CivilDate(day: moment.day(in: context.zone))
        return isNamed && date == date.endOfMonth()
    }

    /// The value of a priority key.
    func priority() throws(ToDoWordsError) -> ToDoPriority {
        guard let priority = ToDoPriority(word: value) else {
            throw .badValue(key: name, value: value, hint: "use none, low, medium or high")
        }
        return priority
    }

    /// The value of a status key.
    func status() throws(ToDoWordsError) -> ToDoStatus {
        switch value.lowercased() {
        case "pending", "open": return .pending
        case "completed", "done": return .completed
        case "cancelled", "canceled", "deleted": return .cancelled
        default:
            throw .badValue(
                key: name, value: value, hint: "use pending, completed or cancelled")
        }
    }

    /// The value parted at its commas; without the empty parts.
    var list: [String] {
        value.split(separator: ",").map { part in
            let start = part.drop(while: \.isWhitespace)
            return String(start.reversed().drop(while: \.isWhitespace).reversed())
        }.filter { !$0.isEmpty }
    }
}

/// A word that adds, asks for, removes or excludes tags: `+home`, `-home`, `+home,garden`.
struct TagWord: Equatable {
    /// One, or several that were parted by commas.
    var tags: [String]
    var isPlus: Bool

    /// Nil unless a letter, `_`, a year, or digits with a letter right behind them follow the sign and each comma: `+49`,
    /// `-1`, `+20%`, `+` and `+yes,` are text, `+2027`, `+2027-taxes` and `+2fa` are none.
    init?(_ word: String) {
        guard let sign = word.first, sign == "+" || sign == "-" else { return nil }
        let names = word.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
        guard names.allSatisfy(Self.isName) else { return nil }
        tags = names.map { String($0) }
        isPlus = sign == "+"
    }

    /// Whether a word begins as if it added a tag, and does not go on so.
    static func isNearly(_ word: String) -> Bool {
        guard word.first == "+", let second = word.dropFirst().first else { return false }
        let isBegun =
            second.isLetter || second == "_" || !second.isASCII
            || hasLetterBehindDigits(word.dropFirst())
        return isBegun && TagWord(word) == nil
    }

    /// The years that may be a tag, or begin one; other numbers are amounts, or parts of telephone numbers.
    private static let years = 1900...2199

    private static func beginsWithYear(_ name: Substring) -> Bool {
        let digits = name.utf8.prefix { (0x30...0x39).contains($0) }
        return digits.count == 4
            && Int(String(decoding: digits, as: UTF8.self)).map(years.contains) ?? false
    }

    /// Whether digits begin it, and a letter is the first that is none: `2fa`, `5km`.
    private static func hasLetterBehindDigits(_ name: Substring) -> Bool {
        let rest = name.drop { $0.isASCII && $0.isNumber }
        return rest.startIndex != name.startIndex && rest.first?.isLetter ?? false
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.first,
            first.isLetter || first == "_" || beginsWithYear(name) || hasLetterBehindDigits(name)
        else { return false }
        return !name.contains { $0.isWhitespace || $0 == ":" }
    }
}

/// Finds what was probably meant by a misspelt word.
package enum Spelling {
    /// The candidate nearest to `word`, if it is near enough to be a slip of the fingers.
    ///
    /// One slip (a letter too many, too few, wrong, or two swapped) for words up to five
    /// letters, two for longer ones; the first of equally near candidates.
    package static func suggestion(for word: String, among candidates: [String]) -> String? {
        var best: (word: String, distance: Int)?
        let letters = Array(word.utf8)
        for candidate in candidates where candidate != word {
            let distanceMax = candidate.utf8.count <= 5 ? 1 : 2
            // As many slips as one has letters more are needed in any case.
            if abs(candidate.utf8.count - letters.count) > distanceMax { continue }
            let distance = distance(letters, Array(candidate.utf8))
            guard distance <= distanceMax, distance < candidate.utf8.count - 1 else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.word
    }

    /// How many slips turn one word into the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count <= 40, right.count <= 40 else { return .max }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}

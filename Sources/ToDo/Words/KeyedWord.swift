/// A word taken apart at its first colon: `due.before:friday`.
struct KeyedWord: Equatable {
    var key: ToDoKey
    /// The key as it was written, without modifier.
    var name: String
    var modifier: String?
    var value: String

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
        guard let first = parts.first, Self.isName(first) else { return nil }
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
            if let hint = ForeignKey.hint(for: plainName) {
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

    /// What stands before the colon of a word that has the form of a key and a value.
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
    /// The value of a date key.
    func moment(_ context: DatePhraseContext) throws(ToDoWordsError) -> Moment {
        do throws(DatePhraseError) {
            return try DatePhrase.parse(
                value, now: context.now, zone: context.zone, weekStart: context.weekStart)
        } catch {
            throw .badDate(key: name, error)
        }
    }

    /// Whether a word behind it would give the day that it says a time, as in `due:friday 17:00`.
    func isContinued(by word: String, _ context: DatePhraseContext) -> Bool {
        // A bare number may be as well the first word of a title.
        guard case .date = key, word.contains(where: { !$0.isNumber }) else { return false }
        var whole = self
        whole.value += " " + word
        guard case .day? = try? moment(context), case .instant? = try? whole.moment(context) else {
            return false
        }
        return true
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
        case .status, .priority, .date, .parent: return false
        }
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

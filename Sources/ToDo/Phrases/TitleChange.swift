/// The effect of plain words on the title that is there.
package enum TitleChange: Hashable, Sendable {
    /// They are the new one.
    case replace
    /// They stand behind it.
    case append
    /// They stand in front of it.
    case prepend

    /// The title that plain words leave.
    package func applied(_ words: String, to title: String) -> String {
        switch self {
        case .replace: words
        case .append: title.isEmpty ? words : "\(title) \(words)"
        case .prepend: title.isEmpty ? words : "\(words) \(title)"
        }
    }
}

/// A part of a text and what comes in its place: `/milk/bread/`, or `/a/b/g` for everywhere.
///
/// The form is that of Taskwarrior (task(1), "modify"). A slash inside is written `\/`.
package struct TextSubstitution: Hashable, Sendable {
    /// The part that is looked for, letter by letter.
    package let pattern: String
    private let replacement: String
    private let isEverywhere: Bool
    /// Whether a whole line of the notes goes that holds the part: an annotation, say.
    package let isLineOfNotes: Bool

    /// The line of the notes that holds the value of `notes-:`, which is taken away.
    init(lineOfNotes word: KeyedWord) throws(ToDoWordsError) {
        guard word.value.contains(where: { !$0.isWhitespace }) else {
            throw .badValue(
                key: "notes-", value: "", hint: "say words of the line that is to go: notes-:WORDS")
        }
        pattern = word.value
        (replacement, isEverywhere, isLineOfNotes) = ("", false, true)
    }

    /// Reads what stands behind the first slash; nil if it has another form, as `/etc/hosts` has.
    private init?(_ rest: Substring) {
        var parts = [""]
        var isEscaped = false
        for character in rest {
            if isEscaped {
                parts[parts.count - 1] += character == "/" ? "/" : "\\\(character)"
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "/" {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        guard parts.count == 3, !parts[0].isEmpty, ["", "g"].contains(parts[2]), !isEscaped else {
            return nil
        }
        (pattern, replacement, isEverywhere) = (parts[0], parts[1], parts[2] == "g")
        isLineOfNotes = false
    }

    /// Reads the first words, as a shell parts `/oat milk/soy milk/`; nil if they are none.
    static func read(
        _ words: ArraySlice<String>
    ) -> (substitution: TextSubstitution, wordCount: Int)? {
        guard words.first?.first == "/" else { return nil }
        var text = ""
        for (index, word) in words.enumerated() {
            if index > 0, word == "--" { return nil }
            text += (index == 0 ? "" : " ") + word
            if let found = TextSubstitution(text.dropFirst()) { return (found, index + 1) }
        }
        return nil
    }

    /// Whether the title or the notes hold the part.
    package func isFound(in item: ToDoItem) -> Bool {
        !isLineOfNotes && item.title.contains(pattern) || item.notes.contains(pattern)
    }

    /// Changes a to-do that has the part.
    ///
    /// - Throws: `missingPart` if it has not; `severalLines` if more lines of the notes than one have it.
    func applyOrRefuse(to item: inout ToDoItem) throws(ToDoWordsError) {
        guard isFound(in: item) else { throw .missingPart(pattern) }
        guard isLineOfNotes else { return apply(to: &item) }
        guard let notes = AnnotationNotes.removingLine(with: pattern, from: item.notes) else {
            throw .severalLines(pattern)
        }
        item.notes = notes
    }

    /// Puts the other text in the title, or in the notes where the title has not the part.
    package func apply(to item: inout ToDoItem) {
        if isLineOfNotes {
            item.notes = AnnotationNotes.removingLine(with: pattern, from: item.notes) ?? item.notes
        } else if item.title.contains(pattern) {
            let words = applied(to: item.title).split(whereSeparator: \.isWhitespace)
            item.title = words.joined(separator: " ")
        } else {
            item.notes = applied(to: item.notes)
        }
    }

    private func applied(to text: String) -> String {
        text.replacing(pattern, with: replacement, maxReplacements: isEverywhere ? .max : 1)
    }
}

/// Words that would replace a title and were hardly meant to.
enum UnlikelyTitle {
    /// Commands, here or in Taskwarrior; alone they are no title.
    private static let verbs: Set<String> = [
        "add", "annotate", "append", "cancel", "delete", "denotate", "done", "duplicate", "edit",
        "info", "log", "mod", "modify", "prepend", "purge", "reopen", "restore", "show", "skip",
        "start", "stop", "undo",
    ]
    /// Commands that have words behind them.
    private static let verbsBeforeWords: Set<String> = [
        "and", "annotate", "append", "denotate", "mod", "modify", "or", "prepend",
    ]

    /// Why the words are refused as the whole of a new title; nil if they are not.
    static func refusal(
        _ words: [String], _ context: DatePhraseContext
    ) -> ToDoWordsError? {
        guard let first = words.first else { return nil }
        let verbs = words.count == 1 ? Self.verbs : Self.verbsBeforeWords
        if verbs.contains(first) { return .verb(first) }
        if first.hasPrefix("/") || isSedSubstitution(words) { return .halfSubstitution(first) }
        if first.hasPrefix("rc."), let sign = first.firstIndex(where: { $0 == "=" || $0 == ":" }) {
            return .foreignKey(
                String(first[..<sign]),
                hint: "settings are those of `config`, and options begin with --")
        }
        for word in words {
            if word.hasPrefix("x.:"), word.count > 3 {
                return .foreignKey(
                    "x.", hint: "a field of your own has a name: x.NAME:\(word.dropFirst(3))")
            }
            if let meant = keyMeant(word, isNew: false) {
                return .equalsSign(word, meant: meant)
            }
        }
        if let meant = keyMeant(words) {
            return .equalsSign(words.joined(separator: " "), meant: meant)
        }
        if words.count == 1, let day = nearDay(first) {
            return .nearlyDate(first, suggestion: day)
        }
        let text = words.joined(separator: " ")
        let mayBeDate = text.contains { $0.isLetter || $0 == ":" }
        if isNumericDate(text) || mayBeDate && DatePhrase.isDate(text, context) {
            return .dateAsTitle(text)
        }
        return value(words, text)
    }

    /// Why words that are no more than a sign, or the value of a key, are refused; nil if they may well be a title.
    private static func value(_ words: [String], _ text: String) -> ToDoWordsError? {
        if words.count == 1, let meant = keyedValue(text) {
            return .unlikelyTitle(text, meant: meant)
        }
        if let rule = ["every", "each"].first(where: { text.hasPrefix($0 + " ") }),
            text.count > rule.count, Repetition(text: text) != nil
        {
            return .unlikelyTitle(text, meant: "repeat:\(text.shellQuoted)")
        }
        if text.first == "+", !text.dropFirst().allSatisfy(\.isWhitespace) {
            return .unlikelyTitle(text, meant: nil)
        }
        // Numbers may be those of more to-dos; the caller tells how these are named.
        let isNumbers = text.allSatisfy { ("0"..."9").contains($0) || " ,-".contains($0) }
        if isNumbers, text.contains(where: \.isNumber) { return nil }
        if text.allSatisfy(\.isWhitespace) { return nil }
        return text.allSatisfy { $0.isASCII && !$0.isLetter }
            ? .unlikelyTitle(text, meant: nil) : nil
    }

    /// The key and value that one word was meant as; "" for a word that is none, and no title either.
    private static func keyedValue(_ word: String) -> String? {
        let name = word.lowercased()
        switch name {
        case "last", "next", "all", "none", "top", "bottom": return ""
        case "high", "medium", "low": return "priority:" + name
        case "pending", "completed", "cancelled", "canceled": return "status:" + name
        default:
            // With a capital letter it is more likely a title.
            let isRule = word == name && word.hasSuffix("ly") && Repetition(text: word) != nil
            return isRule ? "repeat:" + word : nil
        }
    }

    /// Whether the words have the form in which other programs replace a part of a text: `s/old/new/`.
    private static func isSedSubstitution(_ words: [String]) -> Bool {
        guard words.first?.hasPrefix("s/") ?? false else { return false }
        return words.joined(separator: " ").count { $0 == "/" } > 2
    }

    /// The key and value that the words were meant as: `priority:high` of `priority high`, `+home` of `@home`; nil if they may
    /// well be a title.
    private static func keyMeant(_ words: [String]) -> String? {
        guard let first = words.first, words.count <= 2 else { return nil }
        if words.count == 1, first.hasPrefix("@"), first.count > 1 {
            return "+\(first.dropFirst())"
        }
        let name = first.hasSuffix("!=") ? first.dropLast(2) : first[...]
        guard ToDoKey.named(name, orAbbreviated: words.count == 1) != nil else { return nil }
        let value = words.count == 2 ? words[1].drop { $0 == ":" || $0 == "=" } : "VALUE"
        return "\(name):\(value)"
    }

    /// The key and value that a word was meant as: `due:fri` of `due=fri` or `due==fri`, `due:due+2d` of `due+2d`; nil if it
    /// is no such word.
    ///
    /// - Parameter isNew: whether the to-do has no date yet from which another one is counted.
    static func keyMeant(_ word: String, isNew: Bool) -> String? {
        if let sign = word.firstIndex(where: { "+-".contains($0) }), word.last?.isLetter ?? false,
            word[word.index(after: sign)...].first?.isNumber ?? false,
            let beside = DateBeside(word)
        {
            let length = word[sign...].first == "+" ? word[sign...].dropFirst() : word[sign...]
            return "\(beside.base.rawValue):\(isNew ? String(length) : word)"
        }
        guard let sign = word.firstIndex(of: "="),
            case let value = word[word.index(after: sign)...].drop(while: { $0 == "=" }),
            let first = value.first, !first.isWhitespace
        else { return nil }
        let name = word[..<sign].last == "!" ? word[..<sign].dropLast() : word[..<sign]
        return ToDoKey.named(name) == nil ? nil : "\(name):\(value)"
    }

    /// The name of a day that a word in small letters is nearly; nil if there is none.
    private static func nearDay(_ word: String) -> String? {
        let days = ["today", "tomorrow", "yesterday"] + DayNames.weekdays
        guard word.utf8.allSatisfy({ (97...122).contains($0) }) else { return nil }
        return Spelling.suggestion(for: word, among: days)
    }

    // MARK: Dates within a title

    /// The most words of a date, or of how a to-do comes again.
    private static let phraseWordCountMax = 5

    /// What the words at the end of a title may have been meant as; nil if they are neither a date nor a repetition.
    ///
    /// The longest end counts that is one.
    ///
    /// - Parameter mayBeAll: whether no title has to be in front of it.
    static func hintAtEnd(
        of words: [String], mayBeAll: Bool, _ context: DatePhraseContext
    ) -> ToDoWordHint? {
        let countMax = min(phraseWordCountMax, mayBeAll ? words.count : words.count - 1)
        guard countMax > 0 else { return nil }
        for count in (1...countMax).reversed() {
            let end = words.suffix(count)
            let text = joined(end)
            if isRule(end, text) { return .repetitionAtEnd(text) }
            let mayBeDate = text.contains(where: \.isLetter) || end.contains(where: isNumericDate)
            if mayBeDate, DatePhrase.isDate(text, context) { return .dateAtEnd(text) }
            if let day = dayBeforeHour(end, context), let hour = end.last {
                return .bareHour(text, day: day, hour: hour)
            }
        }
        return nil
    }

    /// The date at the beginning of a title; nil if there is none.
    ///
    /// The longest beginning counts that is one.
    ///
    /// - Parameter mayBeAll: whether no title has to be behind it.
    static func dateAtStart(
        of words: [String], mayBeAll: Bool, _ context: DatePhraseContext
    ) -> ToDoWordHint? {
        let countMax = min(phraseWordCountMax, mayBeAll ? words.count : words.count - 1)
        guard countMax > 0 else { return nil }
        for count in (1...countMax).reversed() {
            let start = words.prefix(count)
            let text = joined(start)
            if namesDay(start), DatePhrase.isDate(text, context) { return .dateAtStart(text) }
        }
        return nil
    }

    private static func joined(_ words: ArraySlice<String>) -> String {
        words.dropFirst().reduce(words.first ?? "") { $0 + " " + $1 }
    }

    /// Whether words say how a to-do comes again: `weekly`, `every monday`.
    private static func isRule(_ words: ArraySlice<String>, _ text: String) -> Bool {
        guard let first = words.first?.lowercased() else { return false }
        let isOne = words.count == 1 && first.hasSuffix("ly")
        let isMore = words.count > 1 && (first == "every" || first == "each")
        return (isOne || isMore) && Repetition(text: text) != nil
    }

    /// The day of `tomorrow at 5`, whose hour says neither am nor pm; nil for other words.
    private static func dayBeforeHour(
        _ words: ArraySlice<String>, _ context: DatePhraseContext
    ) -> String? {
        guard words.count > 2, words.dropLast().last?.lowercased() == "at",
            let hour = words.last.flatMap({ UInt8($0) }), (1...23).contains(hour)
        else { return nil }
        let day = joined(words.dropLast(2))
        return day.contains(where: \.isLetter) && DatePhrase.isDate(day, context) ? day : nil
    }

    /// Whether words at the beginning of a title are hardly anything else than a day: other words that are dates, as `may` or
    /// `2 weeks`, begin titles too.
    private static func namesDay(_ words: ArraySlice<String>) -> Bool {
        let names = words.map { $0.lowercased() }
        guard let first = names.first else { return false }
        let isDay = { (name: String) in
            isNumericDate(name) || DayNames.weekday(name) != nil
                || ["today", "tonight", "tomorrow", "yesterday"].contains(name)
        }
        if isDay(first) { return true }
        return names.count > 1
            && (["next", "this", "in", "on"].contains(first)
                || names.contains { isDay($0) || DayNames.monthNumber($0) != nil })
    }

    /// Whether a word has the form of a date in digits: `2026-12-01`, `25.12.`, `25.12.2026`, `12/25`, `12/25/2026`.
    private static func isNumericDate(_ word: String) -> Bool {
        for (separator, counts) in [("-", 3...3), (".", 3...3), ("/", 2...3)]
            as [(Character, ClosedRange<Int>)]
        {
            var parts = word.split(separator: separator, omittingEmptySubsequences: false)
            guard counts.contains(parts.count) else { continue }
            if separator == ".", parts[2].isEmpty { parts.removeLast() }
            if parts.allSatisfy({
                (1...4).contains($0.count) && $0.allSatisfy { ("0"..."9").contains($0) }
            }) {
                return true
            }
        }
        return false
    }
}

extension DatePhrase {
    fileprivate static func isDate(_ text: String, _ context: DatePhraseContext) -> Bool {
        (try? parse(
            text, now: context.now, zone: context.zone, weekStart: context.weekStart,
            dateOrder: context.dateOrder))
            != nil
    }
}

/// The plain words right behind a key, as long as they may go on with its value: `2` and `weeks`, `friday` and `at 9:30`.
struct WordsBehindDate {
    /// How the words go on with the value.
    enum Meaning: Equatable {
        /// They are a time of day, and the value names the day.
        case time(String)
        /// With them the value is another one: `25 jan`.
        case more(String)
        /// They are an hour that says neither am nor pm: `friday at 9`.
        case bareHour(String, hour: String)
    }

    /// The key and its value.
    let keyed: KeyedWord
    /// Whether no word of a title stands in front of the key.
    let isFirst: Bool
    private var words: [String] = []

    /// The most words that go on with a value.
    private static let wordCountMax = 5

    /// Nil if the key takes no date and no repetition, or has no value.
    init?(_ keyed: KeyedWord, isFirst: Bool) {
        switch keyed.key {
        case .date, .reminders, .exceptions, .repeats: break
        default: return nil
        }
        if keyed.value.isEmpty { return nil }
        self.keyed = keyed
        self.isFirst = isFirst
    }

    /// Takes the next word.
    mutating func add(_ word: String) {
        if words.count < Self.wordCountMax { words.append(word) }
    }

    /// Whether a word that looks like a tag goes on with the value: `fri +2d`.
    func isBegun(by tag: String, _ context: DatePhraseContext) -> Bool {
        guard words.isEmpty, tag.dropFirst().first?.isNumber ?? false else { return false }
        return Self.isValue(keyed, with: tag, context)
    }

    /// The meaning of the most words that go on with the value; nil if none do.
    func meaning(_ context: DatePhraseContext) -> Meaning? {
        for count in (0...words.count).reversed().dropLast() {
            let part = words.prefix(count)
            guard part.last?.contains(where: { $0.isLetter || $0.isNumber }) ?? false else {
                continue
            }
            let text = part.joined(separator: " ")
            // Of what stands in quotes the ends were said: only the time of a day may be missing there.
            let isQuoted = part.contains { $0.contains(where: \.isWhitespace) }
            if isTime(text, context) { return .time(text) }
            if !isQuoted, isMore(text, context) { return .more(text) }
        }
        return bareHour(context)
    }

    /// The words behind a value that make one of it that is understood: `week` behind `wait:next`; nil if none do.
    static func completion(
        of keyed: KeyedWord, _ rest: ArraySlice<String>, _ context: DatePhraseContext
    ) -> String? {
        guard WordsBehindDate(keyed, isFirst: true) != nil, !keyed.isQuoted else { return nil }
        let words = rest.prefix(wordCountMax).prefix { word in
            if word == "--" || word.contains(where: \.isWhitespace) { return false }
            if TagWord(word) != nil { return false }
            return ((try? KeyedWord(word)) ?? nil) == nil
        }
        for count in (0...words.count).reversed().dropLast() {
            let text = words.prefix(count).joined(separator: " ")
            if isValue(keyed, with: text, context) { return text }
        }
        return nil
    }

    // MARK: Values

    private func isTime(_ text: String, _ context: DatePhraseContext) -> Bool {
        guard isDate, Self.isClock(text), let day = keyed.lastMoment(context),
            case .instant? = keyed.lastMoment(with: text, context)
        else { return false }
        if case .day = day { return true }
        return keyed.list.last?.lowercased().contains("tonight") ?? false
    }

    private func isMore(_ text: String, _ context: DatePhraseContext) -> Bool {
        if keyed.key == .repeats, keyed.mayEnd(with: words[0]) { return false }
        if keyed.isQuoted {
            // `remind:"2 hours" before` is a reminder of its own kind.
            return keyed.key == .reminders
                && ReminderWords.isContinued(keyed.list.last ?? "", by: text)
        }
        return Self.isValue(keyed, with: text, context)
    }

    /// Whether a value and more words are a value that the key takes.
    private static func isValue(
        _ keyed: KeyedWord, with text: String, _ context: DatePhraseContext
    ) -> Bool {
        let last = keyed.list.last ?? ""
        switch keyed.key {
        case .repeats: return Repetition(text: keyed.value + " " + text) != nil
        case .reminders where ReminderWords.isContinued(last, by: text): return true
        default: break
        }
        if DateBeside(last) != nil { return DateBeside(last + " " + text) != nil }
        return keyed.lastMoment(with: text, context) != nil
    }

    /// Whether the key takes moments of which a time of day is a part.
    private var isDate: Bool {
        switch keyed.key {
        case .date, .reminders: true
        default: false
        }
    }

    private static func isClock(_ text: String) -> Bool {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace).map { String($0) }
        return (try? ClockWords.parse(words[...])) != nil
    }

    private func bareHour(_ context: DatePhraseContext) -> Meaning? {
        guard words.count > 1, words[0].lowercased() == "at", Self.isHour(words[1]),
            keyed.key == .date(.due), case .day? = keyed.lastMoment(context)
        else { return nil }
        return .bareHour(words.prefix(2).joined(separator: " "), hour: words[1])
    }

    private static func isHour(_ word: String) -> Bool {
        guard word.utf8.count <= 2, let hour = UInt8(word) else { return false }
        return (1...23).contains(hour)
    }
}

extension KeyedWord {
    /// The moment of the last of the dates between commas, with more words behind it; nil if it is none.
    fileprivate func lastMoment(
        with text: String? = nil, _ context: DatePhraseContext
    ) -> Moment? {
        var single = self
        // A single date may have commas in it: `dec 24, 2026`.
        let last = key == .reminders || key == .exceptions ? list.last ?? "" : value
        single.value = last + (text.map { " " + $0 } ?? "")
        return try? single.moment(context)
    }
}

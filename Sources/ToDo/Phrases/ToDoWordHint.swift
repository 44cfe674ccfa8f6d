/// A word that was taken as text and may have been meant otherwise; for a note, as nothing is guessed.
package enum ToDoWordHint: Sendable, Hashable {
    /// It has the form of a key and a value, and there is no such key.
    case unknownKey(String, word: String)
    /// It has the form of a key and a value, and the key is one letter of a known one.
    case letterKey(String, word: String, meant: String)
    /// They are keys with their values, or tags, and stand within quotes.
    case quoted(words: [String])
    /// It is a time of day, and stands behind a date that has none.
    case timeBehind(key: String, value: String, time: String)
    /// It stands behind a tag, which ended the notes in front of that.
    case notesEnded(by: String, word: String)
    /// It begins as the end of a series does, and stands behind how it repeats.
    case endBehind(key: String, value: String, word: String)
    /// It has nothing behind its colon, where a to-do is new, and a plain word follows.
    case emptyKey(String, next: String)
    /// It is a key with its value behind an equals sign.
    case equalsSign(String, meant: String)
    /// It begins as a tag does, and cannot be one.
    case unreadTag(String)
    /// It is a hyphen and a letter in front of a new title, as options of other programs are.
    case shortOption(String)
    /// The words at the end of a title are a date.
    case dateAtEnd(String)
    /// The words at the beginning of a title are a date.
    case dateAtStart(String)
    /// The words at the end of a title say how a to-do comes again.
    case repetitionAtEnd(String)
    /// The words at the end of a title are a day and an hour without minutes.
    case bareHour(String, day: String, hour: String)
    /// It is a reminder that counts from a date, and the to-do has none.
    case idleReminder(Reminder.Base)
    /// It is a date that has passed, of a field that says until when something holds.
    case pastDate(ToDoDateField, String)
    /// It is a day that is left out, and the to-do does not repeat.
    case idleException
    /// It is a day that is left out, and the to-do is due then.
    case exceptionIsDue(String)
    /// It is a day that is left out, and the series has no date then.
    case strayException(String)
    /// It is a reminder whose time has passed so long ago that it is not told any more.
    case pastReminder(String)
    /// It is a reminder for a time after the due date.
    case lateReminder(String, due: String)
    /// The to-do is out of sight until after its due date.
    case waitsTooLong(wait: String, due: String)
    /// The to-do ends before its due date.
    case endsBeforeDue(until: String, due: String)

    /// Words before a colon in addresses and numbers of all kinds; never taken for a key.
    static let schemes: Set<String> = [
        "arxiv", "bitcoin", "cid", "data", "doi", "file", "ftp", "geo", "git", "http", "https",
        "irc", "isbn",
        "issn", "magnet", "mailto", "matrix", "message", "news", "re", "sip", "sms", "ssh", "tel",
        "urn", "xmpp",
    ]

    /// The most words that are shown.
    private static let wordCountMax = 5

    /// The part of a text argument that may have been meant otherwise.
    ///
    /// - Parameter isNew: whether the to-do has no dates yet from which others are counted.
    static func all(in text: String, isNew: Bool) -> [ToDoWordHint] {
        let words = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        if words.count == 1, words[0] == text {
            if TagWord.isNearly(text) { return [.unreadTag(text)] }
            if let meant = UnlikelyTitle.keyMeant(text, isNew: isNew) {
                return [.equalsSign(text, meant: meant)]
            }
            guard let key = KeyedWord.unknownKey(in: text), key == key.lowercased(),
                !schemes.contains(key)
            else { return [] }
            if key.utf8.count > 1 { return [.unknownKey(key, word: text)] }
            return key == "p" ? [.letterKey(key, word: text, meant: "project")] : []
        }
        let meant = words.filter { word in
            if let tag = TagWord(word) { return tag.isPlus }
            guard let keyed = try? KeyedWord(word) else { return false }
            return !keyed.value.isEmpty
        }
        return meant.isEmpty ? [] : [.quoted(words: meant)]
    }
}

extension ToDoWordHint {
    /// The due date that an hour without minutes was meant as, of the half of the day in which more is done.
    var dueMeant: String? {
        guard case .bareHour(_, let day, let hour) = self else { return nil }
        return "due:\"\(day) \(hour)\((Int(hour) ?? 0) > 12 ? ":00" : "pm")\""
    }
}

extension ToDoWordHint: CustomStringConvertible {
    /// The word's use, and how to write the other meaning.
    package var description: String {
        switch self {
        case .unknownKey(let key, let word):
            return
                "'\(FormatLoss.beginning(of: word))' is in the title, as there is no '\(FormatLoss.beginning(of: key)):'; a field of your own is "
                + "x.\(FormatLoss.beginning(of: word))"
        case .letterKey(let key, let word, let meant):
            return
                "'\(FormatLoss.beginning(of: word))' is in the title, as there is no '\(key):'; did you mean "
                + "\(meant):\(FormatLoss.beginning(of: String(word.dropFirst(key.count + 1))))?"
        case .timeBehind(let key, let value, let time):
            return
                "'\(FormatLoss.beginning(of: time))' is in the title; for a time of day: \(key):\"\(value) \(FormatLoss.beginning(of: time))\""
        case .notesEnded(let tag, let word):
            return
                "'\(FormatLoss.beginning(of: word))' is in the title, as the notes end at '\(tag)'; to go on with "
                + "them, put the notes in quotes"
        case .endBehind(let key, let value, let word):
            return
                "'\(FormatLoss.beginning(of: word))' is in the title; to end a series: \(key):\"\(value) 5 times\", "
                + "\(key):\"\(value) until 2030-12-31\""
        case .emptyKey(let key, let next):
            let next = FormatLoss.beginning(of: next)
            return
                "'\(key):' has nothing behind it and sets nothing, '\(next)' is in the title; "
                + "without a blank between them: \(key):\(next)"
        case .idleReminder(let base):
            return
                "it has no \(base.rawValue) date, so a reminder that counts from that is not told; "
                + "give it a date, or say a time: remind:\"tomorrow 9am\""
        case .pastReminder(let time):
            return
                "the reminder of \(time) is not told: that is more than "
                + "\(ToDoStore.missedReminderDaysMax) days ago"
        case .pastDate(.wait, let date):
            return "wait: \(date) has passed, so it is in the lists at once"
        case .pastDate(let field, let date): return "\(field.rawValue): \(date) has passed already"
        case .idleException: return "it does not repeat, so no day can be left out of it"
        case .exceptionIsDue(let day):
            return "it is due on \(day) itself, and only the dates behind that are left out"
        case .strayException(let day): return "it would not be due on \(day) anyway"
        case .dateAtEnd(let date), .dateAtStart(let date):
            return "'\(FormatLoss.beginning(of: date))' is in the title, and sets no date"
        case .repetitionAtEnd(let rule):
            return "'\(FormatLoss.beginning(of: rule))' is in the title, and repeats nothing"
        case .bareHour(let text, _, _):
            return
                "'\(FormatLoss.beginning(of: text))' is in the title, and sets no date; an hour is written "
                + "with am, pm or minutes: \(dueMeant ?? "")"
        case .lateReminder(let time, let due):
            return "the reminder of \(time) comes after the to-do is due, \(due)"
        case .waitsTooLong(let wait, let due):
            return "wait: \(wait) is after the to-do is due, \(due): it is in no list before"
        case .endsBeforeDue(let until, let due):
            return "until: \(until) is before the to-do is due, \(due)"
        case .equalsSign(let word, let meant):
            let (word, meant) = (FormatLoss.beginning(of: word), FormatLoss.beginning(of: meant))
            return "'\(word)' is in the title; a key has a colon behind it: \(meant)"
        case .unreadTag(let word):
            return
                "'\(FormatLoss.beginning(of: word))' is in the title, as no tag has a colon, a blank or "
                + "a comma at an end; two tags are +one,two"
        case .shortOption(let word):
            return
                "'\(word)' is in the title, as options have no short names here; a tag is +home, a project "
                + "project:Home, a date due:fri"
        case .quoted(let words):
            let shown = words.prefix(Self.wordCountMax).map { "'\(FormatLoss.beginning(of: $0))'" }
            let more = words.count > shown.count ? " and more" : ""
            let (verb, pronoun, counts) =
                words.count == 1
                ? ("is", "it stands", "it counts") : ("are", "they stand", "they count")
            return
                "\(shown.joined(separator: ", "))\(more) \(verb) in the title, as \(pronoun) within quotes; "
                + "outside of them \(counts)"
        }
    }
}

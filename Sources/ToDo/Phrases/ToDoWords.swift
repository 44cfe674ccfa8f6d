/// The meaning of the words after `add` or `edit`.
///
/// `Buy milk due:friday +errand project:Home` is a title and three changes. A key with nothing
/// after its colon clears the field; `x.name:value` sets a field of the user's own. Words that
/// only look like a key (`12:30`, `http://…`, `Note:`, `re:view`) belong to the title, and so
/// does everything after `--`. A word that is nearly a key is refused, not guessed; what may have been
/// meant as one and is text is told.
package struct ToDoWords: Sendable, Equatable {
    /// The purpose of the words: `-word` removes a tag when editing and is text when adding.
    package enum Purpose: Sendable {
        case adding
        case editing
        /// Plain words go behind the title.
        case appending
        /// Plain words go in front of the title.
        case prepending

        /// The effect of plain words on the title.
        var titleChange: TitleChange {
            switch self {
            case .adding, .editing: .replace
            case .appending: .append
            case .prepending: .prepend
            }
        }
    }

    /// The plain words with single spaces between them; nil if there are none.
    package var title: String?
    /// The effect of the plain words on the title that is there.
    package var titleChange = TitleChange.replace
    /// A part of title or notes that another text takes the place of.
    package var substitution: TextSubstitution?
    /// The to-do that it is to be a part of, as it was typed; "" for none.
    package var parent: String?
    /// The changes of the to-dos that it waits for, as they were typed.
    package var depends: [DependencyWord] = []
    /// In the order they were typed.
    package var assignments: [ToDoAssignment] = []
    /// Whether the due date was named as the end of a month, a quarter or a year.
    package var isDueAtMonthEnd = false
    /// The words that stayed in the title and may have been meant otherwise.
    package var hints: [ToDoWordHint] = []

    /// Words that say nothing.
    package init() {}

    /// Changes title, notes, dates and fields as the words say; the parent is the store's.
    ///
    /// - Throws: `missingDate` if a date is counted from one that is not set.
    package func change(
        _ item: inout ToDoItem, now: Int64, zone: LocalTimeZone
    ) throws(ToDoWordsError) {
        if let title { item.title = titleChange.applied(title, to: item.title) }
        substitution?.apply(to: &item)
        // Dates first from which others are counted; the first day of the week matters to neither.
        let context = DatePhraseContext(now: now, zone: zone, weekStart: .monday)
        for assignment in assignments { item.apply(assignment, now: now) }
        for assignment in assignments {
            guard case .dateAfter = assignment else { continue }
            item.apply(try assignment.resolved(in: item, context), now: now)
        }
    }

    /// Reads the words of a command line, one argument each.
    ///
    /// - Parameters:
    ///   - words: the arguments; one that a shell quoted may hold spaces.
    ///   - now: milliseconds since 1970; dates are read as `DatePhrase` does.
    package static func parse(
        _ words: [String], for purpose: Purpose = .adding, now: Int64, zone: LocalTimeZone,
        weekStart: Weekday = .monday, dateOrder: DateOrder? = nil
    ) throws(ToDoWordsError) -> ToDoWords {
        var reader = ToDoWordReader(
            for: purpose,
            DatePhraseContext(now: now, zone: zone, weekStart: weekStart, dateOrder: dateOrder))
        var rest = words[...]
        while let word = rest.first {
            if purpose != .adding, !reader.isLiteral, let found = TextSubstitution.read(rest) {
                try reader.read(found.substitution)
                rest = rest.dropFirst(found.wordCount)
            } else {
                try reader.read(word)
                rest = rest.dropFirst()
            }
        }
        return try reader.finished()
    }
}

/// Reads the words of a command line one by one, for `ToDoWords`.
struct ToDoWordReader {
    let purpose: ToDoWords.Purpose
    let context: DatePhraseContext

    private var result = ToDoWords()
    private var plain: [String] = []
    /// Whether `--` has been read.
    private(set) var isLiteral = false
    /// The key that stands right before the next word.
    private var before: KeyedWord?
    /// The plain words behind the key of a date that may say a time.
    private var behindDate: WordsBehindDate?
    /// Whether plain words go on with the notes that were read last.
    private var isInNotes = false
    /// The keys of one value that were given it.
    private var taken: [ToDoKey] = []
    /// The word right before the next one, if it looks like an option of one letter.
    private var option: String?

    init(for purpose: ToDoWords.Purpose, _ context: DatePhraseContext) {
        self.purpose = purpose
        self.context = context
    }

    /// Reads the words that stand for a substitution.
    mutating func read(_ substitution: TextSubstitution) throws(ToDoWordsError) {
        if result.substitution != nil { throw .secondSubstitution }
        result.substitution = substitution
        before = nil
        isInNotes = false
    }

    /// Reads the next word.
    mutating func read(_ word: String) throws(ToDoWordsError) {
        let (last, isBehindNotes, optionBefore) = (before, isInNotes, option)
        let open = behindDate
        behindDate = nil
        before = nil
        isInNotes = false
        option = nil
        if isLiteral {
            plain.append(word)
        } else if word == "--" {
            isLiteral = true
        } else if let tag = TagWord(word), tag.isPlus || purpose != .adding {
            result.assignments += tag.tags.map { tag.isPlus ? .addTag($0) : .removeTag($0) }
            if !tag.isPlus, word.count == 2 { option = word }
        } else if let keyed = try KeyedWord(word) {
            try read(keyed)
        } else if isBehindNotes, let notes = result.assignments.last?.continued(by: word) {
            result.assignments.removeLast()
            result.assignments.append(notes)
            isInNotes = true
        } else {
            if purpose == .editing, plain.isEmpty, let optionBefore {
                throw .strayOption(optionBefore, rest: word)
            }
            try read(plain: word, behind: last)
            return read(plain: word, behind: open)
        }
        if let hint = open?.bareHour(context) { result.hints.append(hint) }
    }

    /// Tells of a time of day in several words, such as `at 9:30`.
    private mutating func read(plain word: String, behind open: WordsBehindDate?) {
        guard var open else { return }
        if let hint = open.add(word, context) { result.hints.append(hint) }
        if open.isOpen { behindDate = open }
    }

    /// The result of all words together.
    func finished() throws(ToDoWordsError) -> ToDoWords {
        if purpose == .editing, !isLiteral, plain.count == 1,
            let refusal = KeyedWord.refusal(asTitle: plain[0])
        {
            throw refusal
        }
        if purpose == .editing, !isLiteral, let refusal = UnlikelyTitle.refusal(plain, context) {
            throw refusal
        }
        for case .title(let title) in result.assignments {
            guard let rest = plain.first else { break }
            throw .newTitle(key: "title", value: title, rest: rest)
        }
        var title = ""
        for part in plain.flatMap({ $0.split(whereSeparator: \.isWhitespace) }) {
            if !title.isEmpty { title += " " }
            title.append(contentsOf: part)
        }
        var words = result
        words.title = title.isEmpty ? nil : title
        words.titleChange = purpose.titleChange
        if let rest = plain.first, words.substitution != nil {
            throw .newTitle(key: "title", value: "", rest: rest)
        }
        if purpose == .adding, let option = plain.first, Self.isShortOption(option),
            plain.count > 1 || !result.assignments.isEmpty
        {
            words.hints.append(.shortOption(option))
        }
        if let hint = behindDate?.bareHour(context) { words.hints.append(hint) }
        if !isLiteral, let hint = dateHint() { words.hints.append(hint) }
        return words
    }

    /// What stands at an end of the title and may have been meant as a date, or as a repetition; nil if there is none.
    private func dateHint() -> ToDoWordHint? {
        // Of keys within quotes it is told that they stand there.
        if result.hints.contains(where: { if case .quoted = $0 { true } else { false } }) {
            return nil
        }
        let words = plain.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        let (isDue, isRepeated) = (
            result.assignments.contains(where: \.isDue),
            result.assignments.contains(where: \.isRepetition)
        )
        var found: ToDoWordHint?
        if purpose != .prepending {
            found = UnlikelyTitle.hintAtEnd(
                of: words, mayBeAll: purpose == .appending, context)
        }
        if found == nil, purpose != .appending {
            found = UnlikelyTitle.dateAtStart(
                of: words, mayBeAll: purpose == .prepending, context)
        }
        if case .repetitionAtEnd = found { return isRepeated ? nil : found }
        if case .dateAtEnd(let text) = found {
            // It is told already as a time of another date.
            let isTold = result.hints.contains {
                if case .timeBehind(_, _, let time) = $0 { time == text } else { false }
            }
            if isTold { return nil }
        }
        return isDue ? nil : found
    }

    private static func isShortOption(_ word: String) -> Bool {
        word.utf8.count == 2 && word.first == "-" && word.last?.isLetter == true
    }

    /// Refuses a second value where there is one alone: the first would be lost.
    private mutating func check(_ keyed: KeyedWord) throws(ToDoWordsError) {
        switch keyed.key {
        case .title, .project, .status, .priority, .location, .repeats, .date, .parent, .custom:
            if keyed.change != nil { return }
            if taken.contains(keyed.key) { throw .repeatedKey(keyed.writtenName) }
            taken.append(keyed.key)
        case .notes, .people, .tags, .exceptions, .reminders, .depends: return
        }
    }

    private mutating func read(_ keyed: KeyedWord) throws(ToDoWordsError) {
        try check(keyed)
        if let modifier = keyed.modifier {
            throw .badModifier(
                key: keyed.name, modifier: modifier,
                hint: "a filter takes it; here write \(keyed.name):value")
        }
        if keyed.key == .parent {
            result.parent = keyed.value
        } else if keyed.key == .depends {
            // A second one adds to the first.
            result.depends += DependencyWord.all(keyed).map { word in
                let isMore = word.change == .replace && !result.depends.isEmpty
                return isMore ? DependencyWord(.add, word.names) : word
            }
        } else {
            for part in keyed.parted {
                result.assignments.append(try ToDoAssignment(part, context))
            }
            if case .date(.due, let due)? = result.assignments.last {
                result.isDueAtMonthEnd = due.map { keyed.namesMonthEnd($0, context) } ?? false
            }
        }
        before = keyed
        behindDate = WordsBehindDate(keyed)
        isInNotes = keyed.key == .notes && !keyed.isQuoted
    }

    private mutating func read(
        plain word: String, behind last: KeyedWord?
    ) throws(ToDoWordsError) {
        // As the first plain word it would replace the whole title.
        let wouldReplace = purpose == .editing && plain.isEmpty
        if wouldReplace, let key = KeyedWord.unknownKey(in: word), key == key.lowercased() {
            throw .unknownKey(key)
        }
        if let last {
            let isTime = last.isContinued(by: word, context)
            if wouldReplace, isTime || last.mayGoOn(with: word) {
                throw .newTitle(key: last.writtenName, value: last.value, rest: word)
            }
            if isTime {
                result.hints.append(.timeBehind(key: last.name, value: last.value, time: word))
            }
            if purpose == .adding, last.mayEnd(with: word) {
                result.hints.append(
                    .endBehind(key: last.writtenName, value: last.value, word: word))
            }
            if purpose == .adding, last.value.isEmpty {
                result.hints.append(.emptyKey(last.writtenName, next: word))
            }
        }
        plain.append(word)
        result.hints += ToDoWordHint.all(in: word)
    }
}

/// Why words of a command line were refused; every case says what to write instead.
package enum ToDoWordsError: Error, Equatable, Sendable {
    /// The value of a date key was not understood.
    case badDate(key: String, DatePhraseError)
    /// The key does not take that value; `hint` says which it takes.
    case badValue(key: String, value: String, hint: String)
    /// The key stands twice, and has one value.
    case repeatedKey(String)
    /// The key looks like a slip of a known one.
    case misspeltKey(String, suggestion: String)
    /// Other programs have the key, this one has not; `hint` says what to write.
    case foreignKey(String, hint: String)
    /// The word has the form of a key and a value, but there is no such key; a title would be lost to it.
    case unknownKey(String)
    /// A word behind a key and its value goes on with the value, and would be a title of its own.
    case newTitle(key: String, value: String, rest: String)
    /// A parenthesis of a filter is left open.
    case openGroup
    /// A parenthesis of a filter closes none.
    case strayGroupEnd
    /// `or`, `and`, `not` or a parenthesis of a filter stands where a condition is missing.
    case missingOperand
    /// More groups of a filter stand inside each other than are read.
    case deepGroups(max: Int)
    /// The date to count from is not set.
    case missingDate(String)
    /// The word is a command, and would be the title.
    case verb(String)
    /// The words are a date, and would be the title.
    case dateAsTitle(String)
    /// The word is nearly the name of a day, and would be the title.
    case nearlyDate(String, suggestion: String)
    /// The word is a key with its value behind an equals sign, and would be in the title.
    case equalsSign(String, meant: String)
    /// There is one substitution already.
    case secondSubstitution
    /// The word begins as a substitution does, and has another form.
    case halfSubstitution(String)
    /// The words are no more than a sign, or the value of a key, and would be the title; "" and nil for no key.
    case unlikelyTitle(String, meant: String?)
    /// A word behind one that other programs take for an option, and that removes a tag here, would be the title.
    case strayOption(String, rest: String)
    /// The key does not take that modifier, the part after the dot.
    case badModifier(key: String, modifier: String, hint: String)
}

extension ToDoWordsError: CustomStringConvertible {
    /// The refused text and what to write instead, for the user.
    package var description: String {
        switch self {
        case .badDate(let key, let error):
            "\(key): \(error.description)"
        case .badValue(let key, let value, let hint):
            "\(key) cannot be '\(value)'; \(hint)"
        case .repeatedKey(let key):
            "'\(key):' stands twice and takes one value; say it once (words after -- are plain text)"
        case .misspeltKey(let key, let suggestion):
            "there is no '\(key):'; did you mean '\(suggestion):'? (words after -- are plain text)"
        case .foreignKey(let key, let hint):
            "there is no '\(key):' here; \(hint) (words after -- are plain text)"
        case .unknownKey(let key):
            "there is no '\(key):'; write x.\(key): for a field of your own, or -- before a title"
        case .newTitle(let key, let value, let rest):
            "'\(rest)' would be the title, beside \(key):\(value); quote what belongs together: "
                + "\(key):\"\(value.isEmpty ? rest : "\(value) \(rest)")\" (words after -- are plain text)"
        case .openGroup:
            "a '(' of the filter is left open (words after -- are plain text)"
        case .strayGroupEnd:
            "a ')' of the filter closes nothing (words after -- are plain text)"
        case .missingOperand:
            "something is missing beside 'or', 'and', 'not' or '(': write +home or +garden "
                + "(words after -- are plain text)"
        case .deepGroups(let max): "no more than \(max) '(' stand inside each other"
        case .missingDate(let key): "\(key) is not set, so nothing can be counted from it"
        case .verb(let word):
            "'\(word)' would be the title; a command comes before the to-do (words after -- are plain text)"
        case .dateAsTitle(let text):
            "'\(text)' would be the title; for a date: due:\(text.contains(" ") ? "\"\(text)\"" : text) "
                + "(words after -- are plain text)"
        case .nearlyDate(let word, let suggestion):
            "'\(word)' would be the title; did you mean due:\(suggestion)? (words after -- are plain text)"
        case .equalsSign(let word, let meant):
            "'\(word)' would be in the title; did you mean \(meant)? (words after -- are plain text)"
        case .secondSubstitution: "one /old/new/ at a time"
        case .halfSubstitution(let word):
            "'\(word)' would be in the title; to replace a part of it: /OLD/NEW/ (words after -- are plain text)"
        case .unlikelyTitle(let text, let meant):
            "'\(text)' would be the title; "
                + (meant.map { $0.isEmpty ? "" : "did you mean \($0)? " }
                    ?? (text.first == "+" ? "a tag is +home, two are +home,garden; " : ""))
                + "for that title: title:\(text.quotedForShell) (words after -- are plain text)"
        case .strayOption(let option, let rest):
            "'\(rest)' would be the title, as \(option) removes a tag; a key has a colon: due:monday "
                + "(words after -- are plain text)"
        case .badModifier(let key, let modifier, let hint):
            "there is no '\(key).\(modifier):'; \(hint)"
        }
    }
}

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
    static func all(in text: String) -> [ToDoWordHint] {
        let words = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        if words.count == 1, words[0] == text {
            if TagWord.isNearly(text) { return [.unreadTag(text)] }
            if let meant = UnlikelyTitle.keyMeant(text) {
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
        case .bareHour(let text, let day, let hour):
            let time = (Int(hour) ?? 0) > 12 ? ":00" : "pm"
            return
                "'\(FormatLoss.beginning(of: text))' is in the title, and sets no date; an hour is written "
                + "with am, pm or minutes: due:\"\(day) \(hour)\(time)\""
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

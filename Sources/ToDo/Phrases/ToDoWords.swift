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
        if let substitution { try substitution.applyOrRefuse(to: &item) }
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
                rest = rest.dropFirst()
                try reader.read(word, next: rest)
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
    /// The plain words behind a key that may go on with its value.
    private var behindDate: WordsBehindDate?
    /// The notes that a tag ended, and the tag, as long as no title stands behind them.
    private var endedNotes: (notes: KeyedWord, tag: String)?
    /// The key of the notes that were read last.
    private var notesKey: KeyedWord?
    /// Whether a line for the notes was read.
    private var hasLineForNotes = false
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
        try closeWordsBehind()
        if result.substitution != nil { throw .secondSubstitution }
        result.substitution = substitution
        before = nil
        isInNotes = false
    }

    /// Reads the next word.
    ///
    /// - Parameter rest: the words behind it.
    mutating func read(
        _ word: String, next rest: ArraySlice<String>
    ) throws(ToDoWordsError) {
        let (last, isBehindNotes, optionBefore) = (before, isInNotes, option)
        before = nil
        isInNotes = false
        option = nil
        if isLiteral {
            plain.append(word)
        } else if word == "--" {
            try closeWordsBehind()
            isLiteral = true
        } else if let tag = TagWord(word), tag.isPlus || purpose != .adding {
            try closeWordsBehind(before: word)
            result.assignments += tag.tags.map { tag.isPlus ? .addTag($0) : .removeTag($0) }
            if !tag.isPlus, word.count == 2 { option = word }
            if isBehindNotes, let notesKey { endedNotes = (notesKey, word) }
        } else if let keyed = try KeyedWord(word) {
            try closeWordsBehind()
            try read(keyed, next: rest)
        } else if isBehindNotes, let notes = result.assignments.last?.continued(by: word) {
            result.assignments.removeLast()
            result.assignments.append(notes)
            notesKey?.value += " " + word
            isInNotes = true
        } else {
            if purpose == .editing, plain.isEmpty, let optionBefore {
                throw .strayOption(optionBefore, rest: word)
            }
            try refuseOrTellEndOfNotes(before: word, rest)
            try read(plain: word, behind: last)
            behindDate?.add(word)
        }
    }

    /// Tells of the words behind a value that go on with it, or refuses them where the value alone would be another one.
    ///
    /// - Parameter tag: a word that looks like a tag and may go on with the value, too: `due:fri +2d`.
    private mutating func closeWordsBehind(before tag: String? = nil) throws(ToDoWordsError) {
        guard var open = behindDate else { return }
        behindDate = nil
        if let tag, open.isBegun(by: tag, context) { open.add(tag) }
        let (keyed, isTitle) = (open.keyed, purpose == .editing && open.isFirst)
        switch open.meaning(context) {
        case nil: return
        case .more(let text):
            throw .goesOn(key: keyed.writtenName, value: keyed.value, rest: text)
        case .time(let text) where isTitle:
            throw .newTitle(key: keyed.writtenName, value: keyed.value, rest: text)
        case .time(let text):
            result.hints.append(.timeBehind(key: keyed.name, value: keyed.value, time: text))
        case .bareHour(let text, let hour):
            let hint = ToDoWordHint.bareHour(text, day: keyed.value, hour: hour)
            if isTitle { throw .unlikelyTitle(text, meant: hint.dueMeant) }
            result.hints.append(hint)
        }
    }

    /// Refuses a word as a new title that went on with notes before a tag ended them, and tells of it in a longer title.
    private mutating func refuseOrTellEndOfNotes(
        before word: String, _ rest: ArraySlice<String>
    ) throws(ToDoWordsError) {
        guard let (notes, tag) = endedNotes else { return }
        endedNotes = nil
        if purpose == .editing, plain.isEmpty {
            let words = [tag, word] + rest.prefix { $0 != "--" && !$0.contains(":") }
            throw .goesOn(
                key: notes.writtenName + (notes.change == .addition ? "+" : ""),
                value: notes.value, rest: words.joined(separator: " "))
        }
        if !plain.isEmpty { result.hints.append(.notesEnded(by: tag, word: word)) }
    }

    /// The result of all words together.
    mutating func finished() throws(ToDoWordsError) -> ToDoWords {
        try closeWordsBehind()
        if purpose == .editing, !isLiteral, plain.count == 1,
            let refusal = KeyedWord.refusal(asTitle: plain[0])
        {
            throw refusal
        }
        if purpose == .editing, !isLiteral, let refusal = UnlikelyTitle.refusal(plain, context) {
            throw refusal
        }
        result.assignments = try JoinedAssignments.join(result.assignments)
        result.depends = DependencyWord.joined(result.depends)
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
            if taken.contains(keyed.key) { throw .repeatedKey(keyed.writtenName) }
            taken.append(keyed.key)
        case .notes:
            if keyed.change != nil {
                hasLineForNotes = true
                return
            }
            // It would take the lines away that stand in front of it.
            if taken.contains(.notes) || hasLineForNotes { throw .repeatedKey(keyed.writtenName) }
            taken.append(.notes)
        case .people, .tags, .exceptions, .reminders, .depends: return
        }
    }

    private mutating func read(
        _ keyed: KeyedWord, next rest: ArraySlice<String>
    ) throws(ToDoWordsError) {
        try check(keyed)
        if let modifier = keyed.modifier {
            throw .badModifier(
                key: keyed.name, modifier: modifier,
                hint: "a filter takes it; here write \(keyed.name):value")
        }
        if keyed.key == .parent {
            result.parent = keyed.value
        } else if keyed.key == .depends {
            result.depends += DependencyWord.all(keyed)
        } else if keyed.key == .notes, keyed.change == .removal {
            try read(TextSubstitution(lineOfNotes: keyed))
        } else {
            do throws(ToDoWordsError) {
                for part in keyed.parted {
                    result.assignments.append(try ToDoAssignment(part, context))
                }
            } catch {
                // With the words behind it, it may be one that is understood: `wait:next week`.
                guard let text = WordsBehindDate.completion(of: keyed, rest, context) else {
                    throw error
                }
                throw .goesOn(key: keyed.writtenName, value: keyed.value, rest: text)
            }
            if keyed.key == .repeats, purpose == .editing, plain.isEmpty,
                let text = WordsBehindDate.completion(of: keyed, rest, context)
            {
                throw .goesOn(key: keyed.writtenName, value: keyed.value, rest: text)
            }
            if case .date(.due, let due)? = result.assignments.last {
                result.isDueAtMonthEnd = due.map { keyed.namesMonthEnd($0, context) } ?? false
            }
        }
        before = keyed
        behindDate = WordsBehindDate(keyed, isFirst: plain.isEmpty)
        isInNotes = keyed.key == .notes && keyed.change != .removal && !keyed.isQuoted
        if isInNotes { notesKey = keyed }
        endedNotes = nil
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
            if wouldReplace, last.mayGoOn(with: word) {
                throw .newTitle(key: last.writtenName, value: last.value, rest: word)
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
        result.hints += ToDoWordHint.all(in: word, isNew: purpose == .adding)
    }
}

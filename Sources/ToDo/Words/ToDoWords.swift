/// What the words after `add` or `edit` say.
///
/// `Buy milk due:friday +errand project:Home` is a title and three changes. A key with nothing
/// after its colon clears the field; `x.name:value` sets a field of the user's own. Words that
/// only look like a key (`12:30`, `http://…`, `Note:`, `re:view`) belong to the title, and so
/// does everything after `--`. A word that is nearly a key is refused, not guessed; what may have been
/// meant as one and is text is told.
package struct ToDoWords: Sendable, Equatable {
    /// What the words are for: `-word` removes a tag when editing and is text when adding.
    package enum Purpose: Sendable {
        case adding
        case editing
    }

    /// The plain words with single spaces between them; nil if there are none.
    package var title: String?
    /// The to-do that it is to be a part of, as it was typed; "" for none.
    package var parent: String?
    /// In the order they were typed.
    package var assignments: [ToDoAssignment] = []
    /// What stayed in the title and may have been meant otherwise.
    package var doubts: [ToDoWordDoubt] = []

    /// Words that say nothing.
    package init() {}

    /// Reads the words of a command line, one argument each.
    ///
    /// - Parameters:
    ///   - words: the arguments; one that a shell quoted may hold spaces.
    ///   - now: milliseconds since 1970; dates are read as `DatePhrase` does.
    package static func parse(
        _ words: [String], for purpose: Purpose = .adding, now: Int64, zone: LocalTimeZone,
        weekStart: Weekday = .monday
    ) throws(ToDoWordsError) -> ToDoWords {
        let context = DatePhraseContext(now: now, zone: zone, weekStart: weekStart)
        var result = ToDoWords()
        var plain: [String] = []
        var isLiteral = false
        var before: KeyedWord?
        for word in words {
            let last = before
            before = nil
            if isLiteral {
                plain.append(word)
            } else if word == "--" {
                isLiteral = true
            } else if let tag = TagWord(word), tag.isPlus || purpose == .editing {
                result.assignments.append(tag.isPlus ? .addTag(tag.tag) : .removeTag(tag.tag))
            } else if let keyed = try KeyedWord(word) {
                if let modifier = keyed.modifier {
                    throw .badModifier(
                        key: keyed.name, modifier: modifier,
                        hint: "a filter takes it; here write \(keyed.name):value")
                }
                if keyed.key == .parent {
                    result.parent = keyed.value
                } else {
                    result.assignments.append(try assignment(keyed, context))
                }
                before = keyed
            } else if purpose == .editing, plain.isEmpty,
                let key = KeyedWord.unknownKey(in: word), key == key.lowercased()
            {
                // As the first plain word it would replace the whole title.
                throw .unknownKey(key)
            } else {
                if let date = last, date.isContinued(by: word, context) {
                    // As the first plain word it would replace the whole title.
                    if purpose == .editing, plain.isEmpty {
                        throw .newTitle(key: date.name, value: date.value, rest: word)
                    }
                    result.doubts.append(
                        .timeBehind(key: date.name, value: date.value, time: word))
                }
                plain.append(word)
                result.doubts += ToDoWordDoubt.all(in: word)
            }
        }
        if purpose == .editing, !isLiteral, plain.count == 1,
            let refusal = KeyedWord.refusal(asTitle: plain[0])
        {
            throw refusal
        }
        for case .title(let title) in result.assignments {
            guard let rest = plain.first else { break }
            throw .newTitle(key: "title", value: title, rest: rest)
        }
        let title = plain.flatMap { $0.split(whereSeparator: \.isWhitespace) }
            .joined(separator: " ")
        result.title = title.isEmpty ? nil : title
        return result
    }

    private static func assignment(
        _ word: KeyedWord, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> ToDoAssignment {
        switch word.key {
        case .title:
            guard word.value.contains(where: { !$0.isWhitespace }) else {
                throw .badValue(
                    key: word.name, value: word.value, hint: "a to-do needs some title")
            }
            return .title(word.value)
        case .notes: return .notes(word.value)
        case .project: return .project(word.value)
        case .location: return .location(word.value)
        case .people: return .people(word.list)
        case .tags: return .tags(word.list)
        case .status: return .status(try word.status())
        case .priority: return .priority(try word.priority())
        case .repeats:
            if word.value.isEmpty { return .repeats(nil) }
            guard let rule = Repetition(text: word.value) else {
                throw .badValue(key: word.name, value: word.value, hint: Repetition.hint)
            }
            return .repeats(rule)
        case .parent:
            throw .badValue(key: word.name, value: word.value, hint: "say which to-do")
        case .custom(let name):
            return .custom(name, word.value.isEmpty ? nil : CustomValue(typed: word.value))
        case .date(let attribute):
            guard let field = attribute.field else {
                throw .badValue(
                    key: word.name, value: word.value,
                    hint: "it is kept by the program; use start: and finish: for your own times")
            }
            return .date(field, word.value.isEmpty ? nil : try word.moment(context))
        }
    }
}

extension ToDoFilter {
    /// Reads the words of a command line.
    ///
    /// - `+tag`, `-tag`, `+these,both`, `-neither,nor`; names in capitals such as `+OVERDUE` are `ToDoVirtualTag`s.
    /// - `project:Home`, `project:` (none), `priority:high`, `status:completed`, `person:Ann`,
    ///   `tag:x`, `title:`, `notes:`, `location:` (a part of the text), `x.name:value`.
    /// - `due:friday`, `due:` (none); every date takes `before`, `after`, `by`, `on`, `any` and
    ///   `none` behind a dot, the other keys `not`, `any` and `none`, priorities `above`, `below`.
    /// - Any other word, and every word after `--`, must be part of the title or the notes.
    package static func parse(
        _ words: [String], now: Int64, zone: LocalTimeZone, weekStart: Weekday = .monday
    ) throws(ToDoWordsError) -> ToDoFilter {
        let context = DatePhraseContext(now: now, zone: zone, weekStart: weekStart)
        var filter = ToDoFilter(weekStart: weekStart)
        var isLiteral = false
        for word in words where !word.isEmpty {
            if isLiteral {
                filter.conditions.append(.text(word))
            } else if word == "--" {
                isLiteral = true
            } else if let tag = TagWord(word) {
                for name in tag.tags {
                    let condition =
                        ToDoVirtualTag(rawValue: name).map { Condition.virtual($0) } ?? .tag(name)
                    filter.conditions.append(tag.isPlus ? condition : .not(condition))
                }
            } else if let keyed = try KeyedWord(word) {
                filter.conditions.append(try condition(keyed, context))
            } else {
                filter.conditions.append(.text(word))
            }
        }
        return filter
    }

    private static func condition(
        _ word: KeyedWord, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> Condition {
        if case .date(let attribute) = word.key { return try date(attribute, word, context) }
        if word.key == .priority, let modifier = word.modifier,
            modifier == "above" || modifier == "below"
        {
            return try priority(word, isAbove: modifier == "above")
        }
        switch word.modifier {
        case nil, "is", "has": return try plain(word)
        case "not", "isnt", "hasnt": return .not(try plain(word))
        case "none": return try none(word)
        case "any": return .not(try none(word))
        case let modifier?:
            throw .badModifier(
                key: word.name, modifier: modifier, hint: "it takes not, any and none")
        }
    }

    /// A key without modifier; an empty value asks for items without the field.
    private static func plain(_ word: KeyedWord) throws(ToDoWordsError) -> Condition {
        if word.value.isEmpty { return try none(word) }
        switch word.key {
        case .title: return .titleContains(word.value)
        case .notes: return .notesContain(word.value)
        case .location: return .locationContains(word.value)
        case .project: return .project(word.value)
        case .people: return .person(word.value)
        case .tags: return .tag(word.value)
        case .status: return .status(try word.status())
        case .priority:
            let priority = try word.priority()
            return .priority(priority...priority)
        case .custom(let name): return .custom(name, word.value)
        case .date:
            throw .badValue(key: word.name, value: word.value, hint: "a date is needed")
        case .repeats:
            throw .badValue(key: word.name, value: word.value, hint: "use +REPEATING")
        case .parent:
            guard let id = UUIDText.value(word.value) else {
                throw .badValue(key: word.name, value: word.value, hint: "give a whole id")
            }
            return .parent(id)
        }
    }

    private static func none(_ word: KeyedWord) throws(ToDoWordsError) -> Condition {
        switch word.key {
        case .project: return .project("")
        case .tags: return .not(.virtual(.tagged))
        case .priority: return .priority(.none ... .none)
        case .custom(let name): return .custom(name, nil)
        case .date(let attribute): return .not(.date(attribute, .isSet))
        case .notes: return .lacks(.notes)
        case .location: return .lacks(.location)
        case .people: return .lacks(.people)
        case .repeats: return .not(.virtual(.repeating))
        case .parent: return .not(.virtual(.subtask))
        case .title, .status:
            throw .badValue(
                key: word.name, value: word.value, hint: "say what to look for")
        }
    }

    private static func priority(
        _ word: KeyedWord, isAbove: Bool
    ) throws(ToDoWordsError) -> Condition {
        let priority = try word.priority()
        if isAbove {
            guard let next = ToDoPriority(rawValue: priority.rawValue + 1) else {
                throw .badValue(key: word.name, value: word.value, hint: "nothing is above high")
            }
            return .priority(next ... .high)
        }
        guard let next = ToDoPriority(rawValue: priority.rawValue - 1) else {
            throw .badValue(key: word.name, value: word.value, hint: "nothing is below none")
        }
        return .priority(.none...next)
    }

    private static func date(
        _ attribute: ToDoDateAttribute, _ word: KeyedWord, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> Condition {
        switch word.modifier {
        case "none": return try none(word)
        case "any": return .date(attribute, .isSet)
        case nil where word.value.isEmpty: return try none(word)
        case nil, "on", "is": return .date(attribute, .on(try word.moment(context)))
        case "not": return .not(.date(attribute, .on(try word.moment(context))))
        case "before", "under": return .date(attribute, .before(try word.moment(context)))
        case "by": return .date(attribute, .by(try word.moment(context)))
        case "after", "over": return .date(attribute, .after(try word.moment(context)))
        case let modifier?:
            throw .badModifier(
                key: word.name, modifier: modifier,
                hint: "dates take before, after, by, on, not, any and none")
        }
    }
}

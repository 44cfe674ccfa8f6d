import Core

/// Which to-dos a command is about; an item must meet every condition.
package struct ToDoFilter: Sendable, Equatable {
    /// One thing that must hold.
    package indirect enum Condition: Sendable, Equatable {
        /// Title or notes hold the text, whatever the case.
        case text(String)
        case titleContains(String)
        case notesContain(String)
        case locationContains(String)
        /// The project or one below it: `Home` takes `Home.Garden`; "" takes items without any.
        case project(String)
        case tag(String)
        case person(String)
        case status(ToDoStatus)
        case priority(ClosedRange<ToDoPriority>)
        case date(ToDoDateAttribute, DateTest)
        /// The field reads so, whatever the case; nil takes items without it.
        case custom(String, String?)
        case virtual(ToDoVirtualTag)
        /// A part of this to-do.
        case parent(UInt128)
        /// Nothing stands in the field.
        case lacks(TextField)
        case not(Condition)
    }

    /// A field of text that may be empty.
    package enum TextField: Sendable {
        case notes
        case location
        case people
    }

    /// How a date must lie; a day covers all its instants.
    package enum DateTest: Sendable, Equatable {
        case isSet
        /// It begins before the moment begins.
        case before(Moment)
        /// It begins before the moment ends.
        case by(Moment)
        /// It begins on the day, or is the instant.
        case on(Moment)
        /// It begins after the moment ended.
        case after(Moment)
    }

    /// All must hold; none means every item.
    package var conditions: [Condition]
    /// The first day of the week, for `+WEEK`.
    package var weekStart: Weekday

    /// A filter of known conditions.
    package init(_ conditions: [Condition] = [], weekStart: Weekday = .monday) {
        self.conditions = conditions
        self.weekStart = weekStart
    }

    /// Whether only pending to-dos are meant: neither all were asked for, nor a status was named.
    package func isOfPending(showsAll: Bool) -> Bool { !showsAll && !namesStatus }

    /// Whether a condition names the status itself.
    private var namesStatus: Bool {
        conditions.contains { condition in
            switch condition {
            case .status, .virtual(.completed), .virtual(.cancelled), .virtual(.pending): true
            default: false
            }
        }
    }

    /// Whether a condition asks what to-dos are parts of.
    var readsParents: Bool { conditions.contains(where: Self.readsParent) }

    private static func readsParent(_ condition: Condition) -> Bool {
        switch condition {
        case .parent, .virtual(.subtask): true
        case .not(let inner): readsParent(inner)
        default: false
        }
    }

    /// Whether it searches a text in titles and notes.
    package var searchesText: Bool {
        conditions.contains { if case .text = $0 { true } else { false } }
    }
}

extension ToDoFilter {
    /// Whether an item meets every condition at an instant in milliseconds since 1970.
    package func matches(_ item: ToDoItem, now: Int64, zone: LocalTimeZone) -> Bool {
        conditions.allSatisfy { matches(item, $0, now: now, zone: zone) }
    }

    private func matches(
        _ item: ToDoItem, _ condition: Condition, now: Int64, zone: LocalTimeZone
    ) -> Bool {
        switch condition {
        case .text(let text): Self.holds(item.title, text) || Self.holds(item.notes, text)
        case .titleContains(let text): Self.holds(item.title, text)
        case .notesContain(let text): Self.holds(item.notes, text)
        case .locationContains(let text): Self.holds(item.location, text)
        case .project(let name): Self.isProject(item.project, in: name)
        case .tag(let tag): item.tags.contains(tag)
        case .person(let name):
            item.people.contains { $0.lowercased() == name.lowercased() }
        case .status(let status): item.status == status
        case .priority(let range): range.contains(item.priority)
        case .date(let attribute, let test):
            test.matches(item.date(attribute), zone: zone)
        case .custom(let name, let text):
            item.custom[name]?.displayText.lowercased() == text?.lowercased()
        case .virtual(let tag):
            tag.matches(item, now: now, zone: zone, weekStart: weekStart)
        case .parent(let id): item.parent == id
        case .lacks(.notes): item.notes.isEmpty
        case .lacks(.location): item.location.isEmpty
        case .lacks(.people): item.people.isEmpty
        case .not(let condition): !matches(item, condition, now: now, zone: zone)
        }
    }

    /// Whatever the case of letters and the way accents are composed, as the store searches.
    private static func holds(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.lowercased().inFormC.utf8), part.lowercased().inFormC.utf8)
        return part.isEmpty || text.contains(Array(part))
    }

    private static func isProject(_ project: String, in name: String) -> Bool {
        guard !name.isEmpty else { return project.isEmpty }
        let (project, name) = (project.lowercased(), name.lowercased())
        return project == name || project.hasPrefix(name + ".")
    }
}

extension ToDoFilter.DateTest {
    /// Whether a date passes; one that is not set never does.
    package func matches(_ moment: Moment?, zone: LocalTimeZone) -> Bool {
        guard let moment else { return false }
        let start = moment.start(in: zone)
        switch self {
        case .isSet: return true
        case .before(let limit): return start < limit.start(in: zone)
        case .by(let limit): return start < limit.end(in: zone)
        case .after(let limit): return start >= limit.end(in: zone)
        case .on(.day(let day)): return moment.day(in: zone) == Int(day)
        case .on(let instant): return moment == instant
        }
    }
}

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

    /// Whether a word is a tag or a key of a filter, and no text to look for.
    package static func isTerm(_ word: String) -> Bool {
        if TagWord(word) != nil { return true }
        // A key that is spelt wrong is told of when the filter is read.
        do throws(ToDoWordsError) { return try KeyedWord(word) != nil } catch { return true }
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

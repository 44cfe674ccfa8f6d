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
    /// Whether the due date was named as the end of a month, a quarter or a year.
    package var isDueAtMonthEnd = false
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
        var reader = ToDoWordReader(
            for: purpose, DatePhraseContext(now: now, zone: zone, weekStart: weekStart))
        for word in words { try reader.read(word) }
        return try reader.finished()
    }
}

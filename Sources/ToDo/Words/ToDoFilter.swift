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

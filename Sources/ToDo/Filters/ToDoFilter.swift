import Core
import Storage

/// Which to-dos a command is about; an item must meet every condition.
package struct ToDoFilter: Sendable, Equatable {
    /// One thing that must hold.
    package indirect enum Condition: Sendable, Equatable {
        /// Title or notes hold the text, whatever the case of letters and their accents.
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
        /// The date lies so to another one of the same to-do, from which a duration is counted: `wait.before:due-2d`.
        case dateBeside(ToDoDateAttribute, DateComparison, ToDoDateField, CalendarDuration)
        /// The field reads so, whatever the case; nil takes items without it.
        case custom(String, String?)
        case virtual(ToDoVirtualTag)
        /// A part of this to-do.
        case parent(UInt128)
        /// A part of what a person calls so; `named` finds that, and before it is none.
        case parentNamed(String)
        /// It waits for one of these.
        case depends(on: Set<UInt128>)
        /// It waits for what a person calls so; `named` finds that, and before it is none.
        case dependsNamed(String)
        /// It is one of these.
        case among(Set<UInt128>)
        /// Nothing stands in the field.
        case lacks(TextField)
        /// The field that the user added holds a value of the same kind, which compares so.
        case customCompare(String, CustomOrder, CustomValue)
        case not(Condition)
        /// All must hold.
        case all([Condition])
        /// One must hold.
        case any([Condition])

        /// The condition, or another in its place or within it.
        fileprivate func replaced<E>(
            _ new: (Condition) throws(E) -> Condition?
        ) throws(E) -> Condition {
            if let new = try new(self) { return new }
            func replaced(_ parts: [Condition]) throws(E) -> [Condition] {
                var result: [Condition] = []
                for part in parts { result.append(try part.replaced(new)) }
                return result
            }
            return switch self {
            case .not(let inner): .not(try inner.replaced(new))
            case .all(let parts): .all(try replaced(parts))
            case .any(let parts): .any(try replaced(parts))
            default: self
            }
        }

        /// Whether it, or a condition within it, is of a kind.
        func contains(where isWanted: (Condition) -> Bool) -> Bool {
            if isWanted(self) { return true }
            return switch self {
            case .not(let inner): inner.contains(where: isWanted)
            case .all(let parts), .any(let parts):
                parts.contains { $0.contains(where: isWanted) }
            default: false
            }
        }
    }

    /// A field of text that may be empty.
    package enum TextField: Sendable {
        case notes
        case location
        case people
        case depends
    }

    /// How a date must lie to another one; each is the test of that name.
    package enum DateComparison: Sendable {
        case before
        case by
        case on
        case after

        /// The test of a date by a moment.
        func test(_ moment: Moment) -> DateTest {
            switch self {
            case .before: .before(moment)
            case .by: .by(moment)
            case .on: .on(moment)
            case .after: .after(moment)
            }
        }
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
        conditions.contains { Self.namesStatus($0) }
    }

    private static func namesStatus(_ condition: Condition) -> Bool {
        switch condition {
        case .status, .virtual(.completed), .virtual(.cancelled), .virtual(.pending): true
        case .all(let parts), .any(let parts): parts.contains(where: namesStatus)
        default: false
        }
    }

    /// Whether a condition asks what to-dos are parts of or wait for.
    var readsReferences: Bool {
        conditions.contains { condition in
            condition.contains { inner in
                switch inner {
                case .parent, .virtual(.subtask), .depends, .lacks(.depends): true
                default: false
                }
            }
        }
    }

    /// The filter with conditions replaced wherever they stand; nil leaves one as it is.
    func replacing<E>(
        _ new: (Condition) throws(E) -> Condition?
    ) throws(E) -> ToDoFilter {
        var result = self
        result.conditions = []
        for condition in conditions { result.conditions.append(try condition.replaced(new)) }
        return result
    }

    /// The filter with the to-dos that its words name, as `depends:3`.
    ///
    /// - Parameter find: the ids of what a person calls so.
    package func named<E>(_ find: (String) throws(E) -> [UInt128]) throws(E) -> ToDoFilter {
        try replacing { condition throws(E) in
            switch condition {
            case .dependsNamed(let text): return .depends(on: Set(try find(text)))
            case .parentNamed(let text): return .any(try find(text).map { .parent($0) })
            default: return nil
            }
        }
    }

    /// The key and the name of the first to-do that it calls as a person does, before `named` has found that; nil for none.
    package var unnamedReference: (key: String, name: String)? {
        var found: (key: String, name: String)?
        for condition in conditions where found == nil {
            _ = condition.contains { inner in
                switch inner {
                case .dependsNamed(let name): found = found ?? ("depends", name)
                case .parentNamed(let name): found = found ?? ("parent", name)
                default: break
                }
                return found != nil
            }
        }
        return found
    }

    /// A date that to-dos are compared with.
    package struct ComparedDate: Sendable {
        /// The date of the to-do.
        package let attribute: ToDoDateAttribute
        /// How it is compared.
        package let test: DateTest
        /// Whether the to-dos are taken for which it does not hold.
        package let isNegated: Bool
    }

    /// The dates that to-dos are compared with, in the order of the words.
    package var comparedDates: [ComparedDate] {
        conditions.flatMap { Self.comparedDates($0, isNegated: false) }
    }

    private static func comparedDates(
        _ condition: Condition, isNegated: Bool
    ) -> [ComparedDate] {
        switch condition {
        case .date(let attribute, let test):
            [ComparedDate(attribute: attribute, test: test, isNegated: isNegated)]
        case .not(let inner): comparedDates(inner, isNegated: !isNegated)
        case .all(let parts), .any(let parts):
            parts.flatMap { comparedDates($0, isNegated: isNegated) }
        default: []
        }
    }

    /// Whether it searches a text in titles and notes.
    package var searchesText: Bool {
        conditions.contains { condition in
            condition.contains { if case .text = $0 { true } else { false } }
        }
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
        case .dateBeside(let attribute, let comparison, let base, let duration):
            item.moment(duration, after: base, zone: zone).map {
                comparison.test($0).matches(item.date(attribute), zone: zone)
            } ?? false
        case .custom(let name, let text):
            item.custom[name]?.displayText.lowercased() == text?.lowercased()
        case .virtual(let tag):
            tag.matches(item, now: now, zone: zone, weekStart: weekStart)
        case .parent(let id): item.parent == id
        case .lacks(.notes): item.notes.isEmpty
        case .lacks(.location): item.location.isEmpty
        case .lacks(.people): item.people.isEmpty
        case .lacks(.depends): item.depends.isEmpty
        case .depends(let ids): item.depends.contains(where: ids.contains)
        case .dependsNamed, .parentNamed: false
        case .among(let ids): item.identifier.map(ids.contains) ?? false
        case .customCompare(let name, let order, let value):
            item.custom[name].map { order.holds($0, value, zone: zone) } ?? false
        case .not(let condition): !matches(item, condition, now: now, zone: zone)
        case .all(let parts):
            parts.allSatisfy { matches(item, $0, now: now, zone: zone) }
        case .any(let parts): parts.contains { matches(item, $0, now: now, zone: zone) }
        }
    }

    /// Whatever the case of letters and their accents, as the store searches.
    private static func holds(_ text: String, _ part: String) -> Bool {
        part.isEmpty || text.contains(folded: part.foldedForSearch)
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

import Core

/// One to-do, as the user sees it.
///
/// Planned and actual times are different fields: `due` and `scheduled` are plans, `start` and
/// `finish` say when work really began and ended.
package struct ToDoItem: Sendable, Hashable {
    /// The record's id, read big-endian; nil for an item that is not stored yet.
    package var identifier: UInt128?
    /// One line, as a rule; empty only where another program gave none.
    package var title: String
    /// Any text; "" if there is none.
    package var notes: String
    /// Levels are parted by dots: `Home.Garden`; "" is the inbox.
    package var project: String

    /// The deadline.
    package var due: Moment?
    /// When work is planned to begin.
    package var scheduled: Moment?
    /// Hidden from lists until then.
    package var wait: Moment?
    /// Pointless after that.
    package var until: Moment?
    /// When work began.
    package var start: Moment?
    /// When work ended.
    package var finish: Moment?

    /// Pending, completed or cancelled.
    package var status: ToDoStatus
    /// When the status became completed or cancelled, sorted; several if devices did so while apart;
    /// milliseconds since 1970.
    package var completions: [Int64]
    /// Milliseconds since 1970.
    package var created: Int64?
    /// Milliseconds since 1970.
    package var modified: Int64?

    /// `none` unless the user said otherwise.
    package var priority: ToDoPriority
    /// Sorted by UTF-8 bytes, none twice; use `setTags`, `addTag`, `removeTag`.
    package private(set) var tags: [String]
    /// Names, in the order the user gave them.
    package var people: [String]
    /// Any text; "" if there is none.
    package var location: String
    /// The to-do that this one is a part of.
    package var parent: UInt128?
    /// The to-dos that this one waits for, sorted, none twice; use `setDepends`.
    package private(set) var depends: [UInt128]
    /// Where the user moved it to, sorted; several if devices moved it while apart.
    package var positions: [PositionKey]
    /// The stretches of work, sorted by their beginning.
    package var work: [WorkInterval]

    /// When to bring it to mind, sorted by their texts; use `setReminders`.
    package internal(set) var reminders: [Reminder]

    /// How it comes again, as `Repetition.text`; "" if it does not.
    package var repeats: String
    /// The days on which it does not come again, sorted, none twice; days since 1970-01-01; use `setExceptions`.
    package internal(set) var exceptions: [Int32]
    /// The first occurrence; nil for that one itself.
    package var series: UInt128?
    /// The number of the occurrence, one of `occurrences`; nil for the first.
    package var occurrence: Int?
    /// Where the schedule began.
    package var anchor: Moment?

    /// Fields the user added, and what foreign formats brought along, by name.
    package var custom: [String: CustomValue]

    /// A pending item that has nothing but a title.
    package init(title: String) {
        self.title = title
        notes = ""
        project = ""
        status = .pending
        priority = .none
        tags = []
        people = []
        location = ""
        depends = []
        custom = [:]
        completions = []
        positions = []
        work = []
        reminders = []
        repeats = ""
        exceptions = []
    }

    /// The numbers that an occurrence may have: of one every day for more than two million years.
    package static let occurrences = 1...1_000_000_000

    /// The text shown for a missing title.
    package static let untitled = "(no title)"

    /// Whether the title says something.
    package var hasTitle: Bool { title.contains { !$0.isWhitespace } }

    /// When the status became completed or cancelled, first of all; milliseconds since 1970.
    package var completed: Int64? {
        get { completions.first }
        set { completions = newValue.map { [$0] } ?? [] }
    }

    /// Its position in the order that the user chose.
    package var position: PositionKey {
        positions.last ?? PositionKey(created: created, id: identifier ?? 0)
    }

    /// When work really began: as the user said, else with the first stretch of work.
    package var workStart: Moment? { start ?? work.first.map { .instant($0.start) } }

    /// When work really ended: as the user said, else with the last stretch of work.
    package var workFinish: Moment? {
        if let finish { return finish }
        if work.contains(where: \.isRunning) { return nil }
        return work.compactMap(\.end).max().map { .instant($0) }
    }

    /// Whether work goes on, or is said to begin at some time and not to end.
    package var isInProcess: Bool {
        work.contains(where: \.isRunning) || (start != nil && finish == nil && work.isEmpty)
    }

    /// Whether work goes on; it does not before the time at which it begins.
    package func isActive(now: Int64, zone: LocalTimeZone) -> Bool {
        isInProcess
            && (work.contains(where: \.isRunning)
                || !ToDoVirtualTag.isAhead(start, now: now, zone: zone))
    }

    /// Whether the to-do was done; a cancelled one was not.
    package var isComplete: Bool { status == .completed }
}

extension ToDoItem {
    /// Replaces all tags; sorts them and drops repeats and empty ones.
    package mutating func setTags(_ new: some Sequence<String>) {
        let all = new.filter { !$0.isEmpty }
        // Nearly all to-dos have one or none.
        if all.count < 2 { return tags = all }
        tags = Set(all).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Adds a tag; nothing changes if it is there.
    package mutating func addTag(_ tag: String) {
        setTags(tags + [tag])
    }

    /// Replaces all that it waits for; sorts them and drops repeats.
    package mutating func setDepends(_ new: some Sequence<UInt128>) {
        let all = Array(new)
        depends = all.count < 2 ? all : Set(all).sorted()
    }

    /// Removes a tag; nothing changes if it is not there.
    package mutating func removeTag(_ tag: String) {
        tags.removeAll { $0 == tag }
    }
}

/// Whether a to-do is still to be done.
package enum ToDoStatus: String, Sendable, CaseIterable {
    case pending
    case completed
    /// Will not be done, but is kept and listed with the finished ones.
    case cancelled
}

/// How much a to-do matters; ordered from none to high.
package enum ToDoPriority: Int, Sendable, CaseIterable, Comparable {
    case none
    case low
    case medium
    case high

    /// The word used on the command line and in our own export.
    package var word: String {
        switch self {
        case .none: "none"
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }

    /// Reads a word, its first letter, or the letters of Taskwarrior, in either case.
    package init?(word: String) {
        switch word.lowercased() {
        case "", "none", "n": self = .none
        case "low", "l": self = .low
        case "medium", "med", "m": self = .medium
        case "high", "h": self = .high
        default: return nil
        }
    }

    /// Whether the left one matters less.
    package static func < (left: ToDoPriority, right: ToDoPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension ToDoItem {
    /// Puts tags together again that another program took apart at their commas.
    mutating func rejoinTags(of base: ToDoItem) {
        var tags = Set(self.tags)
        let before = Set(base.tags)
        for tag in base.tags where tag.contains(",") && !tags.contains(tag) {
            let parts = tag.split(separator: ",").map { part in
                String(part.drop { $0 == " " })
            }
            guard !parts.isEmpty, parts.allSatisfy(tags.contains) else { continue }
            tags.subtract(parts.filter { !before.contains($0) })
            tags.insert(tag)
        }
        setTags(tags)
    }
}

/// When something is due, planned, hidden, begun or finished.
///
/// A day is a day wherever one is: it has no time zone and stays distinct from its midnight.
package enum Moment: Sendable, Hashable {
    /// A calendar day; days since 1970-01-01.
    case day(Int32)
    /// A point in time; milliseconds since 1970-01-01T00:00:00Z.
    case instant(Int64)
}

extension Moment {
    /// The first millisecond the moment covers in `zone`.
    package func start(in zone: LocalTimeZone) -> Int64 {
        switch self {
        case .day(let day): zone.startOfDay(Int(day))
        case .instant(let milliseconds): milliseconds
        }
    }

    /// The first millisecond after the moment in `zone`; an instant lasts one millisecond.
    package func end(in zone: LocalTimeZone) -> Int64 {
        switch self {
        case .day(let day): zone.startOfDay(Int(day) + 1)
        case .instant(let milliseconds): milliseconds.plus(1)
        }
    }

    /// Whether it has passed: a day when the calendar shows a later one, which is told without looking for its end.
    func isOver(now: Int64, zone: LocalTimeZone) -> Bool {
        switch self {
        case .day(let day): Int(day) < zone.localTime(at: now).day
        case .instant(let milliseconds): milliseconds < now
        }
    }

    /// The calendar day the moment lies on in `zone`; days since 1970-01-01.
    package func day(in zone: LocalTimeZone) -> Int {
        switch self {
        case .day(let day): Int(day)
        case .instant(let milliseconds): zone.localTime(at: milliseconds).day
        }
    }

    /// The day, or the instant in UTC, in the form of RFC 3339.
    var rfc3339: String {
        switch self {
        case .day(let day): TimestampText.day(Int(day))
        case .instant(let instant): TimestampText.rfc3339(instant)
        }
    }
}

/// The dates of a to-do that the user sets.
package enum ToDoDateField: String, Sendable, CaseIterable {
    case due
    case scheduled
    case wait
    case until
    case start
    case finish
}

extension ToDoItem {
    /// One of the dates that the user sets.
    package subscript(field: ToDoDateField) -> Moment? {
        get {
            switch field {
            case .due: due
            case .scheduled: scheduled
            case .wait: wait
            case .until: until
            case .start: start
            case .finish: finish
            }
        }
        set {
            switch field {
            case .due: due = newValue
            case .scheduled: scheduled = newValue
            case .wait: wait = newValue
            case .until: until = newValue
            case .start: start = newValue
            case .finish: finish = newValue
            }
        }
    }
}

extension ToDoItem {
    /// The doubts about dates that say until when something holds, and have passed, as far as a change made them so.
    ///
    /// - Parameters:
    ///   - old: the to-do before the change; nil if it is new.
    ///   - now: milliseconds since 1970.
    package func pastHints(
        before old: ToDoItem?, now: Int64, zone: LocalTimeZone
    ) -> [ToDoWordHint] {
        guard status == .pending else { return [] }
        return [ToDoDateField.wait, .until].compactMap { field in
            guard let date = self[field], date != old?[field] else { return nil }
            // A day is hidden until it begins, and its end is what it lasts to.
            let end = field == .wait ? date.start(in: zone) : date.end(in: zone)
            return end <= now ? .pastDate(field, DatePhrase.absolute(date, zone: zone)) : nil
        }
    }
}

/// Any date of a to-do, also those that only the program sets.
package enum ToDoDateAttribute: String, Sendable, CaseIterable {
    case due
    case scheduled
    case wait
    case until
    case start
    case finish
    case completed
    case created
    case modified

    /// The field, if the user may set it.
    package var field: ToDoDateField? { ToDoDateField(rawValue: rawValue) }
}

extension ToDoItem {
    /// Any of the item's dates.
    package func date(_ attribute: ToDoDateAttribute) -> Moment? {
        if let field = attribute.field { return self[field] }
        let instant =
            switch attribute {
            case .completed: completed
            case .created: created
            default: modified
            }
        return instant.map { .instant($0) }
    }
}

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
        case .instant(let milliseconds): milliseconds &+ 1
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

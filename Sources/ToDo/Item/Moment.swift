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

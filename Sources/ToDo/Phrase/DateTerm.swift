/// What a part of a date phrase means, before it is a moment.
enum DateTerm: Equatable {
    /// A day; time of day may still follow.
    case day(Int)
    /// A day named as an end, such as `eom`: hours are counted from its end, days from itself.
    case lastDay(Int)
    /// A point in time; milliseconds since 1970.
    case instant(Int64)

    /// The day, unless the term is a point in time.
    var day: Int? {
        switch self {
        case .day(let day), .lastDay(let day): day
        case .instant: nil
        }
    }
}

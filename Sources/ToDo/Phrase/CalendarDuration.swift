/// A length of time in the units people use: months and days follow the calendar, not the clock.
struct CalendarDuration: Equatable {
    var months = 0
    var days = 0
    var milliseconds = 0

    /// Whether whole days are all there is; such a duration gives a day, not a point in time.
    var isWholeDays: Bool { milliseconds == 0 }

    var negated: CalendarDuration {
        CalendarDuration(months: -months, days: -days, milliseconds: -milliseconds)
    }

    static func + (left: CalendarDuration, right: CalendarDuration) -> CalendarDuration {
        CalendarDuration(
            months: left.months + right.months, days: left.days + right.days,
            milliseconds: left.milliseconds + right.milliseconds)
    }
}

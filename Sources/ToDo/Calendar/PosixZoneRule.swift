/// The rule after a time zone file's last transition, in the form of the TZ variable.
///
/// `CET-1CEST,M3.5.0,M10.5.0/3`: one hour east, summer time from the last Sunday in March at
/// 02:00 to the last Sunday in October at 03:00. Source: POSIX.1-2017 8.3; RFC 8536 3.3.1.
struct PosixZoneRule: Sendable, Equatable {
    /// One kind of local time.
    struct Period: Sendable, Equatable {
        /// Seconds east of UTC.
        var offset: Int
        var abbreviation: String
    }

    /// The day of a year on which the clock is changed.
    enum ChangeDay: Sendable, Equatable {
        /// 1 to 365; 29 February is never counted.
        case julian(Int)
        /// 0 to 365; 29 February is counted.
        case zeroBased(Int)
        /// `week` 5 is the last one; `weekday` 0 is Sunday.
        case weekday(month: Int, week: Int, weekday: Int)
    }

    /// When the clock is changed, by the clock as it is before.
    struct Change: Sendable, Equatable {
        var day: ChangeDay
        /// Seconds after midnight; from -167 to 167 hours.
        var time: Int
    }

    struct Daylight: Sendable, Equatable {
        var period: Period
        var start: Change
        var end: Change
    }

    var standard: Period
    var daylight: Daylight?
}

extension PosixZoneRule {
    /// A change of the clock; `instant` in seconds since 1970.
    struct Transition: Equatable {
        var instant: Int
        var period: Period
        var isDaylight: Bool
    }

    /// The period at an instant in seconds since 1970.
    func period(at instant: Int) -> (period: Period, isDaylight: Bool) {
        let known = transitions(around: instant)
        guard let first = known.first, let daylight else { return (standard, false) }
        guard let last = known.last(where: { $0.instant <= instant }) else {
            return first.isDaylight ? (standard, false) : (daylight.period, true)
        }
        return (last.period, last.isDaylight)
    }

    /// The changes of the year of `instant` and both its neighbours, in order.
    ///
    /// Of two at one instant the one to daylight time is last, so that a rule whose summer
    /// lasts from one new year to the next means daylight time for ever.
    func transitions(around instant: Int) -> [Transition] {
        guard let daylight else { return [] }
        let day = (instant + standard.offset).quotientRoundedDown(by: 86_400).quotient
        let year = CivilDate(day: day).year
        var found: [Transition] = []
        for year in year - 1...year + 1 {
            let start = daylight.start.localSeconds(year: year) - standard.offset
            let end = daylight.end.localSeconds(year: year) - daylight.period.offset
            found.append(Transition(instant: start, period: daylight.period, isDaylight: true))
            found.append(Transition(instant: end, period: standard, isDaylight: false))
        }
        return found.sorted {
            ($0.instant, $0.isDaylight ? 1 : 0) < ($1.instant, $1.isDaylight ? 1 : 0)
        }
    }
}

extension PosixZoneRule.Change {
    /// The change in a year as seconds of local time since 1970-01-01T00:00.
    func localSeconds(year: Int) -> Int {
        day.day(year: year) * 86_400 + time
    }
}

extension PosixZoneRule.ChangeDay {
    /// The day in a year, counted from 1970-01-01.
    func day(year: Int) -> Int {
        switch self {
        case .julian(let number):
            let afterLeapDay = CivilDate.isLeap(year) && number >= 60 ? 1 : 0
            return CivilDate(year, 1, 1).day + number - 1 + afterLeapDay
        case .zeroBased(let number):
            return CivilDate(year, 1, 1).day + number
        case .weekday(let month, let week, let weekday):
            let first = CivilDate(year, month, 1).day
            let wanted = weekday == 0 ? Weekday.sunday : Weekday.allCases[weekday - 1]
            let day = first + wanted.distance(after: Weekday(day: first)) + (week - 1) * 7
            let length = CivilDate.length(ofMonth: month, year: year)
            return day < first + length ? day : day - 7
        }
    }
}

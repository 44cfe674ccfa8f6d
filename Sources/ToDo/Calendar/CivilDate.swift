/// A date of the Gregorian calendar, extended to all years (year 0 is 1 BC).
package struct CivilDate: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to the month's length.
    package var dayOfMonth: Int

    /// Wraps parts that are known to be a date; see `init(checking:_:_:)` for foreign ones.
    package init(_ year: Int, _ month: Int, _ dayOfMonth: Int) {
        self.year = year
        self.month = month
        self.dayOfMonth = dayOfMonth
    }

    /// Checks the parts; nil if there is no such date.
    package init?(checking year: Int, _ month: Int, _ dayOfMonth: Int) {
        guard (1...12).contains(month), dayOfMonth >= 1,
            dayOfMonth <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.init(year, month, dayOfMonth)
    }

    /// The date of a day counted from 1970-01-01.
    package init(day: Int) {
        // Years are counted from 1 March, so that the leap day is the last day of its year and
        // month lengths follow the line (153 m + 2) / 5; 400 years are 146 097 days.
        let (era, dayOfEra) = (day + 719_468).quotientRoundedDown(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01.
    package var day: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = marchYear.quotientRoundedDown(by: 400)
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + dayOfMonth - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day of the week.
    package var weekday: Weekday { Weekday(day: day) }

    /// 1 to 366.
    package var dayOfYear: Int { day - CivilDate(year, 1, 1).day + 1 }

    /// 1 to 4.
    package var quarter: Int { (month + 2) / 3 }
}

extension CivilDate {
    /// Whether a year has a 29 February.
    package static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Days in a month; `month` is 1 to 12.
    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The first day of the month `months` later (or earlier).
    package func startOfMonth(later months: Int = 0) -> CivilDate {
        let (year, month) = (year * 12 + month - 1 + months).quotientRoundedDown(by: 12)
        return CivilDate(year, month + 1, 1)
    }

    /// The last day of the month `months` later (or earlier).
    package func endOfMonth(later months: Int = 0) -> CivilDate {
        var date = startOfMonth(later: months)
        date.dayOfMonth = Self.length(ofMonth: date.month, year: date.year)
        return date
    }

    /// The same day of the month `months` later; the last day of a month that is too short.
    package func adding(months: Int) -> CivilDate {
        var date = endOfMonth(later: months)
        date.dayOfMonth = min(date.dayOfMonth, dayOfMonth)
        return date
    }

    /// The Monday that begins an ISO week; nil if the year has no such week.
    package static func startOfISOWeek(_ week: Int, year: Int) -> CivilDate? {
        // 4 January always lies in week 1.
        let fourth = CivilDate(year, 1, 4)
        let monday = fourth.day - (fourth.weekday.rawValue - 1) + (week - 1) * 7
        let date = CivilDate(day: monday)
        guard week >= 1, date.isoWeek == (year, week) else { return nil }
        return date
    }

    /// The ISO week and the year it counts to, which is that of its Thursday.
    package var isoWeek: (year: Int, week: Int) {
        let thursday = CivilDate(day: day - weekday.rawValue + 4)
        return (thursday.year, (thursday.dayOfYear - 1) / 7 + 1)
    }

    /// Easter Sunday of the western churches.
    package static func easter(_ year: Int) -> CivilDate {
        // Golden number, century corrections, then the full moon and the Sunday after it.
        let golden = year % 19
        let century = year / 100
        let skippedLeapYears = century - century / 4
        let moonCorrection = (century - (century + 8) / 25 + 1) / 3
        var epact = (19 * golden + skippedLeapYears - moonCorrection + 15) % 30
        // Two epacts give one date too late; the lunar month has 29 or 30 days.
        if epact == 29 || (epact == 28 && golden > 10) { epact -= 1 }
        let fullMoon = CivilDate(year, 3, 21).day + epact
        let sunday = fullMoon + 1 + Weekday.sunday.distance(after: Weekday(day: fullMoon + 1))
        return CivilDate(day: sunday)
    }
}

/// A day of the week; raw values are those of ISO 8601.
package enum Weekday: Int, Sendable, CaseIterable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// The weekday of a day; `day` counts from 1970-01-01, a Thursday.
    package init(day: Int) {
        let index = (day + 3).quotientRoundedDown(by: 7).remainder
        self = Self.allCases[index]
    }

    /// The days of which people say that they are working days.
    package static let workdays: [Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday]

    /// Three letters: `Mon`.
    package var shortName: String {
        switch self {
        case .monday: "Mon"
        case .tuesday: "Tue"
        case .wednesday: "Wed"
        case .thursday: "Thu"
        case .friday: "Fri"
        case .saturday: "Sat"
        case .sunday: "Sun"
        }
    }

    /// In full, in lower case: `monday`.
    package var name: String { DayNames.weekdays[rawValue - 1] }

    /// How many days lie from `other` forward to this one: 0 to 6.
    package func distance(after other: Weekday) -> Int {
        (rawValue - other.rawValue + 7) % 7
    }
}

extension BinaryInteger {
    /// Division that rounds towards minus infinity, so that the remainder is never negative.
    func quotientRoundedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// A local day and the time within it, as a wall clock and a calendar show them.
package struct LocalTime: Sendable, Hashable {
    /// Days since 1970-01-01.
    package var day: Int
    /// Milliseconds since midnight as the clock shows it: 0 to 86 399 999.
    package var millisecondOfDay: Int

    /// A time of a day; midnight if nothing is said.
    package init(day: Int, millisecondOfDay: Int = 0) {
        self.day = day
        self.millisecondOfDay = millisecondOfDay
    }

    /// The date of the day.
    package var date: CivilDate { CivilDate(day: day) }
    /// 0 to 23.
    package var hour: Int { millisecondOfDay / 3_600_000 }
    /// 0 to 59.
    package var minute: Int { millisecondOfDay / 60_000 % 60 }
    /// 0 to 59.
    package var second: Int { millisecondOfDay / 1_000 % 60 }
}

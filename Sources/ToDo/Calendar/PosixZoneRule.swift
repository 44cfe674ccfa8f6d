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

/// Reads a TZ rule; see `PosixZoneRule`.
struct PosixZoneRuleParser {
    private let text: [UInt8]
    private var index = 0

    private init(_ text: [UInt8]) {
        self.text = text
    }

    /// Parses a whole rule.
    ///
    /// - Throws: `badRule`.
    static func parse(_ text: [UInt8]) throws(TimeZoneFault) -> PosixZoneRule {
        var parser = PosixZoneRuleParser(text)
        guard text.count <= 200, let rule = parser.rule(), parser.index == text.count else {
            throw .badRule(String(decoding: text.prefix(80), as: UTF8.self))
        }
        return rule
    }

    private mutating func rule() -> PosixZoneRule? {
        guard let name = name(), let west = offset(hoursMax: 24) else { return nil }
        let standard = PosixZoneRule.Period(offset: -west, abbreviation: name)
        guard index < text.count else { return PosixZoneRule(standard: standard, daylight: nil) }
        guard let daylightName = self.name() else { return nil }
        var daylight = PosixZoneRule.Period(
            offset: standard.offset + 3_600, abbreviation: daylightName)
        if let next = peek, next != UInt8(ascii: ",") {
            guard let west = offset(hoursMax: 24) else { return nil }
            daylight.offset = -west
        }
        // Without dates POSIX leaves the rule to the system; common ones use that of the USA.
        var start = PosixZoneRule.Change(
            day: .weekday(month: 3, week: 2, weekday: 0), time: 7_200)
        var end = PosixZoneRule.Change(
            day: .weekday(month: 11, week: 1, weekday: 0), time: 7_200)
        if index < text.count {
            guard let first = change(), let second = change() else { return nil }
            (start, end) = (first, second)
        }
        return PosixZoneRule(
            standard: standard,
            daylight: PosixZoneRule.Daylight(period: daylight, start: start, end: end))
    }

    private var peek: UInt8? { index < text.count ? text[index] : nil }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// At least three letters, or `<…>` with letters, digits and signs.
    private mutating func name() -> String? {
        let quoted = consume("<")
        let start = index
        while let byte = peek, Self.isNamePart(byte, quoted: quoted) { index += 1 }
        let name = text[start..<index]
        guard name.count >= 3, !quoted || consume(">") else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8, quoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): quoted
        default: false
        }
    }

    private mutating func number(max: Int) -> Int? {
        let start = index
        var value = 0
        while let byte = peek, (48...57).contains(byte), index - start < 4 {
            value = value * 10 + Int(byte - 48)
            index += 1
        }
        return index > start && value <= max ? value : nil
    }

    /// `[+-]h[h][:mm[:ss]]` in seconds.
    private mutating func offset(hoursMax: Int) -> Int? {
        let isNegative = consume("-")
        if !isNegative { _ = consume("+") }
        guard let hours = number(max: hoursMax) else { return nil }
        var seconds = hours * 3_600
        if consume(":") {
            guard let minutes = number(max: 59) else { return nil }
            seconds += minutes * 60
            if consume(":") {
                guard let rest = number(max: 59) else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func change() -> PosixZoneRule.Change? {
        guard consume(","), let day = changeDay() else { return nil }
        guard consume("/") else { return PosixZoneRule.Change(day: day, time: 7_200) }
        // RFC 8536 3.3.1: times from -167 to 167 hours are allowed.
        guard let time = offset(hoursMax: 167) else { return nil }
        return PosixZoneRule.Change(day: day, time: time)
    }

    private mutating func changeDay() -> PosixZoneRule.ChangeDay? {
        if consume("J") {
            guard let number = number(max: 365), number >= 1 else { return nil }
            return .julian(number)
        }
        guard consume("M") else { return number(max: 365).map { .zeroBased($0) } }
        guard let month = number(max: 12), month >= 1, consume("."),
            let week = number(max: 5), week >= 1, consume("."),
            let weekday = number(max: 6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }
}

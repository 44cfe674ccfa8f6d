/// The order of day and month in a date with slashes that may be read in two ways.
package enum DateOrder: String, Sendable, CaseIterable {
    case dayMonth = "day-month"
    case monthDay = "month-day"
}

/// Reads dates the way people write them; English.
///
/// The rules that other tools disagree about:
/// - A weekday is the coming one, today excluded; `next friday` is the same day as `friday`;
///   `this friday` may be today; `last friday` is the latest before today; the one in the week
///   after this is `friday next week`.
/// - Days give a day, times give a point in time: `tomorrow`, `3d`, `eom` have no time of day,
///   `5pm`, `2h`, `tomorrow+10h` have one.
/// - Parts of a day are times: morning 9:00, afternoon 15:00, evening 18:00, night 20:00.
/// - With dots the day comes before the month; with slashes the greater number has to tell, else `DateOrder`.
/// - A time alone is the next one the clock shows. `midnight` after a day begins that day.
/// - Months have their own lengths: `P1M` after 31 January is the last day of February.
/// - Weeks such as `2026-W49` are those of ISO 8601 and begin on Monday; `sow` and `eow` follow
///   `weekStart`.
package enum DatePhrase {
    /// No phrase is longer, so that the search for its meaning stays short.
    private static let byteCountMax = 100

    /// Reads a phrase.
    ///
    /// - Parameters:
    ///   - text: what was typed, in any case.
    ///   - now: milliseconds since 1970.
    ///   - zone: the time zone that days and times without one are in.
    ///   - weekStart: the first day of the week.
    ///   - dateOrder: the order of `5/6`; without one such a date is refused.
    package static func parse(
        _ text: String, now: Int64, zone: LocalTimeZone, weekStart: Weekday = .monday,
        dateOrder: DateOrder? = nil
    ) throws(DatePhraseError) -> Moment {
        let words = words(of: text)
        guard !words.isEmpty else { throw .empty }
        guard text.utf8.count <= byteCountMax else {
            throw .notUnderstood(String(text.prefix(40)) + "…", hint: DatePhraseHints.examples)
        }
        let parser = DatePhraseParser(
            context: DatePhraseContext(
                now: now, zone: zone, weekStart: weekStart, dateOrder: dateOrder))
        guard let moment = try moment(words, text: text, parser) else {
            let hint = DatePhraseHints.hint(for: words[...]) { proposal in
                (try? Self.moment(Self.words(of: proposal), text: proposal, parser)) != nil
            }
            throw .notUnderstood(text, hint: hint)
        }
        return moment
    }

    /// Returns the moment that the words of a text name; nil if they are not understood.
    private static func moment(
        _ words: [String], text: String, _ parser: DatePhraseParser
    ) throws(DatePhraseError) -> Moment? {
        guard let term = try parser.term(words[...], depth: 0) else { return nil }
        return try moment(term, text: text, zone: parser.context.zone)
    }

    /// The moment of a term; one that has a name of four digits' year.
    static func moment(
        _ term: DateTerm, text: String, zone: LocalTimeZone
    ) throws(DatePhraseError) -> Moment {
        let moment = try moment(term, text: text)
        let year = CivilDate(day: moment.day(in: zone)).year
        guard (1...9_999).contains(year) else { throw .outOfRange(text) }
        return moment
    }

    private static func moment(_ term: DateTerm, text: String) throws(DatePhraseError) -> Moment {
        switch term {
        case .day(let day), .lastDay(let day):
            guard let day = Int32(exactly: day) else { throw .outOfRange(text) }
            return .day(day)
        case .instant(let instant): return .instant(instant)
        }
    }

    /// Lower case, parted by spaces and commas; `next-fri` is two words.
    private static func words(of text: String) -> [String] {
        let parts = text.lowercased().split { $0.isWhitespace || $0 == "," }
        return parts.flatMap { part -> [String] in
            for opening in ["next-", "this-", "last-"] where part.hasPrefix(opening) {
                return [String(opening.dropLast()), String(part.dropFirst(opening.count))]
            }
            return [String(part)]
        }
    }
}

/// The meaning of a part of a date phrase, before it is a moment.
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

/// Why a date phrase was refused; every case says what to write instead.
package enum DatePhraseError: Error, Equatable, Sendable {
    /// There is nothing to read.
    case empty
    /// No rule fits.
    case notUnderstood(String, hint: String)
    /// The form is right, but the calendar or the clock has no such place.
    case noSuchDate(String, hint: String)
    /// The date lies outside the years 1 to 9999.
    case outOfRange(String)
}

extension DatePhraseError {
    /// The error with its hint for a value behind a key: a first word alone is quoted there with the others.
    func quoted(behind key: String) -> DatePhraseError {
        guard case .notUnderstood(let text, let hint) = self,
            hint == DatePhraseHints.several(text.lowercased())
        else { return self }
        return .notUnderstood(text, hint: DatePhraseHints.several(text, behind: key))
    }
}

extension DatePhraseError: CustomStringConvertible {
    /// The part that was not understood and what to write instead, for the user.
    package var description: String {
        switch self {
        case .empty:
            "no date given; \(DatePhraseHints.examples)"
        case .notUnderstood(let text, let hint):
            "cannot understand the date '\(text)'; \(hint)"
        case .noSuchDate(let text, let hint):
            "there is no '\(text)': \(hint)"
        case .outOfRange(let text):
            "'\(text)' lies outside the years 1 to 9999; 'someday' is the latest that has a name"
        }
    }
}

extension DatePhrase {
    /// Says how a date was understood: `Fri 27 Nov 2026, in 6 days`.
    ///
    /// - Parameters:
    ///   - moment: the date.
    ///   - now: milliseconds since 1970.
    ///   - zone: the zone whose clock is shown.
    package static func describe(_ moment: Moment, now: Int64, zone: LocalTimeZone) -> String {
        "\(absolute(moment, zone: zone)), \(relative(moment, now: now, zone: zone))"
    }

    /// `Fri 27 Nov 2026`, with the time of day for a point in time.
    package static func absolute(_ moment: Moment, zone: LocalTimeZone) -> String {
        let date = CivilDate(day: moment.day(in: zone))
        let text = "\(date.weekday.shortName) \(dayAndMonth(date)) \(date.year)"
        guard case .instant(let instant) = moment else { return text }
        let time = zone.localTime(at: instant)
        return time.second == 0
            ? "\(text) \(clock(time))"
            : "\(text) \(clock(time)):\(TimestampText.padded(time.second))"
    }

    private static func dayAndMonth(_ date: CivilDate) -> String {
        "\(date.dayOfMonth) \(DayNames.short(month: date.month))"
    }

    /// A time of the day: `09:30`.
    package static func clock(_ time: LocalTime) -> String {
        "\(TimestampText.padded(time.hour)):\(TimestampText.padded(time.minute))"
    }

    /// How much room a date has in a list.
    package enum Width: CaseIterable, Sendable {
        /// `Fri 27 Nov 17:00, in 4 days`.
        case long
        /// `Fri 27 Nov 17:00`.
        case middle
        /// `27 Nov 17:00`.
        case short
    }

    /// A date in a list: the day, the clock where there is one, and how far it is; the year if it is not this one.
    package static func listed(
        _ moment: Moment, now: Int64, zone: LocalTimeZone, width: Width
    ) -> String {
        let date = CivilDate(day: moment.day(in: zone))
        let isThisYear = date.year == CivilDate(day: zone.localTime(at: now).day).year
        var text = dayAndMonth(date) + (isThisYear ? "" : " \(date.year)")
        if width != .short { text = "\(date.weekday.shortName) \(text)" }
        if case .instant(let instant) = moment {
            text += " " + clock(zone.localTime(at: instant))
        }
        if width != .long { return text }
        return "\(text), \(relative(moment, now: now, zone: zone, isShort: true))"
    }

    /// `today`, `tomorrow`, `in 6 days`, `2 hours ago`, `in about 3 months`.
    ///
    /// - Parameter isShort: whether without "about", where there is little room.
    package static func relative(
        _ moment: Moment, now: Int64, zone: LocalTimeZone, isShort: Bool = false
    ) -> String {
        let today = zone.localTime(at: now).day
        let days = moment.day(in: zone) - today
        // Such a date stands for none.
        if moment.day(in: zone) >= DayNames.someday { return "someday" }
        if case .instant(let instant) = moment {
            let minutes = (Double(instant) - Double(now)) / 60_000
            if abs(minutes) < 22 * 60 { return near(minutes: Int(minutes.rounded())) }
        }
        switch days {
        case 0: return "today"
        case 1: return "tomorrow"
        case -1: return "yesterday"
        default: break
        }
        let (count, unit) =
            switch abs(days) {
            case ..<100: (abs(days), "day")
            case ..<730: (Self.count(of: monthLength, in: days), "month")
            default: (Self.count(of: yearLength, in: days), "year")
            }
        let about = isShort || unit == "day" ? "" : "about "
        return days > 0 ? "in \(about)\(plural(count, unit))" : "\(about)\(plural(count, unit)) ago"
    }

    /// The days of a year of the calendar, leap years included.
    private static let yearLength = 365.2425
    /// The days of a month, as a twelfth of that.
    private static let monthLength = yearLength / 12

    /// How many units fit a number of days best.
    private static func count(of length: Double, in days: Int) -> Int {
        Int((Double(abs(days)) / length).rounded())
    }

    private static func near(minutes: Int) -> String {
        guard minutes != 0 else { return "now" }
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        let text =
            hours == 0
            ? plural(rest, "minute")
            : hours >= 4 || rest == 0 ? plural(hours, "hour") : "\(hours) h \(rest) min"
        return minutes > 0 ? "in \(text)" : "\(text) ago"
    }

    private static func plural(_ count: Int, _ unit: String) -> String {
        "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
}

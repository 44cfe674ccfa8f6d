/// The names that stand for one day or one point in time.
///
/// A name that recurs (weekday, month, `15th`, `12-25`, `easter`) is its next occurrence, today
/// excluded. Names of periods follow Taskwarrior: `som` is the start of the current month,
/// `sonm` of the next; ends are the last day itself, not a second before midnight.
package enum DayNames {
    /// The day of `someday` and `later`, as Taskwarrior has it; days since 1970-01-01.
    static let someday = CivilDate(9_999, 12, 30).day

    /// Every name of a fixed meaning, also for suggestions.
    static let fixed = [
        "now", "today", "tomorrow", "yesterday", "sod", "eod", "sow", "eow", "soww", "eoww",
        "socw", "eocw", "sonw", "eonw", "som", "eom", "sonm", "eonm", "soq", "eoq", "sonq", "eonq",
        "soy", "eoy", "sony", "eony", "later", "someday", "goodfriday", "easter", "eastermonday",
        "ascension", "pentecost", "midsommar", "midsommarafton", "juhannus",
    ]

    static let weekdays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ]

    /// Three letters of a month, 1 to 12: `Nov`.
    package static func short(month: Int) -> String { shortMonths[month - 1] }

    private static let shortMonths = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The meaning of one word; nil if it is no name.
    static func term(_ name: String, in context: DatePhraseContext) -> DateTerm? {
        switch name {
        case "now": return .instant(context.now)
        case "today", "sod": return .day(context.today)
        case "eod": return .lastDay(context.today)
        case "tomorrow": return .day(context.today + 1)
        case "yesterday": return .day(context.today - 1)
        case "later", "someday": return .day(someday)
        default: break
        }
        if let term = week(name, in: context) ?? month(name, in: context) { return term }
        if let days = distanceFromEaster(name) { return feast(days, in: context) }
        if let days = distanceFromMidsummer(name) {
            return .day(comingMidsummer(days, in: context))
        }
        if let weekday = weekday(name) { return .day(coming(weekday, after: context.today)) }
        if let month = monthNumber(name) { return .day(first(ofMonth: month, in: context)) }
        return nil
    }

    private static func week(_ name: String, in context: DatePhraseContext) -> DateTerm? {
        switch name {
        case "sow", "socw": return .day(context.startOfWeek())
        case "eow", "eocw": return .lastDay(context.startOfWeek() + 6)
        case "sonw": return .day(context.startOfWeek(later: 1))
        case "eonw": return .lastDay(context.startOfWeek(later: 1) + 6)
        case "soww":
            return .day(context.today - Weekday(day: context.today).distance(after: .monday))
        case "eoww":
            // On a weekend the working week is over; a deadline means the next one.
            return .lastDay(coming(.friday, after: context.today - 1))
        default: return nil
        }
    }

    private static func month(_ name: String, in context: DatePhraseContext) -> DateTerm? {
        let today = CivilDate(day: context.today)
        let intoQuarter = (today.month - 1) % 3
        let intoYear = today.month - 1
        return switch name {
        case "som": .day(today.startOfMonth().day)
        case "eom": .lastDay(today.endOfMonth().day)
        case "sonm": .day(today.startOfMonth(later: 1).day)
        case "eonm": .lastDay(today.endOfMonth(later: 1).day)
        case "soq": .day(today.startOfMonth(later: -intoQuarter).day)
        case "eoq": .lastDay(today.endOfMonth(later: 2 - intoQuarter).day)
        case "sonq": .day(today.startOfMonth(later: 3 - intoQuarter).day)
        case "eonq": .lastDay(today.endOfMonth(later: 5 - intoQuarter).day)
        case "soy": .day(today.startOfMonth(later: -intoYear).day)
        case "eoy": .lastDay(today.endOfMonth(later: 11 - intoYear).day)
        case "sony": .day(today.startOfMonth(later: 12 - intoYear).day)
        case "eony": .lastDay(today.endOfMonth(later: 23 - intoYear).day)
        default: nil
        }
    }

    /// The days from Easter Sunday to a feast; nil for any other name.
    private static func distanceFromEaster(_ name: String) -> Int? {
        switch name {
        case "goodfriday": -2
        case "easter": 0
        case "eastermonday": 1
        case "ascension": 39
        case "pentecost": 49
        default: nil
        }
    }

    /// The days from Midsummer's Day in Sweden, a Saturday, to a feast; nil for any other name.
    private static func distanceFromMidsummer(_ name: String) -> Int? {
        switch name {
        case "midsommar": 0
        case "midsommarafton", "juhannus": -1
        default: nil
        }
    }

    /// Midsummer's Day is the Saturday from the 20th to the 26th of June.
    private static func comingMidsummer(_ days: Int, in context: DatePhraseContext) -> Int {
        func day(_ year: Int) -> Int {
            coming(.saturday, after: CivilDate(year, 6, 19).day) + days
        }
        let year = CivilDate(day: context.today).year
        return day(year) > context.today ? day(year) : day(year + 1)
    }

    private static func feast(_ days: Int, in context: DatePhraseContext) -> DateTerm {
        let year = CivilDate(day: context.today).year
        let thisYear = CivilDate.easter(year).day + days
        return .day(thisYear > context.today ? thisYear : CivilDate.easter(year + 1).day + days)
    }
}

extension DayNames {
    /// Three letters of a weekday's name or more.
    static func weekday(_ name: String) -> Weekday? {
        position(of: name, in: weekdays).map { Weekday.allCases[$0] }
    }

    /// 1 to 12, for three letters of a month's name or more.
    static func monthNumber(_ name: String) -> Int? {
        position(of: name, in: months).map { $0 + 1 }
    }

    private static func position(of name: String, in names: [String]) -> Int? {
        guard name.utf8.count >= 3 else { return nil }
        if name == "weds" { return names.firstIndex(of: "wednesday") }
        return names.firstIndex { $0.hasPrefix(name) }
    }

    /// The first such weekday after a day.
    static func coming(_ weekday: Weekday, after day: Int) -> Int {
        day + 1 + weekday.distance(after: Weekday(day: day + 1))
    }

    private static func first(ofMonth month: Int, in context: DatePhraseContext) -> Int {
        let year = CivilDate(day: context.today).year
        let thisYear = CivilDate(year, month, 1).day
        return thisYear > context.today ? thisYear : CivilDate(year + 1, month, 1).day
    }

    /// The next day of that month and day of month after today; leap days may be years away.
    static func coming(
        month: Int, dayOfMonth: Int, text: String, in context: DatePhraseContext
    ) throws(DatePhraseError) -> Int {
        if month == 2, dayOfMonth > 29 {
            throw .noSuchDate(text, hint: "February has 28 days, or 29 in a leap year")
        }
        // Any leap year will do to tell whether the day can exist at all.
        _ = try ISOText.date(2_000, month, dayOfMonth, text)
        let year = CivilDate(day: context.today).year
        for candidate in year...year + 8 {
            guard let date = CivilDate(checking: candidate, month, dayOfMonth) else { continue }
            if date.day > context.today { return date.day }
        }
        throw .noSuchDate(text, hint: "write the year, too")
    }

    /// The next such day of a month after today; months too short for it are passed over.
    static func coming(
        dayOfMonth: Int, text: String, in context: DatePhraseContext
    ) throws(DatePhraseError) -> Int {
        let today = CivilDate(day: context.today)
        for months in 0...3 {
            let month = today.startOfMonth(later: months)
            guard let date = CivilDate(checking: month.year, month.month, dayOfMonth),
                date.day > context.today
            else { continue }
            return date.day
        }
        throw .noSuchDate(text, hint: "the days of a month go from 1 to 31")
    }
}

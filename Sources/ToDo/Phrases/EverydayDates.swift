/// Dates as people say and write them in passing: `tonight`, `this weekend`, `in 3 working days`, `25.12.2026`.
extension DatePhraseParser {
    /// The hour that a part of a day stands for; nil if the word is none.
    ///
    /// No dictionary: with the first one the runtime searches the conformances of the whole program, and every title that is
    /// added is looked through for a date.
    static func hour(ofPart word: String) -> Int? {
        switch word {
        case "morning": 9
        case "afternoon": 15
        case "evening": 18
        case "night": nightHour
        default: nil
        }
    }

    /// The hour that `tonight` stands for.
    private static let nightHour = 20
    /// The same once the night began.
    private static let lateHour = 23
    /// The most working days that are counted one by one.
    private static let workingDayCountMax = 10_000

    private static let hour = 3_600_000

    /// The meaning of the words; nil if they are none of these.
    func everyday(_ words: [String]) throws(DatePhraseError) -> DateTerm? {
        switch words {
        case ["tonight"], ["this", "night"]: return try tonight(words)
        case ["weekend"], ["this", "weekend"]: return .day(weekend(later: 0))
        case ["next", "weekend"]: return .day(weekend(later: 1))
        case ["last", "weekend"]: return .day(weekend(later: -1))
        // A week has seven days, of which a date is one: none of them is guessed.
        case ["this", "week"]: throw Self.severalDays(words, last: "eow")
        case ["this", "month"]: throw Self.severalDays(words, last: "eom")
        case ["this", "quarter"]: throw Self.severalDays(words, last: "eoq")
        case ["this", "year"]: throw Self.severalDays(words, last: "eoy")
        default: break
        }
        if words.count == 2, words[0] == "this", let hour = Self.hour(ofPart: words[1]) {
            return .instant(
                context.instant(day: context.today, milliseconds: hour * Self.hour))
        }
        if let days = workingDays(words) { return .day(days) }
        return words.count == 1 ? try written(words[0]) : nil
    }

    private static func severalDays(_ words: [String], last: String) -> DatePhraseError {
        .notUnderstood(
            words.joined(separator: " "),
            hint: "it is more than one day; for its last write \(last)")
    }

    private func tonight(_ words: [String]) throws(DatePhraseError) -> DateTerm {
        for hour in [Self.nightHour, Self.lateHour] {
            let instant = context.instant(day: context.today, milliseconds: hour * Self.hour)
            if instant > context.now { return .instant(instant) }
        }
        throw .noSuchDate(
            words.joined(separator: " "), hint: "it is late; write a time, such as 23:45")
    }

    /// The Saturday of a weekend; on a Sunday this weekend is that day.
    private func weekend(later weeks: Int) -> Int {
        let isSunday = Weekday(day: context.today) == .sunday
        let saturday = DayNames.coming(.saturday, after: context.today - 1)
        if weeks == 0 { return isSunday ? context.today : saturday }
        let this = isSunday ? context.today - 1 : saturday
        return this + weeks * 7
    }

    /// `in 3 working days`, `3 workdays`, `2 business days ago`: Monday to Friday are counted, today is not.
    private func workingDays(_ words: [String]) -> Int? {
        var rest = words[...]
        let isAgo = rest.last == "ago"
        if isAgo { rest = rest.dropLast() } else if rest.first == "in" { rest = rest.dropFirst() }
        guard let last = rest.popLast() else { return nil }
        switch last {
        case "workday", "workdays", "weekday", "weekdays": break
        case "day", "days":
            guard let kind = rest.popLast(), ["working", "business", "work"].contains(kind) else {
                return nil
            }
        default: return nil
        }
        // Read by the words for days, as "three" and "a" are.
        guard rest.count == 1, let duration = DurationWords.parse(rest + ["days"]),
            (1...Self.workingDayCountMax).contains(duration.days)
        else { return nil }
        var day = context.today
        var left = duration.days
        while left > 0 {
            day += isAgo ? -1 : 1
            switch Weekday(day: day) {
            case .saturday, .sunday: break
            default: left -= 1
            }
        }
        return day
    }

    /// `25.12.`, `25.12.2026`, `24.12.26`, `25/12/2026`, `12/25`, `2026/12/25`.
    ///
    /// With dots the day comes first. With slashes one of the two has to be greater than 12, unless the user's order
    /// is known: people who write the month first and people who write the day first read the rest differently. One that the
    /// user's order says to be none is refused, as in tables: one of the two is a slip.
    private func written(_ word: String) throws(DatePhraseError) -> DateTerm? {
        let isDotted = word.contains(".")
        guard isDotted != word.contains("/") else { return nil }
        var parts = word.split(separator: isDotted ? "." : "/", omittingEmptySubsequences: false)
        if isDotted, parts.count == 3, parts[2].isEmpty { parts.removeLast() }
        let isNumbers = parts.allSatisfy { isNumber($0, digits: 1...4) }
        let numbers = parts.compactMap { Int($0) }
        guard isNumbers, (2...3).contains(numbers.count) else { return nil }
        if !isDotted, parts[0].utf8.count == 4, numbers.count == 3 {
            return .day(try ISOText.date(numbers[0], numbers[1], numbers[2], word))
        }
        guard parts[0].utf8.count <= 2, parts[1].utf8.count <= 2 else { return nil }
        var (day, month) = (numbers[0], numbers[1])
        let year = numbers.count == 3 ? " \(numbers[2] + (numbers[2] < 100 ? 2_000 : 0))" : ""
        if !isDotted {
            if max(day, month) > 12, min(day, month) > 0 {
                let (first, second) = (day, month)
                if second > 12 { (day, month) = (month, day) }
                switch context.dateOrder {
                case .dayMonth where second > 12 && first <= 12,
                    .monthDay where first > 12 && second <= 12:
                    let name = DayNames.months[min(month, 12) - 1].prefix(3)
                    throw .notUnderstood(
                        word,
                        hint:
                            "the setting date-order is \(context.dateOrder?.rawValue ?? ""); write "
                            + "'\(day) \(name)\(year)'")
                default: break
                }
            } else if month > 12 {
                (day, month) = (month, day)
            } else if day <= 12, day != month {
                let names = DayNames.months.map { $0.prefix(3) }
                guard day > 0, month > 0 else { return nil }
                switch context.dateOrder {
                case .dayMonth: break
                case .monthDay: (day, month) = (month, day)
                case nil:
                    throw .notUnderstood(
                        word,
                        hint: "it may be '\(day) \(names[month - 1])\(year)' or "
                            + "'\(month) \(names[day - 1])\(year)'; write one of these")
                }
            }
        }
        guard numbers.count == 3 else {
            return .day(
                try DayNames.coming(month: month, dayOfMonth: day, text: word, in: context))
        }
        switch parts[2].utf8.count {
        case 2: return .day(try ISOText.date(2_000 + numbers[2], month, day, word))
        case 4: return .day(try ISOText.date(numbers[2], month, day, word))
        default: return nil
        }
    }
}

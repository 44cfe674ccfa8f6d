/// The words for how a to-do comes again.
extension Repetition {
    /// The forms that may be typed.
    package static let hint =
        "say daily, weekly, monthly, 2w, '3 days', mon,thu, weekdays or '2nd tue of the month'; "
        + "with ! it counts from completion; it ends with '5 times' or 'until 2026-12-31'"
    private static let countMax = 1000
    private static let zoneWord = " in "

    /// The words for counting from completion; the first is written, all are read.
    private enum CompletionMark: String, CaseIterable {
        case afterCompletion = "after completion"
        case afterDone = "after done"
        case whenDone = "when done"
        case exclamation = "!"
    }

    /// The words between months and their days, which are written; reading needs none of them.
    private enum MonthMark: String {
        case onThe = "on the"
    }
    /// The most occurrences that are counted.
    package static let occurrenceCountMax = 100_000

    /// `every 2 weeks`, `every mon, thu`, `every month on the last fri after completion in Europe/Berlin`.
    package var text: String {
        let step =
            switch step {
            case .days(let count) where count % 7 == 0: Self.every(count / 7, "week")
            case .days(let count): Self.every(count, "day")
            case .months(let count): Self.every(months: count)
            case .monthDays(let days, let count):
                "\(Self.every(months: count)) \(MonthMark.onThe.rawValue) \(days.text)"
            case .weekdays(let days):
                "every " + days.map { $0.shortName.lowercased() }.joined(separator: ", ")
            }
        return step + (basis == .completion ? " " + CompletionMark.afterCompletion.rawValue : "")
            + endText
            + (zone.map { Self.zoneWord + $0 } ?? "")
    }

    private var endText: String {
        switch end {
        case nil: ""
        case .count(1): ", 1 time"
        case .count(let count): ", \(count) times"
        case .last(let moment): " until \(moment.rfc3339)"
        }
    }

    private static func every(months count: Int) -> String {
        count % 12 == 0 ? every(count / 12, "year") : every(count, "month")
    }

    private static func every(_ count: Int, _ unit: String) -> String {
        count == 1 ? "every \(unit)" : "every \(count) \(unit)s"
    }

    /// Reads what `text` wrote, or what was typed: `weekly`, `2w`, `every 3 days`, `mon,thu`,
    /// `weekdays`, `every other month`, `last friday of the month`; with `!` or `after completion` it counts from
    /// completion; with `5 times` or `until 2026-12-31` it ends.
    package init?(text: String) {
        var words = text
        var zone: String?
        for range in words.ranges(of: Self.zoneWord) {
            let next = words[range.upperBound...].prefix { $0 != " " }.lowercased()
            if Self.monthWords.contains(next) { continue }
            zone = String(words[range.upperBound...])
            words = String(words[..<range.lowerBound])
            break
        }
        words = words.lowercased()
        var basis = Basis.due
        for mark in CompletionMark.allCases where words.contains(mark.rawValue) {
            words = words.replacing(mark.rawValue, with: " ")
            basis = .completion
        }
        var parts = words.split { $0 == " " || $0 == "," }.map { String($0) }
        let end = Self.consumeEnd(&parts)
        guard zone?.isEmpty != true, let step = Self.step(parts) else { return nil }
        self.init(step, from: basis, zone: zone, end: end)
    }

    /// Takes the last two words if they say how it ends, and what stands before such words.
    private static func consumeEnd(_ words: inout [String]) -> End? {
        guard words.count > 2, let last = words.last else { return nil }
        let before = words[words.count - 2]
        var end: End?
        if ["time", "times"].contains(last), let count = Int(before),
            (1...occurrenceCountMax).contains(count)
        {
            end = .count(count)
        } else if ["until", "till", "ending"].contains(before) {
            end = TimestampReader.rfc3339(last.uppercased()).map { .last($0) }
        }
        guard end != nil else { return nil }
        words.removeLast(2)
        if words.last == "for" { words.removeLast() }
        return end
    }

    private static func step(_ words: [String]) -> Step? {
        plainStep(words) ?? monthStep(words)
    }

    private static func plainStep(_ words: [String]) -> Step? {
        var words = words[...]
        if words.first == "every" || words.first == "each" { words = words.dropFirst() }
        if words.count == 1, let known = words.first.flatMap({ named[$0] }) { return known }
        if words.first == "other" || words.first == "second" {
            guard words.count == 2, let unit = DurationWords.singleUnit(words.dropFirst()) else {
                return nil
            }
            return step(unit + unit)
        }
        if let unit = DurationWords.singleUnit(words) ?? DurationWords.parse(words) {
            return step(unit)
        }
        let days = words.filter { $0 != "and" }.map { word in
            DayNames.weekday(word)
                ?? DayNames.weekday(word.hasSuffix("s") ? String(word.dropLast()) : "")
        }
        guard !days.isEmpty, !days.contains(nil) else { return nil }
        let sorted = Set(days.compactMap { $0 }).sorted { $0.rawValue < $1.rawValue }
        return sorted.count == 7 ? .days(1) : .weekdays(sorted)
    }

    /// The words that lead from days to their months: `last friday of the month`, `in each month`.
    private static let monthWords: Set<String> = ["of", "in", "the", "a", "each", "every", "per"]
    /// The most words that say which months are meant.
    private static let monthWordCountMax = 6

    /// Reads days of months, with the months before or behind them, or without.
    private static func monthStep(_ words: [String]) -> Step? {
        for cut in 1..<max(min(words.count, monthWordCountMax), 1) {
            if case .months(let count)? = plainStep(Array(words[..<cut])),
                let days = MonthDays(words: words[cut...])
            {
                return .monthDays(days, every: count)
            }
        }
        let isEvery = words.first == "every" || words.first == "each"
        let plain = words.dropFirst(isEvery ? 1 : 0)
        for cut in plain.indices.suffix(monthWordCountMax) where monthWords.contains(plain[cut]) {
            let unit = plain[cut...].drop(while: monthWords.contains)
            // The last Friday of a year or a quarter is another one.
            if unit.last?.hasPrefix("month") ?? false,
                case .months(let count)? = plainStep(["every"] + unit),
                let days = MonthDays(words: plain[..<cut])
            {
                return .monthDays(days, every: count)
            }
        }
        guard let days = MonthDays(words: plain) else { return nil }
        // Every second Tuesday may be every other one.
        return isEvery && days.isOneBetween ? nil : .monthDays(days, every: 1)
    }

    private static func step(_ duration: CalendarDuration) -> Step? {
        switch (duration.months, duration.days, duration.milliseconds) {
        case (0, 1...countMax, 0): .days(duration.days)
        case (1...countMax, 0, 0): .months(duration.months)
        default: nil
        }
    }

    private static let named: [String: Step] = [
        "daily": .days(1), "weekly": .days(7), "biweekly": .days(14), "fortnightly": .days(14),
        "monthly": .months(1), "bimonthly": .months(2), "quarterly": .months(3),
        "semiannual": .months(6), "biannual": .months(24), "biyearly": .months(24),
        "yearly": .months(12), "annually": .months(12), "annual": .months(12),
        "weekday": workdays, "weekdays": workdays, "workdays": workdays,
        "weekend": .weekdays([.saturday, .sunday]), "weekends": .weekdays([.saturday, .sunday]),
    ]
    private static let workdays = Step.weekdays(Weekday.workdays)
}

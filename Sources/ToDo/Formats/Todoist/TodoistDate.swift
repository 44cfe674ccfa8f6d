/// A date as people type it into Todoist: `Oct 5 2026`, `every fri at 9am`, `every! 3 days`.
struct TodoistDate: Equatable {
    let due: Moment
    let repetition: Repetition?

    /// Nil if it is not understood; other languages than English only as numbers.
    init?(_ text: String, isEnglish: Bool, now: Int64, zone: LocalTimeZone) {
        var words = text.lowercased().split(separator: " ").map { String($0) }
        if let moment = try? CSVDates(zone: zone).moment(text) {
            let year = CivilDate(day: moment.day(in: zone)).year
            guard FormatLimits.years.contains(year) else { return nil }
            self.init(due: moment, repetition: nil)
            return
        }
        guard isEnglish, !words.isEmpty, words.count <= Self.wordCountMax else { return nil }
        let context = Context(now: now, zone: zone)
        guard ["every", "every!", "ev", "ev!", "after"].contains(words[0]) else {
            guard let moment = context.moment(words) else { return nil }
            self.init(due: moment, repetition: nil)
            return
        }
        if words[0].hasPrefix("ev"), !words[0].hasPrefix("every") {
            words[0] = words[0] == "ev!" ? "every!" : "every"
        }
        guard let date = Self.ending(words, context) ?? Self.repeated(words, context) else {
            return nil
        }
        self = date
    }

    /// `every fri until dec 31`, `every day at 9am ending 2027-01-01`.
    private static func ending(_ words: [String], _ context: Context) -> TodoistDate? {
        guard let index = words.firstIndex(where: { ["until", "till", "ending"].contains($0) }),
            case let rest = words[(index + 1)...],
            // A time of day behind it is that of the to-do.
            case let time = rest.firstIndex(of: "at") ?? rest.endIndex,
            let last = context.moment(Array(rest[..<time])),
            let date = repeated(Array(words[..<index] + rest[time...]), context),
            var repetition = date.repetition
        else { return nil }
        repetition.end = .last(last)
        return TodoistDate(due: date.due, repetition: repetition)
    }

    private init(due: Moment, repetition: Repetition?) {
        self.due = due
        self.repetition = repetition
    }

    /// No phrase has more words, so that trying where its parts end stays short.
    private static let wordCountMax = 16

    /// How phrases are read.
    private struct Context {
        let now: Int64
        let zone: LocalTimeZone

        /// A date without repetition; "at" only stands between.
        func moment(_ words: [String]) -> Moment? {
            let text = words.filter { $0 != "at" && $0 != "on" }.joined(separator: " ")
            return try? DatePhrase.parse(text, now: now, zone: zone)
        }

        /// A day with a time of day behind it, if there is one.
        func moment(day: Int, _ time: [String]) -> Moment? {
            if time.isEmpty { return Int32(exactly: day).map { .day($0) } }
            return moment([TimestampText.day(day)] + time)
        }
    }

    /// The longest beginning that is a repetition, then a time of day or where it starts.
    private static func repeated(_ words: [String], _ context: Context) -> TodoistDate? {
        for count in stride(from: words.count, to: 1, by: -1) {
            var rest = Array(words[count...])
            let text = words[..<count].joined(separator: " ")
            // There every second Tuesday is that of each month; another word stands for every other one.
            let plain = Repetition(text: text) ?? ofMonth(text)
            guard let repetition = plain ?? yearly(words[..<count]) ?? monthly(words[..<count])
            else { continue }
            if let word = rest.first, ["starting", "from"].contains(word) {
                guard let due = context.moment(Array(rest.dropFirst())) else { continue }
                return TodoistDate(due: due, repetition: repetition)
            }
            rest.removeAll { $0 == "at" }
            let phrase = plain == nil ? words[1..<count].filter { $0 != "the" } : []
            guard let day = firstDay(repetition, phrase, context),
                let due = context.moment(day: day, rest)
            else { continue }
            return TodoistDate(due: due, repetition: repetition)
        }
        return nil
    }

    /// The words that make a day one of a month; Todoist leaves them out.
    private enum MonthMark: String {
        case ofTheMonth = "of the month"
    }

    /// `every 3rd friday`.
    private static func ofMonth(_ text: String) -> Repetition? {
        Repetition(text: "\(text) \(MonthMark.ofTheMonth.rawValue)")
            .flatMap { $0.isOfMonthDays ? $0 : nil }
    }

    /// `every 27th`, `every the 1st`.
    private static func monthly(_ words: ArraySlice<String>) -> Repetition? {
        let last = words.last ?? ""
        guard words.dropFirst().filter({ $0 != "the" }).count == 1,
            ["st", "nd", "rd", "th"].contains(where: last.hasSuffix),
            let day = Int(last.dropLast(2)), (1...31).contains(day)
        else { return nil }
        return Repetition(.months(1), from: words.first == "every!" ? .completion : .due)
    }

    /// `every jan 27`, `every 27 january`.
    private static func yearly(_ words: ArraySlice<String>) -> Repetition? {
        let rest = words.dropFirst().filter { $0 != "the" }
        guard rest.count == 2, rest.contains(where: { $0.first?.isNumber == true }),
            rest.contains(where: { word in
                word.count >= 3 && months.contains { $0.hasPrefix(word) }
            })
        else { return nil }
        return Repetition(.months(12), from: words.first == "every!" ? .completion : .due)
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ]

    /// The first day that a repetition names, today included.
    private static func firstDay(
        _ repetition: Repetition, _ phrase: [String], _ context: Context
    ) -> Int? {
        let today = context.zone.localTime(at: context.now).day
        switch repetition.step {
        case .weekdays(let days):
            return today + (days.map { $0.distance(after: Weekday(day: today)) }.min() ?? 0)
        case .days: return today
        case .monthDays:
            return repetition.first(
                from: today, after: .day(Int32(clamping: today - 1)),
                anchor: .day(Int32(clamping: today)), in: context.zone)?.day(in: context.zone)
        case .months:
            // A day of the month or year stands in the phrase itself, if any does.
            return phrase.isEmpty ? today : context.moment(phrase)?.day(in: context.zone)
        }
    }
}

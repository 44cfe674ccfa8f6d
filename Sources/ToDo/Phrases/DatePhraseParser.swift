/// The rules of `DatePhrase`, tried from the most to the least specific.
struct DatePhraseParser {
    let context: DatePhraseContext

    /// Phrases within phrases: `2 days before eom-1w` has three.
    private static let depthMax = 5

    /// The meaning of the words; nil if no rule fits.
    ///
    /// - Throws: `noSuchDate` if a rule fits and the calendar or clock refuses.
    func term(_ words: ArraySlice<String>, depth: Int) throws(DatePhraseError) -> DateTerm? {
        guard depth <= Self.depthMax, let first = words.first else { return nil }
        if words.count > 1, ["on", "by", "the", "due"].contains(first) {
            return try term(words.dropFirst(), depth: depth)
        }
        if let simple = try simple(words) { return simple }
        if let time = try ClockWords.parse(words) { return .instant(next(time)) }
        if let relative = try relative(words, depth: depth) { return relative }
        if let combined = try dayAndTime(words, depth: depth) { return combined }
        return try arithmetic(words, depth: depth)
    }

    /// One word that stands for itself, or a fixed form of several.
    private func simple(_ words: ArraySlice<String>) throws(DatePhraseError) -> DateTerm? {
        let all = Array(words)
        if let everyday = try everyday(all) { return everyday }
        if all.count == 1 {
            if let named = DayNames.term(all[0], in: context) { return named }
            if let iso = try ISOText.parse(all[0], zone: context.zone) { return iso }
            return try number(all[0])
        }
        if let period = period(all) { return period }
        if all.count == 2, let weekday = DayNames.weekday(all[1]) {
            switch all[0] {
            case "next": return .day(DayNames.coming(weekday, after: context.today))
            case "this": return .day(DayNames.coming(weekday, after: context.today - 1))
            case "last": return .day(DayNames.coming(weekday, after: context.today - 8))
            default: break
            }
        }
        return try monthAndDay(all)
    }

    /// `15`, `15th`, `12-25`, seconds since 1970.
    private func number(_ word: String) throws(DatePhraseError) -> DateTerm? {
        let digits = word.prefix { ("0"..."9").contains($0) }
        let rest = word.dropFirst(digits.count)
        if (1...2).contains(digits.count), ["", "st", "nd", "rd", "th"].contains(rest),
            let dayOfMonth = Int(digits)
        {
            return .day(try DayNames.coming(dayOfMonth: dayOfMonth, text: word, in: context))
        }
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        if parts.count == 2, parts.allSatisfy({ isNumber($0, digits: 1...2) }),
            let month = Int(parts[0]), let dayOfMonth = Int(parts[1])
        {
            return .day(
                try DayNames.coming(
                    month: month, dayOfMonth: dayOfMonth, text: word, in: context))
        }
        guard rest.isEmpty, (9...11).contains(digits.count), let seconds = Int64(digits) else {
            return nil
        }
        return .instant(seconds * 1_000)
    }

    func isNumber(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Bool {
        digits.contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// `next week`, `end of month`, `start of next quarter`, `friday next week`.
    private func period(_ words: [String]) -> DateTerm? {
        let units = ["day": "d", "week": "w", "month": "m", "quarter": "q", "year": "y"]
        if words.count == 2, words[0] == "next", let unit = units[words[1]], unit != "d" {
            return DayNames.term("son\(unit)", in: context)
        }
        if words.count == 3 {
            for (name, rest) in [(words[0], words[1...]), (words[2], words[..<2])]
            where rest.elementsEqual(["next", "week"]) {
                guard let weekday = DayNames.weekday(name) else { continue }
                let start = context.startOfWeek(later: 1)
                return .day(start + weekday.distance(after: context.weekStart))
            }
        }
        guard (3...4).contains(words.count), words[1] == "of", let last = words.last,
            let unit = units[last]
        else { return nil }
        let edges = ["end": "eo", "start": "so", "beginning": "so"]
        guard let edge = edges[words[0]] else { return nil }
        switch words.count == 4 ? words[2] : "this" {
        case "this", "the": return DayNames.term(edge + unit, in: context)
        case "next": return DayNames.term("\(edge)n\(unit)", in: context)
        default: return nil
        }
    }

    /// `dec 25`, `25 december`, `25th of dec 2026`, `dec 2026`.
    private func monthAndDay(_ words: [String]) throws(DatePhraseError) -> DateTerm? {
        var rest = words.filter { $0 != "of" && $0 != "the" }
        guard (2...3).contains(rest.count),
            let position = rest.firstIndex(where: { DayNames.monthNumber($0) != nil }),
            let month = DayNames.monthNumber(rest[position])
        else { return nil }
        rest.remove(at: position)
        let text = words.joined(separator: " ")
        var year: Int?
        if let last = rest.last, isNumber(last, digits: 4...4) {
            year = Int(last)
            rest.removeLast()
        }
        guard let word = rest.first else {
            return .day(try ISOText.date(year ?? 0, month, 1, text))
        }
        let digits = word.prefix { ("0"..."9").contains($0) }
        guard rest.count == 1, isNumber(digits, digits: 1...2), let dayOfMonth = Int(digits),
            ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count))
        else { return nil }
        if let year { return .day(try ISOText.date(year, month, dayOfMonth, text)) }
        return .day(
            try DayNames.coming(month: month, dayOfMonth: dayOfMonth, text: text, in: context))
    }

    /// The next instant at which the clock shows a time.
    private func next(_ time: Int) -> Int64 {
        let today = context.instant(day: context.today, milliseconds: time)
        guard today <= context.now else { return today }
        return context.instant(day: context.today + 1, milliseconds: time)
    }

    /// `in 3 days`, `3d`, `2 hours ago`, `3 days from now`, `2 weeks after easter`.
    private func relative(
        _ words: ArraySlice<String>, depth: Int
    ) throws(DatePhraseError) -> DateTerm? {
        if words.first == "in", let duration = DurationWords.parse(words.dropFirst()) {
            return fromNow(duration)
        }
        if words.last == "ago", let duration = DurationWords.parse(words.dropLast()) {
            return fromNow(duration.negated)
        }
        if let duration = DurationWords.parse(words) { return fromNow(duration) }
        guard let middle = words.firstIndex(where: { ["from", "after", "before"].contains($0) })
        else { return nil }
        let left = words[..<middle]
        guard let duration = DurationWords.parse(left) ?? DurationWords.singleUnit(left) else {
            return nil
        }
        let right = words[(middle + 1)...]
        let signed = words[middle] == "before" ? duration.negated : duration
        if right.elementsEqual(["now"]) { return fromNow(signed) }
        guard let base = try term(right, depth: depth + 1) else { return nil }
        return context.adding(signed, to: base)
    }

    /// Whole days from today give a day, anything shorter a point in time.
    private func fromNow(_ duration: CalendarDuration) -> DateTerm {
        context.adding(
            duration,
            to: duration.isWholeDays ? .day(context.today) : .instant(context.now))
    }

    /// Milliseconds after midnight.
    private static let noon = 12 * 3_600_000

    /// A day and a time of day, in either order; a time behind `tonight` is one of the second half of the day.
    private func dayAndTime(
        _ words: ArraySlice<String>, depth: Int
    ) throws(DatePhraseError) -> DateTerm? {
        if words.first == "tonight", let time = try ClockWords.parse(words.dropFirst()),
            time >= Self.noon
        {
            return .instant(context.instant(day: context.today, milliseconds: time))
        }
        for count in 1...3 where count < words.count {
            if let time = try ClockWords.parse(words.suffix(count)) {
                let rest = words.dropLast(count)
                if let day = try term(rest, depth: depth + 1)?.day {
                    return .instant(context.instant(day: day, milliseconds: time))
                }
            }
            if let time = try ClockWords.parse(words.prefix(count)) {
                let rest = words.dropFirst(count)
                if let day = try term(rest, depth: depth + 1)?.day {
                    return .instant(context.instant(day: day, milliseconds: time))
                }
            }
        }
        return nil
    }

    /// `eom-2d`, `tomorrow + 10h`, `+3d`: the last sign that is followed by a duration.
    private func arithmetic(
        _ words: ArraySlice<String>, depth: Int
    ) throws(DatePhraseError) -> DateTerm? {
        let text = words.joined(separator: " ")
        for index in text.indices.reversed() where text[index] == "+" || text[index] == "-" {
            let right = text[text.index(after: index)...].split(separator: " ").map(String.init)
            guard let duration = DurationWords.parse(right[...]) else { continue }
            let signed = text[index] == "-" ? duration.negated : duration
            let left = text[..<index].split(separator: " ").map(String.init)
            if left.isEmpty { return fromNow(signed) }
            guard let base = try term(left[...], depth: depth + 1) else { return nil }
            return context.adding(signed, to: base)
        }
        return nil
    }
}

/// Where and when a phrase is read.
struct DatePhraseContext {
    let now: Int64
    let zone: LocalTimeZone
    let weekStart: Weekday
    /// The order of `5/6`; nil if such a date is refused.
    var dateOrder: DateOrder?

    /// The time that a clock shows; most words need none.
    var localNow: LocalTime { zone.localTime(at: now) }

    var today: Int { localNow.day }

    /// The first day of the current week, `weeks` later.
    func startOfWeek(later weeks: Int = 0) -> Int {
        today - Weekday(day: today).distance(after: weekStart) + weeks * 7
    }

    /// Adds a duration.
    ///
    /// Months come first (the last day stands in for one the month has not), then days, then
    /// the rest. Hours after a *day* set the clock (`tomorrow+10h` is 10:00 whether or not the
    /// clocks change that night); hours after a point in time really pass.
    func adding(_ duration: CalendarDuration, to term: DateTerm) -> DateTerm {
        switch term {
        case .day(let day):
            let moved = adding(duration, toDay: day)
            guard !duration.isWholeDays else { return .day(moved) }
            return .instant(instant(day: moved, milliseconds: duration.milliseconds))
        case .lastDay(let day):
            let moved = adding(duration, toDay: day)
            guard !duration.isWholeDays else { return .day(moved) }
            return .instant(instant(day: moved + 1, milliseconds: duration.milliseconds))
        case .instant(let instant):
            var local = zone.localTime(at: instant)
            let moved = adding(duration, toDay: local.day)
            guard moved != local.day else {
                return .instant(instant.plus(Int64(duration.milliseconds)))
            }
            local.day = moved
            return .instant(zone.instant(of: local).plus(Int64(duration.milliseconds)))
        }
    }

    /// A date that was counted for a field.
    func moment(
        _ term: DateTerm, key: ToDoDateField
    ) throws(ToDoWordsError) -> Moment {
        do throws(DatePhraseError) {
            return try DatePhrase.moment(term, text: key.rawValue, zone: zone)
        } catch {
            throw .badDate(key: key.rawValue, error)
        }
    }

    private func adding(_ duration: CalendarDuration, toDay day: Int) -> Int {
        guard duration.months != 0 else { return day + duration.days }
        return CivilDate(day: day).adding(months: duration.months).day + duration.days
    }

    /// The instant at which the clock shows a time, which may lie days before or after `day`.
    func instant(day: Int, milliseconds: Int) -> Int64 {
        let (days, rest) = milliseconds.quotientRoundedDown(by: 86_400_000)
        return zone.instant(of: LocalTime(day: day + days, millisecondOfDay: rest))
    }
}

/// The hints for a date that was not understood.
enum DatePhraseHints {
    static let examples = "try tomorrow, 'fri 17:00', 'in 3 days', 2026-12-24 or eom-2d"

    /// The hint that fits best; `words` are in lower case.
    ///
    /// - Parameter isDate: whether a text is a date: none is proposed that is refused in turn.
    static func hint(for words: ArraySlice<String>, isDate: (String) -> Bool) -> String {
        let text = words.joined(separator: " ")
        if words.count == 1, let word = words.first {
            if ["next", "in", "this", "last", "end", "start", "at", "on", "by"].contains(word) {
                return several(word)
            }
            if let hint = numberHint(word, isDate: isDate) { return hint }
        }
        if ["every", "daily", "weekly", "monthly", "yearly"].contains(words.first ?? "") {
            return "that repeats; a date is one day, such as tomorrow or mon"
        }
        if text.contains("/") || text.count(where: { $0 == "." }) >= 2 {
            return "write dates as 2026-12-24 or '24 dec'"
        }
        for word in words {
            let known = DayNames.fixed + DayNames.weekdays + DayNames.months + otherWords
            if known.contains(word) { continue }
            guard let meant = Spelling.suggestion(for: word, among: known),
                isNear(word, meant)
            else { continue }
            let proposal = text.replacingWord(word, with: meant)
            if isDate(proposal) { return "did you mean '\(proposal)'?" }
        }
        return examples
    }

    /// The hint for the first word of a phrase alone; behind a key it is quoted with that.
    static func several(_ word: String, behind key: String? = nil) -> String {
        "quote a phrase of several words: \(key.map { $0 + ":" } ?? "")\"\(word) …\""
    }

    /// Whether a short word is more likely a slip than another word: `soon` is no noon, and `day` no may.
    private static func isNear(_ word: String, _ meant: String) -> Bool {
        word.utf8.count > 5 || word.first == meant.first
            || word.sorted() == meant.sorted()
    }

    private static let otherWords = [
        "noon", "midnight", "tonight", "morning", "afternoon", "evening", "weekend", "working",
        "next", "last", "days", "weeks", "months", "years", "hours",
        "minutes", "before", "after",
    ]

    private static func numberHint(_ word: String, isDate: (String) -> Bool) -> String? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        switch word.dropFirst(digits.count) {
        case "m": return "write \(digits)min for minutes or \(digits)mo for months"
        case "" where digits.count == 4:
            let forms = [
                ("\(digits.prefix(2)):\(digits.suffix(2))", "for a time"),
                ("\(digits)-01-01", "for a day"),
            ].filter { isDate($0.0) }
            if forms.isEmpty { return nil }
            return "write " + forms.map { "\($0.0) \($0.1)" }.joined(separator: " or ")
        case "" where digits.count > 11:
            return "a number of that length is no date; seconds since 1970 have 9 to 11 digits"
        default: return nil
        }
    }
}

extension String {
    /// The words of the text, parted by spaces, with one of them replaced.
    fileprivate func replacingWord(_ old: String, with new: String) -> String {
        split(separator: " ").map { $0 == old ? new : String($0) }.joined(separator: " ")
    }
}

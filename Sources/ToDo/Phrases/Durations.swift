/// A length of time in the units people use: months and days follow the calendar, not the clock.
package struct CalendarDuration: Equatable, Sendable {
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

/// Reads lengths of time: `3d`, `2wks`, `2h30min`, `1 week 2 days`, `a month`, `P3D`, `PT2H`.
enum DurationWords {
    /// No amount has more digits, so that sums cannot overflow.
    private static let digitCountMax = 6

    /// Reads the words as one duration; nil if they are none.
    static func parse(_ words: ArraySlice<String>) -> CalendarDuration? {
        if words.count == 1, let word = words.first, let iso = isoDuration(Array(word.utf8)) {
            return iso
        }
        let parts = words.flatMap(splitAtDigits).filter { $0 != "and" }
        guard !parts.isEmpty, parts.count % 2 == 0, parts.count <= 12 else { return nil }
        var sum = CalendarDuration()
        for index in stride(from: 0, to: parts.count, by: 2) {
            guard let amount = amount(parts[index]),
                let unit = unit(parts[index + 1], times: amount)
            else { return nil }
            sum = sum + unit
        }
        return sum
    }

    /// One unit without a number, as in `day after tomorrow`.
    static func singleUnit(_ words: ArraySlice<String>) -> CalendarDuration? {
        guard words.count == 1, let word = words.first else { return nil }
        return unit(word, times: 1)
    }

    private static func amount(_ word: String) -> Int? {
        if let index = numberWords.firstIndex(of: word) { return index }
        if word == "a" || word == "an" { return 1 }
        guard word.utf8.count <= digitCountMax, word.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(word)
    }

    private static let numberWords = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ]

    private static func unit(_ word: String, times amount: Int) -> CalendarDuration? {
        switch word {
        case "s", "sec", "secs", "second", "seconds":
            CalendarDuration(milliseconds: amount * 1_000)
        case "min", "mins", "minute", "minutes": CalendarDuration(milliseconds: amount * 60_000)
        case "h", "hr", "hrs", "hour", "hours": CalendarDuration(milliseconds: amount * 3_600_000)
        case "d", "da", "day", "days": CalendarDuration(days: amount)
        case "w", "wk", "wks", "week", "weeks": CalendarDuration(days: amount * 7)
        case "fortnight", "fortnights": CalendarDuration(days: amount * 14)
        case "mo", "mos", "mth", "mths", "month", "months": CalendarDuration(months: amount)
        case "q", "qtr", "qtrs", "quarter", "quarters": CalendarDuration(months: amount * 3)
        case "y", "yr", "yrs", "year", "years": CalendarDuration(months: amount * 12)
        default: nil
        }
    }

    /// `2h30min` as `2`, `h`, `30`, `min`.
    private static func splitAtDigits(_ word: String) -> [String] {
        var parts: [String] = []
        var wasDigit: Bool?
        for character in word {
            let isDigit = character.isASCII && character.isNumber
            if wasDigit == isDigit {
                parts[parts.count - 1].append(character)
            } else {
                parts.append(String(character))
            }
            wasDigit = isDigit
        }
        return parts
    }

    /// The form of ISO 8601, in lower case: `p1y2m3w4dt5h6m7s`; at least one amount.
    private static func isoDuration(_ text: [UInt8]) -> CalendarDuration? {
        guard text.first == UInt8(ascii: "p"), text.count > 2, text.count <= 40 else { return nil }
        var sum = CalendarDuration()
        var isTime = false
        var digits = ""
        var rank = -1
        for byte in text.dropFirst() {
            if (48...57).contains(byte) {
                digits.append(Character(Unicode.Scalar(byte)))
            } else if byte == UInt8(ascii: "t"), !isTime, digits.isEmpty {
                isTime = true
            } else {
                let units = isTime ? timeUnits : dateUnits
                guard let amount = amount(digits),
                    let index = units.firstIndex(where: { $0.letter == byte }),
                    index + (isTime ? 10 : 0) > rank,
                    let part = unit(units[index].word, times: amount)
                else { return nil }
                rank = index + (isTime ? 10 : 0)
                sum = sum + part
                digits = ""
            }
        }
        return digits.isEmpty && rank >= 0 && (!isTime || rank >= 10) ? sum : nil
    }

    private static let dateUnits: [(letter: UInt8, word: String)] = [
        (UInt8(ascii: "y"), "y"), (UInt8(ascii: "m"), "mo"), (UInt8(ascii: "w"), "w"),
        (UInt8(ascii: "d"), "d"),
    ]
    private static let timeUnits: [(letter: UInt8, word: String)] = [
        (UInt8(ascii: "h"), "h"), (UInt8(ascii: "m"), "min"), (UInt8(ascii: "s"), "s"),
    ]
}

/// Reads times of day: `17:00`, `17:00:30`, `5pm`, `5:30 pm`, `noon`, `midnight`.
enum ClockWords {
    /// Milliseconds after midnight; nil if the words have not the form of a time.
    ///
    /// - Throws: `noSuchDate` if they have the form and the clock has no such time.
    static func parse(_ words: ArraySlice<String>) throws(DatePhraseError) -> Int? {
        var words = words
        if words.first == "at" { words = words.dropFirst() }
        guard let first = words.first, words.count <= 2 else { return nil }
        if words.count == 1, first == "noon" { return 12 * 3_600_000 }
        if words.count == 1, first == "midnight" { return 0 }
        if words.count == 1, let hour = DatePhraseParser.hour(ofPart: first) {
            return hour * 3_600_000
        }
        // There are two at most: joining a slice of them costs the runtime more than reading all of a title.
        var text = words.count == 1 ? first : first + words[words.startIndex + 1]
        var half: Int?
        for (suffix, hours) in [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)]
        where text.hasSuffix(suffix) {
            text.removeLast(suffix.count)
            half = hours
            break
        }
        guard half != nil || words.count == 1 else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (half == nil ? 2...3 : 1...3).contains(parts.count),
            parts.allSatisfy(isTwoDigits), half == nil || !parts[0].isEmpty
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        return try milliseconds(numbers, half: half, of: words.joined(separator: " "))
    }

    private static func isTwoDigits(_ text: Substring) -> Bool {
        (1...2).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    private static func milliseconds(
        _ numbers: [Int], half: Int?, of text: String
    ) throws(DatePhraseError) -> Int {
        var hour = numbers[0]
        let minute = numbers.count > 1 ? numbers[1] : 0
        let second = numbers.count > 2 ? numbers[2] : 0
        if let half {
            guard (1...12).contains(hour) else {
                throw .noSuchDate(text, hint: "with am or pm hours go from 1 to 12")
            }
            hour = hour % 12 + half
        }
        guard hour <= 23, minute <= 59, second <= 59 else {
            throw .noSuchDate(text, hint: "times go from 00:00 to 23:59")
        }
        return ((hour * 60 + minute) * 60 + second) * 1_000
    }
}

/// What to tell a person whose date was not understood.
enum DatePhraseHints {
    static let examples = "try tomorrow, 'fri 17:00', 'in 3 days', 2026-12-24 or eom-2d"

    /// The hint that fits best; `words` are in lower case.
    static func hint(for words: ArraySlice<String>) -> String {
        let text = words.joined(separator: " ")
        if words.count == 1, let word = words.first {
            if ["next", "in", "this", "last", "end", "start", "at", "on", "by"].contains(word) {
                return "quote a phrase of several words: \"due:\(word) …\""
            }
            if let hint = numberHint(word) { return hint }
        }
        if ["every", "daily", "weekly", "monthly", "yearly"].contains(words.first ?? "") {
            return "that repeats; a date is one day, such as tomorrow or mon"
        }
        if text.contains("/") || text.filter({ $0 == "." }).count >= 2 {
            return "write dates as 2026-12-24 or '24 dec'"
        }
        for word in words {
            let known = DayNames.fixed + DayNames.weekdays + DayNames.months + otherWords
            if known.contains(word) { continue }
            if let meant = Spelling.suggestion(for: word, among: known) {
                return "did you mean '\(text.replacingWord(word, with: meant))'?"
            }
        }
        return examples
    }

    private static let otherWords = [
        "noon", "midnight", "next", "last", "days", "weeks", "months", "years", "hours",
        "minutes", "before", "after",
    ]

    private static func numberHint(_ word: String) -> String? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        switch word.dropFirst(digits.count) {
        case "m": return "write \(digits)min for minutes or \(digits)mo for months"
        case "" where digits.count == 4:
            return "write \(digits.prefix(2)):\(digits.suffix(2)) for a time"
                + " or \(digits)-01-01 for a day"
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

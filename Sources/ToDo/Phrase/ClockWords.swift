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
        var text = words.joined()
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

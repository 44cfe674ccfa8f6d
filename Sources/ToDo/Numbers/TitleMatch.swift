import Storage

/// How words stand in a title, from the loosest to the closest: `done ant` is about "Feed the ant farm" rather than "Call the
/// accountant".
enum TitleMatch: Int, Comparable {
    /// One of them stands only inside a word.
    case inside
    /// Each begins a word.
    case beginning
    /// Each is a word of its own.
    case whole
    /// They are the title.
    case exact

    static func < (left: TitleMatch, right: TitleMatch) -> Bool { left.rawValue < right.rawValue }

    /// How words stand in a title that has all of them; case and accents do not count.
    init(of words: [String], in title: String) {
        let title = Self.spaced(title).foldedForSearch
        let folded = words.map(\.foldedForSearch)
        if folded.joined(separator: " ") == title {
            self = .exact
        } else {
            self = folded.map { Self.closest($0, in: title) }.min() ?? .inside
        }
    }

    /// A text with one blank for each stretch of white space in it, as a line shows it, and none at its ends.
    static func spaced(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether phrases, of which each has single blanks, stand in a title.
    static func has(_ phrases: [String], in title: String) -> Bool {
        let title = spaced(title)
        return phrases.allSatisfy { title.contains(folded: $0.foldedForSearch) }
    }

    private static func closest(_ word: String, in title: String) -> TitleMatch {
        var found = TitleMatch.inside
        for range in title.ranges(of: word) {
            let before =
                range.lowerBound == title.startIndex ? nil : title.index(before: range.lowerBound)
            if let before, isPartOfWord(title[before]) { continue }
            let isWhole =
                range.upperBound == title.endIndex || !isPartOfWord(title[range.upperBound])
            if isWhole { return .whole }
            found = .beginning
        }
        return found
    }

    /// Whether a word goes on with a character; of scripts without blanks between words (Thai to Myanmar, Khmer, Chinese,
    /// Japanese) that cannot be told.
    private static func isPartOfWord(_ character: Character) -> Bool {
        guard character.isLetter || character.isNumber,
            let scalar = character.unicodeScalars.first?.value
        else { return false }
        return scalar < 0x2e80 && !(0x0e00..<0x10a0).contains(scalar)
            && !(0x1780..<0x1800).contains(scalar)
    }
}

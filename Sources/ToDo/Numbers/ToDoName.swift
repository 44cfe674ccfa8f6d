import Core

/// The words by which a person names to-dos on a command line or in a field.
package enum ToDoName: Hashable, Sendable {
    /// A number, or several: `3`, `1-3`, `1,2`, `1-3,7`.
    case numbers([ClosedRange<Int>])
    /// `last`: the one that this reader made or changed last.
    case latest
    /// The beginning or the end of an id, in lower case without hyphens; may be a word of a title as well.
    case digits(String)
    /// Words of a title.
    case title([String])

    /// The fewest digits of an id that name it.
    package static let digitCountMin = 4
    /// The most digits of a number; longer ones are those of an id.
    private static let numberDigitCountMax = 6
    /// The word for the latest.
    package static let latestWord = "last"

    /// Reads words: each names to-dos of its own, except that words which are nothing else are those of one title.
    package static func read(_ words: [String]) -> [ToDoName] {
        var names: [ToDoName] = []
        var title: [String] = []
        for word in words {
            if let name = of(word) ?? beforeComma(word) {
                names.append(name)
            } else if word != "," || names.isEmpty {
                title.append(word)
            }
        }
        return title.isEmpty ? names : names + [.title(title)]
    }

    /// The number that stands right behind `last`: `last 2` may be the latest and number 2, or the two latest.
    static func numberBehindLatest(_ words: [String]) -> Int? {
        for (index, word) in words.enumerated().dropFirst() {
            guard words[index - 1].lowercased() == latestWord, let number = number(word[...])
            else { continue }
            // Before a comma it is one of a list.
            if index + 1 < words.count, words[index + 1].first == "," { continue }
            return number
        }
        return nil
    }

    /// Whether a word is a number, a list of numbers, or `last`.
    package static func isNumberOrLast(_ word: String) -> Bool {
        word.lowercased() == latestWord || ranges(word) != nil
    }

    /// The numbers of a list that goes on in the next word, as in `3, 4`; nil for any other word.
    private static func beforeComma(_ word: String) -> ToDoName? {
        guard word.last == "," || word.first == "," else { return nil }
        let bare = word.drop { $0 == "," }
        return ranges(String(bare.last == "," ? bare.dropLast() : bare)).map { .numbers($0) }
    }

    private static func of(_ word: String) -> ToDoName? {
        if word.lowercased() == latestWord { return .latest }
        if let ranges = ranges(word) { return .numbers(ranges) }
        let digits = word.lowercased().filter { $0 != "-" }
        let isHexadecimal = digits.utf8.allSatisfy(isHexadecimal)
        guard isHexadecimal, digits.utf8.count >= digitCountMin, word.first != "-" else {
            return nil
        }
        return .digits(digits)
    }

    /// Reads numbers and ranges between commas; nil if that is no list of them.
    private static func ranges(_ word: String) -> [ClosedRange<Int>]? {
        var found: [ClosedRange<Int>] = []
        for part in word.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard let first = ends.first.flatMap(number), ends.count <= 2,
                let last = ends.last.flatMap(number)
            else { return nil }
            found.append(min(first, last)...max(first, last))
        }
        return found
    }

    /// Reads a number.
    ///
    /// It is never written with a zero in front, ids of this decade always are.
    private static func number(_ word: Substring) -> Int? {
        guard word.utf8.count <= numberDigitCountMax, word.first != "0",
            word.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(word)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// Why words do not name to-dos.
package enum ToDoNameFault: Error {
    /// Nobody has the number.
    case noNumber(Int)
    /// No to-do has a number of the range.
    case noneInRange(ClosedRange<Int>)
    /// More to-dos have a number of the range than are named at once.
    case tooMany(ClosedRange<Int>, max: Int)
    /// Some pending to-dos of the range were never shown to this reader, others were; at most
    /// ``ToDoNaming/candidateCountMax`` of them, and whether there are more.
    case notShown(ClosedRange<Int>, [(number: Int, record: Record)], hasMore: Bool)
    /// The number stood for another to-do when this reader was last shown it.
    case changed(Int, shown: Record?, now: Record?)
    /// The to-do that had the number is not here any more.
    case gone(Int)
    /// This reader has made and changed none.
    case noLatest
    /// No to-do is named so.
    case nothing(String)
    /// `last 2`: the latest and number 2, or the two latest.
    case latestOrCount(Int)
    /// Several are named so; at most ``ToDoNaming/candidateCountMax`` of them, and whether there are more.
    case several(String, [Record], hasMore: Bool)
    /// The words stand only inside other words of these titles; as many as of several.
    case insideWord(String, [Record], hasMore: Bool)
    /// The numbers cannot be read.
    case unavailable(StoreFault)
    /// The store cannot be read.
    case unreadable(StoreFault)
}

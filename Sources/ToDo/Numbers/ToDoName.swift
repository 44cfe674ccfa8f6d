import Core

/// The words by which a person names to-dos on a command line or in a field.
package enum ToDoName: Hashable, Sendable {
    /// A number, or several: `3`, `1-3`, `1,2`, `1-3,7`.
    case numbers([ClosedRange<Int>])
    /// `last`: the one that this reader made or changed last.
    case latest
    /// The beginning or the end of an id, in lower case without hyphens, and the word as it was typed; it may be a word of
    /// a title as well.
    case digits(String, typed: String)
    /// Words of a title.
    case title([String])
    /// Digits that are no number of a to-do: `0`, `-1`, `1-0`.
    case noNumber(String)
    /// A list or a range of which a part is missing: `1,,2`, `3-`.
    case incomplete(String)
    /// An empty word, as of a variable that is not set, or one of signs alone.
    case empty

    /// The fewest digits of an id that name it.
    package static let digitCountMin = 4
    /// The most digits of a number; longer ones are those of an id.
    private static let numberDigitCountMax = 6
    /// The most digits at an end of a range: an id has 8 digits, or 12, beside a hyphen.
    private static let endDigitCountMax = 11
    /// From so many digits on, with a decimal one among them, a word is that of an id and no word of a title.
    private static let sureDigitCountMin = 8
    /// The digits of an id before its first hyphen.
    private static let beginningDigitCount = 8
    /// The word for the latest.
    package static let latestWord = "last"

    /// Reads words: each names to-dos of its own, except that words which are nothing else are those of one title.
    package static func read(_ words: [String]) -> [ToDoName] {
        let parts = parts(words)
        let names = parts.flatMap(\.names)
        let title = parts.filter(\.names.isEmpty).map(\.word)
        if title.isEmpty { return names }
        return names + [areSigns(title) ? .empty : .title(title)]
    }

    /// Words, each with the names that it stands for: none, where it is a word of a title.
    ///
    /// A comma alone between names is left out. What stands behind `title:` is a word of a title whatever it is.
    static func parts(_ words: [String]) -> [(word: String, names: [ToDoName])] {
        var parts: [(word: String, names: [ToDoName])] = []
        var hasNames = false
        for word in words {
            let names: [ToDoName]
            if let text = textOfTitle(word) {
                parts.append((text, []))
                continue
            }
            if word.allSatisfy(\.isWhitespace) {
                names = [.empty]
            } else if let found = list(word) {
                names = found
            } else if let name = fault(word) ?? of(word) {
                names = [name]
            } else if word != "," || !hasNames {
                names = []
            } else {
                continue
            }
            hasNames = hasNames || !names.isEmpty
            parts.append((word, names))
        }
        return parts
    }

    /// The text behind `title:`, as in `title:3`; nil for any other word.
    private static func textOfTitle(_ word: String) -> String? {
        let key = "title:"
        guard word.lowercased().hasPrefix(key) else { return nil }
        let text = String(word.dropFirst(key.count))
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// Whether words are commas and hyphens alone.
    static func areSigns(_ words: [String]) -> Bool {
        words.allSatisfy { $0.allSatisfy { $0 == "," || $0 == "-" } }
    }

    /// The range that was meant by `1 to 3`, `1 - 3` or `1..3`, which are none; nil for any other words.
    package static func rangeMeant(by words: [String]) -> ClosedRange<Int>? {
        var ends: [Substring] = []
        if words.count == 3, rangeJoints.contains(words[1].lowercased()) {
            ends = [words[0][...], words[2][...]]
        } else if words.count == 1 {
            let typed = words[0].split(separator: " ").map { String($0) }
            if typed.count == 3 { return rangeMeant(by: typed) }
            ends =
                rangeSigns.lazy.map { words[0].split(separator: $0) }.first { $0.count == 2 } ?? []
        }
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else {
            return nil
        }
        return min(first, last)...max(first, last)
    }

    private static let rangeJoints: Set<String> = [
        "to", "through", "thru", "till", "until", "bis", "-", "–", "—", "..", "...",
    ]
    private static let rangeSigns = ["...", "..", "–", "—"]

    /// Whether a word only joins others, as in `1 and 3`.
    static func isJoint(_ word: String) -> Bool {
        ["and", "&", "+", "plus", "or", "und"].contains(word.lowercased())
    }

    /// Whether digits of an id may be a word of a title as well, as `beef`: few ones, or letters alone.
    static func mayBeWord(_ typed: String) -> Bool {
        let digitCount = typed.utf8.count { $0 != UInt8(ascii: "-") }
        let hasNumber = typed.utf8.contains(where: isDigit)
        return !isNumeric(typed) && (!hasNumber || digitCount < sureDigitCountMin)
    }

    /// Whether a word is made of digits, as a number or a range is.
    package static func isNumeric(_ word: String) -> Bool { isNumeric(word[...]) }

    private static func isNumeric(_ word: Substring) -> Bool {
        let ends = (word.first == "-" ? word.dropFirst() : word).split(
            separator: "-", omittingEmptySubsequences: false)
        return ends.count <= 2 && ends.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }
    }

    /// The fault of a word that is made of numbers, commas and hyphens, and is no list of numbers; nil for any other word, and for
    /// one that may be an id.
    private static func fault(_ word: String) -> ToDoName? {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false)
        let digitCount = word.utf8.count(where: isDigit)
        if digitCount == 0 { return nil }
        if parts.count == 1, digitCount >= digitCountMin, word.first != "-" { return nil }
        var isIncomplete = false
        for part in parts where names(part) == nil {
            if isNumeric(part) { return numbersAlone(parts) ? .noNumber(String(part)) : nil }
            isIncomplete = true
        }
        return isIncomplete && numbersAlone(parts) ? .incomplete(word) : nil
    }

    /// Whether parts of a list hold nothing but numbers, hyphens and `last`.
    private static func numbersAlone(_ parts: [Substring]) -> Bool {
        parts.allSatisfy { part in
            part.lowercased() == latestWord
                || part.utf8.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "-") }
        }
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
        names(word[...]) != nil
    }

    /// Numbers and `last` between commas, where the list may go on in the next word, as in `3, 4`; nil for any other word.
    private static func list(_ word: String) -> [ToDoName]? {
        if let names = names(word[...]) { return names }
        guard word.last == "," || word.first == "," else { return nil }
        let bare = word.drop { $0 == "," }
        return names(bare.last == "," ? bare.dropLast() : bare)
    }

    /// Reads numbers, ranges and `last` between commas; nil if that is no list of them.
    private static func names(_ word: Substring) -> [ToDoName]? {
        if let ranges = ranges(word) { return [.numbers(ranges)] }
        var found: [ToDoName] = []
        for part in word.split(separator: ",", omittingEmptySubsequences: false) {
            if part.lowercased() == latestWord {
                found.append(.latest)
            } else if let ranges = ranges(part) {
                found.append(.numbers(ranges))
            } else {
                return nil
            }
        }
        return found
    }

    private static func of(_ word: String) -> ToDoName? {
        let digits = word.lowercased().filter { $0 != "-" }
        let isHexadecimal = digits.utf8.allSatisfy(isHexadecimal)
        guard isHexadecimal, digits.utf8.count >= digitCountMin, word.first != "-" else {
            return nil
        }
        return .digits(digits, typed: word)
    }

    /// Reads numbers and ranges between commas; nil if that is no list of them.
    private static func ranges(_ word: Substring) -> [ClosedRange<Int>]? {
        var found: [ClosedRange<Int>] = []
        for part in word.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            let isLong = ends.count == 2 && ends[0].utf8.count != beginningDigitCount
            let digitCountMax = isLong ? endDigitCountMax : numberDigitCountMax
            guard ends.count <= 2,
                let first = ends.first.flatMap({ number($0, digitCountMax) }),
                let last = ends.last.flatMap({ number($0, digitCountMax) })
            else { return nil }
            found.append(min(first, last)...max(first, last))
        }
        return found
    }

    /// Reads a number.
    ///
    /// It is never written with a zero in front, ids of this decade always are.
    private static func number(
        _ word: Substring, _ digitCountMax: Int = numberDigitCountMax
    ) -> Int? {
        guard word.utf8.count <= digitCountMax, word.first != "0",
            word.utf8.allSatisfy(isDigit)
        else { return nil }
        return Int(word)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x66).contains(byte)
    }
}

/// Why words do not name to-dos.
package enum ToDoNameFault: Error {
    /// Nobody has the number, or the digits are those of none.
    case noNumber(String)
    /// A list or a range of numbers lacks a part.
    case incomplete(String)
    /// A word is empty, and would be a part of every title.
    case empty
    /// No to-do has a number of the range, or no pending one, where the command is for these.
    case noneInRange(ClosedRange<Int>, isOfPending: Bool)
    /// More to-dos have a number of the range than are named at once.
    case tooMany(ClosedRange<Int>, max: Int)
    /// Some to-dos of the range were never shown to this reader, others were; at most
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
    /// Numbers or ids stand beside words of a title, and no title has all of these words; or the words were meant as a
    /// range.
    case mixed(MixedNames)
    /// No numbers are kept, as the store's folder cannot be written.
    case noNumbers
    /// The numbers cannot be read.
    case unavailable(StoreFault)
    /// The store cannot be read.
    case unreadable(StoreFault)
}

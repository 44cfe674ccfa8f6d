/// Refuses decisions by the text of a message: refusals, findings and reasons are codes.
///
/// `./Tools/sentences` proves the same for Sources by rewriting every sentence; this holds for Tools as well.
enum SentenceRules {
    /// Files that compare words which people type.
    private static let readers = [
        "Sources/Simulation/Scenario/", "Sources/Simulation/Events/", "Sources/ToDo/Phrases/",
        "Tools/tandem/Commands/CalendarCommand.swift",
    ]

    /// The list of the test files about words.
    static let list = "Tests/wording.txt"
    /// The most files of that list.
    static let fileCountMax = 10

    /// Functions that look for a text in another one, as they stand before it.
    private static let searches = [
        "contains(", "hasPrefix(", "hasSuffix(", "starts(with:", "firstRange(of:", "range(of:",
        "ranges(of:", "split(separator:", "replacing(",
    ].map { Array($0.utf8) }
    private static let comparisons = searches + ["==", "!=", "~=", " case"].map { Array($0.utf8) }
    /// Texts for people.
    private static let messages = [".message", ".advice", ".description"].map { Array($0.utf8) }
    /// Ways to decide by one of them.
    private static let decisions = [
        " == ", " != ", ".contains(", ".hasPrefix(", ".hasSuffix(", ".starts(", ".firstRange(",
    ].map { Array($0.utf8) }

    static func findings(in file: SourceFile) -> [Finding] {
        if readers.contains(where: { file.path.hasPrefix($0) }) { return [] }
        // Bytes, as a debug build takes long for characters.
        let text = Array((" " + file.swift.uncommented.joined(separator: "\n")).utf8)
        var findings: [Finding] = []
        var line = 0
        for (index, byte) in text.enumerated() {
            let isDecision =
                switch byte {
                case UInt8(ascii: "\""): isComparedSentence(text, at: index)
                case UInt8(ascii: "."): isDecisionByMessage(text[index...])
                default: false
                }
            if byte == UInt8(ascii: "\n") { line += 1 }
            guard isDecision else { continue }
            findings.append(file.finding(line, "compares the text of a message; compare its code"))
        }
        return findings
    }

    /// Whether a literal that begins here is compared or sought, and has two words beside each other.
    private static func isComparedSentence(_ text: [UInt8], at quote: Int) -> Bool {
        var end = quote
        while end > 0, text[end - 1] == UInt8(ascii: " ") || text[end - 1] == UInt8(ascii: "\n") {
            end -= 1
        }
        let before = text[..<end]
        guard comparisons.contains(where: { before.suffix($0.count).elementsEqual($0) }) else {
            return false
        }
        let literal = text[(quote + 1)...].prefix {
            $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\n")
        }
        let words = literal.split(separator: UInt8(ascii: " ")).map { word in
            word.allSatisfy { isLetter($0) || ",;:.".utf8.contains($0) }
                && word.count(where: isLetter) > 1
        }
        return zip(words, words.dropFirst()).contains { $0 && $1 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDecisionByMessage(_ text: ArraySlice<UInt8>) -> Bool {
        guard let name = messages.first(where: { text.prefix($0.count).elementsEqual($0) }) else {
            return false
        }
        let rest = text.dropFirst(name.count)
        return decisions.contains { rest.prefix($0.count).elementsEqual($0) }
    }

    /// The files that the list names, without remarks.
    static func wordingFiles(in list: SourceFile) -> [String] {
        list.lines.map { String($0.prefix { $0 != "#" }).trimmed }.filter { !$0.isEmpty }
    }
}

/// A line parted into words as a shell does it, with single and double quotes and backslashes.
enum ShellWords {
    /// Nil if a quote is left open.
    static func split(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else {
                    word = (word ?? "") + String(character)
                }
            } else if character == "'" || character == "\"", opensQuote(character, after: word) {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { return nil }
        if let done = word { words.append(done) }
        return words
    }

    /// An apostrophe inside of a word is one: `don't`.
    private static func opensQuote(_ character: Character, after word: String?) -> Bool {
        guard let last = word?.last else { return true }
        return last == ":" || last == "="
    }
}

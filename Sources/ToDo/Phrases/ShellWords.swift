/// A line parted into words as a shell does it, with single and double quotes and backslashes.
package enum ShellWords {
    /// Nil if a quote is left open.
    package static func split(_ line: String) -> [String]? {
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

    /// A word without its quotes and backslashes, of which the last quote may be open still.
    package static func unquoted(_ word: String) -> String {
        var result = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                // Between double quotes a backslash is one before most characters.
                if quote != nil, !"\"\\$`".contains(character) { result.append("\\") }
                result.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                result.append(character)
            }
        }
        return result
    }

    /// An apostrophe inside of a word is one: `don't`.
    private static func opensQuote(_ character: Character, after word: String?) -> Bool {
        guard let last = word?.last else { return true }
        return last == ":" || last == "="
    }
}

extension String {
    /// The word as a shell reads it.
    package var shellQuoted: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy {
                $0 >= 0x80 || (0x61...0x7a).contains($0 | 0x20) || (0x2b...0x3a).contains($0)
                    || $0 == 0x5f
            }
        return isPlain ? self : quotedForShell
    }

    /// The text in quotes, which a shell takes for one word.
    package var quotedForShell: String { "'" + replacing("'", with: "'\\''") + "'" }
}

/// A Swift source text split into code, comments and literals, line by line.
///
/// Each channel keeps every character in its column and blanks the others', so that a word in a
/// string never counts as code, and a word in code never as a comment.
struct SwiftText {
    /// Code alone: comments blank, literals blank between their quotes.
    let code: [String]
    /// Comments alone.
    let comments: [String]
    /// Code and literals with comments blanked, as the manifest's reader needs them.
    let uncommented: [String]

    /// Literals alone, without their quotes and interpolations.
    var literals: [String] {
        zip(code, uncommented).map { code, whole in
            String(zip(code, whole).map { $0 == $1 ? " " : $1 })
        }
    }

    init(_ text: String) {
        var splitter = Splitter(characters: Array(text))
        splitter.run()
        code = Self.lines(splitter.code)
        comments = Self.lines(splitter.comments)
        uncommented = Self.lines(splitter.uncommented)
    }

    private static func lines(_ characters: [Character]) -> [String] {
        characters.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    /// The one pass over the text.
    private struct Splitter {
        /// Where the pass stands: what encloses the next character, innermost last.
        private enum Context {
            case code
            /// Inside `\( … )` of a literal: parentheses still open.
            case interpolation(open: Int)
            case literal(hashes: Int, isMultiline: Bool)
            case lineComment
            case blockComment
        }

        let characters: [Character]
        private(set) var code: [Character] = []
        private(set) var comments: [Character] = []
        private(set) var uncommented: [Character] = []
        private var contexts = [Context.code]
        private var position = 0

        init(characters: [Character]) {
            self.characters = characters
        }

        mutating func run() {
            while position < characters.count {
                switch contexts[contexts.count - 1] {
                case .code: stepInCode(open: nil)
                case .interpolation(let open): stepInCode(open: open)
                case .literal(let hashes, let isMultiline):
                    stepInLiteral(hashes: hashes, isMultiline: isMultiline)
                case .lineComment: stepInLineComment()
                case .blockComment: stepInBlockComment()
                }
            }
        }

        private mutating func stepInCode(open: Int?) {
            if starts("//") {
                contexts.append(.lineComment)
            } else if starts("/*") {
                contexts.append(.blockComment)
                takeComment(2)
            } else if let (hashes, isMultiline) = literalOpening() {
                contexts.append(.literal(hashes: hashes, isMultiline: isMultiline))
                takeCode(hashes + (isMultiline ? 3 : 1))
            } else if let open, characters[position] == ")" {
                contexts.removeLast()
                if open > 1 { contexts.append(.interpolation(open: open - 1)) }
                takeCode(1)
            } else if let open, characters[position] == "(" {
                contexts.removeLast()
                contexts.append(.interpolation(open: open + 1))
                takeCode(1)
            } else {
                takeCode(1)
            }
        }

        private mutating func stepInLiteral(hashes: Int, isMultiline: Bool) {
            let fence = String(repeating: "#", count: hashes)
            let quotes = isMultiline ? "\"\"\"" : "\""
            if starts("\\" + fence + "(") {
                contexts.append(.interpolation(open: 1))
                takeCode(2 + hashes)
            } else if starts("\\" + fence) {
                takeLiteral(2 + hashes)
            } else if starts(quotes + fence) {
                contexts.removeLast()
                takeCode(quotes.count + hashes)
            } else if characters[position] == "\n", !isMultiline {
                contexts.removeLast()  // not Swift; do not let one bad line blank the rest
            } else {
                takeLiteral(1)
            }
        }

        private mutating func stepInLineComment() {
            if characters[position] == "\n" {
                contexts.removeLast()
            } else {
                takeComment(1)
            }
        }

        private mutating func stepInBlockComment() {
            if starts("*/") {
                contexts.removeLast()
                takeComment(2)
            } else if starts("/*") {
                contexts.append(.blockComment)
                takeComment(2)
            } else {
                takeComment(1)
            }
        }

        /// The literal that opens here, if one does.
        private func literalOpening() -> (hashes: Int, isMultiline: Bool)? {
            var hashes = 0
            while position + hashes < characters.count, characters[position + hashes] == "#" {
                hashes += 1
            }
            let quote = position + hashes
            guard quote < characters.count, characters[quote] == "\"" else { return nil }
            return (hashes, starts("\"\"\"", at: quote))
        }

        private func starts(_ word: String) -> Bool { starts(word, at: position) }

        private func starts(_ word: String, at start: Int) -> Bool {
            start + word.count <= characters.count
                && characters[start..<start + word.count].elementsEqual(word)
        }

        private mutating func takeCode(_ count: Int) {
            take(count) { ($0, " ", $0) }
        }

        private mutating func takeComment(_ count: Int) {
            take(count) { (" ", $0, " ") }
        }

        private mutating func takeLiteral(_ count: Int) {
            take(count) { (" ", " ", $0) }
        }

        private mutating func take(
            _ count: Int, _ channels: (Character) -> (Character, Character, Character)
        ) {
            for _ in 0..<count where position < characters.count {
                let character = characters[position]
                let isNewline = character == "\n"
                let (inCode, inComments, inUncommented) = channels(character)
                code.append(isNewline ? "\n" : inCode)
                comments.append(isNewline ? "\n" : inComments)
                uncommented.append(isNewline ? "\n" : inUncommented)
                position += 1
            }
        }
    }
}

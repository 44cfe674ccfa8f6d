/// A piece of a line.
struct StoryToken: Hashable {
    enum Kind: Hashable {
        /// A name or a word of the language.
        case word(String)
        /// What begins with a digit, or with a minus sign before one: a number or a date.
        case figure(String)
        /// A text in quotes, without them and with its escapes undone.
        case text(String)
        /// One of `+ - , : @`.
        case symbol(Unicode.Scalar)
    }

    let kind: Kind
    /// The Unicode scalars of the line that it was read from.
    let range: Range<Int>

    /// The word, if it is one.
    var word: String? {
        if case .word(let word) = kind { word } else { nil }
    }

    func isWord(_ word: String) -> Bool { self.word == word }

    func isSymbol(_ symbol: Unicode.Scalar) -> Bool { kind == .symbol(symbol) }
}

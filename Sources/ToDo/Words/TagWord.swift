/// A word that adds, asks for, removes or excludes tags: `+home`, `-home`, `+home,garden`.
struct TagWord: Equatable {
    /// One, or several that were parted by commas.
    var tags: [String]
    var isPlus: Bool

    /// Nil unless a letter or `_` follows the sign and each comma: `+49`, `-1`, `+` and `+yes,` are text.
    init?(_ word: String) {
        guard let sign = word.first, sign == "+" || sign == "-" else { return nil }
        let names = word.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
        guard names.allSatisfy(Self.isName) else { return nil }
        tags = names.map { String($0) }
        isPlus = sign == "+"
    }

    /// Whether a word begins as if it added a tag, and does not go on so.
    static func isNearly(_ word: String) -> Bool {
        guard word.first == "+", let second = word.dropFirst().first else { return false }
        return (second.isLetter || second == "_") && TagWord(word) == nil
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return !name.contains { $0.isWhitespace || $0 == ":" }
    }
}

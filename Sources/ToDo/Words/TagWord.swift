/// A word that adds, asks for, removes or excludes a tag: `+home`, `-home`.
struct TagWord: Equatable {
    var tag: String
    var isPlus: Bool

    /// Nil unless a letter or `_` follows the sign: `+49`, `-1` and `+` are text.
    init?(_ word: String) {
        guard let sign = word.first, sign == "+" || sign == "-" else { return nil }
        let rest = word.dropFirst()
        guard let first = rest.first, first.isLetter || first == "_",
            !rest.contains(where: { $0.isWhitespace || $0 == ":" || $0 == "," })
        else { return nil }
        tag = String(rest)
        isPlus = sign == "+"
    }
}

import ToDo

/// The words behind the name of a to-do on a command line, of which some are a text and the others keys, tags and signs.
struct TypedText {
    /// All of them.
    private let words: [String]
    /// The indexes of those that are the text; none if it cannot be told which they are.
    private let indexes: [Int]

    init(_ text: String, in words: some Sequence<String>) {
        self.words = Array(words)
        var rest = text.split(whereSeparator: \.isWhitespace)[...]
        var indexes: [Int] = []
        for (index, word) in self.words.enumerated() {
            let parts = word.split(whereSeparator: \.isWhitespace)
            guard !parts.isEmpty, rest.starts(with: parts) else { continue }
            rest = rest.dropFirst(parts.count)
            indexes.append(index)
        }
        self.indexes = rest.isEmpty ? indexes : []
    }

    /// The words of the text, each as it was typed.
    var textWords: [String] { indexes.map { words[$0] } }

    /// The words without the first ones of the text; none if that cannot be told.
    func without(_ count: Int) -> [String] {
        if indexes.isEmpty { return [] }
        let left = Set(indexes.prefix(count))
        return words.indices.filter { !left.contains($0) }.map { words[$0] }
    }

    /// The words that are no part of the text.
    var others: [String] { without(indexes.count) }

    /// The word of a line for those that are still to be chosen.
    static let placeholder = "WORDS"
}

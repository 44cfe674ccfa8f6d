extension Character {
    /// May stand inside a Swift name.
    var isNamePart: Bool { self == "_" || isLetter || isNumber }
}

extension String {
    /// The names in the text, in order: runs of letters, digits and underscores.
    var names: [String] { split { !$0.isNamePart }.map { String($0) } }

    /// The text without spaces and tabs at both ends.
    var trimmed: String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// Whether `phrase` stands here on its own: where it begins or ends with a name character,
    /// the neighbour there is none.
    func containsPhrase(_ phrase: String) -> Bool {
        let text = Array(self)
        let sought = Array(phrase)
        guard let first = sought.first, let last = sought.last, text.count >= sought.count else {
            return false
        }
        for start in 0...(text.count - sought.count) {
            let end = start + sought.count
            guard text[start] == first, text[start..<end].elementsEqual(sought) else { continue }
            if first.isNamePart, start > 0, text[start - 1].isNamePart { continue }
            if last.isNamePart, end < text.count, text[end].isNamePart { continue }
            return true
        }
        return false
    }
}

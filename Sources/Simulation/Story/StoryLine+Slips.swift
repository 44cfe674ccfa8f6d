/// What is said of a piece that does not fit.
extension StoryLine {
    /// What comes next is not what the forms have here.
    func mismatch(_ node: StoryTree.Node) -> StorySlip {
        if node.words.isEmpty, node.slots.isEmpty, let current {
            return tooMuch(current, afterRefusal: false)
        }
        return unfit(hint: peculiarHint() ?? hint(node))
    }

    /// The next piece, or the end of the line, does not fit.
    func unfit(hint: String) -> StorySlip {
        let message =
            current.map { "\(spelling(of: $0.range)) does not fit here" }
            ?? "the line ends too early"
        return StorySlip(place, message, hint: hint)
    }

    func tooMuch(_ token: StoryToken, afterRefusal isAfterRefusal: Bool) -> StorySlip {
        let hint =
            if isAfterRefusal {
                "a reason comes after a colon: `but is refused: deleted`"
            } else if tokens[0].isWord("devices") {
                "names are parted by commas or `and`"
            } else {
                "the step is complete before it"
            }
        return StorySlip(token.range, "\(spelling(of: token.range)) is too much", hint: hint)
    }

    /// What often is written instead of something else.
    private func peculiarHint() -> String? {
        guard index == 1, let current else { return nil }
        if current.isWord("and") || current.isSymbol(",") {
            return "one device acts at a time; only `expect` speaks of several"
        }
        if let word = current.word, StoryWords.claimTree.nodes[0].places[word] != nil {
            return "what is expected begins with `expect`"
        }
        if let word = current.word, let other = StoryWords.synonyms[word] {
            return "write \(other)"
        }
        return nil
    }

    /// What can come here: the nearest word, if one is near, and everything else.
    private func hint(_ node: StoryTree.Node) -> String {
        let words = node.words.map(\.word)
        var possible = words.map { "`\($0)`" } + node.slots.map(\.slot.description)
        if node.form != nil { possible.append("the end of the line") }
        let nearest = current?.word.flatMap { StoryScope.nearest(to: $0, among: words) }
        let question = nearest.map { "did you mean `\($0)`? " } ?? ""
        if possible.count == 1, let sample = node.sample {
            let start = nearest == nil ? "here comes \(possible[0]), as in" : question + "As in"
            return "\(start) `\(sample.example)`"
        }
        return question + (nearest == nil ? "here" : "Here") + " comes "
            + Self.enumeration(possible, "or")
    }

    /// `a, b or c`.
    static func enumeration(_ parts: [String], _ last: String) -> String {
        guard parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " \(last) " + parts[parts.count - 1]
    }
}

/// One line on the way from pieces to meaning, along the tables of `ScenarioWords`.
struct ScenarioLine {
    /// A name, and where it stands.
    struct Mention {
        let name: String
        let range: Range<Int>
    }

    let scalars: [Unicode.Scalar]
    let tokens: [ScenarioToken]
    /// The names that earlier lines have made known.
    let scope: ScenarioScope
    /// The next piece.
    var index = 0

    /// Devices that this line makes known.
    var newDevices: [Mention] = []
    /// Items that this line makes known.
    var newItems: [Mention] = []
    /// Backups that this line makes known.
    var newBackups: [Mention] = []
    /// Fields that this line sets.
    var setFields: [Mention] = []
    /// Items that must be known, unless a refusal is foreseen.
    var usedItems: [Mention] = []
    /// Items that some line must make known, be it a later one.
    var references: [Mention] = []
    /// Fields that an earlier line must have set.
    var expectedFields: [Mention] = []

    init(_ scalars: [Unicode.Scalar], _ scope: ScenarioScope) throws(ParseError) {
        self.scalars = scalars
        self.scope = scope
        tokens = try ScenarioLexer.tokens(of: scalars)
    }

    // MARK: Pieces

    var current: ScenarioToken? { index < tokens.count ? tokens[index] : nil }

    /// Where the next piece stands, or where one is missing.
    var position: Range<Int> {
        if let current { return current.range }
        let end = tokens.last?.range.upperBound ?? 0
        return end..<end
    }

    /// The piece as it was written, short enough to be shown.
    func spelling(of range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range].prefix(40))
        return "`" + String(text) + (range.count > 40 ? "…`" : "`")
    }

    /// Goes past the word if it comes next.
    mutating func skips(_ word: String) -> Bool {
        guard let current, current.isWord(word) else { return false }
        index += 1
        return true
    }

    /// Goes past the symbol if it comes next.
    mutating func skips(symbol: Unicode.Scalar) -> Bool {
        guard let current, current.isSymbol(symbol) else { return false }
        index += 1
        return true
    }

    // MARK: Steps

    /// The whole line: `[another program on] form [but is refused [: reason]]`.
    mutating func step() throws(ParseError) -> (meaning: ScenarioMeaning, step: Step?) {
        let isElsewhere = try elsewhere()
        let afterBeginning = index
        let (form, meaning) = try walk(ScenarioWords.lineTree)
        if isElsewhere, !form.isProgram {
            let words = tokens[..<afterBeginning].map(\.range)
            throw ParseError(
                words[0].lowerBound..<words[afterBeginning - 1].upperBound,
                "another program does not do that",
                hint: "leave out `another program on`; it only makes and changes items")
        }
        let ending = position
        let refusal = try foreseen()
        if let current { throw tooMuch(current, afterRefusal: refusal != nil) }
        guard case .event(let event) = meaning else {
            if refusal == nil { return (meaning, nil) }
            throw ParseError(
                ending, "a heading is not refused", hint: "leave out the end of the line")
        }
        if refusal != nil, case .expect = event {
            throw ParseError(
                ending, "an expectation is not refused",
                hint: "put this end to the action that is meant to be refused")
        }
        return (meaning, Step(event, refusal: refusal, isElsewhere: isElsewhere))
    }

    /// Whether it begins with `another program on`, which is skipped.
    private mutating func elsewhere() throws(ParseError) -> Bool {
        guard skips("another") else { return false }
        guard skips("program"), skips("on") else {
            throw unfit(
                hint: "here comes `\(index == 1 ? "program" : "on")`, as in "
                    + "`another program on laptop edits milk title \"Oat\"`")
        }
        return true
    }

    /// `but is refused`, `but fails`, with or without a reason.
    private mutating func foreseen() throws(ParseError) -> Refusal? {
        guard skips("but") else { return nil }
        if !skips("fails") {
            guard skips("is"), skips("refused") else {
                throw unfit(hint: "write `but is refused` or `but fails`")
            }
        }
        guard skips(symbol: ":") else { return .anyReason }
        let start = index
        var words: [String] = []
        while let word = current?.word {
            words.append(word)
            index += 1
        }
        let reason = words.joined(separator: " ")
        if let refusal = Refusal(rawValue: reason) { return refusal }
        index = start
        let reasons = Refusal.allCases.map(\.rawValue)
        let nearest = ScenarioScope.nearest(to: reason, among: reasons).map {
            "did you mean `\($0)`? The "
        }
        throw ParseError(
            position.lowerBound..<(tokens.last?.range.upperBound ?? 0),
            words.isEmpty ? "the reason is missing" : "there is no such reason",
            hint: (nearest ?? "the ") + "reasons are " + Self.enumeration(reasons, "and"))
    }

    // MARK: Forms

    /// Follows the tree word by word and slot by slot to the end of a form.
    mutating func walk(_ tree: ScenarioTree) throws(ParseError) -> (ScenarioForm, ScenarioMeaning) {
        var node = tree.nodes[0]
        var arguments = ScenarioArguments()
        while true {
            if let word = current?.word, let next = node.children[word] {
                index += 1
                node = tree.nodes[next]
            } else if let token = current,
                let (slot, next) = node.slots.first(where: { $0.slot.begins(with: token) })
            {
                arguments.append(try argument(for: slot, after: arguments))
                node = tree.nodes[next]
            } else if let form = node.form, current == nil || current?.word == "but" {
                return (form, form.build(&arguments))
            } else {
                throw mismatch(node)
            }
        }
    }
}

/// Errors about a piece that does not fit.
extension ScenarioLine {
    /// The error for a next piece that no form has here.
    func mismatch(_ node: ScenarioTree.Node) -> ParseError {
        if node.words.isEmpty, node.slots.isEmpty, let current {
            return tooMuch(current, afterRefusal: false)
        }
        return unfit(hint: peculiarHint() ?? hint(node))
    }

    /// The next piece, or the end of the line, does not fit.
    func unfit(hint: String) -> ParseError {
        let message =
            current.map { "\(spelling(of: $0.range)) does not fit here" }
            ?? "the line ends too early"
        return ParseError(position, message, hint: hint)
    }

    func tooMuch(_ token: ScenarioToken, afterRefusal isAfterRefusal: Bool) -> ParseError {
        let hint =
            if isAfterRefusal {
                "a reason comes after a colon: `but is refused: deleted`"
            } else if tokens[0].isWord("devices") {
                "names are parted by commas or `and`"
            } else {
                "the step is complete before it"
            }
        return ParseError(token.range, "\(spelling(of: token.range)) is too much", hint: hint)
    }

    /// The hint for words that are often written in place of others.
    private func peculiarHint() -> String? {
        guard index == 1, let current else { return nil }
        if current.isWord("and") || current.isSymbol(",") {
            return "one device acts at a time; only `expect` speaks of several"
        }
        if let word = current.word, ScenarioWords.claimTree.nodes[0].children[word] != nil {
            return "what is expected begins with `expect`"
        }
        if let word = current.word, let other = ScenarioWords.synonyms[word] {
            return "write \(other)"
        }
        return nil
    }

    /// The words that can come here: the nearest, if one is near, and all others.
    private func hint(_ node: ScenarioTree.Node) -> String {
        let words = node.words.map(\.word)
        var possible = words.map { "`\($0)`" } + node.slots.map(\.slot.description)
        if node.form != nil { possible.append("the end of the line") }
        let nearest = current?.word.flatMap { ScenarioScope.nearest(to: $0, among: words) }
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

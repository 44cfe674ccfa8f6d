/// A part of a help text.
///
/// Help texts are written for the eye; their form tells what is what. Lines that are indented by two spaces
/// stand as they are; a line with a wide gap explains the word in front of it, as do lines that begin with `--`,
/// and what is indented below belongs to the explanation; everything else is prose.
package enum HelpBlock: Equatable, Sendable {
    /// A paragraph, in one line.
    case prose(String)
    /// Lines that stand as they are: examples, tables.
    case literal([String])
    /// Words and what they mean.
    case definitions([Definition])

    /// A word and its meaning.
    package struct Definition: Equatable, Sendable {
        /// The word, as `--by WORD`.
        package let term: String
        /// The word's meaning, in one line.
        package let text: String

        /// A word and its meaning.
        package init(_ term: String, _ text: String) {
            self.term = term
            self.text = text
        }
    }

    /// The parts of a help text, in its order.
    package static func blocks(of help: String) -> [HelpBlock] {
        var blocks: [HelpBlock] = []
        for paragraph in help.split(separator: "\n\n") {
            var rest = paragraph.split(separator: "\n")[...]
            while !rest.isEmpty { blocks.append(next(&rest)) }
        }
        return blocks.reduce(into: []) { result, block in
            // A blank line between explanations parts nothing.
            if case .definitions(let more) = block, case .definitions(let old)? = result.last {
                result[result.count - 1] = .definitions(old + more)
            } else {
                result.append(block)
            }
        }
    }

    private static func next(_ lines: inout ArraySlice<Substring>) -> HelpBlock {
        guard let first = lines.first else { return .prose("") }
        if isDefinition(first) {
            var definitions: [Definition] = []
            while let line = lines.first, isDefinition(line) {
                definitions.append(definition(&lines))
            }
            return .definitions(definitions)
        }
        let isLiteral = first.hasPrefix("  ")
        let count = lines.prefix { $0.hasPrefix("  ") == isLiteral && !isDefinition($0) }.count
        let taken = lines.prefix(max(count, 1))
        lines = lines.dropFirst(taken.count)
        return isLiteral
            ? .literal(taken.map { String($0.dropFirst(2)) })
            : .prose(taken.joined(separator: " "))
    }

    /// Whether a line begins the explanation of a word.
    static func isDefinition(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("--") else { return !line.hasPrefix(" ") && line.contains("  ") }
        // Prose that happens to begin a line with an option has no gap, and goes on in small letters.
        let isAlone = text.split { $0 == " " || $0 == "," }.allSatisfy { word in
            word.hasPrefix("--") || word.allSatisfy { !$0.isLowercase }
        }
        return line.count - text.count <= 2 && (text.contains("  ") || isAlone)
    }

    private static func definition(_ lines: inout ArraySlice<Substring>) -> Definition {
        let first = lines.removeFirst()
        let text = first.drop { $0 == " " }
        let indentation = first.count - text.count
        let end = text.ranges(of: "  ").first?.lowerBound ?? text.endIndex
        var parts = [text[end...]]
        while let line = lines.first, line.prefix(while: { $0 == " " }).count >= indentation + 4 {
            parts.append(lines.removeFirst())
        }
        return Definition(
            String(text[..<end]),
            parts.flatMap { $0.split(separator: " ") }.joined(separator: " "))
    }
}

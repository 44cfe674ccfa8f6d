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

/// An option as a help page explains it.
package struct OptionHelp: Equatable, Sendable {
    /// With the hyphens in front; more than one if they are explained together.
    package let names: [String]
    /// The placeholder for the value, in capitals; nil if the option takes none.
    package let value: String?
    /// The option's effect, in one line.
    package let text: String

    /// The options that a help text explains.
    package static func options(in help: String) -> [OptionHelp] {
        HelpBlock.blocks(of: help).flatMap { block in
            guard case .definitions(let definitions) = block else { return [OptionHelp]() }
            return definitions.compactMap { OptionHelp($0) }
        }
    }

    /// Reads `--by WORD`, `--top, --bottom` or `--from DAY, --to DAY`; nil if it is no option.
    package init?(_ definition: HelpBlock.Definition) {
        let words = definition.term.split { $0 == " " || $0 == "," }.map { String($0) }
        names = words.filter { $0.hasPrefix("--") }
        value = words.first { !$0.hasPrefix("--") }
        text = definition.text
        if names.isEmpty { return nil }
    }
}

/// Help texts on screens of different widths.
package enum HelpLayout {
    /// The columns that help texts are written for.
    package static let standardWidth = 80

    /// Breaks the lines of a help text for a narrower screen; a wide one shows the text as written.
    ///
    /// Prose is filled again. The explanation of a word stays in its column, also over several lines.
    package static func fitted(_ help: String, to width: Int) -> String {
        if width >= standardWidth { return help }
        var result: [String] = []
        var entry = Entry()
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            if entry.isContinued(by: line) {
                entry.append(line)
                continue
            }
            result += entry.lines(width)
            entry = Entry(line)
        }
        return (result + entry.lines(width)).joined(separator: "\n")
    }

    /// Text that is broken as one: a paragraph, an example, or a word with its explanation.
    private struct Entry {
        /// Spaces, or a word with the gap behind it.
        private var head = ""
        private var text = ""
        /// The column of the text's further lines; nil before an explanation below its word began.
        private var hanging: Int? = 0
        private var isProse = false
        /// Whether the explanation stands below its word.
        private var isBelow = false
        private var isEmpty = true

        /// The narrowest column for explanations; on narrower screens they stand below their words.
        private static let columnWidthMin = 20
        private static let narrowHanging = 6

        init() {}

        init(_ line: Substring) {
            isEmpty = false
            let body = line.drop { $0 == " " }
            let indentation = line.count - body.count
            if let gap = body.ranges(of: "  ").last {
                let explanation = body[gap.upperBound...].drop { $0 == " " }
                head = String(line[..<explanation.startIndex])
                text = String(explanation)
                hanging = head.count
            } else if HelpBlock.isDefinition(line) {
                head = String(line)
                hanging = nil
                isBelow = true
            } else {
                head = String(repeating: " ", count: indentation)
                text = String(body)
                // A remark below an example stays in its column.
                hanging = (1...8).contains(indentation) ? indentation + 2 : indentation
                isProse = indentation == 0 && !body.isEmpty
            }
        }

        /// Whether a line belongs to this text.
        func isContinued(by line: Substring) -> Bool {
            let indentation = line.prefix { $0 == " " }.count
            if isEmpty || line.count == indentation { return false }
            if isProse {
                return indentation == 0 && !line.contains("  ") && !HelpBlock.isDefinition(line)
            }
            guard let hanging else { return indentation >= 4 }
            return indentation == hanging && indentation > 2
        }

        mutating func append(_ line: Substring) {
            let body = line.drop { $0 == " " }
            if hanging == nil { hanging = line.count - body.count }
            text += (text.isEmpty ? "" : " ") + body
        }

        func lines(_ width: Int) -> [String] {
            if isEmpty { return [] }
            let hanging = hanging ?? 0
            let isNarrow = hanging > 0 && width - hanging < Self.columnWidthMin
            if text.isEmpty { return [head] }
            let margin = isNarrow ? Self.narrowHanging : hanging
            let space = String(repeating: " ", count: margin)
            if isNarrow || isBelow, head.contains(where: { $0 != " " }) {
                let term = String(head.reversed().drop { $0 == " " }.reversed())
                let parts = Cells.wrapped(text, first: width - margin, rest: width - margin)
                return [term] + parts.map { space + $0 }
            }
            let parts = Cells.wrapped(
                text, first: width - Cells.count(head), rest: width - margin)
            return [head + parts[0]] + parts.dropFirst().map { space + $0 }
        }
    }
}

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

/// An error in a line; it becomes a `ScenarioFault` once the number of the line is known.
struct ParseError: Error, Hashable {
    /// The Unicode scalars of the line that are meant; empty for a position between two.
    var range: Range<Int>
    /// The error, in a few words.
    var message: String
    /// The next step.
    var hint: String?
    /// The device that no line before has made known, if that is what is wrong.
    var unknownDevice: String?

    init(_ range: Range<Int>, _ message: String, hint: String? = nil) {
        self.range = range
        self.message = message
        self.hint = hint
    }
}

/// A position in a text: both count from 1, columns in characters.
package struct Position: Hashable, Sendable {
    /// The line.
    package var line: Int
    /// The column.
    package var column: Int

    /// A position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// Why a line of a scenario cannot be read.
package struct ScenarioFault: Error, Hashable, Sendable {
    /// Where it begins.
    package var position: Position
    /// How many characters are meant; 0 for the end of a line.
    package var length: Int
    /// The error, in a few words.
    package var message: String
    /// The next step.
    package var hint: String?
    /// The part of the line around the position, fit to be shown; empty if no line is meant.
    package var excerpt: String
    /// How many characters of the excerpt stand before the position.
    package var excerptOffset: Int

    /// A fault in the line that consists of these scalars.
    init(line: Int, of scalars: [Unicode.Scalar], _ error: ParseError) {
        let before = Self.characters(scalars[..<error.range.lowerBound])
        let meant = Self.characters(scalars[error.range])
        let after = Self.characters(scalars[error.range.upperBound...])
        position = Position(line: line, column: before.count + 1)
        length = meant.count
        message = Self.shown(error.message)
        hint = error.hint.map(Self.shown)
        (excerpt, excerptOffset) = Self.excerpt(before, meant + after)
    }

    /// The line, or what of it is near the position; and how much of that is before the position.
    private static func excerpt(
        _ before: [Character], _ after: [Character]
    ) -> (String, offset: Int) {
        let width = ScenarioLimits.excerptLengthMax
        if before.count + after.count <= width { return (String(before + after), before.count) }
        let left = before.count > width / 2 ? ["…"] + before.suffix(width / 2) : before
        let right = after.prefix(width - left.count)
        return (String(left + right) + (right.count < after.count ? "…" : ""), left.count)
    }

    /// A fault of a text that is none: what is wrong at this byte.
    init(binaryAtLine line: Int, column: Int, byte: UInt8) {
        let digits = String(byte, radix: 16)
        position = Position(line: line, column: column)
        length = 0
        message = "this is no text: the byte 0x\(digits.count < 2 ? "0" : "")\(digits) stands here"
        hint = "a scenario is a text in UTF-8, one step a line"
        excerpt = ""
        excerptOffset = 0
    }

    /// The text, which does nothing to a terminal.
    private static func shown(_ text: String) -> String {
        String(characters(Array(text.unicodeScalars)[...]))
    }

    /// The scalars as characters that take one place each and do nothing to a terminal.
    private static func characters(_ scalars: ArraySlice<Unicode.Scalar>) -> [Character] {
        var text = String.UnicodeScalarView()
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\t": text.append(" ")
            case .format where scalar == "\u{200D}": text.append(scalar)
            case .control, .lineSeparator, .paragraphSeparator, .format: text.append("\u{FFFD}")
            default: text.append(scalar)
            }
        }
        // Marks can be piled up without end on one character.
        return String(text).map { character in
            let parts = character.unicodeScalars
            return parts.count <= 12 ? character : parts.first.map { Character($0) } ?? character
        }
    }

    /// The fault with the line and a mark below it, in up to four lines without a line end.
    package func rendered(file: String) -> String {
        var lines = ["\(Self.shown(file)):\(position.line):\(position.column): \(message)"]
        if !excerpt.isEmpty {
            let room = excerpt.count - excerptOffset
            let tail = String(repeating: "~", count: max(0, min(length, room) - 1))
            lines.append("    " + excerpt)
            lines.append("    " + String(repeating: " ", count: excerptOffset) + "^" + tail)
        }
        if let hint { lines.append("  hint: " + hint) }
        return lines.joined(separator: "\n")
    }
}

/// Why a text is no scenario: at least one fault, in order of their lines.
package struct ScenarioFaults: Error, Hashable, Sendable {
    /// At most `ScenarioLimits.faultCountMax`.
    package var faults: [ScenarioFault]
    /// Whether reading stopped early because there were so many.
    package var isCutShort: Bool

    init(_ faults: [ScenarioFault], isCutShort: Bool) {
        self.faults = faults
        self.isCutShort = isCutShort
    }

    /// All faults, each with its line, a mark and a hint.
    package func rendered(file: String) -> String {
        var parts = faults.map { $0.rendered(file: file) }
        if isCutShort { parts.append("\(file): too many faults, the rest was not read") }
        return parts.joined(separator: "\n")
    }
}

/// Why a line of a story cannot be read.
package struct StoryFault: Error, Hashable, Sendable {
    /// Where it begins.
    package var position: Position
    /// How many characters are meant; 0 for the end of a line.
    package var length: Int
    /// What is wrong, in a few words.
    package var message: String
    /// What to do about it.
    package var hint: String?
    /// The part of the line around the place, fit to be shown; empty if no line is meant.
    package var excerpt: String
    /// How many characters of the excerpt stand before the place.
    package var excerptOffset: Int

    /// A fault in the line that consists of these scalars.
    init(line: Int, of scalars: [Unicode.Scalar], _ slip: StorySlip) {
        let before = Self.characters(scalars[..<slip.range.lowerBound])
        let meant = Self.characters(scalars[slip.range])
        let after = Self.characters(scalars[slip.range.upperBound...])
        position = Position(line: line, column: before.count + 1)
        length = meant.count
        message = Self.shown(slip.message)
        hint = slip.hint.map(Self.shown)
        (excerpt, excerptOffset) = Self.excerpt(before, meant + after)
    }

    /// The line, or what of it is near the place; and how much of that is before the place.
    private static func excerpt(
        _ before: [Character], _ after: [Character]
    ) -> (String, offset: Int) {
        let width = StoryLimits.excerptLengthMax
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
        hint = "a story is a text in UTF-8, one step a line"
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

import Core

/// A text for the screen, with styles: text of others in it cannot steer the terminal.
///
/// Every string becomes part of it through `VisibleText`, its literals too; only `Screen` makes styles. So nothing that
/// is shown can hold an escape sequence of anybody else.
package struct ShownText: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// The text with the escape sequences of its styles.
    private(set) var sequence: String
    /// The text alone.
    package private(set) var plain: String

    /// A text without a style; line feeds stay.
    package init(_ text: String) {
        plain = text.shown
        sequence = plain
    }

    /// A literal without a style.
    package init(stringLiteral value: String) { self.init(value) }

    /// An interpolated text with the styles of its parts.
    package init(stringInterpolation: Interpolation) {
        sequence = stringInterpolation.sequence
        plain = stringInterpolation.plain
    }

    /// A text in a style.
    ///
    /// - Parameter style: the numbers of "select graphic rendition", ECMA-48.
    init(_ text: ShownText, style: String) {
        plain = text.plain
        sequence = "\u{1b}[\(style)m\(text.sequence)\u{1b}[0m"
    }

    private init(sequence: String, plain: String) {
        self.sequence = sequence
        self.plain = plain
    }

    /// The parts of an interpolated text.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var sequence = ""
        fileprivate var plain = ""

        /// Nothing yet.
        package init(literalCapacity: Int, interpolationCount: Int) {
            sequence.reserveCapacity(literalCapacity)
            plain.reserveCapacity(literalCapacity)
        }

        /// Adds a literal.
        package mutating func appendLiteral(_ literal: String) { append(ShownText(literal)) }

        /// Adds a text with its styles.
        package mutating func appendInterpolation(_ text: ShownText) { append(text) }

        /// Adds a value's text, made visible.
        package mutating func appendInterpolation<Shown>(_ value: Shown) {
            append(ShownText(String(describing: value)))
        }

        private mutating func append(_ text: ShownText) {
            sequence += text.sequence
            plain += text.plain
        }
    }

    /// Joins two texts.
    package static func + (left: ShownText, right: ShownText) -> ShownText {
        ShownText(sequence: left.sequence + right.sequence, plain: left.plain + right.plain)
    }

    /// Adds a text at the end.
    package static func += (left: inout ShownText, right: ShownText) {
        left.sequence += right.sequence
        left.plain += right.plain
    }
}

extension ShownText: CustomStringConvertible {
    /// The text without its styles, for a place that takes only strings.
    package var description: String { plain }
}

extension Sequence<ShownText> {
    /// Joins texts.
    package func joined(separator: ShownText = "") -> ShownText {
        var result: ShownText = ""
        for (index, text) in enumerated() {
            if index > 0 { result += separator }
            result += text
        }
        return result
    }
}

extension String {
    /// The text for a screen, with its line feeds: what others sent must not steer the terminal.
    package var shown: String { VisibleText.escaped(self, keepsLineBreaks: true) }

    /// The text in one line.
    package var shownInLine: String { VisibleText.escaped(self) }
}

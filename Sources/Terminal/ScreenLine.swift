import Core

/// A line of results that is put together from parts, as bytes: a table of many rows makes no text for each of them.
///
/// As in `ShownText`, every string becomes part of it through `VisibleText`, and only `Screen` makes styles.
package struct ScreenLine {
    /// How a part is drawn, on a screen that can.
    package enum Look: Int, CaseIterable, Sendable {
        /// Like any other text.
        case plain
        /// As headings are.
        case heading
        /// As something that wants to be seen.
        case urgent
        /// As something that stands back.
        case faint
    }

    /// The line as UTF-8, with the escape sequences of its styles.
    package private(set) var bytes: [UInt8] = []

    /// The beginning of each look, by its number; empty if nothing is drawn in it.
    private let beginnings: [[UInt8]]

    /// An empty line.
    package init() {
        beginnings = Look.allCases.map { look in
            let style = Screen.style(look)
            return style.isEmpty ? [] : Array("\u{1b}[\(style)m".utf8)
        }
    }

    /// Adds spaces; none if the number is not above zero.
    package mutating func add(spaces count: Int) {
        if count > 0 { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count)) }
    }

    /// Adds a text, made visible.
    package mutating func add(_ text: String, _ look: Look = .plain) {
        let isStyled = !beginnings[look.rawValue].isEmpty
        if isStyled { bytes.append(contentsOf: beginnings[look.rawValue]) }
        bytes.append(contentsOf: text.shown.utf8)
        if isStyled { bytes.append(contentsOf: "\u{1b}[0m".utf8) }
    }

    /// Adds a text with its styles.
    package mutating func add(_ text: ShownText) { bytes.append(contentsOf: text.sequence.utf8) }

    /// Begins anew, with the memory that it has.
    mutating func clear() { bytes.removeAll(keepingCapacity: true) }
}

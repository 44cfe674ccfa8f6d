/// The form in which JSON is written: the same values in every style.
package struct JSONStyle: Sendable {
    /// Whether a space stands behind commas and colons.
    package var hasSpaces: Bool
    /// Whether everything but printable ASCII is written in escapes, so that no editor can change it.
    package var isASCII: Bool
    /// How many levels of arrays and objects have each element and member on a line of its own.
    package var brokenLevelCount: Int
    /// The spaces by which each broken level is indented.
    package var indentation: Int

    /// A style.
    package init(
        hasSpaces: Bool = false, isASCII: Bool = false, brokenLevelCount: Int = 0,
        indentation: Int = 0
    ) {
        self.hasSpaces = hasSpaces
        self.isASCII = isASCII
        self.brokenLevelCount = brokenLevelCount
        self.indentation = indentation
    }

    /// Without white space.
    package static let compact = JSONStyle()
    /// Compact, but the outermost array has an element a line.
    package static let lines = JSONStyle(brokenLevelCount: 1)
}

/// Writes JSON: members in the order they have.
package struct JSONWriter {
    /// The bytes so far.
    package private(set) var bytes: [UInt8] = []
    private let style: JSONStyle

    /// An empty writer.
    package init(_ style: JSONStyle = .compact) {
        self.style = style
    }

    /// Appends a value.
    package mutating func append(_ value: JSONValue) {
        append(value, level: 0)
    }

    /// Appends text that is JSON already, or parts JSON values.
    package mutating func append(raw text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(_ value: JSONValue, level: Int) {
        switch value {
        case .null: append(raw: "null")
        case .bool(let flag): append(raw: flag ? "true" : "false")
        case .number(let digits): append(raw: digits)
        case .text(let text): append(text: text)
        case .array(let elements):
            append(raw: "[")
            for (index, element) in elements.enumerated() {
                beginPart(index, level: level)
                append(element, level: level + 1)
            }
            if !elements.isEmpty { breakLine(level, indentedBy: level) }
            append(raw: "]")
        case .object(let members):
            append(raw: "{")
            for (index, member) in members.enumerated() {
                beginPart(index, level: level)
                append(text: member.name)
                append(raw: style.hasSpaces ? ": " : ":")
                append(member.value, level: level + 1)
            }
            if !members.isEmpty { breakLine(level, indentedBy: level) }
            append(raw: "}")
        }
    }

    /// Parts an element or member from the one before it.
    private mutating func beginPart(_ index: Int, level: Int) {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        if level < style.brokenLevelCount {
            breakLine(level, indentedBy: level + 1)
        } else if index > 0, style.hasSpaces {
            bytes.append(UInt8(ascii: " "))
        }
    }

    private mutating func breakLine(_ level: Int, indentedBy count: Int) {
        guard level < style.brokenLevelCount else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(
            contentsOf: repeatElement(UInt8(ascii: " "), count: count * style.indentation))
    }

    private mutating func append(text: String) {
        bytes.append(UInt8(ascii: "\""))
        if style.isASCII { appendASCII(text) } else { appendUTF8(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendUTF8(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append(raw: "\\\"")
            case UInt8(ascii: "\\"): append(raw: "\\\\")
            case 8: append(raw: "\\b")
            case 9: append(raw: "\\t")
            case 10: append(raw: "\\n")
            case 12: append(raw: "\\f")
            case 13: append(raw: "\\r")
            case 0..<32: append(escaped: UInt16(byte))
            default: bytes.append(byte)
            }
        }
    }

    private mutating func appendASCII(_ text: String) {
        for unit in text.utf16 {
            switch unit {
            case 0x22: append(raw: "\\\"")
            case 0x5c: append(raw: "\\\\")
            case 0x20...0x7e: bytes.append(UInt8(unit))
            default: append(escaped: unit)
            }
        }
    }

    private mutating func append(escaped unit: UInt16) {
        let digits = String(unit, radix: 16)
        append(raw: "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
    }
}

/// As much of JSON as vectors need: whole numbers alone, and objects that keep their order.
package enum JSON: Hashable, Sendable {
    /// Nothing.
    case null
    /// Yes or no.
    case bool(Bool)
    /// A whole number that fits 64 bits; beyond 2^53 some readers need care.
    case number(UInt64)
    /// A negative whole number.
    case negative(Int64)
    /// Text.
    case text(String)
    /// A list.
    case list([JSON])
    /// Named values, in order.
    case object([Pair])

    /// A name and its value.
    package struct Pair: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: JSON

        /// Gives a value a name.
        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// A whole number of either sign.
    package static func integer(_ value: Int64) -> JSON {
        value < 0 ? .negative(value) : .number(UInt64(value))
    }

    /// The value of a name in an object.
    package subscript(name: String) -> JSON? {
        guard case .object(let pairs) = self else { return nil }
        return pairs.first { $0.name == name }?.value
    }

    /// The text, if it is one.
    package var asText: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The number, if it is one and not negative.
    package var asNumber: UInt64? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number, if it is one that fits.
    package var asInteger: Int64? {
        switch self {
        case .number(let number): Int64(exactly: number)
        case .negative(let number): number
        default: nil
        }
    }

    /// The items, if it is a list.
    package var asList: [JSON]? {
        if case .list(let items) = self { items } else { nil }
    }

    /// The value on one line.
    package var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .negative(let value): String(value)
        case .text(let text): Self.quoted(text)
        case .list(let items): "[" + items.map(\.line).joined(separator: ", ") + "]"
        case .object(let pairs):
            "{"
                + pairs.map { "\(Self.quoted($0.name)): \($0.value.line)" }
                .joined(separator: ", ") + "}"
        }
    }

    /// A list of objects as a file: each name of each object on its own line.
    package var file: String {
        guard let items = asList else { return line + "\n" }
        let blocks = items.map { item -> String in
            guard case .object(let pairs) = item else { return "  " + item.line }
            let lines = pairs.map { "    \(Self.quoted($0.name)): \($0.value.line)" }
            return "  {\n" + lines.joined(separator: ",\n") + "\n  }"
        }
        return "[\n" + blocks.joined(separator: ",\n") + "\n]\n"
    }

    /// Quotes a text; what is not plain ASCII is written in escapes, so that no editor can change it.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5c: result += "\\\\"
            case 0x20...0x7e: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}

/// Writes compact JSON: no white space, members in the order they have.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends a value.
    mutating func append(_ value: JSONValue) {
        switch value {
        case .null: append(raw: "null")
        case .bool(let flag): append(raw: flag ? "true" : "false")
        case .number(let digits): append(raw: digits)
        case .text(let text): append(text: text)
        case .array(let elements):
            append(raw: "[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(raw: ",") }
                append(element)
            }
            append(raw: "]")
        case .object(let members):
            append(raw: "{")
            for (index, member) in members.enumerated() {
                if index > 0 { append(raw: ",") }
                append(text: member.name)
                append(raw: ":")
                append(member.value)
            }
            append(raw: "}")
        }
    }

    /// Appends text that is JSON already, or parts JSON values.
    mutating func append(raw text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append(raw: "\\\"")
            case UInt8(ascii: "\\"): append(raw: "\\\\")
            case 8: append(raw: "\\b")
            case 9: append(raw: "\\t")
            case 10: append(raw: "\\n")
            case 12: append(raw: "\\f")
            case 13: append(raw: "\\r")
            case 0..<32:
                let digits = String(byte, radix: 16)
                append(raw: "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// Names a field: a small number for a built-in one, a text for one that a user made.
package enum FieldName: Sendable {
    /// A built-in field; its number never changes its meaning.
    case number(UInt32)

    /// A custom field; the text is in Unicode's form C.
    case text(String)
}

extension FieldName: Hashable {
    package static func == (left: FieldName, right: FieldName) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a == b
        case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .number(let number): hasher.combine(number)
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

extension FieldName: Comparable {
    /// Sorts by canonical bytes: numbers, then texts, the shorter first.
    package static func < (left: FieldName, right: FieldName) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): a < b
        case (.number, .text): true
        case (.text, .number): false
        case (.text(let a), .text(let b)): Value.text(a) < Value.text(b)
        }
    }
}

extension FieldName: CustomStringConvertible {
    package var description: String {
        switch self {
        case .number(let number): "#\(number)"
        case .text(let text): text
        }
    }
}

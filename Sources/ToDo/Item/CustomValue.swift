/// The value of a field that the user added.
package enum CustomValue: Sendable, Hashable {
    case text(String)
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// Milliseconds since 1970-01-01T00:00:00Z.
    case instant(Int64)
}

extension CustomValue {
    /// Guesses the type of a value typed on a command line.
    ///
    /// Only text that the type would print in exactly the same way is taken for it: `42` is a
    /// number, `007`, `+49` and `1.50` stay text, so nothing typed ever reads back differently.
    package init(typed text: String) {
        if text == "true" || text == "false" {
            self = .bool(text == "true")
        } else if let number = Int64(text), String(number) == text {
            self = .int(number)
        } else if let number = Double(text), number.isFinite, String(number) == text {
            self = .double(number)
        } else {
            self = .text(text)
        }
    }

    /// The value as a person reads it; an instant in RFC 3339 and UTC.
    package var displayText: String {
        switch self {
        case .text(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .instant(let milliseconds): TimestampText.rfc3339(milliseconds)
        }
    }
}

import Core
import JSON

/// The value of a field that the user added: the kinds of value that people write, and how they write them.
package enum CustomValue: Sendable, Hashable {
    case text(String)
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// Milliseconds since 1970-01-01T00:00:00Z.
    case instant(Int64)
    /// Days since 1970-01-01.
    case day(Int32)
    case bytes([UInt8])
    /// Another to-do's id, read big-endian.
    case reference(UInt128)
}

extension CustomValue {
    /// A stored value; nil for one of no use to people.
    init?(_ value: Value) {
        switch value {
        case .text(let text): self = .text(text)
        case .bool(let flag): self = .bool(flag)
        case .int(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .instant(let instant): self = .instant(instant)
        case .day(let day): self = .day(day)
        case .bytes(let bytes): self = .bytes(bytes)
        case .reference:
            guard let id = value.toDo else { return nil }
            self = .reference(id.value)
        case .null, .clock, .elided, .unknown: return nil
        }
    }

    /// The value as it is stored.
    var value: Value {
        switch self {
        case .text(let text): .text(text)
        case .bool(let flag): .bool(flag)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .instant(let instant): .instant(instant)
        case .day(let day): .day(day)
        case .bytes(let bytes): .bytes(bytes)
        case .reference(let id): .toDo(RecordID(value: id))
        }
    }

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
        } else if let moment = TimestampReader.rfc3339(text), Self(moment).displayText == text {
            self = Self(moment)
        } else if text.hasPrefix("@"), let id = UUIDText.value(String(text.dropFirst())),
            Self.reference(id).displayText == text
        {
            self = .reference(id)
        } else {
            self = .text(text)
        }
    }

    /// A date.
    init(_ moment: Moment) {
        switch moment {
        case .day(let day): self = .day(day)
        case .instant(let instant): self = .instant(instant)
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
        case .day(let day): TimestampText.day(Int(day))
        case .bytes(let bytes): "0x" + Hexadecimal.text(bytes)
        case .reference(let id): "@" + UUIDText.text(id)
        }
    }

    /// Reads bytes as `displayText` writes them; nil for anything else.
    private static func bytes(displayed text: String) -> [UInt8]? {
        text.hasPrefix("0x") ? Hexadecimal.bytes(text.dropFirst(2)) : nil
    }
}

extension CustomValue {
    /// The value in our own JSON, where its kind can be told from its form.
    ///
    /// A number with a point or an exponent is a double, one without an integer; instants and
    /// the doubles that JSON has not are `{"instant":"…"}` and `{"double":"nan"}`.
    var json: JSONValue {
        switch self {
        case .text(let text): .text(text)
        case .bool(let flag): .bool(flag)
        case .int(let number): .number(String(number))
        case .double(let number) where number.isFinite: .number(String(number))
        case .double(let number): .object([JSONMember("double", .text(String(number)))])
        case .instant(let milliseconds):
            .object([JSONMember("instant", .text(TimestampText.rfc3339(milliseconds)))])
        case .day: .object([JSONMember("day", .text(displayText))])
        case .bytes: .object([JSONMember("bytes", .text(displayText))])
        case .reference(let id): .object([JSONMember("reference", .text(UUIDText.text(id)))])
        }
    }

    /// Reads what `json` wrote; nil for anything else.
    init?(json: JSONValue) {
        switch json {
        case .text(let text): self = .text(text)
        case .bool(let flag): self = .bool(flag)
        case .number(let digits):
            if digits.utf8.contains(where: { ".eE".utf8.contains($0) }) {
                guard let number = Double(digits), number.isFinite else { return nil }
                self = .double(number)
            } else {
                guard let number = Int64(digits) else { return nil }
                self = .int(number)
            }
        case .object(let members):
            guard members.count == 1, case .text(let text) = members[0].value else { return nil }
            switch members[0].name {
            case "instant":
                guard case .instant(let instant)? = TimestampReader.rfc3339(text) else {
                    return nil
                }
                self = .instant(instant)
            case "day":
                guard case .day(let day)? = TimestampReader.rfc3339(text) else { return nil }
                self = .day(day)
            case "bytes":
                guard let bytes = Self.bytes(displayed: text) else { return nil }
                self = .bytes(bytes)
            case "reference":
                guard let id = UUIDText.value(text) else { return nil }
                self = .reference(id)
            case "double":
                guard let number = Double(text), !number.isFinite else { return nil }
                self = .double(number)
            default: return nil
            }
        case .null, .array: return nil
        }
    }
}

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

import FoundationEssentials

/// A value of a property list.
enum PropertyValue: Equatable {
    case text(String)
    case bool(Bool)
    /// A number as JSON writes it; whole ones have neither point nor exponent.
    case number(String)
    /// Seconds since 1970.
    case date(Double)
    case data([UInt8])
    case array([PropertyValue])
    /// Members in the file's order.
    case dictionary([PropertyMember])
    /// A value of which only the entry that holds it is bad, and what is wrong with it.
    case bad(String)
}

extension PropertyValue {
    /// The point in time, in milliseconds since 1970; nil if it is no date that can be counted.
    var instant: Int64? {
        guard case .date(let seconds) = self else { return nil }
        return Int64(exactly: (seconds * 1_000).rounded())
    }

    /// The value as JSON, data in base64; nil if something in it is bad.
    var json: JSONValue? {
        switch self {
        case .text(let text): return .text(text)
        case .bool(let flag): return .bool(flag)
        case .number(let digits): return .number(digits)
        case .date: return instant.map { .text(TimestampText.rfc3339($0)) }
        case .data(let bytes): return .text(Data(bytes).base64EncodedString())
        case .array(let elements):
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .dictionary(let members):
            let values = members.sorted { $0.key < $1.key }.compactMap { member in
                member.value.json.map { JSONMember(member.key, $0) }
            }
            return values.count == members.count ? .object(values) : nil
        case .bad: return nil
        }
    }
}

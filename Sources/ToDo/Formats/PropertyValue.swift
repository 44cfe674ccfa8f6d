import FoundationEssentials

/// Any value of a property list, on its way into JSON text.
struct PropertyValue: Decodable {
    let json: JSONValue

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if let flag = try? single.decode(Bool.self) {
            json = .bool(flag)
        } else if let text = try? single.decode(String.self) {
            json = .text(text)
        } else if let date = try? single.decode(Date.self) {
            let seconds = date.timeIntervalSince1970
            let instant = Int64(exactly: (seconds * 1_000).rounded())
            json = instant.map { .text(TimestampText.rfc3339($0)) } ?? .null
        } else if let number = try? single.decode(Int64.self) {
            json = .number(String(number))
        } else if let number = try? single.decode(Double.self), number.isFinite {
            json = .number(String(number))
        } else if let data = try? single.decode(Data.self) {
            json = .text(data.base64EncodedString())
        } else if let elements = try? single.decode([PropertyValue].self) {
            json = .array(elements.map(\.json))
        } else {
            let members = try single.decode([String: PropertyValue].self)
            let sorted = members.sorted { $0.key < $1.key }
            json = .object(sorted.map { JSONMember($0.key, $0.value.json) })
        }
    }
}

import Core
import JSON

/// Values of the protocol as JSON that a person can read.
package enum Readable {
    /// A replica, space or record by its 32 digits.
    static func id(_ id: some WideIdentifier) -> JSON { .text(id.hexadecimal) }

    /// Sixteen bytes that name nothing.
    static func wide(_ value: UInt128) -> JSON { id(RecordID(value: value)) }

    /// A message, under the names of its keys.
    static func message(_ message: Message) -> JSON {
        .object(
            [.init("kind", .number(message.kind)), .init("message", .text(message.name))]
                + pairs(message.fields))
    }

    /// The content of a summary row.
    static func summaryRow(_ content: SummaryRowContent) -> JSON { .object(pairs(content.fields)) }

    private static func pairs(_ fields: [MessageField]) -> [JSON.Pair] {
        fields.map { .init($0.name, content($0.content)) }
    }

    private static func content(_ content: MessageField.Content) -> JSON {
        switch content {
        case .nothing: .null
        case .flag(let flag): .bool(flag)
        case .number(let number): .number(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .text(Hexadecimal.text(bytes))
        case .wide(let value): wide(value)
        case .list(let parts): .list(parts.map { Self.content($0) })
        case .object(let fields): .object(pairs(fields))
        }
    }

    /// A vector as pairs of replica and counter.
    static func vector(_ vector: VersionVector) -> JSON {
        .list(vector.entries.map { .list([id($0.replica), .number($0.counter)]) })
    }

    /// A name of a field or collection.
    static func name(_ name: FieldName) -> JSON {
        switch name {
        case .number(let number): .number(UInt64(number))
        case .text(let text): .text(text)
        }
    }

    /// A field: its name, or the set and the element.
    static func field(_ field: Field) -> JSON {
        guard case .element(let set, let element) = field else { return name(field.name) }
        return .object([.init("set", name(set)), .init("element", value(element))])
    }

    /// A value, under the name of its kind.
    static func value(_ value: Value) -> JSON {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .elided: .text("left out")
        default: .object([.init(value.kind.rawValue, payload(value))])
        }
    }

    /// A number, a name or a list as such, any other value as its text.
    private static func payload(_ value: Value) -> JSON {
        switch value {
        case .int(let number), .instant(let number): .number(number)
        case .day(let day): .number(day)
        case .reference(let record):
            .object([.init("collection", name(record.collection)), .init("id", id(record.id))])
        case .clock(let clock): vector(clock)
        case .unknown(let bytes): .text(Hexadecimal.text(bytes))
        default: value.textForm.map { .text($0) } ?? .null
        }
    }

    /// The writes of a record in a collection.
    static func writes(_ record: RecordState, in collection: CollectionID) -> JSON {
        let writes = record.writes.map { write -> JSON in
            var pairs = [
                JSON.Pair("dot", .list([id(write.dot.replica), .number(write.dot.counter)])),
                JSON.Pair("timestamp", .number(write.timestamp.rawValue)),
            ]
            if write.isRecovered { pairs.append(.init("recovered", .bool(true))) }
            let fields = write.assignments.map { JSON.list([field($0.field), value($0.value)]) }
            return .object(pairs + [.init("fields", .list(fields))])
        }
        return .object([.init("collection", name(collection)), .init("writes", .list(writes))])
    }

    /// The name of a fault's kind, without what it says besides.
    package static func fault(_ fault: WireFault) -> String {
        switch fault {
        case .truncated: "truncated"
        case .trailingBytes: "trailing-bytes"
        case .notDeterministic: "not-deterministic"
        case .badHead: "bad-head"
        case .unexpectedType: "unexpected-type"
        case .badText: "bad-text"
        case .notSorted: "not-sorted"
        case .outOfRange: "out-of-range"
        case .overLimit: "over-limit"
        case .nestedTooDeep: "nested-too-deep"
        case .missingKey: "missing-key"
        case .unknownMessage: "unknown-message"
        case .badChecksum: "bad-checksum"
        case .frameTooLong: "frame-too-long"
        }
    }
}

// The messages that are a number, a list of ids or nothing at all.

/// Says how many batches have been integrated since the session began.
struct Acknowledgement: NumberMessage {
    static let kind: UInt64 = 3
    static let name = "acknowledge"
    static let numberName = "batches"
    let number: UInt64
    var asMessage: Message { .acknowledge(number) }
}

/// Asks for whole records: a value that was left out is needed.
struct WantedRecords: WireMessage {
    enum Key: UInt64 {
        case collections = 1
        case records
    }

    static let kind: UInt64 = 6
    static let name = "want"
    let names: [RecordName]
    var asMessage: Message { .want(names) }
    var byteCountEstimate: Int { 64 + names.count * 19 }
    var fields: [MessageField] { [.init("records", .list(names.map { .name($0) }))] }

    init(names: [RecordName]) {
        self.names = names
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var collections: CollectionTable?
        var names: [RecordName]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .collections: collections = try CollectionTable(from: &reader.item)
            case .records:
                names = try reader.item.recordNames(
                    try reader.required(collections, Key.collections))
            }
        }
        _ = try reader.required(collections, Key.collections)
        self.names = try reader.required(names, Key.records)
    }

    func encode(into writer: inout MessageWriter) {
        let collections = CollectionTable(of: names)
        writer.key(Key.collections)
        collections.write(to: &writer.item)
        writer.key(Key.records)
        writer.item.array(names.count * 2)
        for name in names { collections.write(name, to: &writer.item) }
    }
}

/// Asks for a sign of life.
package struct Ping: NumberMessage {
    /// The number of this kind of message.
    package static let kind: UInt64 = 7
    static let name = "ping"
    let number: UInt64
    var asMessage: Message { .ping(number) }
}

/// Answers a ping with its number.
package struct Pong: NumberMessage {
    /// The number of this kind of message.
    package static let kind: UInt64 = 8
    static let name = "pong"
    let number: UInt64
    var asMessage: Message { .pong(number) }
}

/// Ends the session in order.
struct Bye: BareMessage {
    static let kind: UInt64 = 9
    static let name = "bye"
    var asMessage: Message { .bye }
}

/// Asks for a full exchange of whole records: contents differ although histories do not.
struct RepairRequest: BareMessage {
    static let kind: UInt64 = 11
    static let name = "repair"
    var asMessage: Message { .repair }
}

/// Asks for what is known of the speaker's own openings.
struct HistoryRequest: BareMessage {
    static let kind: UInt64 = 12
    static let name = "ask-history"
    var asMessage: Message { .askHistory }
}

/// A message that has no key.
protocol BareMessage: WireMessage where Key == NoKey {
    init()
}

extension BareMessage {
    var fields: [MessageField] { [] }

    init(from reader: inout MessageReader) throws(WireFault) {
        try reader.skipAll()
        self.init()
    }

    func encode(into _: inout MessageWriter) {}
}

/// A message whose one key is a number.
protocol NumberMessage: WireMessage where Key == NumberKey {
    /// The name of the key.
    static var numberName: String { get }

    /// The value of the key.
    var number: UInt64 { get }

    init(number: UInt64)
}

/// The keys of a message that is a number.
enum NumberKey: UInt64 {
    case number = 1
}

extension NumberMessage {
    static var numberName: String { "number" }
    var fields: [MessageField] { [.init(Self.numberName, .number(number))] }

    init(from reader: inout MessageReader) throws(WireFault) {
        var number: UInt64?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .number: number = try reader.item.unsigned()
            }
        }
        self.init(number: try reader.required(number, Key.number))
    }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.number)
        writer.item.unsigned(number)
    }
}

extension CanonicalReader {
    fileprivate mutating func recordNames(
        _ collections: CollectionTable
    ) throws(WireFault) -> [RecordName] {
        let count = try array(max: WireLimits.wantCountMax, of: 2, .wantedRecords)
        guard count % 2 == 0 else { throw .outOfRange(.wantedRecordsLength) }
        var names: [RecordName] = []
        for _ in 0..<count / 2 { names.append(try collections.name(from: &self)) }
        return names
    }
}

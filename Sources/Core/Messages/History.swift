/// All that the speaker knows of the hearer's openings: the answer to a doubt about who one is.
package struct History: Hashable, Sendable {
    /// The hearer, whose openings these are.
    package let replica: ReplicaID
    /// The highest counter of the hearer's that is integrated at the speaker.
    package let counter: UInt64
    /// The openings known, oldest first.
    package let openings: [EpochStart]

    /// The openings known of `replica`.
    package init(replica: ReplicaID, counter: UInt64, openings: [EpochStart]) {
        self.replica = replica
        self.counter = counter
        self.openings = openings
    }
}

extension History: WireMessage {
    enum Key: UInt64 {
        case replica = 1
        case counter, openings
    }

    static let kind: UInt64 = 13
    static let name = "history"
    var asMessage: Message { .history(self) }
    var byteCountEstimate: Int { 64 + openings.count * 18 }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.replica)
        writer.item.identifier(replica.value)
        writer.key(Key.counter)
        writer.item.unsigned(counter)
        writer.key(Key.openings)
        writer.item.array(openings.count * 2)
        for opening in openings {
            writer.item.unsigned(opening.epoch.value)
            writer.item.unsigned(opening.counter)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var replica: ReplicaID?
        var counter: UInt64?
        var openings: [EpochStart]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .replica: replica = ReplicaID(value: try reader.item.identifier())
            case .counter: counter = try reader.item.counter()
            case .openings: openings = try reader.item.epochStarts()
            }
        }
        self.init(
            replica: try reader.required(replica, Key.replica),
            counter: try reader.required(counter, Key.counter),
            openings: try reader.required(openings, Key.openings))
    }

    var fields: [MessageField] {
        [
            .init("replica", .id(replica)), .init("counter", .number(counter)),
            .init("openings", .list(openings.map { .start($0) })),
        ]
    }
}

extension CanonicalReader {
    fileprivate mutating func epochStarts() throws(WireFault) -> [EpochStart] {
        let count = try array(max: WireLimits.epochCountMax * 2, "the openings of a history")
        guard count % 2 == 0 else { throw .outOfRange("the length of a history") }
        var openings: [EpochStart] = []
        for _ in 0..<count / 2 {
            let epoch = EpochID(value: try unsigned())
            openings.append(EpochStart(epoch: epoch, counter: try counter()))
        }
        return openings
    }
}

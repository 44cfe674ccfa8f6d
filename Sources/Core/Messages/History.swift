/// All that the speaker knows of the hearer's incarnations: the answer to a clone suspicion of the hearer.
package struct History: Hashable, Sendable {
    /// The hearer, whose incarnations these are.
    package let replica: ReplicaID
    /// The highest counter of the hearer's that is integrated at the speaker.
    package let counter: UInt64
    /// The incarnations known, oldest first.
    package let incarnations: [Incarnation]

    /// The incarnations known of `replica`.
    package init(replica: ReplicaID, counter: UInt64, incarnations: [Incarnation]) {
        self.replica = replica
        self.counter = counter
        self.incarnations = incarnations
    }
}

extension History: WireMessage {
    enum Key: UInt64 {
        case replica = 1
        case counter, incarnations
    }

    static let kind: UInt64 = 13
    static let name = "history"
    var asMessage: Message { .history(self) }
    var byteCountEstimate: Int { 64 + incarnations.count * 18 }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.replica)
        writer.item.identifier(replica.value)
        writer.key(Key.counter)
        writer.item.unsigned(counter)
        writer.key(Key.incarnations)
        writer.item.array(incarnations.count * 2)
        for incarnation in incarnations {
            writer.item.unsigned(incarnation.epoch.value)
            writer.item.unsigned(incarnation.counter)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var replica: ReplicaID?
        var counter: UInt64?
        var incarnations: [Incarnation]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .replica: replica = ReplicaID(value: try reader.item.identifier())
            case .counter: counter = try reader.item.counter()
            case .incarnations: incarnations = try reader.item.epochStarts()
            }
        }
        self.init(
            replica: try reader.required(replica, Key.replica),
            counter: try reader.required(counter, Key.counter),
            incarnations: try reader.required(incarnations, Key.incarnations))
    }

    var fields: [MessageField] {
        [
            .init("replica", .id(replica)), .init("counter", .number(counter)),
            .init("openings", .list(incarnations.map { .start($0) })),
        ]
    }
}

extension CanonicalReader {
    fileprivate mutating func epochStarts() throws(WireFault) -> [Incarnation] {
        let count = try array(max: WireLimits.epochCountMax, of: 2, .history)
        guard count % 2 == 0 else { throw .outOfRange(.historyLength) }
        var incarnations: [Incarnation] = []
        for _ in 0..<count / 2 {
            let epoch = EpochID(value: try unsigned())
            incarnations.append(Incarnation(epoch: epoch, counter: try counter()))
        }
        return incarnations
    }
}

/// The values of a message's keys while it is read.
struct MessageFields {
    private let kind: UInt64
    private var hello = HelloFields()
    private var relay = RelayFields()
    private var batch = ChangeBatch(changes: [], through: nil)
    private var replicas: [ReplicaID] = []
    private var hasChanges = false
    private var entries: [StatementEntry] = []
    private var digest: Digest?
    private var numbers: [UInt64: UInt64] = [:]
    private var texts: [UInt64: String] = [:]
    private var identifier: UInt128?
    private var clock: VersionVector?
    private var bytes: [UInt8]?
    private var ids: [RecordID]?
    private var openings: [EpochStart]?
    private var aside: [Int] = []
    private var isAside = false
    private var recollection: Recollection?

    init(kind: UInt64) {
        self.kind = kind
    }

    /// Reads the value of a key that this kind of message has; false if it has no such key.
    mutating func read(_ key: UInt64, _ reader: inout CanonicalReader) throws(WireFault) -> Bool {
        switch (kind, key) {
        case (1, 1...10): try hello.read(key, &reader)
        case (2, 1): replicas = try reader.replicaTable()
        case (2, 2):
            batch.changes = try reader.changes(replicas)
            hasChanges = true
        case (2, 3), (4, 1): batch.through = try reader.checkpoint()
        case (2, 4): batch.openings = try reader.openings()
        case (2, 5): aside = try reader.places()
        case (3, 1), (7, 1), (8, 1), (5, 3), (5, 4), (10, 1), (10, 3), (10, 5):
            numbers[key] = try reader.unsigned()
        case (13, 2): numbers[key] = try reader.counter()
        case (4, 2): entries = try reader.statementEntries()
        case (4, 3): digest = try reader.digest()
        case (5, 1), (13, 1): identifier = try reader.identifier()
        case (5, 2): clock = try reader.fullClock()
        case (5, 5): bytes = try reader.byteString(max: WireLimits.partByteCountMax, "a part")
        case (5, 6): isAside = try reader.mark()
        case (6, 1): ids = try reader.recordIDs()
        case (10, 2), (10, 4):
            texts[key] = try reader.text(max: WireLimits.textByteCountMax, "a text")
        case (13, 3): openings = try reader.epochStarts()
        case (14, 1): recollection = try reader.recollection(places: [])
        case (20...23, _), (129, _): return try relay.read(kind: kind, key, &reader)
        default: return false
        }
        return true
    }

    /// The message, if all its keys were there.
    func message() throws(WireFault) -> Message {
        switch kind {
        case 1: return .hello(try hello.hello())
        case 2:
            guard hasChanges else { throw .missingKey(2) }
            return .changes(try markedBatch())
        case 3: return .acknowledge(try number(1))
        case 4:
            guard let through = batch.through else { throw .missingKey(1) }
            return .caughtUp(CaughtUp(through: through, changed: entries, digest: digest))
        case 5: return .part(try part())
        case 6: return .want(try required(ids, 1))
        case 7: return .ping(try number(1))
        case 8: return .pong(try number(1))
        case 9: return .bye
        case 10:
            let side = PeerError.Side(rawValue: try number(3)) ?? .both
            return .error(
                PeerError(
                    code: try number(1), reason: numbers[5], message: try required(texts[2], 2),
                    side: side,
                    advice: try required(texts[4], 4)))
        case 11: return .repair
        case 12: return .askHistory
        case 13:
            return .history(
                History(
                    replica: ReplicaID(value: try required(identifier, 1)),
                    counter: try number(2), openings: try required(openings, 3)))
        case 14: return .recollect(try required(recollection, 1))
        case 20: return .approach(try relay.approach())
        case 21: return .welcome(try relay.welcome())
        case 22: return .upload(try relay.upload())
        case 23: return .standing(try relay.standing())
        case 129: return .letter(try relay.letter())
        case Message.ignorableKindMin...: return .ignorable(kind)
        default: throw .unknownMessage(kind)
        }
    }

    /// The batch, with a mark on each change that its sender has set aside.
    private func markedBatch() throws(WireFault) -> ChangeBatch {
        guard let last = aside.last else { return batch }
        guard last < batch.changes.count else { throw .outOfRange("a place in a batch") }
        var marked = batch
        for place in aside {
            let change = batch.changes[place]
            marked.changes[place] = Change(
                id: change.id, clock: change.clock, body: change.body, isAside: true)
        }
        return marked
    }

    private func part() throws(WireFault) -> BodyPart {
        let byteCount = try number(3)
        let offset = try number(4)
        let piece = try required(bytes, 5)
        guard byteCount <= UInt64(WireLimits.bodyByteCountMax) else {
            throw .overLimit("a body", max: WireLimits.bodyByteCountMax)
        }
        guard !piece.isEmpty, offset <= byteCount, UInt64(piece.count) <= byteCount - offset else {
            throw .outOfRange("the place of a part")
        }
        return BodyPart(
            id: RecordID(value: try required(identifier, 1)), clock: try required(clock, 2),
            byteCount: Int(byteCount), offset: Int(offset), bytes: piece, isAside: isAside)
    }

    private func number(_ key: UInt64) throws(WireFault) -> UInt64 {
        try required(numbers[key], Int(key))
    }

    private func required<T>(_ value: T?, _ key: Int) throws(WireFault) -> T {
        guard let value else { throw .missingKey(key) }
        return value
    }
}

/// A piece of a change whose body is too long for one frame; the pieces come in order, nothing between.
package struct BodyPart: Hashable, Sendable {
    /// Which record; the same in every piece.
    package let name: RecordName
    /// Its clock; the same in every piece with bytes.
    ///
    /// Of a clock too long for that the first pieces bring the entries before these.
    package let clock: VersionVector
    /// How long the whole body is, in bytes.
    package let byteCount: Int
    /// Where this piece begins, in bytes from the start of the body.
    package let offset: Int
    /// The piece; empty in those before the end of the clock.
    package let bytes: [UInt8]
    /// Whether the sender has deferred the change; the same in every piece.
    package let isDeferred: Bool
    /// Whether the clock goes on in the next piece.
    package let isClockCut: Bool

    /// A piece of a body.
    package init(
        _ name: RecordName, clock: VersionVector, byteCount: Int, offset: Int, bytes: [UInt8],
        isDeferred: Bool = false, isClockCut: Bool = false
    ) {
        self.name = name
        self.clock = clock
        self.byteCount = byteCount
        self.offset = offset
        self.bytes = bytes
        self.isDeferred = isDeferred
        self.isClockCut = isClockCut
    }
}

extension BodyPart: WireMessage {
    enum Key: UInt64 {
        case collection = 1
        case id, clock, byteCount, offset, bytes, isDeferred, isClockCut
    }

    static let kind: UInt64 = 5
    static let name = "part"
    var asMessage: Message { .part(self) }
    var byteCountEstimate: Int { 320 + clock.entries.count * 26 + bytes.count }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.collection)
        BodyCodec.write(name.collection, to: &writer.item)
        writer.key(Key.id)
        writer.item.identifier(name.id.value)
        writer.key(Key.clock)
        writer.item.array(clock.entries.count * 2)
        for entry in clock.entries {
            writer.item.identifier(entry.replica.value)
            writer.item.unsigned(entry.counter)
        }
        writer.key(Key.byteCount)
        writer.item.unsigned(UInt64(byteCount))
        writer.key(Key.offset)
        writer.item.unsigned(UInt64(offset))
        writer.key(Key.bytes)
        writer.item.byteString(bytes)
        if isDeferred {
            writer.key(Key.isDeferred)
            writer.item.bool(true)
        }
        if isClockCut {
            writer.key(Key.isClockCut)
            writer.item.bool(true)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var collection: CollectionID?
        var id: RecordID?
        var clock: VersionVector?
        var numbers: (byteCount: UInt64?, offset: UInt64?)
        var bytes: [UInt8]?
        var isDeferred = false
        var isClockCut = false
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .collection: collection = try reader.item.fieldName()
            case .id: id = RecordID(value: try reader.item.identifier())
            case .clock: clock = try reader.item.fullClock()
            case .byteCount: numbers.byteCount = try reader.item.unsigned()
            case .offset: numbers.offset = try reader.item.unsigned()
            case .bytes:
                bytes = try reader.item.byteString(max: WireLimits.partByteCountMax, .bodyPart)
            case .isDeferred: isDeferred = try reader.item.mark()
            case .isClockCut: isClockCut = try reader.item.mark()
            }
        }
        let byteCount = try reader.required(numbers.byteCount, Key.byteCount)
        let offset = try reader.required(numbers.offset, Key.offset)
        let piece = try reader.required(bytes, Key.bytes)
        guard byteCount <= UInt64(WireLimits.bodyByteCountMax) else {
            throw .overLimit(.body, max: WireLimits.bodyByteCountMax)
        }
        guard offset <= byteCount, UInt64(piece.count) <= byteCount - offset,
            piece.isEmpty == (isClockCut || byteCount == 0)
        else { throw .outOfRange(.bodyPartOffset) }
        let name = RecordName(
            try reader.required(collection, Key.collection), try reader.required(id, Key.id))
        self.init(
            name, clock: try reader.required(clock, Key.clock),
            byteCount: Int(byteCount), offset: Int(offset), bytes: piece, isDeferred: isDeferred,
            isClockCut: isClockCut)
    }

    var fields: [MessageField] {
        [
            .init("record", .name(name)), .init("clock", .clock(clock)),
            .init("byteCount", .number(UInt64(byteCount))),
            .init("offset", .number(UInt64(offset))), .init("bytes", .bytes(bytes)),
        ] + (isDeferred ? [.init("deferred", .flag(true))] : [])
            + (isClockCut ? [.init("clockCut", .flag(true))] : [])
    }
}

extension CanonicalReader {
    fileprivate mutating func fullClock() throws(WireFault) -> VersionVector {
        let count = try array(of: 2, takingEach: 18)
        guard count % 2 == 0, count > 0 else { throw .outOfRange(.clockLength) }
        var entries: [VersionVector.Entry] = []
        for _ in 0..<count / 2 {
            entries.append(
                VersionVector.Entry(
                    replica: ReplicaID(value: try identifier()), counter: try counter()))
        }
        guard let clock = VersionVector(sorted: entries) else { throw .notSorted }
        return clock
    }
}

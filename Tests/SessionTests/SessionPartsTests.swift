import Core
import Session
import TestSupport
import Testing

@Suite("The parts that every session machine shares")
struct SessionPartsTests {
    private static let name = RecordName(toDo: RecordID(value: 1))

    private static func part(_ bytes: [UInt8], at offset: Int, of byteCount: Int) -> BodyPart {
        BodyPart(
            name, clock: VersionVector(), byteCount: byteCount, offset: offset, bytes: bytes,
            isDeferred: false)
    }

    @Test("a body in parts joins the next batch, and only that")
    func bodyInParts() throws {
        var body = IncomingBody.none
        var batch = ChangeBatch(changes: [], through: nil)
        try body.receive(Self.part([1, 2], at: 0, of: 3))
        #expect(throws: PeerError.self) { try body.complete(&batch) }
        try body.receive(Self.part([3], at: 2, of: 3))
        #expect(throws: PeerError.self) { try body.receive(Self.part([1], at: 0, of: 1)) }
        try body.complete(&batch)
        #expect(batch.changes.map(\.body) == [[1, 2, 3]])
        #expect(body.isNone)
        try body.complete(&batch)
        #expect(batch.changes.count == 1)
    }

    @Test("a part that does not follow the one before is refused")
    func partOutOfOrder() throws {
        var body = IncomingBody.none
        #expect(throws: PeerError.self) { try body.receive(Self.part([2], at: 1, of: 2)) }
        try body.receive(Self.part([1], at: 0, of: 3))
        #expect(throws: PeerError.self) { try body.receive(Self.part([3], at: 2, of: 3)) }
    }

    @Test("a batch names at most 1,024 collections, and so does a want; the rest follows")
    func collections() {
        let most = WireLimits.collectionCountMax
        #expect(most == 1024)
        let names = (0..<2 * most + 1).map {
            RecordName(.text("\($0)"), RecordID(value: 7))
        }
        let clock = VersionVector(Dot(replica: ReplicaID(value: 1), counter: 1))
        let changes = names.map { Change($0, clock: clock, body: [0x80]) }
        let parcels = Parcel.pack(changes, from: nil, through: nil, incarnations: [])
        #expect(parcels.map(\.batch.changes.count) == [most, most, 1])
        #expect(parcels.flatMap(\.batch.changes) == changes)
        for parcel in parcels {
            #expect(
                (try? Message.decode(Message.encode(.changes(parcel.batch))))
                    == .changes(parcel.batch))
        }
        #expect(WireLimits.fittingCount(names) == most)
        // Records of the same collections fit beside those.
        let more = Array(names.prefix(most)) + names.prefix(most)
        #expect(WireLimits.fittingCount(more) == 2 * most)
        let want = Message.want(Array(names.prefix(most)))
        #expect((try? Message.decode(Message.encode(want))) == want)
    }

    @Test("a window has room up to its limits, and acknowledgements make room again")
    func window() {
        var window = SendWindow(batchCountMax: 2, byteCountMax: 100, linkByteCountMax: 10)
        window.noteSent(byteCount: 30)
        #expect(window.hasRoom)
        window.noteSent(byteCount: 30)
        #expect(!window.hasRoom)
        #expect(window.inFlightByteCount == 60)
        // Neither more than were sent nor fewer than before.
        let counts: [(UInt64, Bool)] = [(3, false), (1, true), (0, false), (1, true), (2, true)]
        for (count, isRight) in counts { #expect(window.acknowledge(count) == isRight) }
        #expect(window.isEmpty)
        window.linkByteCount = 11
        #expect(!window.hasRoom)
    }

    @Test("a wake is asked for only if it is earlier than the one that is awaited")
    func wake() {
        var liveness = Liveness(silenceTimeoutMilliseconds: 30, pingIntervalMilliseconds: 10)
        liveness.open(at: Instant(milliseconds: 100))
        #expect(liveness.silenceDeadline == Instant(milliseconds: 130))
        #expect(liveness.pingDeadline == Instant(milliseconds: 110))
        #expect(liveness.wake(at: liveness.pingDeadline) == Instant(milliseconds: 110))
        liveness.noteSent(at: Instant(milliseconds: 105))
        #expect(liveness.wake(at: liveness.pingDeadline) == nil)
        #expect(liveness.wake(at: Instant(milliseconds: 101)) == Instant(milliseconds: 101))
        liveness.noteWake()
        #expect(liveness.wake(at: liveness.pingDeadline) == Instant(milliseconds: 115))
        #expect([liveness.nextPing(), liveness.nextPing()] == [1, 2])
    }
}

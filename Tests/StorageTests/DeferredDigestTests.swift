import Core
import Storage
import TestSupport
import Testing

@Suite("Comparing contents beside changes deferred")
struct DeferredDigestTests {
    private let author = ReplicaID(value: 1 << 100)
    private let through = Checkpoint(epoch: EpochID(value: 9), sequence: 7)

    private func titled(_ title: String, _ counter: UInt64) -> Change {
        let write = Write(
            dot: Dot(replica: author, counter: counter), timestamp: .zero,
            assignments: [Assignment(.number(2), .text(title))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        return Change(
            id: RecordID(value: 5), clock: record.clock,
            body: BodyCodec.encode(record, in: StoreWorld.todo))
    }

    private func garbage(of author: UInt128, about id: UInt128) -> Change {
        Change(
            id: RecordID(value: id),
            clock: VersionVector(Dot(replica: ReplicaID(value: author), counter: 1)),
            body: [0xff, 0x00])
    }

    private func stateSummary(of store: Store) throws -> StateSummary {
        try #require(try store.read(from: .sequence(0), peerHas: PeerHoldings()).stateSummary)
    }

    private func isDiverged(_ left: Store, from right: Store) throws -> Bool {
        try left.join(try stateSummary(of: right), from: right.summary().replica, through: through)
            .isDiverged
    }

    @Test(
        "two contents of one write are found, whoever has something set aside, and about what record",
        arguments: [(true, false), (false, true), (true, true)], [UInt128(5), 6])
    func found(sides: (left: Bool, right: Bool), about id: UInt128) throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try StoreWorld.mingle([a, b])
        for (store, title, isDeferred) in [(a, "one", sides.left), (b, "other", sides.right)] {
            _ = try store.integrate([titled(title, 1)], from: author, checkpoint: nil)
            guard isDeferred else { continue }
            _ = try store.integrate([garbage(of: 77, about: id)], from: author, checkpoint: nil)
            #expect(try store.allDeferred().count == 1)
        }
        #expect(try isDiverged(a, from: b))
        #expect(try isDiverged(b, from: a))
        #expect(try a.examine() == [] && b.examine() == [])
    }

    @Test("what only one side can read is no difference, and neither is what only one side has")
    func versions() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            _ = try store.integrate([titled("one", 1)], from: author, checkpoint: nil)
        }
        // The newer version reads write 2; to the older it is nonsense.
        _ = try a.integrate([titled("two", 2)], from: author, checkpoint: nil)
        let unreadable = Change(
            id: RecordID(value: 5), clock: titled("two", 2).clock, body: [0xff, 0x00])
        _ = try b.integrate([unreadable], from: author, checkpoint: nil)
        #expect(try b.allDeferred().count == 1)
        #expect(try !isDiverged(a, from: b) && !isDiverged(b, from: a))
        _ = try a.integrate([garbage(of: 77, about: 6)], from: author, checkpoint: nil)
        #expect(try !isDiverged(a, from: b) && !isDiverged(b, from: a))
    }

    @Test(
        "the clocks beside the digest are those of what is integrated, through reopening and rereading"
    )
    func clocks() throws {
        let world = StoreWorld()
        var a = try world.create("a")
        #expect(try stateSummary(of: a).digest.clocks == nil)
        let before = try stateSummary(of: a)
        let hash = SipHash()
        let integrated = hash.clocks(before.entries.map { ($0.replica, $0.checksum) })
        _ = try a.integrate([garbage(of: 77, about: 6)], from: author, checkpoint: nil)
        #expect(try stateSummary(of: a).digest.clocks == integrated)
        #expect(try stateSummary(of: a).digest.contents == before.digest.contents)
        a.close()
        a = try world.open("a")
        #expect(try stateSummary(of: a).digest.clocks == integrated)
        let other = try world.open("a")
        try StoreWorld.rename(try StoreWorld.add("more", to: other), "most", in: other)
        _ = try other.integrate([garbage(of: 78, about: 7)], from: author, checkpoint: nil)
        let theirs = try stateSummary(of: other)
        #expect(try stateSummary(of: a).digest == theirs.digest)
        #expect(theirs.digest.clocks != integrated)
        #expect(try a.examine() == [])
    }
}

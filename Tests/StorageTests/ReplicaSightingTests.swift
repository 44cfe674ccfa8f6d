import Core
import Storage
import TestSupport
import Testing

@Suite("When replicas were heard of last")
struct ReplicaSightingTests {
    private let author = ReplicaID(value: 78)
    private let relay = ReplicaID(value: 77)

    /// A record with one write of the author.
    private func change(_ counter: UInt64, id: UInt128, at time: Int64) -> Change {
        let write = Write(
            dot: Dot(replica: author, counter: counter),
            timestamp: HybridTimestamp(milliseconds: time),
            assignments: [Assignment(.number(2), .text("x"))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        return Change(
            id: RecordID(value: id), clock: record.clock,
            body: BodyCodec.encode(record, in: StoreWorld.todo))
    }

    @Test("the latest write that is known of a replica is exact, whichever record arrived last")
    func latestWrite() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        defer { store.close() }
        _ = try store.integrate(
            [change(6, id: 61, at: world.now + 6000), change(5, id: 60, at: world.now + 5000)],
            from: author, checkpoint: nil)
        let time = world.now
        let found = try store.sightings(of: [author])[author]
        #expect(found?.isLastWriteExact == true)
        #expect(abs((found?.lastWrite ?? 0) - time - 6000) < 100)
        #expect(found?.hadAll == nil)
        #expect(try store.sightings(of: [relay]).isEmpty)
    }

    @Test(
        "a latest write behind more records than are looked at gives an earlier one, which is said")
    func bounded() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        defer { store.close() }
        let start = world.now
        _ = try store.integrate(
            [change(2, id: 50, at: start + 2000)], from: author, checkpoint: nil)
        _ = try store.integrate(
            [change(1, id: 60, at: start + 1000)], from: author, checkpoint: nil)
        for number in 1..<Store.sightingRecordCountMax {
            _ = try StoreWorld.add("\(number)", to: store)
        }
        let found = try #require(try store.sightings(of: [author])[author])
        #expect(found.lastWrite == start + 1000 && !found.isLastWriteExact)
        _ = try StoreWorld.add("one more", to: store)
        #expect(try store.sightings(of: [author])[author] == nil)
    }

    @Test("a replica that stated a summary of this store at a relay had all by then, or later")
    func atRelay() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        defer { store.close() }
        _ = try StoreWorld.add("seen", to: store)
        let time = world.now
        let sequence = try store.summary().sequence
        let through = Checkpoint(epoch: EpochID(value: 9), sequence: sequence)
        let rows = try store.dueSummaryRows(
            try store.stateSummary(), since: nil, withOthers: true, at: relay)
        let content = try #require(rows.last?.content)
        try store.noteUploaded(through: through, rows, to: relay)
        world.now += 60_000
        _ = try StoreWorld.add("not seen", to: store)
        let row = HeardSummaryRow(
            key: SummaryRow.Key(author, about: content.about), number: 1, hash: 1,
            content: content)
        _ = try store.join(
            SummaryRowsRequest(relay: relay, through: through, rows: [row], rowSum: nil))
        let found = try #require(try store.sightings(of: [author])[author])
        #expect(found.lastWrite == nil)
        #expect(abs((found.hadAll ?? 0) - time) < 1000)
    }
}

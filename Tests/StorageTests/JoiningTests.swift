import Core
import Storage
import TestSupport
import Testing

@Suite("Joining state summaries")
struct JoiningTests {
    private let through = Checkpoint(epoch: EpochID(value: 9), sequence: 7)

    private func stateSummary(
        _ replica: ReplicaID, _ counter: UInt64, _ checksum: UInt128
    ) -> StateSummary {
        let entry = StateSummaryEntry(
            replica: replica, counter: counter, checksum: checksum, seen: counter)
        return StateSummary(entries: [entry], digest: 0)
    }

    @Test(
        "a peer that vouches for what it did not send is not believed, and named at the second time"
    )
    func withheld() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let (byzantineRelay, other) = (ReplicaID(value: 77), ReplicaID(value: 78))
        #expect(
            try !a.join(
                stateSummary(byzantineRelay, 5, 4711), from: byzantineRelay, through: through
            )
            .isWithheld)
        #expect(try a.summary().knowledge.counter(of: byzantineRelay) == 0)
        #expect(try a.greeting(to: byzantineRelay).peerCheckpoint?.checkpoint == nil)
        #expect(
            try a.join(
                stateSummary(byzantineRelay, 5, 4711), from: byzantineRelay, through: through
            )
            .isWithheld)
        #expect(try a.summary().peers.first?.isSuspect == true)
        // Another peer is not suspect, and one that adds up is so no more.
        #expect(
            try !a.join(stateSummary(byzantineRelay, 5, 4711), from: other, through: through)
                .isWithheld)
        let checksum = try write(5, of: byzantineRelay, to: a)
        #expect(
            try !a.join(
                stateSummary(byzantineRelay, 5, checksum), from: byzantineRelay, through: through
            ).isWithheld)
        #expect(try a.summary().knowledge.counter(of: byzantineRelay) == 5)
        #expect(try a.greeting(to: byzantineRelay).peerCheckpoint?.checkpoint == through)
        #expect(try a.summary().peers.allSatisfy { $0.replica != byzantineRelay || !$0.isSuspect })
    }

    /// Has a store integrate a record with one write of a replica; gives the checksum that this makes.
    private func write(
        _ counter: UInt64, of author: ReplicaID, to store: Store
    ) throws -> UInt128 {
        let write = Write(
            dot: Dot(replica: author, counter: counter), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("x"))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        let id = RecordID(value: 60)
        let change = Change(
            id: id, clock: record.clock, body: BodyCodec.encode(record, in: StoreWorld.todo))
        _ = try store.integrate([change], from: author, checkpoint: nil)
        return SipHash().checksum(id, counter)
    }

    @Test("equal checksums vouch for no write above the highest that is held")
    func overstated() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let (author, peer) = (ReplicaID(value: 77), ReplicaID(value: 78))
        let checksum = try write(5, of: author, to: a)
        for counter in [6, 1_000_000] as [UInt64] {
            let result = try a.join(
                stateSummary(author, counter, checksum), from: peer, through: through)
            #expect(result.isMismatched && !result.hasLearned)
            #expect(try a.summary().knowledge.counter(of: author) == 0)
        }
        // Of a replica of which nothing is held nothing is vouched for either.
        _ = try a.join(stateSummary(peer, 5, 0), from: peer, through: through)
        #expect(try a.summary().knowledge.counter(of: peer) == 0)
        #expect(
            try a.join(stateSummary(author, 5, checksum), from: peer, through: through).hasLearned)
        #expect(try a.summary().knowledge.counter(of: author) == 5)
    }

    @Test("being ahead of a peer is no mismatch: nothing is joined, and nothing forgotten")
    func ahead() throws {
        let world = StoreWorld()
        let (a, b, c) = (try world.create("a"), try world.create("b"), try world.create("c"))
        let id = try StoreWorld.add("1", to: a)
        try StoreWorld.pull(b, from: a)
        let early = try b.read(from: .sequence(0), peerHas: PeerHoldings())
        let stateSummary = try #require(early.stateSummary)
        // c gets the later state of the record from a in a cut sync: records, no state summary.
        try StoreWorld.rename(id, "2", in: a)
        let late = try a.read(from: .sequence(0), peerHas: PeerHoldings())
        _ = try c.integrate(late.changes, from: a.summary().replica, checkpoint: nil)
        let peer = try b.summary().replica
        _ = try c.integrate(early.changes, from: peer, checkpoint: early.through)
        let result = try c.join(stateSummary, from: peer, through: early.through)
        #expect(!result.isWithheld && !result.isDiverged)
        #expect(try c.summary().knowledge.counter(of: a.summary().replica) == 0)
        #expect(try c.greeting(to: peer).peerCheckpoint?.checkpoint == early.through)
        try StoreWorld.mingle([a, b, c])
        try StoreWorld.expectEqual([a, b, c])
    }

    @Test("a sync that is cut after any batch raises no alarm, and the next one finishes it")
    func cuts() throws {
        for cut in 0..<12 {
            let world = StoreWorld(seed: UInt64(cut + 1))
            let stores = [try world.create("a"), try world.create("b"), try world.create("c")]
            for (index, store) in stores.enumerated() {
                for number in 0..<6 { try StoreWorld.add("\(index) \(number)", to: store) }
            }
            try StoreWorld.pull(stores[1], from: stores[0])
            // b → c in batches of one record, cut; then every pair, in turn.
            var sequence: UInt64 = 0
            let sender = try stores[1].summary().replica
            for _ in 0..<cut {
                let reading = try stores[1].read(
                    from: .sequence(sequence), peerHas: PeerHoldings(), byteCountMax: 1)
                sequence = reading.through.sequence
                _ = try stores[2].integrate(
                    reading.changes, from: sender, checkpoint: reading.through,
                    incarnations: reading.incarnations)
            }
            for (receiver, sender) in [(2, 0), (0, 2), (1, 2), (2, 1), (0, 1)] {
                let result = try StoreWorld.pull(stores[receiver], from: stores[sender])
                #expect(!result.isDiverged && !result.isWithheld)
            }
            try StoreWorld.mingle(stores)
            try StoreWorld.expectEqual(stores)
        }
    }

    /// Two stores in which one dot names two writes, on the same record or on different ones.
    private func forked(_ world: StoreWorld, sameRecord: Bool) throws -> (Store, Store) {
        let (a, b) = (try world.create("a"), try world.create("b"))
        let author = ReplicaID(value: 1 << 90)
        for (store, text) in [(a, "one"), (b, "two")] {
            let write = Write(
                dot: Dot(replica: author, counter: 1), timestamp: .zero,
                assignments: [Assignment(.number(2), .text(text))])
            let record = RecordState(clock: VersionVector(write.dot), writes: [write])
            let id = RecordID(value: sameRecord || text == "one" ? 50 : 51)
            let change = Change(
                id: id, clock: record.clock, body: BodyCodec.encode(record, in: StoreWorld.todo))
            _ = try store.integrate([change], from: author, checkpoint: nil)
            let checksum = SipHash().checksum(id, 1)
            _ = try store.join(stateSummary(author, 1, checksum), from: author, through: through)
            #expect(try store.summary().knowledge.counter(of: author) == 1)
        }
        return (a, b)
    }

    @Test(
        "one dot that names two writes is noticed, and a full exchange makes both stores equal",
        arguments: [true, false])
    func diverged(sameRecord: Bool) throws {
        let world = StoreWorld()
        let (a, b) = try forked(world, sameRecord: sameRecord)
        try StoreWorld.pull(a, from: b)
        try StoreWorld.pull(b, from: a)
        #expect(try StoreWorld.pull(a, from: b).isDiverged)
        #expect(try StoreWorld.pull(b, from: a).isDiverged)
        try StoreWorld.pull(a, from: b, isFull: true)
        #expect(try !StoreWorld.pull(b, from: a, isFull: true).isDiverged)
        #expect(try !StoreWorld.pull(a, from: b).isDiverged)
        try StoreWorld.expectEqual([a, b])
        guard sameRecord else {
            #expect(try StoreWorld.titles(a) == ["one", "two"])
            return
        }
        // Both values are there, one of them under a twin that each store vouches for.
        let record = try #require(try a.record(RecordID(value: 50))).record
        let title = Field.number(2)
        #expect(Set(record.survivors(of: title).map(\.value)) == [.text("one"), .text("two")])
        let twins = try b.summary().knowledge.entries.filter(\.replica.isRecoveredID)
        #expect(twins.map(\.counter) == [1])
    }

    @Test("a state summary that tells nothing new writes nothing")
    func quiet() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try StoreWorld.add("1", to: a)
        try StoreWorld.mingle([a, b])
        try StoreWorld.pull(b, from: a)
        let identityFile = try world.changeCount(b)
        try StoreWorld.pull(b, from: a)
        try StoreWorld.pull(a, from: b)
        #expect(try world.changeCount(b) == identityFile)
    }
}

extension StoreWorld {
    /// A number that grows with each commit to the store, as another process sees it.
    func changeCount(_ store: Store) throws -> String {
        run("sh", "-c", "stat -c %s-%Y-%y \(store.paths.database)-wal").output
    }
}

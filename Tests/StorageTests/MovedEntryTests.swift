import Core
import Storage
import TestSupport
import Testing

@Suite("Entries of the state summary that moved")
struct MovedEntryTests {
    /// The summary checkpoint that a peer gets of a store now.
    private func mark(_ store: Store) throws -> Checkpoint {
        let greeting = try store.greeting(to: nil)
        return Checkpoint(epoch: greeting.incarnation.epoch, sequence: greeting.summarySequence)
    }

    private func summaryCheckpoint(_ store: Store, of peer: Store) throws -> Checkpoint? {
        try store.greeting(to: peer.replica).peerCheckpoint?.summary
    }

    /// Has a store integrate one write of a replica, in a record of its own.
    private func write(
        _ counter: UInt64, of author: ReplicaID, from peer: ReplicaID, to store: Store
    ) throws {
        let write = Write(
            dot: Dot(replica: author, counter: counter), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("x"))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        let change = Change(
            id: RecordID(value: author.value), clock: record.clock,
            body: BodyCodec.encode(record, in: StoreWorld.todo))
        _ = try store.integrate([change], from: peer, checkpoint: nil)
    }

    @Test("each commit moves the entries that it changes, one without a change moves none")
    func commits() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        let before = try mark(a)
        #expect(try a.moved(since: before) == [])
        try StoreWorld.rename(id, "two", in: a)
        #expect(try a.moved(since: before) == [a.replica])
        #expect(try mark(a).sequence == before.sequence + 1)
        let later = try mark(a)
        try? a.write { transaction in
            _ = try transaction.update(id, [Assignment(.number(2), .text("three"))])
            throw StoreFault.closed
        }
        #expect(try a.moved(since: later) == [])
        #expect(try mark(a) == later)
        // What a peer brings moves its entry, and so does its word that this was all.
        try StoreWorld.add("of b", to: b)
        let reading = try b.read(
            from: .sequence(0), peerHas: PeerHoldings(), wanted: [], isFull: false,
            byteCountMax: 1 << 20)
        _ = try a.integrate(reading.changes, from: b.replica, checkpoint: reading.through)
        #expect(try a.moved(since: later) == [b.replica])
        let unjoined = try mark(a)
        let stateSummary = try #require(reading.stateSummary)
        _ = try a.join(
            stateSummary, from: b.replica, through: reading.through,
            summarySequence: reading.summarySequence)
        #expect(try a.moved(since: unjoined) == [b.replica])
        let joined = try mark(a)
        // A peer's checkpoint and contact are no part of the summary.
        _ = try a.join(
            stateSummary, from: b.replica, through: reading.through,
            summarySequence: reading.summarySequence)
        try a.dropCheckpoints(of: b.replica)
        #expect(try mark(a) == joined)
    }

    @Test("what moved is still known after the store was opened anew, up to the end of each epoch")
    func reopened() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let id = try StoreWorld.add("one", to: store)
        let first = try mark(store)
        try StoreWorld.rename(id, "two", in: store)
        try write(1, of: ReplicaID(value: 5), from: ReplicaID(value: 6), to: store)
        let end = try mark(store)
        store.close()
        store = try world.open("a")
        #expect(try store.moved(since: first)?.count == 2)
        #expect(try store.moved(since: end) == [])
        try StoreWorld.rename(id, "three", in: store)
        #expect(try mark(store).epoch != end.epoch)
        #expect(try store.moved(since: end) == [store.replica])
        // A peer that read more of that epoch than is here read another past: it counts to its end.
        let beyond = Checkpoint(epoch: end.epoch, sequence: 1_000)
        #expect(try store.moved(since: beyond) == [store.replica])
        let present = Checkpoint(epoch: try mark(store).epoch, sequence: 1_000)
        #expect(try store.moved(since: present) == [])
        #expect(try store.moved(since: Checkpoint(epoch: EpochID(value: 1), sequence: 0)) == nil)
    }

    @Test("another process's commits move entries for this one as well")
    func twoProcesses() throws {
        let world = StoreWorld()
        let one = try world.create("a")
        try StoreWorld.add("one", to: one)
        let two = try world.open("a")
        let before = try mark(one)
        try StoreWorld.add("two", to: two)
        #expect(try one.moved(since: before) == [one.replica])
        try StoreWorld.add("three", to: one)
        #expect(try mark(two).sequence == before.sequence + 2)
    }

    @Test(
        "a copy takes its epochs anew: no mark of the original is good for it, its own marks of peers are"
    )
    func copied() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try StoreWorld.add("one", to: b)
        try StoreWorld.pull(a, from: b)
        let (mine, ofPeer) = (try mark(a), try summaryCheckpoint(a, of: b))
        #expect(try ofPeer == mark(b))
        a.close()
        world.run("cp", "-a", world.path("a"), world.path("c"))
        let copy = try world.open("c")
        #expect(copy.suspicion != nil)
        #expect(try copy.moved(since: mine) == nil)
        #expect(try summaryCheckpoint(copy, of: b) == ofPeer)
    }

    @Test(
        "a store that takes a new id by a peer's word forgets its summary checkpoints with the others"
    )
    func forked() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try StoreWorld.add("one", to: a)
        try StoreWorld.add("two", to: b)
        try StoreWorld.pull(a, from: b)
        #expect(try summaryCheckpoint(a, of: b) != nil)
        let own = a.replica
        let history = History(
            replica: own, counter: 9,
            incarnations: [Incarnation(epoch: EpochID(value: 99), counter: 0)])
        #expect(try a.resolve(history))
        #expect(a.replica != own)
        #expect(try summaryCheckpoint(a, of: b) == nil)
        #expect(try a.greeting(to: b.replica).peerCheckpoint?.checkpoint == nil)
    }

    @Test("how far a session has read is not remembered once another process took a new id")
    func forkedByAnother() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try StoreWorld.add("one", to: a)
        try StoreWorld.add("two", to: b)
        let (own, relay) = (a.replica, ReplicaID(value: 77))
        a.speak(as: own)
        // What the session of this process has read is integrated after another one forked the id.
        let batch = try b.read(
            from: .checkpoint(nil),
            peerHas: PeerHoldings(a.greeting(to: nil).stateSummary.knowledge))
        let (mine, other) = (try mark(a), try world.open("a"))
        let history = History(
            replica: own, counter: 9,
            incarnations: [Incarnation(epoch: EpochID(value: 99), counter: 0)])
        #expect(try other.resolve(history))
        _ = try a.integrate(batch.changes, from: b.replica, checkpoint: batch.through)
        try a.noteUploaded(through: mine, to: relay)
        #expect(try a.greeting(to: b.replica).peerCheckpoint?.checkpoint == nil)
        #expect(try a.sentThrough(to: relay) == nil)
        #expect(try StoreWorld.titles(a) == ["one", "two"])
        #expect(a.replica != own)
        // Its sessions begin again under the new id.
        a.speak(as: a.replica)
        _ = try a.integrate(batch.changes, from: b.replica, checkpoint: batch.through)
        #expect(try a.greeting(to: b.replica).peerCheckpoint?.checkpoint == batch.through)
    }

    /// A history of a replica that went on in another epoch above a counter.
    private func otherHistory(
        of replica: ReplicaID, _ epoch: EpochID, above fork: UInt64
    ) -> History {
        History(
            replica: replica, counter: fork + 1,
            incarnations: [
                Incarnation(epoch: epoch, counter: 0),
                Incarnation(epoch: EpochID(value: 99), counter: fork),
            ])
    }

    @Test("a device that forks its id marks that before all that it moves, and shows its key again")
    func forkIsMarked() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let epoch = try store.greeting(to: nil).incarnation.epoch
        let (own, key) = (store.replica, [UInt8](repeating: 7, count: 32))
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(
                RecordName(deviceOf: own), [Assignment(.number(3), .bytes(key))])
        }
        let fork = try store.summary().counter
        try StoreWorld.add("written twice", to: store)
        let before = try store.summary().sequence
        #expect(try store.resolve(otherHistory(of: own, epoch, above: fork)))
        let news = try store.news(after: before).records
        #expect(news.count == 2)
        let device = try #require(news.first)
        #expect(device.name == RecordName(deviceOf: store.replica))
        #expect(device.record.visible(.number(3)) == .bytes(key))
        let bytes = withUnsafeBytes(of: own.value.bigEndian, Array.init)
        #expect(device.record.fields.contains(.element(.number(13), .bytes(bytes))))
        #expect(device.record.writes.count == 1)
        // What was moved names the fork point, and no more of the old id.
        let moved = try #require(news.last)
        #expect(moved.record.clock.counter(of: own) == fork)
        #expect(moved.record.clock.counter(of: store.replica) == 1)
    }

    @Test(
        "what others wrote into a device's record does not go with it to a new id, nor keep it from that"
    )
    func forkLeavesForeignValues() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let epoch = try store.greeting(to: nil).incarnation.epoch
        let (own, other) = (store.replica, ReplicaID(value: 9))
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(
                RecordName(deviceOf: own),
                [Assignment(.number(4), .bytes([4])), Assignment(.number(8), .int(2))])
        }
        let old = try #require(try store.record(RecordName(deviceOf: own)))
        // Another's key, a value of another kind, and one that is longer than what can be written.
        let write = Write(
            dot: Dot(replica: other, counter: 1), timestamp: .zero,
            assignments: [
                Assignment(.number(3), .bytes([UInt8](repeating: 9, count: 32))),
                Assignment(.number(8), .text("2")),
                Assignment(.number(11), .bytes([UInt8](repeating: 1, count: 262_140))),
            ])
        let forged = RecordState(
            clock: old.record.clock.joined(with: VersionVector(write.dot)),
            writes: (old.record.writes + [write]).sorted { $0.dot < $1.dot })
        _ = try store.integrate(
            [
                Change(
                    RecordName(deviceOf: own), clock: forged.clock,
                    body: BodyCodec.encode(forged, in: .devices))
            ], from: other, checkpoint: nil)
        let fork = try store.summary().counter
        try StoreWorld.add("written twice", to: store)
        #expect(try store.resolve(otherHistory(of: own, epoch, above: fork)))
        let device = try #require(try store.record(RecordName(deviceOf: store.replica)))
        #expect(store.replica != own)
        #expect(
            device.record.visible(.number(3)) == nil && device.record.visible(.number(11)) == nil)
        #expect(device.record.visible(.number(4)) == .bytes([4]))
        #expect(device.record.visible(.number(8)) == .int(2))
        #expect(try store.examine().isEmpty)
    }

    @Test("a store whose sums are counted anew moves the entries that were wrong")
    func recounted() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("one", to: store)
        try write(1, of: ReplicaID(value: 5), from: ReplicaID(value: 6), to: store)
        let before = try mark(store)
        let connection = try Connection(
            path: world.path("a/store.db"), on: world.environment.disk, creates: false,
            busyMilliseconds: 1_000)
        try connection.execute("UPDATE replica SET checksum = zeroblob(16) WHERE counter = 0")
        connection.close()
        try store.recount()
        #expect(try store.moved(since: before) == [ReplicaID(value: 5)])
        let now = try mark(store)
        #expect(now.sequence == before.sequence + 1)
        try store.recount()
        #expect(try mark(store) == now)
    }

    @Test("a store that is made anew from its tables lists what it listed before")
    func rescued() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.add("two", to: b)
        try StoreWorld.pull(a, from: b)
        let before = try mark(a)
        let ofPeer = try summaryCheckpoint(a, of: b)
        try StoreWorld.rename(id, "three", in: a)
        let replica = a.replica
        a.close()
        let report = try world.rescue("a", space: SpaceID(value: 7))
        #expect(report.isWhole && report.keepsIdentity)
        let again = try world.open("a")
        #expect(again.replica == replica)
        #expect(try again.moved(since: before) == [replica])
        #expect(try summaryCheckpoint(again, of: b) == ofPeer)
    }

    @Test("a list has no more than 4 ids, or a quarter of them, or 4,096")
    func limits() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("own", to: store)
        let peer = ReplicaID(value: 9)
        var before = try mark(store)
        for number in 1...4 {
            try write(1, of: ReplicaID(value: 10 + UInt128(number)), from: peer, to: store)
        }
        #expect(try store.moved(since: before)?.count == 4)
        try write(1, of: ReplicaID(value: 20), from: peer, to: store)
        #expect(try store.moved(since: before) == nil)
        for number in 0..<34 {
            try write(1, of: ReplicaID(value: 100 + UInt128(number)), from: peer, to: store)
        }
        #expect(try store.stateSummary().entries.count == 40)
        before = try mark(store)
        for number in 0..<10 {
            try write(2, of: ReplicaID(value: 100 + UInt128(number)), from: peer, to: store)
        }
        #expect(try store.moved(since: before)?.count == 10)
        try write(2, of: ReplicaID(value: 110), from: peer, to: store)
        #expect(try store.moved(since: before) == nil)
    }

    @Test(
        "the summary checkpoint is written if all was adopted, left if not, and dropped with the other"
    )
    func adopted() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let author = ReplicaID(value: 5)
        let peer = b.replica
        let epoch = EpochID(value: 33)
        func join(_ entries: [StateSummaryEntry], _ sequence: UInt64) throws -> Joining {
            try a.join(
                StateSummary(entries: entries, digest: 0), from: peer,
                through: Checkpoint(epoch: epoch, sequence: sequence), summarySequence: sequence)
        }
        func known() throws -> (UInt64?, UInt64?) {
            let found = try a.greeting(to: peer).peerCheckpoint
            return (found?.checkpoint?.sequence, found?.summary?.sequence)
        }
        try write(3, of: author, from: peer, to: a)
        let checksum = SipHash().checksum(RecordID(value: author.value), 3)
        // All is adopted.
        _ = try join(
            [StateSummaryEntry(replica: author, counter: 2, checksum: checksum, seen: 3)], 10)
        #expect(try known() == (10, 10))
        // The peer vouches for a third write; here is the fifth alone, so that the sums cannot agree.
        try write(5, of: author, from: peer, to: a)
        let result = try join(
            [StateSummaryEntry(replica: author, counter: 3, checksum: checksum, seen: 3)], 20)
        #expect(!result.isMismatched && !result.hasLearned)
        #expect(try known() == (20, 10))
        // Once the sums agree it is adopted up to there.
        let whole = SipHash().checksum(RecordID(value: author.value), 5)
        _ = try join(
            [StateSummaryEntry(replica: author, counter: 5, checksum: whole, seen: 5)], 30)
        #expect(try known() == (30, 30))
        // The same once more writes nothing; a later number alone is written.
        _ = try join(
            [StateSummaryEntry(replica: author, counter: 5, checksum: whole, seen: 5)], 31)
        #expect(try known() == (31, 31))
        // A write that the peer vouches for and that did not come: both go.
        #expect(
            try join(
                [StateSummaryEntry(replica: author, counter: 7, checksum: 1, seen: 7)], 40
            ).isMismatched)
        #expect(try known() == (nil, nil))
        // So they do at a word that does not fit.
        _ = try join(
            [StateSummaryEntry(replica: author, counter: 5, checksum: whole, seen: 5)], 50)
        #expect(try known() == (50, 50))
        try a.dropCheckpoints(of: peer)
        #expect(try known() == (nil, nil))
        #expect(try a.summary().peers.first?.replica == peer)
    }

    @Test("a batch moves the checkpoint alone")
    func batches() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try StoreWorld.add("one", to: b)
        try StoreWorld.pull(a, from: b)
        let known = try #require(try summaryCheckpoint(a, of: b))
        try StoreWorld.add("two", to: b)
        let reading = try b.read(
            from: .sequence(0), peerHas: PeerHoldings(), wanted: [], isFull: false,
            byteCountMax: 1 << 20)
        _ = try a.integrate(reading.changes, from: b.replica, checkpoint: reading.through)
        #expect(try summaryCheckpoint(a, of: b) == known)
        #expect(try a.greeting(to: b.replica).peerCheckpoint?.checkpoint == reading.through)
    }
}

import Core
import Storage
import TestSupport
import Testing

@Suite("Integrating changes")
struct IntegratingTests {
    private let start = Checkpoint(epoch: EpochID(value: 9), sequence: 1)

    @Test("the same changes again change nothing and give no arrival number")
    func idempotent() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("x", to: a)
        try StoreWorld.rename(id, "y", in: a)
        try StoreWorld.pull(b, from: a)
        try StoreWorld.rename(id, "z", in: b)
        let before = try b.summary()
        let reading = try a.read(from: .sequence(0), peerHas: PeerHoldings())
        let result = try b.integrate(
            reading.changes, from: a.summary().replica, checkpoint: reading.through)
        #expect(result.changedCount == 0)
        #expect(try b.summary().sequence == before.sequence)
        #expect(try b.summary().digest == before.digest)
        #expect(try StoreWorld.titles(b) == ["z"])
    }

    @Test(
        "a change set that does not fit on the disk leaves records, sums and checkpoint as they were"
    )
    func fullDisk() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let long = String(repeating: "x", count: 300)
        for number in 0..<400 { try StoreWorld.add("to-do number \(number) \(long)", to: a) }
        let b = try world.create("b", options: world.tiny(60))
        try StoreWorld.add("mine", to: b)
        let peer = try a.summary().replica
        let (before, stateSummary) = (try b.summary(), try b.greeting(to: peer).stateSummary)
        let reading = try a.read(from: .sequence(0), peerHas: PeerHoldings())
        #expect(throws: StoreFault.diskFull(path: b.paths.database)) {
            try b.integrate(
                reading.changes, from: peer, checkpoint: reading.through,
                incarnations: reading.incarnations
            )
        }
        #expect(try b.summary() == before)
        #expect(try b.greeting(to: peer).stateSummary == stateSummary)
        #expect(try b.greeting(to: peer).peerCheckpoint?.checkpoint == nil)
        #expect(try b.examine() == [])
        try StoreWorld.add("still works", to: b)
        b.close()
        let again = try world.open("b")
        #expect(try again.examine() == [])
        try StoreWorld.mingle([again, a])
        try StoreWorld.expectEqual([again, a])
        #expect(try StoreWorld.titles(a).count == 402)
    }

    @Test("devices that a full disk took back hide none that are heard of later")
    func devicesTakenBack() throws {
        let world = StoreWorld()
        let long = String(repeating: "x", count: 300)
        func collected(_ name: String, toDoCount: Int) throws -> Store {
            let collector = try world.create(name)
            for number in 0..<12 {
                let device = try world.create("\(name)\(number)")
                for _ in 0..<toDoCount {
                    try StoreWorld.add("\(name) \(number) \(long)", to: device)
                }
                try StoreWorld.pull(collector, from: device)
            }
            return collector
        }
        let (many, few) = (
            try collected("many", toDoCount: 30), try collected("few", toDoCount: 1)
        )
        let b = try world.create("b", options: world.tiny(72))
        try StoreWorld.add("mine", to: b)
        let reading = try many.read(from: .sequence(0), peerHas: PeerHoldings())
        #expect(throws: StoreFault.diskFull(path: b.paths.database)) {
            try b.integrate(
                reading.changes, from: many.summary().replica, checkpoint: reading.through,
                incarnations: reading.incarnations)
        }
        #expect(try b.examine() == [])
        try StoreWorld.pull(b, from: few)
        #expect(try b.examine() == [])
        #expect(try StoreWorld.titles(b).count == 13)
        try StoreWorld.mingle([b, few])
        try StoreWorld.expectEqual([b, few])
    }

    @Test("an edit whose error is swallowed after the disk was full is not saved in part")
    func swallowed() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: world.tiny(60))
        try StoreWorld.add("first", to: store)
        let before = try store.summary()
        #expect(throws: StoreFault.diskFull(path: store.paths.database)) {
            try store.write { transaction in
                for number in 0..<2000 {
                    let text = "filler \(number) " + String(repeating: "x", count: 100)
                    let fields = [Assignment(.number(2), .text(text))]
                    do { try transaction.insert(fields, into: StoreWorld.todo) } catch { continue }
                }
            }
        }
        #expect(try store.summary() == before)
        #expect(try StoreWorld.titles(store) == ["first"])
        #expect(try store.examine() == [])
    }

    @Test("a value that was left out and is missing is wanted, and the checkpoint waits for it")
    func wanted() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("x", to: a)
        try a.write { _ = try $0.update(id, [Assignment(.number(3), .text("note"))]) }
        let peer = try a.summary().replica
        // As if the receiver had stated to know the first two writes.
        let known = VersionVector(Dot(replica: peer, counter: 2))
        let reading = try a.read(from: .sequence(0), peerHas: PeerHoldings(known))
        let result = try b.integrate(reading.changes, from: peer, checkpoint: reading.through)
        let name = RecordName(StoreWorld.todo, id)
        #expect(result.wanted == [name])
        #expect(try b.record(id) == nil)
        #expect(try b.greeting(to: peer).peerCheckpoint?.checkpoint == nil)
        let whole = try a.read(from: .sequence(99), peerHas: PeerHoldings(known), wanted: [name])
        #expect(whole.changes.isEmpty)
        #expect(try b.integrate(whole.wanted, from: peer, checkpoint: reading.through).wanted == [])
        #expect(try b.record(id)?.record == a.record(id)?.record)
        #expect(try b.greeting(to: peer).peerCheckpoint?.checkpoint == reading.through)
    }

    @Test("a checkpoint leads no further than its epoch's end, and to the start if it is unknown")
    func checkpoints() throws {
        let world = StoreWorld()
        var a = try world.create("a")
        try StoreWorld.add("1", to: a)
        let first = try a.read(from: .sequence(0), peerHas: PeerHoldings()).through
        a.close()
        a = try world.open("a")
        try StoreWorld.add("2", to: a)
        let none = PeerHoldings()
        let later = try a.read(from: .checkpoint(first), peerHas: none)
        #expect(later.changes.count == 1)
        #expect(later.through.epoch != first.epoch)
        // A line that went further in the first epoch than this one ever did.
        let beyond = Checkpoint(epoch: first.epoch, sequence: 1000)
        #expect(try a.read(from: .checkpoint(beyond), peerHas: none).changes.count == 1)
        let unknown = Checkpoint(epoch: EpochID(value: 4711), sequence: 2)
        #expect(try a.read(from: .checkpoint(unknown), peerHas: none).changes.count == 3)
        #expect(try a.read(from: .checkpoint(nil), peerHas: none).changes.count == 3)
    }

    @Test(
        "reading gives every change once, whatever the size of the batches",
        arguments: [1, 100, 5000])
    func batches(byteCountMax: Int) throws {
        let world = StoreWorld()
        let a = try world.create("a")
        var all: Set<RecordID> = [RecordID(value: try a.summary().replica.value)]
        for number in 0..<40 {
            all.insert(
                try a.write {
                    try $0.insert(
                        [Assignment(.number(2), .text(String(repeating: "x", count: number * 7)))],
                        into: number % 3 == 0 ? .text("other") : StoreWorld.todo)
                })
        }
        var (seen, sequence): ([RecordID], UInt64) = ([], 0)
        for _ in 0..<100 {
            let reading = try a.read(
                from: .sequence(sequence), peerHas: PeerHoldings(), byteCountMax: byteCountMax)
            seen += reading.changes.map(\.id)
            sequence = reading.through.sequence
            if reading.stateSummary != nil { break }
        }
        #expect(seen.count == all.count)
        #expect(Set(seen) == all)
    }

    @Test("tens of thousands of changes are read each once")
    func manyBatches() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let count = WireLimits.changesPerBatchMax + 10
        try a.write { transaction in
            for _ in 0..<count { try transaction.insert([], into: StoreWorld.todo) }
        }
        let none = PeerHoldings()
        let first = try a.read(from: .sequence(0), peerHas: none, byteCountMax: .max)
        #expect(first.changes.count == WireLimits.changesPerBatchMax)
        let second = try a.read(
            from: .sequence(first.through.sequence), peerHas: none, byteCountMax: .max)
        #expect(first.changes.count + second.changes.count == count + 1)
        #expect(second.stateSummary != nil)
    }

    @Test("records that the peer's knowledge covers are passed over")
    func passedOver() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        for number in 0..<20 { try StoreWorld.add("\(number)", to: a) }
        try StoreWorld.mingle([a, b])
        let knowledge = PeerHoldings(try b.summary().knowledge)
        let reading = try a.read(from: .sequence(0), peerHas: knowledge)
        #expect(reading.changes.isEmpty)
        #expect(reading.stateSummary != nil)
        #expect(
            try a.read(from: .sequence(0), peerHas: knowledge, isFull: true).changes.count == 22)
    }

    @Test("equal checksums at the hellos stand for the rows up to the hello, and for no later one")
    func equalAtHello() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        try StoreWorld.add("1", to: a)
        let own = try a.summary().replica
        let hello = try a.greeting(to: nil)
        let equal = VersionVector(Dot(replica: own, counter: 9))
        try StoreWorld.add("2", to: a)
        func changes(_ peerHas: PeerHoldings) throws -> Int {
            try a.read(from: .sequence(0), peerHas: peerHas).changes.count
        }
        #expect(try changes(PeerHoldings(VersionVector(), equal: equal, upTo: hello.sequence)) == 1)
        #expect(try changes(PeerHoldings(equal)) == 0)
        var later = PeerHoldings(VersionVector(), equal: equal, upTo: hello.sequence)
        later.join(equal)
        #expect(try changes(later) == 0)
    }

    @Test("what was deferred is kept, passed on and counted, so that knowledge can be joined")
    func allDeferred() throws {
        let world = StoreWorld()
        let (a, b, c) = (try world.create("a"), try world.create("b"), try world.create("c"))
        let author = ReplicaID(value: 1 << 100)
        let garbage = Change(
            id: RecordID(value: 5), clock: VersionVector(Dot(replica: author, counter: 2)),
            body: [0xff, 0x00, 0x12])
        let long = RecordState(
            clock: VersionVector(Dot(replica: author, counter: 1)),
            writes: [
                Write(
                    dot: Dot(replica: author, counter: 1), timestamp: .zero,
                    assignments: [
                        Assignment(
                            .number(2),
                            .text(
                                String(repeating: "x", count: RecordLimits.valueByteCountMax + 20)))
                    ])
            ])
        let over = Change(
            id: RecordID(value: 6), clock: long.clock,
            body: BodyCodec.encode(long, in: StoreWorld.todo))
        let result = try a.integrate([garbage, over], from: author, checkpoint: start)
        #expect(result.deferredCount == 2)
        #expect(
            try a.integrate([over, garbage], from: author, checkpoint: start).deferredCount == 0)
        #expect(try a.allDeferred().map(\.change) == [garbage, over])
        #expect(try a.examine() == [])
        // The peer vouches for both, as they are counted here.
        let hash = SipHash()
        let checksum = hash.checksum(garbage.id, 2) &+ hash.checksum(over.id, 1)
        let stateSummary = StateSummary(
            entries: [StateSummaryEntry(replica: author, counter: 2, checksum: checksum, seen: 2)],
            digest: 0
        )
        #expect(try !a.join(stateSummary, from: author, through: start).isWithheld)
        #expect(try a.summary().knowledge.counter(of: author) == 2)
        try StoreWorld.mingle([a, b, c])
        for store in [b, c] {
            #expect(Set(try store.allDeferred().map(\.change)) == [garbage, over])
            #expect(try store.summary().knowledge == a.summary().knowledge)
            #expect(try store.examine() == [])
        }
        a.close()
        #expect(try world.open("a").allDeferred().count == 2)
    }

    @Test("a later state that can be read takes the place of what was deferred")
    func superseded() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let author = ReplicaID(value: 1 << 100)
        func clock(_ counter: UInt64) -> VersionVector {
            VersionVector(Dot(replica: author, counter: counter))
        }
        let id = RecordID(value: 5)
        for counter: UInt64 in 1...3 {
            let change = Change(id: id, clock: clock(counter), body: [0xff, UInt8(counter)])
            #expect(try a.integrate([change], from: author, checkpoint: nil).deferredCount == 1)
            #expect(try a.allDeferred().count == 1)
            #expect(try a.examine() == [])
        }
        let old = Change(id: id, clock: clock(2), body: [0xff, 2])
        #expect(try a.integrate([old], from: author, checkpoint: nil).deferredCount == 0)
        let write = Write(
            dot: Dot(replica: author, counter: 4), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("readable"))])
        let record = RecordState(clock: clock(4), writes: [write])
        let change = Change(
            id: id, clock: clock(4), body: BodyCodec.encode(record, in: StoreWorld.todo))
        #expect(try a.integrate([change], from: author, checkpoint: nil).changedCount == 1)
        #expect(try a.allDeferred().isEmpty)
        #expect(try a.integrate([old], from: author, checkpoint: nil).deferredCount == 0)
        #expect(try a.examine() == [])
    }

    @Test("a body of another collection than its name is set aside, and not tried again in vain")
    func otherCollection() throws {
        let world = StoreWorld()
        var a = try world.create("a")
        let id = try StoreWorld.add("mine", to: a)
        let author = ReplicaID(value: 1 << 100)
        let write = Write(
            dot: Dot(replica: author, counter: 1), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("theirs"))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        let change = Change(
            id: id, clock: record.clock, body: BodyCodec.encode(record, in: .text("elsewhere")))
        #expect(try a.integrate([change], from: author, checkpoint: nil).deferredCount == 1)
        let sequence = try a.summary().sequence
        a.close()
        a = try world.open("a")
        #expect(try a.summary().sequence == sequence)
        #expect(try a.allDeferred().count == 1)
        #expect(try a.examine() == [])
    }

    @Test(
        "what would make a record longer than any reader takes is kept beside it, and merged when it has room"
    )
    func tooManyTogether() throws {
        let world = StoreWorld()
        var a = try world.create("a")
        let b = try world.create("b")
        let id = try StoreWorld.add("shared", to: a)
        try StoreWorld.mingle([a, b])
        // Two members each wrote half of what a record may have, and one more.
        let half = RecordLimits.assignmentCountMax / 2 + 1
        for (store, first) in [(a, 0), (b, half)] {
            let write = Write(
                dot: Dot(replica: ReplicaID(value: UInt128(91 + first)), counter: 1),
                timestamp: .zero,
                assignments: (first..<first + half)
                    .map { Assignment(.element(.number(8), .text("\($0)")), .bool(true)) }
                    .sorted { $0.field < $1.field })
            let record = RecordState(clock: VersionVector(write.dot), writes: [write])
            let change = Change(
                id: id, clock: record.clock,
                body: BodyCodec.encode(record, in: StoreWorld.todo))
            let found = try store.integrate([change], from: write.dot.replica, checkpoint: nil)
            #expect(found.deferredCount == 0)
        }
        // They meet as often as they like, and there is rest.
        for _ in 0..<3 { try StoreWorld.mingle([a, b]) }
        for store in [a, b] {
            #expect(try store.examine() == [])
            #expect(try store.summary().deferredCount == 1)
            #expect(try store.allDeferred().map(\.reason) == [.overLimit])
            // It is there whole: whoever gets it from here may have none of it.
            let change = try store.allDeferred()[0].change
            #expect(throws: Never.self) { try change.record(allowElided: false) }
            #expect(try StoreWorld.titles(store) == ["shared"])
            // All else goes on.
            try StoreWorld.rename(id, "by \(store.replica)", in: store)
        }
        let sequence = try a.summary().sequence
        a.close()
        a = try world.open("a")
        #expect(try a.summary().sequence == sequence, "it is not tried again in vain")
        // A purge makes room, everywhere, and what it had not seen is there afterwards on both.
        try a.write { transaction in
            try transaction.delete(id)
            try transaction.purge(id, isForced: true)
        }
        for _ in 0..<3 { try StoreWorld.mingle([a, b]) }
        for store in [a, b] {
            #expect(try store.examine() == [])
            #expect(try store.summary().deferredCount == 0)
        }
        let records = try [a, b].map { try $0.record(RecordName(StoreWorld.todo, id))?.record }
        #expect(records[0] == records[1])
        #expect(records[0]?.assignmentCount ?? 0 >= half)
    }

    @Test("deletes that a newer version can read at last are held as others are")
    func deferredDeletes() throws {
        let world = StoreWorld()
        var here = try world.create("here")
        let ids = try (0..<40).map { try StoreWorld.add("t\($0)", to: here) }
        var bodies: [(id: RecordID, body: [UInt8])] = []
        for (number, id) in ids.prefix(30).enumerated() {
            let known = try #require(try here.record(RecordName(StoreWorld.todo, id)))
            let dot = Dot(replica: ReplicaID(value: 91), counter: UInt64(number + 1))
            let seen = known.record.clock.joined(with: VersionVector(dot))
            let write = Write(
                dot: dot, timestamp: .zero, assignments: [Assignment(.deleted, .clock(seen))])
            let record = RecordState(
                clock: seen, writes: (known.record.writes + [write]).sorted { $0.dot < $1.dot })
            bodies.append((id, BodyCodec.encode(record, in: StoreWorld.todo)))
            let unread = Change(id: id, clock: seen, body: [0xff])
            let found = try here.integrate([unread], from: dot.replica, checkpoint: nil)
            #expect(found.deferredCount == 1)
        }
        here.close()
        for (id, body) in bodies {
            let hex = body.map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
            world.run(
                "sqlite3", world.path("here/store.db"),
                "update deferred_change set body = x'\(hex)' where id = x'\(id.hexadecimal)'")
        }
        // As often as it is opened.
        for _ in 0..<2 {
            here = try world.open("here")
            #expect(try StoreWorld.titles(here).count == 40)
            #expect(try here.heldDeletes().map(\.deletedCount) == [30])
            #expect(try here.summary().deferredCount == 30)
            #expect(try here.examine() == [])
            here.close()
        }
        here = try world.open("here")
        try here.acceptDeletes()
        here.close()
        here = try world.open("here")
        #expect(try StoreWorld.titles(here).count == 10)
        #expect(try here.summary().deferredCount == 0)
        #expect(try here.heldDeletes().isEmpty)
    }
}

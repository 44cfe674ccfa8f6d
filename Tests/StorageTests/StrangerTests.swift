import Core
import Storage
import TestSupport
import Testing

@Suite("Strangers in the same space")
struct StrangerTests {
    private static let stranger = ReplicaID(value: 99)

    /// A change whose clock names `count` replicas from `first` on.
    private func change(_ id: UInt128, first: Int, count: Int) -> Change {
        let entries = (first..<first + count).map {
            VersionVector.Entry(replica: ReplicaID(value: UInt128($0 + 1000)), counter: 1)
        }
        let clock = VersionVector(unsorted: entries)
        let write = Write(
            dot: Dot(replica: entries[0].replica, counter: 1), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("x"))])
        let record = RecordState(clock: clock, writes: [write])
        return Change(
            id: RecordID(value: id), clock: clock,
            body: BodyCodec.encode(record, in: StoreWorld.todo))
    }

    @Test(
        "ids without a device record are told with the peer that brought them first, until a record comes"
    )
    func undocumented() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        _ = try a.integrate([change(1, first: 0, count: 3)], from: Self.stranger, checkpoint: nil)
        try StoreWorld.add("one", to: b)
        try StoreWorld.mingle([a, b])
        let ids = (0..<3).map { ReplicaID(value: UInt128($0 + 1000)) }
        func told(_ store: Store) throws -> [ReplicaID: ReplicaID?] {
            Dictionary(
                uniqueKeysWithValues: try store.undocumentedReplicas().map {
                    ($0.replica, $0.bringer)
                })
        }
        #expect(try told(a) == Dictionary(uniqueKeysWithValues: ids.map { ($0, Self.stranger) }))
        // The bringer need not be the writer.
        #expect(try told(b) == Dictionary(uniqueKeysWithValues: ids.map { ($0, a.replica) }))
        try a.write {
            try $0.insert(
                [Assignment(.number(2), .text("late"))], into: .devices, id: RecordID(value: 1000))
        }
        #expect(try Set(told(a).keys) == Set(ids.dropFirst()))
        // A change set that is held brings nothing.
        let held = try MassDeleteGuardTests.pair(world, count: 30)
        try MassDeleteGuardTests.delete(held.ids, in: held.there)
        _ = try held.there.integrate(
            [change(2, first: 50, count: 1)], from: Self.stranger, checkpoint: nil)
        _ = try MassDeleteGuardTests.pull(held.here, from: held.there, batch: 1000)
        #expect(try told(held.here).isEmpty)
    }

    @Test(
        "a record whose clock names 30,000 made-up ids can be deleted, sent, restored and purged")
    func deletedWithALongClock() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let long = change(1, first: 0, count: 30_000)
        _ = try a.integrate([long], from: Self.stranger, checkpoint: nil)
        // As its author alone can make it: counters that take 9 bytes each.
        let clock = VersionVector(
            unsorted: long.clock.entries.map {
                VersionVector.Entry(replica: $0.replica, counter: 1 << 62)
            })
        let write = Write(
            dot: Dot(replica: clock.entries[0].replica, counter: 1 << 62), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("y"))])
        let record = RecordState(clock: clock, writes: [write])
        let later = Change(
            id: RecordID(value: 1), clock: clock,
            body: BodyCodec.encode(record, in: StoreWorld.todo))
        _ = try a.integrate([later], from: Self.stranger, checkpoint: nil)
        let name = RecordName(StoreWorld.todo, RecordID(value: 1))
        try a.write { try $0.delete(name) }
        #expect(try a.record(name)?.standing == .trashed)
        try StoreWorld.mingle([a, b])
        #expect(try b.record(name)?.standing == .trashed)
        try b.write { try $0.restore(name) }
        #expect(try b.record(name)?.standing == .live)
        try b.write { try $0.delete(name) }
        try b.write { try $0.purge(name) }
        try StoreWorld.mingle([a, b])
        #expect(try a.record(name)?.standing == .purged)
        #expect(try a.examine() == [] && b.examine() == [])
    }

    @Test("a record of another device that is longer than a local edit may make can be deleted")
    func deletedWithALongBody() throws {
        let store = try StoreWorld().create("a")
        let dot = Dot(replica: Self.stranger, counter: 1)
        let piece = String(repeating: "x", count: RecordLimits.valueByteCountMax - 16)
        let count = RecordLimits.localBodyByteCountMax / piece.utf8.count + 1
        let write = Write(
            dot: dot, timestamp: .zero,
            assignments: (0..<count).map { Assignment(.number(UInt32(100 + $0)), .text(piece)) })
        let record = RecordState(clock: VersionVector(dot), writes: [write])
        let body = BodyCodec.encode(record, in: StoreWorld.todo)
        #expect(body.count > RecordLimits.localBodyByteCountMax)
        let change = Change(id: RecordID(value: 5), clock: record.clock, body: body)
        _ = try store.integrate([change], from: Self.stranger, checkpoint: nil)
        let name = RecordName(StoreWorld.todo, RecordID(value: 5))
        try store.write { try $0.delete(name) }
        #expect(try store.record(name)?.standing == .trashed)
        #expect(throws: StoreFault.self) {
            try store.write { try $0.update(name, [Assignment(.number(2), .text("z"))]) }
        }
    }

    @Test("a change is integrated whatever ids its clock names, and so are the changes after it")
    func madeUpIDs() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for part in 0..<5 {
            let result = try store.integrate(
                [change(UInt128(part), first: part * 4_094, count: 4_094)], from: Self.stranger,
                checkpoint: nil)
            #expect(result.changedCount == 1)
        }
        try StoreWorld.add("mine", to: store)
        #expect(try store.fetch(FetchRequest(StoreWorld.todo)).count == 6)
        #expect(try store.stateSummary().entries.count == 5 * 4_094 + 1)
        #expect(try store.examine() == [])
    }

    @Test(
        "peers that greet and write nothing are remembered up to a limit; one with a write always is"
    )
    func silentPeers() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let through = Checkpoint(epoch: EpochID(value: 3), sequence: 1)
        func checkpoint(of peer: ReplicaID) throws -> Checkpoint? {
            _ = try store.integrate([], from: peer, checkpoint: through)
            return try store.greeting(to: peer).peerCheckpoint?.checkpoint
        }
        for number in 0..<2_048 {
            #expect(try checkpoint(of: ReplicaID(value: UInt128(number) + (1 << 80))) == through)
        }
        #expect(try checkpoint(of: ReplicaID(value: 1 << 100)) == nil)
        let writer = ReplicaID(value: 1_000)
        _ = try store.integrate([change(1, first: 0, count: 1)], from: writer, checkpoint: nil)
        #expect(try checkpoint(of: writer) == through)
    }

    @Test("openings of replicas that wrote nothing here leave nothing behind")
    func unknownIncarnations() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let before = try store.greeting(to: nil).stateSummary
        let incarnations = (0..<500).map {
            ChangeBatch.AnnouncedIncarnation(
                replica: ReplicaID(value: UInt128($0 + 1)),
                start: Incarnation(epoch: EpochID(value: 5), counter: 0))
        }
        _ = try store.integrate(
            [], from: Self.stranger, checkpoint: nil, incarnations: incarnations)
        #expect(try store.history(of: ReplicaID(value: 7)).incarnations.isEmpty)
        #expect(try store.greeting(to: nil).stateSummary == before)
    }

    @Test("greeting with our id forces a new one once an hour at the most")
    func greetingWithOurID() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("mine", to: store)
        func greet() throws -> Bool {
            let own = try store.summary().replica
            let incarnation = Incarnation(epoch: EpochID(value: 4711), counter: 0)
            return try store.resolve(
                History(replica: own, counter: 0, incarnations: [incarnation]), isCertain: true)
        }
        #expect(try greet())
        #expect(try !greet())
        #expect(try store.identityChanges().count == 1)
        world.now += Store.identityChangeMillisecondsMin
        #expect(try greet())
        #expect(try store.examine() == [])
    }
}

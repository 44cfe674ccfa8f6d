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

    @Test("replicas without end are refused while the store can still state what it has")
    func replicaLimit() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let most = WireLimits.replicaCountMax
        for part in 0..<4 {
            _ = try store.integrate(
                [change(UInt128(part), first: part * 1000, count: 1000)], from: Self.stranger,
                checkpoint: nil)
        }
        let before = try store.summary()
        #expect(throws: StoreFault.overLimit(.replicas, max: most)) {
            _ = try store.integrate(
                [change(9, first: 9000, count: 1000)], from: Self.stranger, checkpoint: nil)
        }
        #expect(try store.summary() == before)
        #expect(try store.greeting(to: nil).statement.entries.count <= most)
    }

    @Test("openings of replicas that wrote nothing here leave nothing behind")
    func unknownIncarnations() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let before = try store.greeting(to: nil).statement
        let incarnations = (0..<500).map {
            ChangeBatch.AnnouncedIncarnation(
                replica: ReplicaID(value: UInt128($0 + 1)),
                start: Incarnation(epoch: EpochID(value: 5), counter: 0))
        }
        _ = try store.integrate(
            [], from: Self.stranger, checkpoint: nil, incarnations: incarnations)
        #expect(try store.history(of: ReplicaID(value: 7)).incarnations.isEmpty)
        #expect(try store.greeting(to: nil).statement == before)
    }

    @Test("greeting with our id forces a new one once an hour at the most")
    func greetingWithOurID() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("mine", to: store)
        func greet() throws -> Bool {
            let own = try store.summary().replica
            let incarnation = Incarnation(epoch: EpochID(value: 4711), counter: 0)
            return try store.settle(
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

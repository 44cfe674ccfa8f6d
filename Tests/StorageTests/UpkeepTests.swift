import Core
import Storage
import TestSupport
import Testing

@Suite("Upkeep of a store")
struct UpkeepTests {
    private static let day: Int64 = 86_400_000

    /// Lets the program run on `count` days in a row.
    private func run(_ store: Store, _ world: StoreWorld, days count: Int) throws -> Int {
        var purged = 0
        for _ in 0..<count {
            world.now += Self.day
            purged += try store.purgeOldTrash()
        }
        return purged
    }

    @Test("the trash is emptied after 180 days and 30 days of running, not before")
    func both() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("x", to: store)
        try store.write { _ = try $0.delete(id) }
        #expect(try run(store, world, days: 29) == 0)
        world.now += 151 * Self.day
        // Old enough, and the thirtieth day of running.
        #expect(try store.purgeOldTrash() == 1)
        #expect(try store.fetch(FetchRequest(StoreWorld.todo, scope: .trash)).isEmpty)
        #expect(try store.record(id)?.verdict.isPurged == true)
        #expect(try store.purgeOldTrash() == 0)
    }

    @Test("neither 179 days of running nor 200 days on which it did not run are enough")
    func either() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("x", to: store)
        try store.write { _ = try $0.delete(id) }
        let other = try world.create("b")
        let second = try StoreWorld.add("y", to: other)
        try other.write { _ = try $0.delete(second) }
        #expect(try run(store, world, days: 179) == 0)
        world.now += 30 * Self.day
        #expect(try other.purgeOldTrash() == 0)
        #expect(try store.purgeOldTrash() == 1)
    }

    @Test("a purge that fails is made up for on the same day")
    func failingPurge() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let ids = try (0..<40).map { try StoreWorld.add("x\($0)", to: store) }
        try store.write { transaction in for id in ids { _ = try transaction.delete(id) } }
        #expect(try run(store, world, days: 29) == 0)
        world.now += 151 * Self.day
        let path = store.paths.database
        let trigger = """
            create trigger full before update on todo_record
            begin select raise(abort, 'no room'); end
            """
        #expect(world.run("sqlite3", path, trigger).status == 0)
        #expect(throws: StoreFault.self) { try store.purgeOldTrash() }
        #expect(world.run("sqlite3", path, "drop trigger full").status == 0)
        #expect(try store.purgeOldTrash() == 40)
        #expect(try store.fetch(FetchRequest(StoreWorld.todo, scope: .trash)).isEmpty)
        #expect(try store.purgeOldTrash() == 0)
    }

    @Test("only the author of a delete purges, and nothing with an open conflict")
    func conditions() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let (theirs, contested) = (try StoreWorld.add("x", to: a), try StoreWorld.add("y", to: a))
        let live = try StoreWorld.add("z", to: a)
        try StoreWorld.mingle([a, b])
        try b.write { _ = try $0.delete(theirs) }
        try a.write { _ = try $0.delete(contested) }
        try StoreWorld.rename(contested, "edited", in: b)
        try StoreWorld.mingle([a, b])
        #expect(try run(a, world, days: 220) == 0)
        #expect(try run(b, world, days: 40) == 1)
        try StoreWorld.mingle([a, b])
        try StoreWorld.expectEqual([a, b])
        #expect(try a.record(theirs)?.verdict.isPurged == true)
        #expect(try a.record(contested)?.verdict.isPurged == false)
        #expect(try a.record(live)?.verdict.isDeleted == false)
    }

    @Test("a backup has everything, and whoever opens it is somebody else")
    func backup() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for number in 0..<200 { try StoreWorld.add("\(number)", to: store) }
        try store.backup(to: world.path("backup"))
        #expect(throws: StoreFault.storeExists(folder: world.path("backup"))) {
            try store.backup(to: world.path("backup"))
        }
        try StoreWorld.add("later", to: store)
        let copy = try world.open("backup")
        #expect(copy.suspicion == .noIdentityFile)
        #expect(try copy.summary().replica != store.summary().replica)
        #expect(try StoreWorld.titles(copy).count == 200)
        #expect(try copy.examine() == [])
        try StoreWorld.add("in the copy", to: copy)
        try StoreWorld.mingle([store, copy])
        try StoreWorld.expectEqual([store, copy])
    }

    @Test("what leaves for a peer is on the disk before, with one flush for each batch")
    func flushes() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        _ = try store.greeting(to: nil)
        for number in 0..<5 { try StoreWorld.add("\(number)", to: store) }
        let before = store.flushCount
        _ = try store.read(from: .sequence(0), peerHas: PeerHoldings())
        #expect(store.flushCount == before + 1)
        _ = try store.read(from: .sequence(0), peerHas: PeerHoldings())
        _ = try store.greeting(to: nil)
        #expect(store.flushCount == before + 1)
        try StoreWorld.add("6", to: store)
        _ = try store.greeting(to: nil)
        #expect(store.flushCount == before + 2)
        // Commits by another opening have to be flushed as well.
        let other = try world.open("a")
        try StoreWorld.add("7", to: other)
        _ = try store.read(from: .sequence(0), peerHas: PeerHoldings())
        #expect(store.flushCount == before + 3)
        try StoreWorld.add("8", to: store)
        try store.backup(to: world.path("backup"))
        #expect(store.flushCount == before + 4)
    }

    @Test("a store that flushes at every commit flushes nothing again before it sends")
    func full() throws {
        let world = StoreWorld()
        var options = StoreOptions()
        options.durability = .full
        let store = try world.create("a", options: options)
        _ = try store.greeting(to: nil)
        try StoreWorld.add("1", to: store)
        let before = store.flushCount
        _ = try store.read(from: .sequence(0), peerHas: PeerHoldings())
        #expect(store.flushCount == before)
        let other = try world.open("a")
        try StoreWorld.add("2", to: other)
        _ = try store.read(from: .sequence(0), peerHas: PeerHoldings())
        #expect(store.flushCount == before + 1)
    }

    @Test("an address leads to who answered there last")
    func addresses() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        #expect(try store.replica(at: "x:1") == nil)
        try store.remember(ReplicaID(value: 5), at: "x:1")
        try store.remember(ReplicaID(value: 6), at: "x:1")
        try store.remember(ReplicaID(value: 5), at: "y:1")
        #expect(try store.replica(at: "x:1") == ReplicaID(value: 6))
        #expect(try store.replica(at: "y:1") == ReplicaID(value: 5))
        #expect(try store.examine() == [])
    }
}

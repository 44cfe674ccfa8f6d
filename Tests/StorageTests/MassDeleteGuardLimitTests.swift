import Core
import Storage
import TestSupport
import Testing

@Suite("How long and how far the brake's words and snapshots hold")
struct MassDeleteGuardLimitTests {
    private static let day: Int64 = 86_400_000

    private func alive(in snapshot: String, of store: Store, _ world: StoreWorld) -> String {
        let path = store.paths.snapshots + "/" + snapshot
        return world.run("sqlite3", path, "select count(*) from todo").output
    }

    @Test("a snapshot that somebody removed is not named, and another one is taken")
    func removedSnapshot() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 100)
        try MassDeleteGuardTests.delete(ids, in: there)
        let held = try #require(try MassDeleteGuardTests.pull(here, from: there, batch: 1000))
        world.run("rm", here.paths.snapshots + "/" + held.snapshot)
        #expect(try here.heldDeletes().map(\.snapshot) == [""])
        let again = try #require(try MassDeleteGuardTests.pull(here, from: there, batch: 1000))
        #expect(here.snapshots().map(\.name) == [again.snapshot])
        world.run("rm", here.paths.snapshots + "/" + again.snapshot)
        try here.acceptDeletes()
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 1000) == nil)
        let name = try #require(here.snapshots().last?.name)
        #expect(alive(in: name, of: here, world) == "100\n")
    }

    @Test("deletes that are accepted late come after a snapshot of what was written since")
    func lateWord() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 100)
        try MassDeleteGuardTests.delete(ids, in: there)
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 1000) != nil)
        world.now += 9 * Self.day
        for number in 0..<30 { try StoreWorld.add("since \(number)", to: here) }
        try here.acceptDeletes()
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 1000) == nil)
        let snapshots = here.snapshots()
        #expect(snapshots.count == 2)
        let name = try #require(snapshots.last?.name)
        #expect(alive(in: name, of: here, world) == "130\n")
    }

    @Test("a snapshot for one device's deletes serves for another's only while it is new")
    func snapshotBeside() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 100)
        let (second, third) = (try world.create("second"), try world.create("third"))
        try StoreWorld.mingle([here, there, second, third])
        for _ in 0..<8 { try here.takeSnapshot() }
        var rest = ids[...]
        func take(_ count: Int, from store: Store, after minutes: Int64) throws -> Int? {
            try MassDeleteGuardTests.delete(rest.prefix(count), in: store)
            rest = rest.dropFirst(count)
            world.now += minutes * 60_000
            #expect(
                try MassDeleteGuardTests.pull(here, from: store, batch: 1000, lastBatch: 1) == nil)
            return here.snapshots().last?.number
        }
        #expect(try take(30, from: there, after: 1) == 9)
        #expect(try take(2, from: there, after: 9) == 9)
        #expect(try take(5, from: second, after: 3) == 10)
        // The tenth is newer than the ninth, whatever rekey messages come first.
        #expect(try take(5, from: third, after: 1) == 10)
        let name = try #require(here.snapshots().last?.name)
        #expect(alive(in: name, of: here, world) == "68\n")
    }

    @Test("a snapshot that deletes are held for outlives newer ones, until they are over")
    func neededSnapshot() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 100)
        try MassDeleteGuardTests.delete(ids, in: there)
        let held = try #require(try MassDeleteGuardTests.pull(here, from: there, batch: 1000))
        for _ in 0..<8 { try here.takeSnapshot() }
        #expect(here.snapshots().count == Store.snapshotCountMax + 1)
        #expect(try here.heldDeletes() == [held])
        try here.acceptDeletes()
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 1000) == nil)
        try here.takeSnapshot()
        #expect(here.snapshots().count == Store.snapshotCountMax)
        #expect(!here.snapshots().map(\.name).contains(held.snapshot))
    }

    @Test("of many holds the oldest keeps its snapshot; others that are let go of are told as that")
    func manyHolds() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 40)
        var others = [there]
        for number in 1..<8 { others.append(try world.create("other \(number)")) }
        try StoreWorld.mingle([here] + others)
        for other in others {
            try MassDeleteGuardTests.delete(ids, in: other)
            world.now += 20 * 60_000
            #expect(
                try MassDeleteGuardTests.pull(here, from: other, batch: 1000)?.isSnapshotGone
                    == false)
        }
        let held = try here.heldDeletes()
        #expect(held.map(\.snapshot.isEmpty) == [false, true] + Array(repeating: false, count: 6))
        #expect(held.map(\.isSnapshotGone) == held.map(\.snapshot.isEmpty))
    }

    @Test("a word for some deletes does not let all others through")
    func acceptedCount() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 1000)
        try MassDeleteGuardTests.delete(ids.prefix(501), in: there)
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 2000)?.deletedCount == 501)
        #expect(try here.acceptDeletes() == 1)
        try MassDeleteGuardTests.delete(ids[501..<700], in: there)
        let held = try #require(try MassDeleteGuardTests.pull(here, from: there, batch: 10))
        #expect(held.deletedCount == 630)
        #expect(held.liveCount == 1000)
        #expect(try MassDeleteGuardTests.count(here) == 380)
        #expect(try here.acceptDeletes() == 1)
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 10) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 300)
    }

    @Test("deletes that came with some that were held do not count for ever")
    func vanishedPeer() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 100)
        let other = try world.create("other")
        try StoreWorld.mingle([here, there, other])
        try MassDeleteGuardTests.delete(ids, in: there)
        // Half of them pass, the rest is held, and that device is never seen again.
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 10) != nil)
        try MassDeleteGuardTests.delete(ids.suffix(5), in: other)
        #expect(try MassDeleteGuardTests.pull(here, from: other, batch: 10) != nil)
        world.now += 2 * Self.day
        #expect(try MassDeleteGuardTests.pull(here, from: other, batch: 10) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 45)
        #expect(try here.heldDeletes().map(\.peer) == [there.replica])
        world.now += 31 * Self.day
        try MassDeleteGuardTests.delete(ids.suffix(10), in: other)
        #expect(try MassDeleteGuardTests.pull(here, from: other, batch: 10) == nil)
        #expect(try here.heldDeletes().isEmpty)
        // It comes back after all.
        #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 1000) != nil)
    }

    @Test("deletes that come again and again count for as long as they do")
    func persistentPeer() throws {
        let world = StoreWorld()
        let (here, there, ids) = try MassDeleteGuardTests.pair(world, count: 100)
        let other = try world.create("other")
        try StoreWorld.mingle([here, there, other])
        try MassDeleteGuardTests.delete(ids, in: there)
        for _ in 0..<40 {
            world.now += Self.day
            #expect(try MassDeleteGuardTests.pull(here, from: there, batch: 10) != nil)
        }
        #expect(try here.heldDeletes().count == 1)
        try MassDeleteGuardTests.delete(ids.suffix(5), in: other)
        #expect(try MassDeleteGuardTests.pull(here, from: other, batch: 10) != nil)
    }
}

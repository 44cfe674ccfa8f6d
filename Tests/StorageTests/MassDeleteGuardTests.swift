import Core
import Storage
import TestSupport
import Testing

@Suite("The brake of a store")
struct MassDeleteGuardTests {
    /// Two stores in sync with that many to-dos each.
    static func pair(
        _ world: StoreWorld, count: Int, policy: DeletePolicy = .deletesWin
    ) throws -> (here: Store, there: Store, ids: [RecordID]) {
        let here = try world.create("here", policy: policy)
        let there = try world.create("there", policy: policy)
        let ids = try (0..<count).map { try StoreWorld.add("t\($0)", to: there) }
        try StoreWorld.mingle([here, there])
        return (here, there, ids)
    }

    static func delete(_ ids: some Sequence<RecordID>, in store: Store) throws {
        try store.write { transaction in for id in ids { _ = try transaction.delete(id) } }
    }

    static func count(_ store: Store) throws -> Int {
        try store.fetch(FetchRequest(StoreWorld.todo)).count
    }

    /// One session: sends batches of so many changes, and ends with a state summary.
    ///
    /// - Parameter lastBatch: the link breaks after so many batches.
    @discardableResult
    static func pull(
        _ receiver: Store, from sender: Store, batch count: Int, lastBatch: Int = .max
    ) throws -> HeldDeletes? {
        let hello = try sender.greeting(to: receiver.replica)
        let mine = try receiver.greeting(to: hello.replica)
        let reading = try sender.read(
            from: .checkpoint(mine.peerCheckpoint?.checkpoint),
            peerHas: PeerHoldings(mine.stateSummary.knowledge),
            wanted: [], isFull: false)
        let stateSummary = try #require(reading.stateSummary)
        // Changes that arrived before the link broke are not sent again.
        var rest = try reading.changes.filter { change in
            try receiver.record(change.id)?.record.clock.covers(change.clock) != true
        }[...]
        var number = 0
        while !rest.isEmpty {
            let batch = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let result = try receiver.integrate(
                batch, from: hello.replica, checkpoint: rest.isEmpty ? reading.through : nil,
                startsSession: number == 0)
            if let held = result.held { return held }
            number += 1
            if number == lastBatch { return nil }
        }
        _ = try receiver.join(stateSummary, from: hello.replica, through: reading.through)
        return nil
    }

    @Test("more than half of the live records is held, and nothing of it is merged")
    func held() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids.prefix(51), in: there)
        let before = try here.summary()
        let held = try #require(try Self.pull(here, from: there, batch: 1000))
        #expect(held.deletedCount == 51)
        #expect(held.liveCount == 100)
        #expect(held.peer == there.replica)
        #expect(try Self.count(here) == 100)
        let after = try here.summary()
        #expect(after.digest == before.digest)
        #expect(after.knowledge == before.knowledge)
        #expect(try here.heldDeletes() == [held])
        #expect(try here.examine() == [])
    }

    @Test("half of them passes, and so do twenty of few")
    func passes() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids.prefix(50), in: there)
        #expect(try Self.pull(here, from: there, batch: 1000) == nil)
        #expect(try Self.count(here) == 50)
        let few = StoreWorld(seed: 2)
        let (other, third, some) = try Self.pair(few, count: 20)
        try Self.delete(some, in: third)
        #expect(try Self.pull(other, from: third, batch: 1000) == nil)
        #expect(try Self.count(other) == 0)
    }

    @Test("held deletes name who made them, and some of the records, until they are answered")
    func shown() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        let third = try world.create("third")
        try StoreWorld.mingle([here, there, third])
        try Self.delete(ids, in: there)
        #expect(try Self.pull(third, from: there, batch: 1000) != nil)
        try third.acceptDeletes()
        #expect(try Self.pull(third, from: there, batch: 1000) == nil)
        let held = try #require(try Self.pull(here, from: third, batch: 1000))
        #expect(held.peer == third.replica && held.deleters == [there.replica])
        #expect(held.examples.count == 3 && Set(ids).isSuperset(of: held.examples.map(\.id)))
        #expect(try here.heldDeletes() == [held])
        try here.refuseDeletes()
        #expect(try here.heldDeletes().isEmpty)
    }

    @Test("ten batches of a tenth are one session", arguments: [1, 10])
    func batches(size: Int) throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids, in: there)
        let held = try #require(try Self.pull(here, from: there, batch: size))
        #expect(held.deletedCount == 50 + size)
        #expect(try Self.count(here) == 50)
    }

    @Test("a link that breaks again and again lets no more through", arguments: [1, 2, 3])
    func cuts(lastBatch: Int) throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids, in: there)
        var held: HeldDeletes?
        for _ in 0..<20 where held == nil {
            held = try Self.pull(here, from: there, batch: 10, lastBatch: lastBatch)
        }
        #expect(held?.liveCount == 100)
        #expect(try Self.count(here) == 50)
    }

    @Test("two sessions that each came to their end are two")
    func twoSessions() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids.prefix(40), in: there)
        #expect(try Self.pull(here, from: there, batch: 1000) == nil)
        try Self.delete(ids[40..<65], in: there)
        #expect(try Self.pull(here, from: there, batch: 1000) == nil)
        #expect(try Self.count(here) == 35)
    }

    @Test("a second way to the same deletes is held as well, and let go when they are accepted")
    func secondWay() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        let third = try world.create("third")
        try StoreWorld.mingle([here, there, third])
        try Self.delete(ids.prefix(60), in: there)
        try Self.pull(third, from: there, batch: 10, lastBatch: 4)
        _ = try third.acceptDeletes()
        try Self.pull(third, from: there, batch: 10)
        _ = try third.acceptDeletes()
        #expect(try Self.pull(third, from: there, batch: 10) == nil)
        #expect(try Self.count(third) == 40)
        #expect(try Self.pull(here, from: there, batch: 10) != nil)
        #expect(try Self.pull(here, from: third, batch: 10) != nil)
        #expect(try Self.count(here) == 50)
        #expect(try here.heldDeletes().count == 2)
        #expect(try here.acceptDeletes(of: [third.replica]) == 1)
        #expect(try Self.pull(here, from: third, batch: 10) == nil)
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        #expect(try here.heldDeletes().isEmpty)
        #expect(try Self.count(here) == 40)
    }

    @Test(
        "accepted deletes that came another way use the answer up: the next ones that way are held")
    func answerUsedUp() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        let third = try world.create("third")
        try StoreWorld.mingle([here, there, third])
        try Self.delete(ids.prefix(60), in: there)
        #expect(try Self.pull(here, from: there, batch: 1000) != nil)
        #expect(try here.acceptDeletes() == 1)
        for stolen in [ids[..<60], ids[60..<95]] {
            try Self.delete(stolen, in: there)
            #expect(try Self.pull(third, from: there, batch: 1000) != nil)
            #expect(try third.acceptDeletes() == 1)
            #expect(try Self.pull(third, from: there, batch: 1000) == nil)
            let held = try Self.pull(here, from: third, batch: 1000)
            #expect((held == nil) == (stolen.startIndex == 0))
        }
        #expect(try Self.count(here) == 40)
    }

    @Test("accepted once they go through, and the next ones are held again")
    func accepted() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids.prefix(80), in: there)
        #expect(try Self.pull(here, from: there, batch: 10) != nil)
        #expect(try here.acceptDeletes() == 1)
        #expect(try here.acceptDeletes() == 0)
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        #expect(try Self.count(here) == 20)
        try StoreWorld.expectEqual([here, there])
        let more = try (0..<40).map { try StoreWorld.add("m\($0)", to: there) }
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        try Self.delete(more, in: there)
        #expect(try Self.pull(here, from: there, batch: 10) != nil)
    }

    @Test("it is told how many were taken, as accepted or before, of those that are held")
    func taken() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids, in: there)
        #expect(try Self.pull(here, from: there, batch: 10)?.takenCount == 50)
        #expect(try Self.count(here) == 50)
        try here.acceptDeletes()
        let held = try #require(try Self.pull(here, from: there, batch: 10))
        #expect(held.deletedCount == 90)
        #expect(held.takenCount == 80)
        #expect(try Self.count(here) == 20)
        #expect(try here.heldDeletes() == [held])
    }

    @Test("deletes that are taken back on the other device are held no longer")
    func takenBack() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids, in: there)
        #expect(try Self.pull(here, from: there, batch: 10) != nil)
        try there.write { transaction in for id in ids { _ = try transaction.restore(id) } }
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        #expect(try Self.count(here) == 100)
        #expect(try here.heldDeletes().isEmpty)
        try StoreWorld.expectEqual([here, there])
    }

    @Test("while they are held, what comes without deletes does not change how many they are")
    func countStays() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids, in: there)
        let held = try #require(try Self.pull(here, from: there, batch: 10))
        _ = try here.integrate([], from: there.replica, checkpoint: nil)
        #expect(try here.heldDeletes() == [held])
    }

    @Test("what came along, or before, does not make the deletes fewer", arguments: [100, 1000])
    func additions(batch: Int) throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        for number in 0..<300 { try StoreWorld.add("new \(number)", to: there) }
        try Self.delete(ids.prefix(60), in: there)
        #expect(try Self.pull(here, from: there, batch: batch)?.liveCount == 100)
    }

    @Test("a first sync that brings tombstones, and purges of what is in the trash, are no deletes")
    func tombstones() throws {
        let world = StoreWorld()
        let there = try world.create("there")
        let ids = try (0..<100).map { try StoreWorld.add("t\($0)", to: there) }
        try Self.delete(ids.prefix(90), in: there)
        let here = try world.create("here")
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        try there.write { transaction in for id in ids.prefix(90) { try transaction.purge(id) } }
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        #expect(try Self.count(here) == 10)
        try StoreWorld.mingle([here, there])
        try StoreWorld.expectEqual([here, there])
    }

    @Test("purges of what is alive here are deletes")
    func purges() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try there.write { transaction in
            for id in ids.prefix(60) { try transaction.purge(id, isForced: true) }
        }
        #expect(try Self.pull(here, from: there, batch: 1000)?.deletedCount == 60)
    }

    @Test("own edits of a store whose brake holds go on to others")
    func ownEdits() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids, in: there)
        #expect(try Self.pull(here, from: there, batch: 10) != nil)
        try StoreWorld.add("mine", to: here)
        try StoreWorld.pull(there, from: here)
        #expect(try StoreWorld.titles(there) == ["mine"])
    }

    @Test("a snapshot is there before more than a tenth is gone, and holds what was alive then")
    func snapshot() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 300)
        try Self.delete(ids, in: there)
        let held = try #require(try Self.pull(here, from: there, batch: 10))
        #expect(here.snapshots().map(\.name) == [held.snapshot])
        let path = here.paths.snapshots + "/" + held.snapshot
        let alive = world.run("sqlite3", path, "select count(*) from todo").output
        #expect(alive == "270\n")
        #expect(world.run("sqlite3", path, "pragma integrity_check").output == "ok\n")
        // Tried again it takes no second one, and writes nothing.
        let version = try here.wasChangedByOthers()
        #expect(try Self.pull(here, from: there, batch: 10) == held)
        #expect(here.snapshots().count == 1)
        #expect(try here.wasChangedByOthers() == version)
    }

    @Test("the oldest snapshots go, also where the clock was set back")
    func snapshotCount() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        var names: [String] = []
        for number in 0..<8 {
            world.now -= 86_400_000 * Int64(number)
            names.append(try store.takeSnapshot())
        }
        #expect(store.snapshots().map(\.name) == Array(names.suffix(Store.snapshotCountMax)))
    }

    @Test("without room for a snapshot deletes are held all the same, and can be accepted")
    func fullDisk() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        try Self.delete(ids, in: there)
        // A file where the folder should be.
        world.put("", in: "here/snapshots")
        #expect(try Self.pull(here, from: there, batch: 1000)?.snapshot == "")
        #expect(try Self.count(here) == 100)
        #expect(try here.acceptDeletes() == 1)
        #expect(try Self.pull(here, from: there, batch: 1000) == nil)
        #expect(try Self.count(here) == 0)
    }

    @Test("a live session starts to count anew after a day")
    func longSession() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 100)
        for part in 0..<4 {
            try Self.delete(ids[(part * 20)..<(part * 20 + 20)], in: there)
            let hello = try there.greeting(to: here.replica)
            let mine = try here.greeting(to: hello.replica)
            let reading = try there.read(
                from: .checkpoint(mine.peerCheckpoint?.checkpoint),
                peerHas: PeerHoldings(mine.stateSummary.knowledge), wanted: [], isFull: false)
            let result = try here.integrate(
                reading.changes, from: hello.replica, checkpoint: reading.through)
            #expect((result.held != nil) == (part == 2))
            if part == 2 { break }
            let stateSummary = try #require(reading.stateSummary)
            _ = try here.join(stateSummary, from: hello.replica, through: reading.through)
        }
        world.now += 25 * 3_600_000
        #expect(try here.heldDeletes().count == 1)
    }

    @Test("edits-win: a delete that an edit here overrules is none")
    func overruled() throws {
        let world = StoreWorld()
        let (here, there, ids) = try Self.pair(world, count: 60, policy: .editsWin)
        for id in ids { try StoreWorld.rename(id, "mine", in: here) }
        try Self.delete(ids, in: there)
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        #expect(try Self.count(here) == 60)
    }

    @Test("without a brake everything passes")
    func off() throws {
        let world = StoreWorld()
        var options = StoreOptions()
        options.massDeleteGuard = nil
        let here = try world.create("here", options: options)
        let there = try world.create("there")
        let ids = try (0..<100).map { try StoreWorld.add("t\($0)", to: there) }
        try StoreWorld.mingle([here, there])
        try Self.delete(ids, in: there)
        #expect(try Self.pull(here, from: there, batch: 10) == nil)
        #expect(try Self.count(here) == 0)
    }
}

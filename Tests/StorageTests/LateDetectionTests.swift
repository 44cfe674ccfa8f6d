import Core
import Storage
import TestSupport
import Testing

@Suite("A fork that is found late")
struct LateDetectionTests {
    /// A store that was set back in a way that no identity file can tell, and two devices that knew it before.
    ///
    /// The old content is put into the same file after a kill, as a machine's snapshot does.
    private struct Rollback {
        let world: StoreWorld
        var store: Store
        let peer: Store
        let third: Store
        let replica: ReplicaID
        let edited: RecordID
        let deleted: RecordID
        let untouched: RecordID

        init(policy: DeletePolicy) throws {
            world = StoreWorld()
            store = try world.create("a", policy: policy)
            peer = try world.create("b", policy: policy)
            third = try world.create("c", policy: policy)
            replica = try store.summary().replica
            edited = try StoreWorld.add("edited", to: store)
            deleted = try StoreWorld.add("deleted", to: store)
            untouched = try StoreWorld.add("untouched", to: store)
            try StoreWorld.mingle([store, peer, third])
            world.run("sqlite3", world.path("a/store.db"), ".backup \(world.path("old"))")
            // The writes that are set back: three that the peer has, one of them on a record of its
            // own.
            try StoreWorld.rename(edited, "edited by the lost line", in: store)
            try StoreWorld.add("made by the lost line", to: store)
            try StoreWorld.rename(untouched, "untouched?", in: store)
            try StoreWorld.pull(peer, from: store)
            try peer.write { _ = try $0.delete(edited) }
            store.abandon()
            world.run("rm", "-f", world.path("a/store.db-wal"), world.path("a/store.db-shm"))
            world.run("sh", "-c", "cat \(world.path("old")) > \(world.path("a/store.db"))")
            // Without the note of the last commit nothing is noticed at open.
            world.run("truncate", "-s", "192", world.path("a/lock"))
            store = try world.open("a")
        }

        /// Writes in the line that was set back: a new opening, five writes under dots that were used.
        mutating func goOn() throws {
            store.close()
            store = try world.open("a")
            #expect(store.suspicion == nil)
            #expect(try store.summary().replica == replica)
            let (edited, deleted) = (edited, deleted)
            try StoreWorld.rename(edited, "edited by the other line", in: store)
            try store.write { _ = try $0.delete(deleted) }
            try StoreWorld.add("made by the other line", to: store)
            try StoreWorld.add("and another", to: store)
            try StoreWorld.add("and a third", to: store)
        }

        func peerCheckpoint() throws -> PeerCheckpoint {
            try #require(try peer.greeting(to: replica).peerCheckpoint)
        }
    }

    @Test(
        "writes above the fork get new dots, and every device has both lines",
        arguments: [DeletePolicy.deletesWin, .editsWin])
    func settle(policy: DeletePolicy) throws {
        var lost = try Rollback(policy: policy)
        try lost.goOn()
        let store = lost.store
        let remembered = try lost.peerCheckpoint()
        #expect(try store.isSuspicious(counter: remembered.counter, epoch: remembered.epoch))
        let history = try lost.peer.history(of: lost.replica)
        let fork: UInt64 = 4
        #expect(try store.resolve(history))
        #expect(store.suspicion == .peerKnowsOther)
        let new = try store.summary().replica
        #expect(new != lost.replica)
        #expect(try store.summary().knowledge.counter(of: lost.replica) == fork)
        #expect(try store.summary().peers.isEmpty)
        #expect(try store.examine() == [])
        for stored in try store.fetch(FetchRequest(StoreWorld.todo, scope: .all)) {
            #expect(stored.record.clock.counter(of: lost.replica) <= fork)
            for write in stored.record.writes {
                #expect(write.isRecovered == (write.dot.replica == new))
                for assignment in write.assignments {
                    guard case .clock(let clock) = assignment.value else { continue }
                    #expect(clock.counter(of: lost.replica) <= fork)
                    #expect(clock.covers(write.dot))
                }
            }
        }
        try StoreWorld.mingle([store, lost.peer, lost.third])
        try StoreWorld.expectEqual([store, lost.peer, lost.third])
        // The delete had not seen the other line's edit, but what is recovered revives nothing.
        let verdict = try #require(try store.record(lost.edited)).verdict
        #expect(verdict.isDeleted && !verdict.isContested)
        #expect(
            try StoreWorld.titles(lost.third) == [
                "and a third", "and another", "made by the lost line", "made by the other line",
                "untouched?",
            ])
        // The new identity is kept.
        store.close()
        let again = try lost.world.open("a")
        #expect(again.suspicion == nil)
        #expect(try again.summary().replica == new)
        #expect(try !again.resolve(lost.peer.history(of: new)))
    }

    @Test(
        "a peer's word of a higher counter, an unknown epoch or one past an epoch's end is a doubt")
    func suspicions() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        try StoreWorld.add("1", to: store)
        let first = try store.greeting(to: nil).incarnation.epoch
        store.close()
        store = try world.open("a")
        try StoreWorld.add("2", to: store)
        let second = try store.greeting(to: nil).incarnation.epoch
        let counter = try store.summary().counter
        #expect(counter == 3)
        #expect(try !store.isSuspicious(counter: 0, epoch: nil))
        #expect(try !store.isSuspicious(counter: 3, epoch: second))
        #expect(try !store.isSuspicious(counter: 3, epoch: nil))
        #expect(try !store.isSuspicious(counter: 2, epoch: first))
        #expect(try store.isSuspicious(counter: 4, epoch: second))
        #expect(try store.isSuspicious(counter: 4, epoch: nil))
        #expect(try store.isSuspicious(counter: 3, epoch: first))
        #expect(try store.isSuspicious(counter: 1, epoch: EpochID(value: 12345)))
    }

    @Test("a history that is part of one's own is no fork, and of another replica is none either")
    func noFork() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let peer = try world.create("b")
        try StoreWorld.add("1", to: store)
        try StoreWorld.pull(peer, from: store)
        let summary = try store.summary()
        #expect(try !store.resolve(peer.history(of: summary.replica)))
        let other = History(replica: ReplicaID(value: 1), counter: 99, incarnations: [])
        #expect(try !store.resolve(other))
        let empty = History(replica: summary.replica, counter: 0, incarnations: [])
        #expect(try !store.resolve(empty))
        #expect(try store.summary().replica == summary.replica)
        #expect(store.suspicion == nil)
    }

    @Test("a peer that greets with this store's own id makes it take a new one")
    func sameID() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("1", to: store)
        let replica = try store.summary().replica
        let incarnation = Incarnation(epoch: EpochID(value: 77), counter: 1)
        let history = History(replica: replica, counter: 1, incarnations: [incarnation])
        #expect(try store.resolve(history, isCertain: true))
        #expect(store.suspicion == .peerHasOurID)
        #expect(try store.summary().replica != replica)
        #expect(try store.examine() == [])
    }

    @Test(
        "a batch or a state summary with writes of this replica that it never made is refused whole"
    )
    func foreignOwnWrites() throws {
        var lost = try Rollback(policy: .deletesWin)
        let before = try lost.store.summary()
        #expect(throws: StoreFault.foreignOwnWrites) {
            try StoreWorld.pull(lost.store, from: lost.peer)
        }
        #expect(try lost.store.summary() == before)
        #expect(try lost.store.examine() == [])
        let stateSummary = StateSummary(
            entries: [StateSummaryEntry(replica: lost.replica, counter: 99, checksum: 0, seen: 99)],
            digest: 0)
        #expect(throws: StoreFault.foreignOwnWrites) {
            try lost.store.join(
                stateSummary, from: ReplicaID(value: 5),
                through: Checkpoint(epoch: EpochID(value: 1), sequence: 1))
        }
        try lost.goOn()
        #expect(try lost.store.resolve(lost.peer.history(of: lost.replica)))
        try StoreWorld.mingle([lost.store, lost.peer, lost.third])
        try StoreWorld.expectEqual([lost.store, lost.peer, lost.third])
    }

    @Test("settling that fails on a full disk leaves the old identity as it was")
    func fullDisk() throws {
        var lost = try Rollback(policy: .deletesWin)
        try lost.goOn()
        try lost.store.write { transaction in
            for number in 0..<1500 {
                try transaction.insert(
                    [Assignment(.number(2), .text("filler \(number)"))], into: StoreWorld.todo)
            }
        }
        lost.store.close()
        let pages = lost.world.run(
            "sqlite3", lost.world.path("a/store.db"), "pragma page_count"
        ).output
        let count = try #require(Int(pages.dropLast()))
        let store = try lost.world.open("a", options: lost.world.tiny(count))
        let before = try store.summary()
        #expect(throws: StoreFault.self) { try store.resolve(lost.peer.history(of: lost.replica)) }
        #expect(try store.summary() == before)
        #expect(store.suspicion == nil)
        #expect(try store.examine() == [])
    }
}

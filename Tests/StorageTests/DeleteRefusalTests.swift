import Core
import Storage
import TestSupport
import Testing

@Suite("Refused deletes")
struct DeleteRefusalTests {
    /// Three stores in sync with forty to-dos, of which the last has deleted all.
    private func robbed(
        _ world: StoreWorld
    ) throws -> (here: Store, beside: Store, thief: Store, ids: [RecordID]) {
        let here = try world.create("here")
        let (beside, thief) = (try world.create("beside"), try world.create("thief"))
        let ids = try (0..<40).map { try StoreWorld.add("t\($0)", to: here) }
        try StoreWorld.mingle([here, beside, thief])
        try MassDeleteGuardTests.delete(ids, in: thief)
        return (here, beside, thief, ids)
    }

    private func pull(_ receiver: Store, from sender: Store) throws -> HeldDeletes? {
        let held = try MassDeleteGuardTests.pull(receiver, from: sender, batch: 100)
        try receiver.bringBackRefused()
        return held
    }

    @Test(
        "deletes that are refused come by the peer, take nothing away, and are undone at the peer")
    func refused() throws {
        let (here, _, thief, _) = try robbed(StoreWorld())
        #expect(try pull(here, from: thief)?.deletedCount == 40)
        #expect(try here.refuseDeletes() == 1)
        #expect(try here.heldDeletes().isEmpty)
        #expect(try here.refuseDeletes() == 0)
        #expect(try pull(here, from: thief) == nil)
        #expect(here.broughtBackCount == 40)
        #expect(try MassDeleteGuardTests.count(here) == 40)
        #expect(try here.refusedRecords().isEmpty)
        #expect(try pull(thief, from: here) == nil)
        #expect(try MassDeleteGuardTests.count(thief) == 40)
        try StoreWorld.mingle([here, thief])
        try StoreWorld.expectEqual([here, thief])
    }

    @Test("refused deletes are not held when they come by a device that took them")
    func anotherWay() throws {
        let (here, beside, thief, _) = try robbed(StoreWorld())
        #expect(try pull(beside, from: thief) != nil)
        try beside.acceptDeletes()
        #expect(try pull(beside, from: thief) == nil)
        #expect(try MassDeleteGuardTests.count(beside) == 0)
        #expect(try pull(here, from: thief) != nil)
        try here.refuseDeletes(outcasts: [thief.replica])
        #expect(try pull(here, from: beside) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 40)
        #expect(try pull(beside, from: here) == nil)
        #expect(try MassDeleteGuardTests.count(beside) == 40)
    }

    @Test("accepted deletes are not held when they come by a device that took them")
    func acceptedAnotherWay() throws {
        let (here, beside, thief, _) = try robbed(StoreWorld())
        for store in [here, beside] {
            #expect(try pull(store, from: thief) != nil)
            try store.acceptDeletes()
        }
        #expect(try pull(beside, from: thief) == nil)
        #expect(try pull(here, from: beside) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 0)
    }

    @Test("a purged record comes back as it was, and so does one that was deleted before the hold")
    func purgedAndTaken() throws {
        let (here, _, thief, ids) = try robbed(StoreWorld())
        try thief.write { transaction in
            for id in ids.prefix(10) { _ = try transaction.purge(id, isForced: true) }
        }
        let held = try MassDeleteGuardTests.pull(here, from: thief, batch: 10)
        #expect((held?.takenCount ?? 0) > 0)
        #expect(try MassDeleteGuardTests.count(here) < 40)
        try here.refuseDeletes()
        try here.bringBackRefused()
        #expect(try MassDeleteGuardTests.count(here) == 40)
        #expect(try pull(here, from: thief) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 40)
        for (index, id) in ids.enumerated() {
            #expect(try here.record(id)?[2] == .text("t\(index)"))
        }
    }

    @Test(
        "what was in the trash is there again, whole, after a purge that came with refused deletes",
        arguments: [false, true])
    func purgedTrash(isAside: Bool) throws {
        let world = StoreWorld()
        let (here, thief) = (try world.create("here"), try world.create("thief"))
        let ids = try (0..<43).map { try StoreWorld.add("t\($0)", to: here) }
        let trash = ids.prefix(3)
        try MassDeleteGuardTests.delete(trash, in: here)
        try StoreWorld.mingle([here, thief])
        try MassDeleteGuardTests.delete(ids.dropFirst(3), in: thief)
        try thief.write { transaction in for id in trash { _ = try transaction.purge(id) } }
        if isAside {
            let reading = try thief.read(
                from: .sequence(0),
                peerHas: PeerHoldings(try here.greeting(to: nil).stateSummary.knowledge))
            _ = try here.integrate(
                reading.changes, from: ReplicaID(value: 77), checkpoint: nil, startsSession: true,
                mergesUnheld: true)
        } else {
            #expect(try pull(here, from: thief) != nil)
        }
        try here.refuseDeletes()
        #expect(try pull(here, from: thief) == nil)
        try StoreWorld.pull(thief, from: here)
        for store in [here, thief] {
            for (index, id) in trash.enumerated() {
                let record = try #require(try store.record(id))
                #expect(record.standing == .trashed && record[2] == .text("t\(index)"))
            }
            #expect(try MassDeleteGuardTests.count(store) == 40)
        }
        #expect(try here.refusedRecords().isEmpty && here.unrestoredCount() == 0)
    }

    @Test("a delete that was made after the refusal is taken; one of an outcast never")
    func later() throws {
        for isOut in [false, true] {
            let world = StoreWorld()
            let (here, _, thief, ids) = try robbed(world)
            #expect(try pull(here, from: thief) != nil)
            try here.refuseDeletes(outcasts: isOut ? [thief.replica] : [])
            #expect(try pull(here, from: thief) == nil)
            #expect(try pull(thief, from: here) == nil)
            world.now += 60_000
            try MassDeleteGuardTests.delete(ids.prefix(1), in: thief)
            #expect(try pull(here, from: thief) == nil)
            #expect(try MassDeleteGuardTests.count(here) == (isOut ? 40 : 39))
        }
    }

    @Test("records that wait to be brought back are, after the program was killed")
    func killed() throws {
        let world = StoreWorld()
        let (here, _, thief, _) = try robbed(world)
        #expect(try pull(here, from: thief) != nil)
        try here.refuseDeletes()
        #expect(try MassDeleteGuardTests.pull(here, from: thief, batch: 100) == nil)
        #expect(try here.refusedRecords().count == 40)
        here.close()
        let again = try world.open("here")
        #expect(try again.bringBackRefused())
        #expect(try MassDeleteGuardTests.count(again) == 40)
    }

    @Test("a record that was written apart from a refused purge comes back with what was written")
    func writtenApart() throws {
        let (here, beside, thief, ids) = try robbed(StoreWorld())
        try here.write { transaction in
            for id in ids.prefix(1) {
                try transaction.update(id, [Assignment(.number(3), .text("for pancakes"))])
            }
        }
        try StoreWorld.mingle([here, beside])
        try StoreWorld.pull(thief, from: here)
        try thief.write { _ = try $0.purge(ids[0], isForced: true) }
        try StoreWorld.rename(ids[0], "new", in: beside)
        #expect(try pull(beside, from: thief) != nil)
        try beside.acceptDeletes()
        #expect(try pull(beside, from: thief) == nil)
        #expect(try beside.record(ids[0])?.standing == .editedAfterPurge)
        #expect(try pull(here, from: thief) != nil)
        try here.refuseDeletes()
        // One change brings the purge and what was written apart from it.
        #expect(try pull(here, from: beside) == nil)
        #expect(try pull(beside, from: here) == nil)
        for store in [here, beside] {
            #expect(try store.record(ids[0])?[2] == .text("new"))
            #expect(try store.record(ids[0])?[3] == .text("for pancakes"))
        }
    }

    @Test("a record that another device deletes as well stays deleted, in either order of arrival")
    func alsoDeleted() throws {
        for isStolenFirst in [true, false] {
            let (here, beside, thief, ids) = try robbed(StoreWorld())
            #expect(try pull(here, from: thief) != nil)
            try here.refuseDeletes()
            try MassDeleteGuardTests.delete(ids.prefix(1), in: beside)
            let versions = try [thief, beside].map { store in
                let all = try store.read(from: .sequence(0), peerHas: PeerHoldings())
                return try #require(all.changes.first { $0.id == ids[0] })
            }
            _ = try here.integrate(
                isStolenFirst ? versions : versions.reversed(), from: beside.replica,
                checkpoint: nil)
            try here.bringBackRefused()
            #expect(try here.record(ids[0])?.standing == .trashed)
            #expect(try here.refusedRecords().isEmpty)
            #expect(try pull(here, from: thief) == nil)
            #expect(try MassDeleteGuardTests.count(here) == 39)
        }
    }

    @Test("one record that is too large to be brought back keeps no other back, and is counted")
    func tooLarge() throws {
        let world = StoreWorld()
        let (here, beside, thief, ids) = try robbed(world)
        // What was there before its purge and what was written apart from that are more than one record may have.
        let half = RecordLimits.assignmentCountMax / 2 + 1
        let parts = [91, 92].map { author in
            let write = Write(
                dot: Dot(replica: ReplicaID(value: UInt128(author)), counter: 1), timestamp: .zero,
                assignments: (0..<half)
                    .map { Assignment(.element(.number(8), .text("\(author) \($0)")), .bool(true)) }
                    .sorted { $0.field < $1.field })
            let record = RecordState(clock: VersionVector(write.dot), writes: [write])
            return Change(
                id: ids[0], clock: record.clock,
                body: BodyCodec.encode(record, in: StoreWorld.todo))
        }
        func hear(_ change: Change, _ store: Store) throws {
            let found = try store.integrate([change], from: beside.replica, checkpoint: nil)
            #expect(found.deferredCount == 0)
        }
        for store in [here, thief] { try hear(parts[0], store) }
        try thief.write { _ = try $0.purge(ids[0], isForced: true) }
        try hear(parts[1], thief)
        #expect(try pull(here, from: thief) != nil)
        try here.refuseDeletes()
        #expect(try pull(here, from: thief) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 39)
        #expect(try here.unrestoredCount() == 1)
        #expect(try here.refusedRecords().isEmpty)
        #expect(try !here.bringBackRefused())
        #expect(try here.examine() == [])
        here.close()
        let again = try world.open("here")
        #expect(try again.refusedRecords() == [RecordName(StoreWorld.todo, ids[0])])
        #expect(try !again.bringBackRefused())
        #expect(try again.unrestoredCount() == 1)
    }

    @Test("a record that is damaged where it waits keeps no other back, and is counted")
    func damaged() throws {
        let world = StoreWorld()
        let (here, _, thief, ids) = try robbed(world)
        try thief.write { transaction in
            for id in ids.prefix(2) { _ = try transaction.purge(id, isForced: true) }
        }
        #expect(try pull(here, from: thief) != nil)
        try here.refuseDeletes()
        #expect(try MassDeleteGuardTests.pull(here, from: thief, batch: 100) == nil)
        here.close()
        world.run(
            "sqlite3", world.path("here/store.db"),
            "update refused_delete set body = x'00' where id = x'\(ids[0].hexadecimal)'")
        let again = try world.open("here")
        #expect(try again.bringBackRefused())
        #expect(try MassDeleteGuardTests.count(again) == 39)
        #expect(try again.unrestoredCount() == 1)
    }
}

@Suite("Refused deletes and clocks")
struct DeleteRefusalClockTests {
    private static let year: Int64 = 365 * 86_400_000
    /// By how much the clocks of both are off; milliseconds.
    private static let shifts: [(Int64, Int64)] = [
        (0, 0), (0, -26 * year), (year, 0), (0, year), (-26 * year, 0),
    ]

    /// Two stores with clocks of their own, in sync with forty to-dos, of which the second has deleted all.
    private func robbed(
        _ shifts: (here: Int64, thief: Int64)
    ) throws -> (worlds: [StoreWorld], here: Store, thief: Store, ids: [RecordID]) {
        let worlds = [StoreWorld(), StoreWorld(seed: 2)]
        worlds[0].now += shifts.here
        worlds[1].now += shifts.thief
        let (here, thief) = (try worlds[0].create("here"), try worlds[1].create("thief"))
        let ids = try (0..<40).map { try StoreWorld.add("t\($0)", to: here) }
        try StoreWorld.mingle([here, thief])
        try MassDeleteGuardTests.delete(ids, in: thief)
        return (worlds, here, thief, ids)
    }

    private func pull(_ receiver: Store, from sender: Store) throws -> HeldDeletes? {
        let held = try MassDeleteGuardTests.pull(receiver, from: sender, batch: 25)
        try receiver.bringBackRefused()
        return held
    }

    @Test(
        "deletes made before the refusal are undone, and the next one is taken, whatever the clocks show",
        arguments: shifts)
    func skewed(here: Int64, thief: Int64) throws {
        let (worlds, here, thief, ids) = try robbed((here, thief))
        defer { withExtendedLifetime(worlds) {} }
        #expect(try pull(here, from: thief) != nil)
        try here.refuseDeletes()
        #expect(try pull(here, from: thief) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 40)
        #expect(try pull(thief, from: here) == nil)
        try MassDeleteGuardTests.delete(ids.prefix(1), in: thief)
        #expect(try pull(here, from: thief) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 39)
        #expect(try here.refusedRecords().isEmpty)
    }

    @Test(
        "a refusal lasts until all that is held has come, and ends with it by another device, too")
    func ends() throws {
        let (worlds, here, thief, ids) = try robbed((0, 0))
        let beside = try worlds[0].create("beside")
        try StoreWorld.pull(beside, from: here)
        #expect(try pull(here, from: thief) != nil)
        try here.refuseDeletes()
        // An exchange with a device that has none of them ends nothing.
        #expect(try pull(here, from: beside) == nil)
        #expect(try pull(beside, from: thief) != nil)
        try beside.acceptDeletes()
        #expect(try pull(beside, from: thief) == nil)
        #expect(try MassDeleteGuardTests.count(beside) == 0)
        #expect(try pull(here, from: beside) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 40)
        #expect(try pull(thief, from: here) == nil)
        try MassDeleteGuardTests.delete(ids.prefix(1), in: thief)
        #expect(try pull(beside, from: thief) == nil)
        #expect(try pull(here, from: beside) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 39)
    }
}

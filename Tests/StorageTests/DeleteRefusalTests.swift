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
}

import Core
import Storage
import TestSupport
import Testing

@Suite("What a store notes and tells of its contacts")
struct HeldDeleteCountTests {
    private static func told(_ store: Store, by replica: ReplicaID) throws -> Value? {
        let record = try #require(try store.record(RecordName(deviceOf: replica)))
        return record.record.visible(.number(Store.heldField))
    }

    /// A store that holds the deletes of another one's forty to-dos, and that other one.
    private static func held(_ world: StoreWorld) throws -> (here: Store, there: Store) {
        let here = try world.create("here")
        let there = try world.create("there")
        let ids = try (0..<40).map { try StoreWorld.add("t\($0)", to: there) }
        try StoreWorld.mingle([here, there])
        try there.write { transaction in for id in ids { _ = try transaction.delete(id) } }
        let hello = try there.greeting(to: here.replica)
        let mine = try here.greeting(to: hello.replica)
        let reading = try there.read(
            from: .sequence(0), peerHas: PeerHoldings(mine.stateSummary.knowledge), wanted: [],
            isFull: false)
        let result = try here.integrate(reading.changes, from: hello.replica, checkpoint: nil)
        #expect(result.held?.deletedCount == 40)
        return (here, there)
    }

    @Test(
        "deletes that wait here are told in the device's record, once, and taken back when accepted"
    )
    func heldDeletes() throws {
        let (here, there) = try Self.held(StoreWorld())
        #expect(try Self.told(here, by: here.replica) == nil)
        #expect(try here.tellHeldDeletes())
        #expect(try !here.tellHeldDeletes())
        // Held deletes do not keep other changes from being sent.
        try StoreWorld.pull(there, from: here)
        #expect(try Self.told(there, by: here.replica) == .int(40))
        try here.acceptDeletes()
        #expect(try Self.told(here, by: here.replica) == .null)
        #expect(try !here.tellHeldDeletes())
        try StoreWorld.mingle([here, there])
        #expect(try Self.told(there, by: here.replica) == .null)
        try StoreWorld.expectEqual([here, there])
    }

    @Test("the answer to deletes of several peers is told by one write")
    func oneWrite() throws {
        for isAccepted in [false, true] {
            let (here, there) = try Self.held(StoreWorld())
            let relay = ReplicaID(value: 77)
            let deletes = try there.read(
                from: .sequence(0), peerHas: PeerHoldings(try here.summary().knowledge))
            let again = try here.integrate(deletes.changes, from: relay, checkpoint: nil)
            #expect(again.held?.peer == relay)
            #expect(try here.tellHeldDeletes())
            // Deletes of one device that came two ways count once.
            #expect(try Self.told(here, by: here.replica) == .int(40))
            let before = try here.summary().counter
            if isAccepted {
                #expect(try here.acceptDeletes(of: [relay, there.replica]) == 2)
            } else {
                try here.refuseAllDeletes(by: [there.replica])
            }
            #expect(try here.heldDeletes().isEmpty)
            #expect(try Self.told(here, by: here.replica) == .null)
            #expect(try here.summary().counter == before + 1)
        }
    }

    @Test("a store that holds nothing writes nothing")
    func nothingHeld() throws {
        let world = StoreWorld()
        let store = try world.create("here")
        let before = try store.summary()
        #expect(try !store.tellHeldDeletes())
        #expect(try store.acceptDeletes() == 0)
        #expect(try store.summary() == before)
    }

    @Test("a store with a new id takes back what it told under the former one")
    func formerSelf() throws {
        let world = StoreWorld()
        let (here, there) = try Self.held(world)
        let former = here.replica
        #expect(try here.tellHeldDeletes())
        here.abandon()
        world.boot = "boot-2"
        let again = try world.open("here")
        #expect(again.suspicion == .powerCut)
        try again.acceptDeletes()
        #expect(again.replica != former)
        #expect(try Self.told(again, by: former) == .null)
        try StoreWorld.mingle([again, there])
        #expect(try Self.told(there, by: former) == .null)
    }

    @Test("a copy leaves what its original told, and an original says again what others took back")
    func copy() throws {
        let world = StoreWorld()
        let (here, there) = try Self.held(world)
        let id = here.replica
        #expect(try here.tellHeldDeletes())
        here.close()
        world.run("cp", "-r", world.path("here"), world.path("copy"))
        let copy = try world.open("copy")
        #expect(copy.suspicion == .otherFile)
        try copy.acceptDeletes()
        #expect(try Self.told(copy, by: id) == .int(40))
        let original = try world.open("here")
        #expect(original.replica == id)
        #expect(try Self.told(there, by: id) == nil)
        try StoreWorld.pull(there, from: copy)
        #expect(try Self.told(there, by: id) == .int(40))
        // The original still holds them, whichever device undoes the deletes.
        try original.write { transaction in
            _ = try transaction.update(
                RecordName(deviceOf: id), [Assignment(.number(Store.heldField), .null)])
        }
        #expect(try original.tellHeldDeletes())
        #expect(try Self.told(original, by: id) == .int(40))
    }

    @Test("a contact in which nothing was new is noted as well, once a minute")
    func contact() throws {
        let world = StoreWorld()
        let (here, there) = (try world.create("here"), try world.create("there"))
        try StoreWorld.add("a", to: there)
        try StoreWorld.mingle([here, there])
        let met = try #require(try here.summary().peers.first)
        world.now = met.lastContact + 59_000
        try here.noteContact(with: met.replica)
        #expect(try here.summary().peers.first?.lastContact == met.lastContact)
        world.now = met.lastContact + 3_600_000
        try here.noteContact(with: met.replica)
        #expect(try here.summary().peers.first?.lastContact == world.now)
        // Nobody is made up.
        try here.noteContact(with: ReplicaID(value: 99))
        #expect(try here.summary().peers.count == 1)
    }
}

import Core
import Storage
import TestSupport
import Testing

/// One answer to held deletes is enough for all devices that hold them; Protocol/Model/held_model.py searches the rules.
@Suite("Accepted deletes, on other devices")
struct DeleteAcceptanceTests {
    private let world = StoreWorld()
    private let here: Store
    private let beside: Store
    private let thief: Store
    private let ids: [RecordID]

    /// Three stores in sync with forty to-dos, of which the last has deleted all.
    init() throws {
        (here, beside, thief) = (
            try world.create("here"), try world.create("beside"), try world.create("thief")
        )
        let here = here
        ids = try (0..<40).map { try StoreWorld.add("t\($0)", to: here) }
        try StoreWorld.mingle([here, beside, thief])
        try MassDeleteGuardTests.delete(ids, in: thief)
    }

    private func pull(
        _ receiver: Store, from sender: Store, batch: Int = 100
    ) throws -> HeldDeletes? {
        try MassDeleteGuardTests.pull(receiver, from: sender, batch: batch)
    }

    /// Accepts on a store the deletes that it holds, and has them all.
    private func accept(on store: Store, of sender: Store? = nil) throws {
        #expect(try pull(store, from: sender ?? thief) != nil)
        try store.acceptDeletes()
        #expect(try pull(store, from: sender ?? thief) == nil)
        #expect(try store.tellAcceptedDeletes())
        #expect(try !store.tellAcceptedDeletes())
    }

    /// Merges the records of devices alone, as a session does behind deletes that it holds.
    private func pullDevices(_ receiver: Store, from sender: Store) throws {
        let changes = try sender.read(from: .sequence(0), peerHas: PeerHoldings(), isFull: true)
            .changes
        _ = try receiver.integrateDevices(changes, from: sender.replica)
    }

    private func assign(_ number: UInt32, _ value: Value, to device: Store, in store: Store) throws
    {
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(
                RecordName(deviceOf: device.replica), [Assignment(.number(number), value)])
        }
    }

    @Test("accepted by one device, they are held by no other, and are in a snapshot there")
    func neverAsked() throws {
        try accept(on: here)
        #expect(try pull(beside, from: here) == nil)
        #expect(try MassDeleteGuardTests.count(beside) == 0)
        #expect(try beside.heldDeletes().isEmpty)
        #expect(!beside.snapshots().isEmpty)
        try StoreWorld.mingle([here, beside, thief])
        try StoreWorld.expectEqual([here, beside, thief])
    }

    @Test(
        "a question that was asked ends as the other's record comes, whichever way the deletes came"
    )
    func asked() throws {
        #expect(try pull(beside, from: thief) != nil)
        try accept(on: here)
        try pullDevices(beside, from: here)
        #expect(try beside.heldDeletes().isEmpty)
        // Nothing was deleted by that alone.
        #expect(try MassDeleteGuardTests.count(beside) == 40)
        #expect(try pull(beside, from: thief) == nil)
        #expect(try MassDeleteGuardTests.count(beside) == 0)
        #expect(try beside.examine() == [])
    }

    @Test("a batch that is held gives the records of devices in it, and nothing else")
    func behind() throws {
        try accept(on: here)
        try StoreWorld.add("later", to: here)
        // The deletes first, then the device's record: batches of one.
        #expect(try pull(beside, from: here, batch: 10) != nil)
        #expect(try MassDeleteGuardTests.count(beside) >= 20)
        try pullDevices(beside, from: here)
        #expect(try beside.heldDeletes().isEmpty)
        #expect(try pull(beside, from: here, batch: 10) == nil)
        #expect(try StoreWorld.titles(beside) == ["later"])
    }

    @Test("deletes that were made later are held")
    func later() throws {
        try accept(on: here)
        try StoreWorld.mingle([here, beside, thief])
        let more = try (0..<40).map { try StoreWorld.add("m\($0)", to: here) }
        try StoreWorld.mingle([here, beside, thief])
        world.now += 86_400_000 * 2
        try MassDeleteGuardTests.delete(more, in: thief)
        #expect(try pull(beside, from: thief)?.deletedCount == 40)
    }

    @Test("an edit made apart from accepted deletes is kept, and can be restored")
    func concurrent() throws {
        try StoreWorld.rename(ids[0], "mine", in: beside)
        try accept(on: here)
        #expect(try pull(beside, from: here) == nil)
        #expect(try beside.record(ids[0])?.standing == .trashed)
        #expect(try beside.record(ids[0])?[2] == .text("mine"))
        try beside.write { _ = try $0.restore(ids[0]) }
        try StoreWorld.mingle([here, beside, thief])
        #expect(try StoreWorld.titles(thief) == ["mine"])
    }

    @Test("set aside from a relay, they are merged as the other's record comes")
    func aside() throws {
        let relay = ReplicaID(value: 77)
        let stolen = try thief.read(from: .sequence(0), peerHas: PeerHoldings(), isFull: true)
            .changes
        let found = try beside.integrate(
            stolen, from: relay, checkpoint: nil, startsSession: true, setsDeletesAside: true)
        #expect(found.held?.deletedCount == 40)
        try accept(on: here)
        try pullDevices(beside, from: here)
        #expect(try beside.heldDeletes().isEmpty)
        #expect(try MassDeleteGuardTests.count(beside) == 0)
        // It was not asked here: this device says nothing of its own.
        #expect(try !beside.tellAcceptedDeletes())
        #expect(try beside.examine() == [])
    }

    @Test("deletes that were refused here stay refused, whoever accepts them")
    func refused() throws {
        #expect(try pull(beside, from: thief) != nil)
        try beside.refuseDeletes()
        try accept(on: here)
        #expect(try pull(beside, from: here) == nil)
        try beside.bringBackRefused()
        #expect(try MassDeleteGuardTests.count(beside) == 40)
        #expect(try pull(here, from: beside) == nil)
        #expect(try MassDeleteGuardTests.count(here) == 40)
    }

    /// A word that counts for nothing.
    enum Word: CaseIterable {
        case ofTheThief, ofAnotherReplicaOfTheThief, forAnother, ofARevokedDevice
    }

    @Test(
        "words that a thief could write, and those of a revoked device, count for nothing",
        arguments: Word.allCases)
    func forged(word: Word) throws {
        let counter = try thief.summary().knowledge.counter(of: thief.replica)
        var bytes = thief.replica.bytes
        withUnsafeBytes(of: (counter + 5).bigEndian) { bytes += Array($0) }
        let key = Value.bytes([UInt8](repeating: 7, count: 32))
        var speaker = thief
        switch word {
        case .ofTheThief: try assign(13, .bytes(bytes), to: thief, in: thief)
        case .ofAnotherReplicaOfTheThief:
            // The phone restored from a backup: another id, and the same key.
            speaker = try world.create("again")
            try StoreWorld.mingle([speaker, here])
            for store in [thief, speaker] { try assign(3, key, to: store, in: store) }
            try assign(13, .bytes(bytes), to: speaker, in: speaker)
        case .forAnother: try assign(13, .bytes(bytes), to: here, in: thief)
        case .ofARevokedDevice:
            speaker = here
            try assign(3, key, to: here, in: here)
            try assign(13, .bytes(bytes), to: here, in: here)
            try beside.edit { transaction throws(StoreFault) in
                try transaction.update(
                    RecordName(deviceOf: beside.replica),
                    [Assignment(.element(.number(6), key), .bool(true))])
            }
        }
        try pullDevices(beside, from: thief)
        try pullDevices(beside, from: speaker)
        #expect(try pull(beside, from: thief)?.deletedCount == 40)
        #expect(try MassDeleteGuardTests.count(beside) == 40)
    }
}

import Core
import Storage
import TestSupport
import Testing

/// Makes the store that is kept of the present format: with rows in every table.
///
/// Its to-dos are `bread`, `milk of the phone`, which has a conflict, and `tea`, of which a refused delete waits to be
/// undone; one more is in the trash, and some are purged.
struct FormatFixtureMaker {
    /// The relay from which rows, unopened versions and held deletes come.
    static let relay = ReplicaID(value: 77)
    /// The replica whose changes nobody can read.
    static let stranger = ReplicaID(value: 78)
    /// A key of a device that was revoked, and whose revocation was taken away.
    static let revokedKey = [UInt8](repeating: 9, count: 32)
    /// The deletes that are held.
    static let heldDeleteCount = 2

    private let world: StoreWorld
    private let through = Checkpoint(epoch: EpochID(value: 9), sequence: 7)

    init(_ world: StoreWorld) {
        self.world = world
    }

    /// Makes the store, and closes it.
    ///
    /// - Returns: the path of its database.
    func make() throws -> String {
        let original = try world.create("laptop")
        let phone = try world.create("phone")
        let (outcast, thief) = (try world.create("outcast"), try world.create("thief"))
        let names = ["milk", "old", "older", "apart", "tea"]
        let ids = try names.map { try StoreWorld.add($0, to: original) }
        let (milk, trashed, purged, apart, tea) = (ids[0], ids[1], ids[2], ids[3], ids[4])
        let bread = try StoreWorld.add("bread", to: phone)
        try StoreWorld.mingle([original, phone, outcast, thief])
        let laptop = try copy(of: original)

        try edit(milk, trashed, purged, in: laptop, phone)
        try fillJournal(tea, of: laptop)
        try copyFromPurged(apart, in: laptop, phone)
        try takeRevocationAway(of: phone, by: outcast, in: laptop)
        try noteContacts(in: laptop, phone)
        try readRelay(in: laptop)
        try refuseDelete(of: tea, by: outcast, in: laptop)
        try holdDeletes(of: [milk, bread], by: thief, in: laptop)
        for store in [laptop, phone, outcast, thief] { store.close() }
        return world.path("copy/store.db")
    }

    /// A copy of a store, which takes an id of its own.
    private func copy(of store: Store) throws -> Store {
        store.close()
        #expect(world.run("cp", "-r", world.path("laptop"), world.path("copy")).status == 0)
        var options = StoreOptions()
        options.journalEntryCountMax = 20
        options.massDeleteGuard = MassDeleteLimits(freeCount: 1)
        return try world.open("copy", options: options)
    }

    /// More changes than the journal keeps, and one that is undone.
    private func fillJournal(_ id: RecordID, of store: Store) throws {
        for number in 0..<64 { try StoreWorld.rename(id, "tea \(number)", in: store) }
        try StoreWorld.rename(id, "tea", in: store)
        try StoreWorld.rename(id, "green tea", in: store)
        let change = try #require(try store.localChanges(limit: 1).first)
        guard case .done = try store.undo(change.timestamp, isForced: false) else {
            throw StoreFault.closed
        }
    }

    /// A conflict, a to-do in the trash, a purged one, and a record of a collection that the schema does not know.
    private func edit(
        _ milk: RecordID, _ trashed: RecordID, _ purged: RecordID, in laptop: Store,
        _ phone: Store
    ) throws {
        try StoreWorld.rename(milk, "milk of the laptop", in: laptop)
        try StoreWorld.rename(milk, "milk of the phone", in: phone)
        _ = try laptop.write { try $0.delete(trashed) }
        _ = try laptop.write { try $0.delete(purged) }
        _ = try laptop.write { try $0.purge(purged) }
        _ = try phone.write {
            try $0.insert([Assignment(.number(2), .text("groceries"))], into: .text("lists"))
        }
        try StoreWorld.mingle([laptop, phone])
    }

    /// Edits of a purged to-do that were copied; the copy is purged as well.
    private func copyFromPurged(_ id: RecordID, in laptop: Store, _ phone: Store) throws {
        _ = try laptop.write { try $0.delete(id) }
        _ = try laptop.write { try $0.purge(id) }
        try StoreWorld.rename(id, "edited apart", in: phone)
        try StoreWorld.pull(laptop, from: phone)
        let name = RecordName(StoreWorld.todo, id)
        let copy = try #require(try laptop.write { try $0.copyFromPurged(name)?.id })
        _ = try laptop.write { try $0.delete(copy) }
        _ = try laptop.write { try $0.purge(copy) }
    }

    /// A revocation in the phone's record, which a purge takes away.
    private func takeRevocationAway(
        of phone: Store, by outcast: Store, in laptop: Store
    ) throws {
        let mark = Field.element(.number(Store.revokedField), .bytes(Self.revokedKey))
        try phone.edit { transaction throws(StoreFault) in
            try transaction.updateDevice(phone.replica, [Assignment(mark, .bool(true))])
        }
        for store in [laptop, outcast] { try StoreWorld.pull(store, from: phone) }
        try outcast.edit { transaction throws(StoreFault) in
            try transaction.purge(RecordName(deviceOf: phone.replica), isForced: true)
        }
        try StoreWorld.pull(laptop, from: outcast)
    }

    /// Notes of the store about its own life: a day, an address, an entry of the local metadata.
    private func noteContacts(in laptop: Store, _ phone: Store) throws {
        _ = try laptop.purgeOldTrash()
        try laptop.remember(phone.replica, at: "phone.example.org:7717")
        try laptop.edit { transaction throws(StoreFault) in
            try transaction.setLocalMetadata([1, 2], named: "name", in: "fixture")
        }
    }

    /// A change that cannot be read, a version that cannot be opened, and summary rows, both heard and stated.
    private func readRelay(in laptop: Store) throws {
        let clock = VersionVector(Dot(replica: Self.stranger, counter: 1))
        let unreadable = Change(
            RecordName(StoreWorld.todo, RecordID(value: 5)), clock: clock, body: [0xff])
        _ = try laptop.integrate([unreadable], from: Self.stranger, checkpoint: nil)
        var relayed = RelayedBatch()
        relayed.unopened = [
            Change(RecordName(.relayed, RecordID(value: 6)), clock: clock, body: [0xff])
        ]
        _ = try laptop.integrate([], from: Self.relay, checkpoint: through, relayed: relayed)
        let due = try laptop.dueSummaryRows(
            try laptop.stateSummary(), since: nil, withOthers: true, at: Self.relay)
        let own = Checkpoint(epoch: EpochID(value: 1), sequence: laptop.sequence)
        try laptop.noteUploaded(through: own, due, to: Self.relay)
        let digests = HeardSummaryRow(
            key: SummaryRow.Key(Self.stranger, about: nil), number: 1, hash: 30,
            content: .digests(sum: 1, 2))
        _ = try laptop.join(
            SummaryRowsRequest(relay: Self.relay, through: through, rows: [digests]))
    }

    /// A refused delete that was merged, and is not undone yet.
    private func refuseDelete(of id: RecordID, by outcast: Store, in laptop: Store) throws {
        try StoreWorld.pull(outcast, from: laptop)
        try laptop.refuseAllDeletes(by: [outcast.replica])
        _ = try outcast.write { try $0.delete(id) }
        try StoreWorld.pull(laptop, from: outcast)
    }

    /// Deletes that a relay has brought, and that are held until somebody answers.
    private func holdDeletes(of ids: [RecordID], by thief: Store, in laptop: Store) throws {
        try StoreWorld.pull(thief, from: laptop)
        try thief.write { for id in ids { _ = try $0.delete(id) } }
        let deletes = try thief.read(
            from: .sequence(0), peerHas: PeerHoldings(try laptop.summary().knowledge))
        let held = try laptop.integrate(
            deletes.changes, from: Self.relay, checkpoint: nil, startsSession: true,
            mergesUnheld: true)
        #expect(held.held?.deletedCount == Self.heldDeleteCount)
    }
}

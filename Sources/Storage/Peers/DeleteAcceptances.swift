import Core

/// The part of a store that knows the held deletes which other devices have accepted: the mass-delete guard does not
/// count them.
///
/// A device that held deletes, was told to take them, and has all of them, says so in its own record: the replicas that
/// made them, and up to which counter. So of devices that hold the same deletes one answer is enough.
///
/// Any member can write into any record of a device. So only what the record's own replica wrote counts, and nothing of
/// a revoked device. A device does not accept its own deletes: whoever has one alone must not empty all others.
final class DeleteAcceptances {
    /// The field of a device's record with the deletes that it has accepted: bytes, for each replica that made some its
    /// id of 16 bytes and a counter of 8, in the order of their ids.
    ///
    /// Source: Protocol/11-Pairing.md §3.
    static let number: UInt32 = 13
    /// The most replicas whose deletes one device says that it has accepted.
    static let authorCountMax = 1_000
    /// The fields of a device's record that show its key, and the keys that it revoked.
    private static let keyNumber: UInt32 = 3
    private static let revokedNumber: UInt32 = 6

    private let records: Records
    private let members: SpaceMembers
    private let knowledge: Knowledge
    /// The accepted deletes, and the number of the last change of a device's record that they were read after.
    private var found: (sequence: UInt64, accepted: VersionVector)?

    init(_ store: Store) {
        records = store.records
        members = store.members
        knowledge = store.knowledge
    }

    /// A merge begins: one before it may have been rolled back, and its arrival numbers are given again.
    func beginMerge() { found = nil }

    /// Whether a merge has deleted a record by nothing but deletes that other devices have accepted.
    func covers(_ merged: RecordState, replacing old: Record) throws(StoreFault) -> Bool {
        guard old.collection != .devices, !old.verdict.isDeleted,
            knowledge.deletionRule.verdict(on: merged).isDeleted
        else { return false }
        return try covers(
            merged.survivors(of: .deleted).filter { !$0.value.isNull }.map(\.write.dot))
    }

    /// Whether other devices have accepted all deletes up to these writes.
    func covers(_ authors: VersionVector) throws(StoreFault) -> Bool {
        try covers(authors.entries.map { Dot(replica: $0.replica, counter: $0.counter) })
    }

    private func covers(_ deletes: [Dot]) throws(StoreFault) -> Bool {
        if deletes.isEmpty { return false }
        let accepted = try accepted()
        return deletes.allSatisfy { $0.counter <= accepted.counter(of: $0.replica) }
    }

    /// The replicas of which deletes were accepted, and up to which counter.
    private func accepted() throws(StoreFault) -> VersionVector {
        let sequence = try members.deviceSequence()
        if let found, found.sequence == sequence { return found.accepted }
        var accepted = VersionVector()
        let devices = try members.deviceRecords().filter { !$0.verdict.isDeleted }
        var keys: [ReplicaID: Set<[UInt8]>] = [:]
        var revoked: Set<[UInt8]> = []
        for device in devices {
            for field in device.record.fields {
                if case .element(.number(Self.revokedNumber), .bytes(let key)) = field {
                    revoked.insert(key)
                }
            }
            keys[ReplicaID(value: device.id.value)] = Self.keys(in: device)
        }
        for device in devices {
            let speaker = ReplicaID(value: device.id.value)
            let own = keys[speaker] ?? []
            guard own.isDisjoint(with: revoked) else { continue }
            for entry in Self.stated(in: device).entries
            where entry.replica != speaker && own.isDisjoint(with: keys[entry.replica] ?? []) {
                accepted.include(entry.counter, of: entry.replica)
            }
        }
        found = (sequence, accepted)
        return accepted
    }

    private static func keys(in device: Record) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for (_, value) in device.record.survivors(of: .number(keyNumber)) {
            if case .bytes(let key) = value { found.insert(key) }
        }
        return found
    }

    /// The deletes that a device has itself written that it accepted.
    static func stated(in device: Record) -> VersionVector {
        var found = VersionVector()
        for (write, value) in device.record.survivors(of: .number(number))
        where write.dot.replica.value == device.id.value {
            guard case .bytes(let bytes) = value else { continue }
            found.join(MassDeleteGuard.authors(bytes))
        }
        return found
    }
}

/// The deletes that were accepted and have come, until the other devices are told.
extension MassDeleteGuard {
    /// The row of the deletes that are to be published, in the place of a peer's; no replica has this id.
    private static let publishedPeer = ReplicaID(value: 0)
    /// The status of that row.
    private static let takenStatus = 3

    /// Deletes that were accepted have come: the other devices are to be told, once all of these replicas' is here.
    func noteTaken(_ authors: VersionVector, at now: Int64) throws(StoreFault) {
        if authors.isEmpty { return }
        var all = try takenAuthors()
        all.join(authors)
        let row = try store.database.connection.statement(
            """
            INSERT OR REPLACE INTO brake_count(
                peer, deleted, added, wanted, since, is_complete, touched, status, authors)
            VALUES (?1, 0, 0, 0, ?2, 0, ?2, \(Self.takenStatus), ?3)
            """)
        row.bind(1, identifier: Self.publishedPeer.value)
        row.bind(2, now)
        row.bind(3, Self.bytes(of: all))
        try row.run()
    }

    /// Whether all writes of these replicas up to these counters are here.
    func areHere(_ authors: VersionVector) -> Bool {
        let replicas = store.knowledge.replicas
        return authors.entries.allSatisfy { author in
            replicas.index(of: author.replica)
                .map { replicas[$0].counter >= author.counter } ?? false
        }
    }

    private func takenAuthors() throws(StoreFault) -> VersionVector {
        let row = try store.database.connection.statement(
            "SELECT authors FROM brake_count WHERE status = \(Self.takenStatus)")
        defer { row.reset() }
        return try row.step() ? Self.authors(row.bytes(0)) : VersionVector()
    }

    /// Publishes in this device's record the deletes that were accepted here and are all here.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    func publishAcceptedDeletes() throws(StoreFault) -> Bool {
        let taken = try store.reading { () throws(StoreFault) in try takenAuthors() }
        if taken.isEmpty || !areHere(taken) { return false }
        let name = RecordName(deviceOf: store.replica)
        guard let own = try store.record(name), !own.verdict.isDeleted else { return false }
        var all = DeleteAcceptances.stated(in: own)
        all.join(taken)
        let isNews = all != DeleteAcceptances.stated(in: own)
        if all.entries.count > DeleteAcceptances.authorCountMax { all = taken }
        if isNews, all.entries.count <= DeleteAcceptances.authorCountMax {
            try store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    name,
                    [Assignment(.number(DeleteAcceptances.number), .bytes(Self.bytes(of: all)))])
            }
        }
        // A crash in between has them published once more, which writes nothing.
        try store.changing { () throws(StoreFault) in try forget(Self.publishedPeer) }
        return isNews
    }

    // MARK: Questions that another device's answer ends

    /// Ends the questions for deletes all of which other devices have accepted.
    ///
    /// - Returns: the peers whose deletes were set aside here: they are to be merged now.
    func endAnswered(
        by acceptances: DeleteAcceptances
    ) throws(StoreFault) -> [HeldDeletes] {
        var aside: [HeldDeletes] = []
        for held in try heldDeletes() {
            guard let authors = try heldAuthors(of: held.peer),
                try acceptances.covers(authors)
            else { continue }
            if try store.aside.count(of: held.peer) > 0 {
                aside.append(held)
                continue
            }
            // What came before them counts on.
            try store.changing { () throws(StoreFault) in
                let row = try store.database.connection.statement(
                    "UPDATE brake_count SET status = 0, wanted = 0 WHERE peer = ?")
                row.bind(1, identifier: held.peer.value)
                try row.run()
            }
        }
        return aside
    }
}

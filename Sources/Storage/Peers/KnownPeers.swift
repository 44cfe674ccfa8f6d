import Core

/// The part of a store that remembers how far each peer was read, and when it was last met.
///
/// Owns the table `checkpoint`.
final class PeerCheckpoints {
    /// A contact is written down again after so long; milliseconds.
    private static let contactMilliseconds: Int64 = 60_000

    private let database: Database
    private let knowledge: Knowledge
    /// The id under which the session speaks that asks now; nil if none does.
    var speaker: ReplicaID?

    init(_ database: Database, _ knowledge: Knowledge) {
        self.database = database
        self.knowledge = knowledge
    }

    /// Whether the store has still the id under which the session speaks.
    ///
    /// Where it took another one, by this process or another, what the session has exchanged is not remembered: writes
    /// of the old id, which got new numbers here, may have to come again.
    var isSpeaker: Bool { speaker.map { $0 == knowledge.replica } ?? true }

    /// How far a peer was read, and its state summary adopted, both nil if that is not known, and how many times
    /// in a row its summary did not agree although it was read to its end.
    func checkpoint(
        of peer: ReplicaID
    ) throws(StoreFault) -> (checkpoint: Checkpoint?, summary: Checkpoint?, mismatchCount: Int64) {
        guard let number = knowledge.replicas.index(of: peer) else { return (nil, nil, 0) }
        let row = try database.connection.statement(
            """
            SELECT epoch, sequence, mismatches, summary_epoch, summary_sequence FROM checkpoint
            WHERE replica = ?
            """)
        row.bind(1, Int64(number))
        defer { row.reset() }
        guard try row.step() else { return (nil, nil, 0) }
        let epoch = EpochID(value: row.unsigned(0))
        let summary =
            row.isNull(3)
            ? nil : Checkpoint(epoch: EpochID(value: row.unsigned(3)), sequence: row.unsigned(4))
        return (
            epoch.value == 0 ? nil : Checkpoint(epoch: epoch, sequence: row.unsigned(1)), summary,
            row.int(2)
        )
    }

    /// Whether a peer was read up to a checkpoint, its summary agreed, and was adopted up to a number in the same
    /// epoch; nil for a relay, which has no summary of its own.
    func knows(
        _ through: Checkpoint, summarySequence: UInt64?, of peer: ReplicaID
    ) throws(StoreFault) -> Bool {
        let known = try checkpoint(of: peer)
        return known.checkpoint == through && known.mismatchCount == 0
            && summarySequence.map {
                known.summary == Checkpoint(epoch: through.epoch, sequence: $0)
            } ?? true
    }

    /// Remembers how far a peer was read, by sessions under the store's present id.
    ///
    /// - Parameters:
    ///   - isAgreed: whether the peer's summary agreed as well, which ends a count of mismatches.
    ///   - isSuspect: whether it did not, and the peer has nothing more to give.
    ///   - summarySequence: how far all of its summary was adopted, in the same epoch; nil to leave that as it is.
    func remember(
        _ checkpoint: Checkpoint, of peer: ReplicaID, isAgreed: Bool = false,
        isSuspect: Bool = false, summarySequence: UInt64? = nil
    ) throws(StoreFault) {
        guard isSpeaker, let number = knowledge.number(ofPeer: peer) else { return }
        let row = try database.connection.statement(
            """
            INSERT INTO checkpoint VALUES (?1, ?2, ?3, ?8, ?4, ?6, ?7)
            ON CONFLICT(replica) DO UPDATE SET epoch = ?2, sequence = ?3, last_contact = ?4,
                mismatches = CASE WHEN ?5 THEN 0 ELSE max(mismatches, ?8) END,
                summary_epoch = coalesce(?6, summary_epoch),
                summary_sequence = coalesce(?7, summary_sequence)
            """)
        row.bind(1, Int64(number))
        row.bind(2, checkpoint.epoch.value)
        row.bind(3, checkpoint.sequence)
        row.bind(4, database.environment.wallMilliseconds())
        row.bind(5, isAgreed ? Int64(1) : 0)
        row.bind(8, isSuspect ? Int64(1) : 0)
        if let summarySequence {
            row.bind(6, checkpoint.epoch.value)
            row.bind(7, summarySequence)
        } else {
            row.bindNull(6)
            row.bindNull(7)
        }
        try row.run()
    }

    /// Forgets how far a peer was read, as something of it is missing here.
    ///
    /// - Returns: how many times in a row that has happened.
    func noteMismatch(of peer: ReplicaID) throws(StoreFault) -> Int64 {
        guard let number = knowledge.number(ofPeer: peer) else { return 0 }
        let row = try database.connection.statement(
            """
            INSERT INTO checkpoint VALUES (?1, 0, 0, 1, ?2, NULL, NULL)
            ON CONFLICT(replica) DO UPDATE
                SET epoch = 0, sequence = 0, summary_epoch = NULL, summary_sequence = NULL,
                    mismatches = mismatches + 1, last_contact = ?2
            RETURNING mismatches
            """)
        row.bind(1, Int64(number))
        row.bind(2, database.environment.wallMilliseconds())
        defer { row.reset() }
        return try row.step() ? row.int(0) : 0
    }

    /// Whether so many mismatches in a row call for a full exchange: what the peer was told of this store
    /// keeps it from sending what is missing here.
    ///
    /// Not each time: at the 2nd, the 4th, the 8th, as a peer may really withhold.
    static func isRepairDue(mismatchCount count: Int64) -> Bool {
        count >= 2 && count & (count - 1) == 0
    }

    /// Forgets how far a peer was read and its summary adopted, as what it said of that did not fit.
    func drop(_ peer: ReplicaID) throws(StoreFault) {
        guard let number = knowledge.replicas.index(of: peer) else { return }
        let row = try database.connection.statement(
            """
            UPDATE checkpoint
            SET epoch = 0, sequence = 0, summary_epoch = NULL, summary_sequence = NULL
            WHERE replica = ?
            """)
        row.bind(1, Int64(number))
        try row.run()
    }

    /// Forgets how far a peer was read.
    func forget(_ peer: ReplicaID) throws(StoreFault) {
        guard let number = knowledge.replicas.index(of: peer) else { return }
        let row = try database.connection.statement("DELETE FROM checkpoint WHERE replica = ?")
        row.bind(1, Int64(number))
        try row.run()
    }

    /// Forgets all of it.
    func forgetAll() throws(StoreFault) {
        try database.connection.execute("DELETE FROM checkpoint")
    }

    // MARK: Contacts

    /// The peers that this store synced with, the latest first.
    func contacts() throws(StoreFault) -> [StoreSummary.Peer] {
        let rows = try database.connection.statement(
            "SELECT replica, last_contact, mismatches FROM checkpoint ORDER BY last_contact DESC")
        defer { rows.reset() }
        var found: [StoreSummary.Peer] = []
        while try rows.step() {
            guard let replica = knowledge.replica(numbered: rows.int(0)) else { continue }
            found.append(
                StoreSummary.Peer(
                    replica: replica, lastContact: rows.int(1), isSuspect: rows.int(2) > 0))
        }
        return found
    }

    /// Notes that this store and a peer had all of each other just now, also where neither had anything new.
    func noteContact(with peer: ReplicaID) throws(StoreFault) {
        let now = database.environment.wallMilliseconds()
        let known = try database.reading { () throws(StoreFault) in
            try contacts().first { $0.replica == peer }
        }
        guard let known, abs(now - known.lastContact) >= Self.contactMilliseconds else { return }
        try database.changing { () throws(StoreFault) in
            guard let number = knowledge.replicas.index(of: peer) else { return }
            let row = try database.connection.statement(
                "UPDATE checkpoint SET last_contact = ? WHERE replica = ?")
            row.bind(1, now)
            row.bind(2, Int64(number))
            try row.run()
        }
    }
}

/// The part of a store that knows the devices of its space and the addresses at which they answered.
///
/// Owns the table `address`; the records of devices are in the first collection.
final class SpaceMembers {
    private let database: Database
    private let knowledge: Knowledge
    private let records: Records

    init(_ database: Database, _ knowledge: Knowledge, _ records: Records) {
        self.database = database
        self.knowledge = knowledge
        self.records = records
    }

    // MARK: Devices

    /// The last arrival number in the reserved collection of devices: another one means that a record there
    /// has changed.
    func deviceSequence() throws(StoreFault) -> UInt64 {
        let row = try database.connection.statement(
            "SELECT coalesce(max(sequence), 0) FROM \(database.collections[0].table)")
        defer { row.reset() }
        return try row.step() ? row.unsigned(0) : 0
    }

    /// Every record of the reserved collection of devices, whatever its state.
    func deviceRecords() throws(StoreFault) -> [Record] {
        try database.reading { () throws(StoreFault) in
            var found: [Record] = []
            try records.forEachRecord(in: 0) { stored throws(StoreFault) in found.append(stored) }
            return found
        }
    }

    /// The name of a device; nil if it has none here yet.
    func deviceName(of replica: ReplicaID) throws(StoreFault) -> String? {
        let record = try database.reading { () throws(StoreFault) in
            try records.find(RecordName(deviceOf: replica))
        }
        guard case .text(let name)? = record?[2] else { return nil }
        return name
    }

    /// Records of devices as changes, whole, in the order of their ids.
    static func changes(of devices: [Record]) -> [Change] {
        devices.sorted { $0.id < $1.id }.map { Change($0, known: nil) }
    }

    /// The changes among several that are records of devices.
    static func deviceChanges(in changes: [Change]) -> [Change] {
        changes.filter { $0.name.collection == .devices && (try? $0.record()) != nil }
    }

    // MARK: Addresses

    /// Remembers the replica that answers at an address, for the next greeting.
    func remember(_ replica: ReplicaID, at address: String) throws(StoreFault) {
        if try self.replica(at: address) == replica { return }
        try database.changing { () throws(StoreFault) in
            let row = try database.connection.statement(
                "INSERT OR REPLACE INTO address VALUES (?, ?)")
            row.bind(1, address)
            row.bind(2, Int64(knowledge.number(of: replica)))
            try row.run()
        }
    }

    /// The replica that answered at an address last time.
    func replica(at address: String) throws(StoreFault) -> ReplicaID? {
        let row = try database.connection.statement(
            "SELECT replica FROM address WHERE address = ?")
        row.bind(1, address)
        defer { row.reset() }
        return try row.step() ? knowledge.replica(numbered: row.int(0)) : nil
    }

    /// All addresses at which a replica has answered, each with the last one.
    func knownAddresses() throws(StoreFault) -> [(address: String, replica: ReplicaID)] {
        let row = try database.connection.statement(
            "SELECT address, replica FROM address ORDER BY address")
        defer { row.reset() }
        var found: [(address: String, replica: ReplicaID)] = []
        while try row.step() {
            guard let replica = knowledge.replica(numbered: row.int(1)) else { continue }
            found.append((row.text(0), replica))
        }
        return found
    }

    /// Forgets an address.
    func forget(_ address: String) throws(StoreFault) {
        let row = try database.connection.statement("DELETE FROM address WHERE address = ?")
        row.bind(1, address)
        try row.run()
    }

    /// Forgets all addresses.
    func forgetAddresses() throws(StoreFault) {
        try database.connection.execute("DELETE FROM address")
    }
}

extension Record {
    /// The values that the replica of a device's record has itself written into a field, the one that is shown last: any
    /// member can write there.
    func ownValues(of field: Field) -> [Value] {
        record.survivors(of: field).filter { $0.write.dot.replica.value == id.value }.map(\.value)
    }
}

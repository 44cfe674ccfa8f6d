import Core

/// The part of a store that keeps, as they came, changes whose deletes are held and that cannot be fetched again.
///
/// Owns the table `held_change`. Its key has the body too: a fork makes two of one clock. Until somebody answers, they are
/// not part of what the store knows or passes on: for its peers they have not arrived.
final class HeldChanges {
    private let database: Database
    private let knowledge: Knowledge
    private let records: Records

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        records = store.records
    }

    private var connection: Connection { database.connection }

    /// Keeps a change of a peer.
    func add(_ change: Change, from peer: ReplicaID) throws(StoreFault) {
        let row = try connection.statement(
            "INSERT OR IGNORE INTO held_change VALUES (?, ?, ?, ?, ?)")
        row.bind(1, identifier: peer.value)
        row.bind(2, identifier: change.name.id.value)
        row.bind(3, change.name.collection.canonicalBytes)
        row.bind(4, knowledge.clockBytes(change.clock))
        row.bind(5, change.body)
        try row.run()
    }

    /// How many records have changes of a peer here.
    func count(of peer: ReplicaID) throws(StoreFault) -> Int {
        let row = try connection.statement(
            "SELECT count(*) FROM (SELECT DISTINCT id, collection FROM held_change WHERE peer = ?)")
        row.bind(1, identifier: peer.value)
        defer { row.reset() }
        return try row.step() ? Int(row.int(0)) : 0
    }

    /// Some records with changes of a peer here.
    func names(of peer: ReplicaID, countMax: Int) throws(StoreFault) -> [RecordName] {
        let rows = try connection.statement(
            "SELECT DISTINCT id, collection FROM held_change WHERE peer = ? LIMIT ?")
        rows.bind(1, identifier: peer.value)
        rows.bind(2, Int64(countMax))
        return try rows.recordNames()
    }

    /// The peers that changes are from.
    func peers() throws(StoreFault) -> [ReplicaID] {
        let rows = try connection.statement("SELECT DISTINCT peer FROM held_change ORDER BY peer")
        defer { rows.reset() }
        var found: [ReplicaID] = []
        while try rows.step() {
            if let peer = rows.identifier(0) { found.append(ReplicaID(value: peer)) }
        }
        return found
    }

    /// The changes of a peer, in the order of their records.
    func changes(of peer: ReplicaID) throws(StoreFault) -> [Change] {
        let rows = try connection.statement(
            "SELECT id, collection, clock, body FROM held_change WHERE peer = ? ORDER BY id, collection"
        )
        rows.bind(1, identifier: peer.value)
        defer { rows.reset() }
        var found: [Change] = []
        while try rows.step() {
            let (name, clock) = try nameAndClock(in: rows)
            found.append(Change(name, clock: clock, body: rows.bytes(3)))
        }
        return found
    }

    /// The records of the changes of a peer, with the clocks of these: bodies may be long, and are not read.
    func clocks(
        of peer: ReplicaID
    ) throws(StoreFault) -> [(name: RecordName, clock: VersionVector)] {
        let rows = try connection.statement(
            "SELECT id, collection, clock FROM held_change WHERE peer = ? ORDER BY id, collection")
        rows.bind(1, identifier: peer.value)
        defer { rows.reset() }
        var found: [(name: RecordName, clock: VersionVector)] = []
        while try rows.step() { found.append(try nameAndClock(in: rows)) }
        return found
    }

    /// The record and the clock in a row of `id, collection, clock`.
    private func nameAndClock(
        in rows: PreparedStatement
    ) throws(StoreFault) -> (name: RecordName, clock: VersionVector) {
        guard let id = rows.identifier(0), let clock = knowledge.clock(in: rows, 2),
            let collection = CollectionID(canonicalBytes: rows.bytes(1))
        else { throw database.corrupt("a row of held_change is damaged") }
        return (RecordName(collection, RecordID(value: id)), clock)
    }

    /// Forgets the changes of a peer, inside of a transaction.
    func forget(_ peer: ReplicaID) throws(StoreFault) {
        let row = try connection.statement("DELETE FROM held_change WHERE peer = ?")
        row.bind(1, identifier: peer.value)
        try row.run()
    }

    /// Forgets all of it, inside of a transaction.
    func forgetAll() throws(StoreFault) {
        try connection.execute("DELETE FROM held_change")
    }

    /// The peers whose changes have all come another way.
    func settledPeers() throws(StoreFault) -> [ReplicaID] {
        var found: [ReplicaID] = []
        for peer in try peers() where try isSettled(peer) { found.append(peer) }
        return found
    }

    private func isSettled(_ peer: ReplicaID) throws(StoreFault) -> Bool {
        for (name, clock) in try clocks(of: peer) {
            let known = try records.find(name)?.record.clock
            if known?.covers(clock) != true { return false }
        }
        return true
    }
}

extension PreparedStatement {
    /// The names of records in all rows of `id, collection`; those that are damaged are left out.
    func recordNames() throws(StoreFault) -> [RecordName] {
        defer { reset() }
        var found: [RecordName] = []
        while try step() {
            guard let id = identifier(0), let collection = CollectionID(canonicalBytes: bytes(1))
            else { continue }
            found.append(RecordName(collection, RecordID(value: id)))
        }
        return found
    }
}

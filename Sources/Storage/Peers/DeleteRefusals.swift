import Core

/// The part of a store that undoes deletes which a person has refused.
///
/// Owns the tables `refused_author` and `refused_delete`. A refused delete is merged like any other, so that it comes no second
/// time. Its record, as it was before, is kept in the same transaction, and brought back by an edit of its own soon
/// after: that edit reaches the devices that took the delete.
final class DeleteRefusals {
    private let database: Database
    private let knowledge: Knowledge
    private let journal: Journal
    private unowned let store: Store
    /// Whether records may wait to be brought back; unknown counts as true.
    private var mayWait = true
    /// How many records were brought back since the store was opened.
    private(set) var broughtBackCount = 0

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        journal = store.journal
        self.store = store
    }

    private var connection: Connection { database.connection }

    // MARK: What is refused

    /// Refuses the deletes of some replicas, inside of a transaction.
    ///
    /// - Parameters:
    ///   - authors: the replicas, and up to which counter their deletes were seen.
    ///   - until: later deletes are not refused, by the clocks of those who made them; milliseconds since 1970-01-01 UTC.
    ///   - outcasts: replicas whose deletes are refused whenever they were made.
    func refuse(
        _ authors: VersionVector, until: Int64, outcasts: Set<ReplicaID>
    ) throws(StoreFault) {
        for author in authors.entries where author.replica != knowledge.replica {
            let isOut = outcasts.contains(author.replica)
            let row = try connection.statement(
                """
                INSERT INTO refused_author VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE
                SET counter = max(counter, ?2), until = max(until, ?3)
                """)
            row.bind(1, identifier: author.replica.value)
            row.bind(2, Int64(clamping: author.counter))
            row.bind(3, isOut ? Int64.max : until)
            try row.run()
        }
    }

    /// Whether all deletes of a record are refused.
    private func covers(_ record: RecordState) throws(StoreFault) -> Bool {
        let deletes = record.survivors(of: .deleted).filter { !$0.value.isNull }.map(\.write)
        for write in deletes {
            let row = try connection.statement(
                "SELECT counter, until FROM refused_author WHERE replica = ?")
            row.bind(1, identifier: write.dot.replica.value)
            defer { row.reset() }
            guard try row.step(),
                write.dot.counter <= row.unsigned(0) || write.timestamp.milliseconds <= row.int(1)
            else { return false }
        }
        return !deletes.isEmpty
    }

    // MARK: What comes back

    /// Keeps a record that a merge has just deleted, as it was, if that delete is refused.
    ///
    /// - Returns: whether it is.
    func note(_ merged: RecordState, replacing old: Record) throws(StoreFault) -> Bool {
        guard old.collection != .devices, !old.verdict.isDeleted,
            knowledge.deletionRule.verdict(on: merged).isDeleted, try covers(merged)
        else { return false }
        try keep(old.name, old.record)
        return true
    }

    /// Keeps the records that were deleted before the deletes became so many that they were held.
    ///
    /// - Parameters:
    ///   - count: how many at most, the latest ones.
    ///   - since: when they were deleted here at the earliest; milliseconds since 1970-01-01 UTC.
    func noteTaken(
        _ count: Int, by authors: VersionVector, since: Int64
    ) throws(StoreFault) {
        if count == 0 { return }
        var left = count
        for name in try journal.records(deletedBy: authors, since: since) where left > 0 {
            guard let found = try store.records.find(name), found.verdict.isDeleted,
                !found.verdict.isPurged
            else { continue }
            try keep(name, found.record)
            left -= 1
        }
    }

    private func keep(_ name: RecordName, _ record: RecordState) throws(StoreFault) {
        mayWait = true
        let row = try connection.statement(
            "INSERT OR REPLACE INTO refused_delete VALUES (?, ?, ?, ?)")
        row.bind(1, identifier: name.id.value)
        row.bind(2, name.collection.canonicalBytes)
        row.bind(3, BodyCodec.encode(record, in: name.collection))
        row.bind(4, knowledge.clockBytes(record.clock))
        try row.run()
    }

    /// The records that refused deletes have deleted and that are not back yet.
    func records() throws(StoreFault) -> [RecordName] {
        guard mayWait else { return [] }
        let found = try database.reading { () throws(StoreFault) in
            var found: [RecordName] = []
            for (name, _) in try waiting()
            where try store.records.find(name)?.verdict.isDeleted == true { found.append(name) }
            return found
        }
        if found.isEmpty { mayWait = false }
        return found
    }

    /// Brings back, by new writes, the records that refused deletes have deleted.
    ///
    /// - Returns: whether any record was.
    func bringBack() throws(StoreFault) -> Bool {
        if try records().isEmpty { return false }
        let count = try store.edit { transaction throws(StoreFault) in
            var count = 0
            for (name, before) in try waiting() where try transaction.record(name) != nil {
                if try transaction.restore(name, before: before) { count += 1 }
            }
            try connection.execute("DELETE FROM refused_delete")
            return count
        }
        mayWait = false
        broughtBackCount += count
        return count > 0
    }

    private func waiting() throws(StoreFault) -> [(name: RecordName, before: RecordState)] {
        let rows = try connection.statement(
            "SELECT id, body, clock, collection FROM refused_delete ORDER BY id, collection")
        defer { rows.reset() }
        var found: [(name: RecordName, before: RecordState)] = []
        while try rows.step() {
            guard let id = rows.identifier(0), let clock = knowledge.clock(in: rows, 2),
                let collection = CollectionID(canonicalBytes: rows.bytes(3)),
                let decoded = try? BodyCodec.decode(rows.bytes(1), clock: clock)
            else { throw database.corrupt("a row of refused_delete is damaged") }
            found.append((RecordName(collection, RecordID(value: id)), decoded.record))
        }
        return found
    }

    /// Forgets whose deletes are refused, and what waits.
    func forgetAll() throws(StoreFault) {
        try connection.execute("DELETE FROM refused_author; DELETE FROM refused_delete")
    }
}

import Core

/// The part of a store that undoes deletes which a person has refused.
///
/// Owns the tables `refused_author` and `refused_delete`. A refused delete is merged like any other, so that it comes no second
/// time. Its record, as it was before, is kept in the same transaction, and brought back by an edit of its own soon
/// after: that edit reaches the devices that took the delete.
final class DeleteRefusals {
    /// Which deletes of a replica are refused; the greater includes the lesser.
    private enum Reach {
        /// Those up to the counter in the row.
        static let counter: Int64 = 0
        /// All, as long as those that were held are not all here.
        ///
        /// Goes to: counter.
        static let whatComes: Int64 = 1
        /// All, for ever: the replica's device was revoked.
        static let everything: Int64 = 2
    }

    /// A record that a refused delete has deleted.
    private struct Waiting {
        /// The bytes of its id and collection, by which its row is found.
        let key: (id: [UInt8], collection: [UInt8])
        /// Its name; nil if its row is damaged.
        let name: RecordName?
        /// The record as it was; nil if that cannot be read: then it cannot come back if it was purged.
        let before: RecordState?
        /// Whether it was in the trash, and a refused purge took its content: there it comes back.
        let wasTrash: Bool
    }

    private let database: Database
    private let knowledge: Knowledge
    private let journal: Journal
    private unowned let store: Store
    /// Whether records may wait to be brought back; unknown counts as true.
    private var mayWait = true
    /// Whether those that could not be brought back were tried again since the store was opened.
    private var hasTriedFailed = false
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
    /// Until an exchange has brought all that is known to be held, every delete of theirs counts as one of those.
    /// - Parameters:
    ///   - authors: the replicas, and up to which counter their deletes were seen.
    ///   - outcasts: replicas whose deletes are refused whenever they are made.
    func refuse(_ authors: VersionVector, outcasts: Set<ReplicaID>) throws(StoreFault) {
        for author in authors.entries where author.replica != knowledge.replica {
            let isOut = outcasts.contains(author.replica)
            let row = try connection.statement(
                """
                INSERT INTO refused_author VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE
                SET counter = max(counter, ?2), reach = max(reach, ?3)
                """)
            row.bind(1, identifier: author.replica.value)
            row.bind(2, Int64(clamping: max(author.counter, seen(author.replica))))
            row.bind(3, isOut ? Reach.everything : Reach.whatComes)
            try row.run()
        }
    }

    /// The highest counter of a replica that is known here.
    private func seen(_ replica: ReplicaID) -> UInt64 {
        guard let index = knowledge.replicas.index(of: replica) else { return 0 }
        return max(knowledge.replicas[index].seen, knowledge.replicas[index].counter)
    }

    /// The replicas of which all writes are here that were known when their deletes were refused.
    private func arrived() throws(StoreFault) -> [ReplicaID] {
        let rows = try connection.statement(
            "SELECT replica, counter FROM refused_author WHERE reach = \(Reach.whatComes)")
        defer { rows.reset() }
        var found: [ReplicaID] = []
        while try rows.step() {
            guard let value = rows.identifier(0),
                let index = knowledge.replicas.index(of: ReplicaID(value: value)),
                knowledge.replicas[index].counter >= rows.unsigned(1)
            else { continue }
            found.append(ReplicaID(value: value))
        }
        return found
    }

    /// Whether writes are yet to come that were known when deletes were refused.
    func isAwaited() throws(StoreFault) -> Bool {
        let count = try connection.number(
            "SELECT count(*) FROM refused_author WHERE reach = \(Reach.whatComes)")
        return try count > arrived().count
    }

    /// Whether an exchange that has come to its end ends a refusal, so that later deletes are taken.
    func isEnding() throws(StoreFault) -> Bool { try !arrived().isEmpty }

    /// An exchange has come to its end: of a replica whose held deletes it brought, those known here by now stay
    /// refused, and later ones are not.
    func endExchange() throws(StoreFault) {
        for replica in try arrived() {
            let row = try connection.statement(
                """
                UPDATE refused_author SET counter = max(counter, ?2), reach = \(Reach.counter)
                WHERE replica = ?1
                """)
            row.bind(1, identifier: replica.value)
            row.bind(2, Int64(clamping: seen(replica)))
            try row.run()
        }
    }

    /// Whether all deletes of a record are refused.
    func covers(_ record: RecordState) throws(StoreFault) -> Bool {
        try covers(record, .deleted)
    }

    /// Whether a merge takes the content of a record in the trash, by nothing but refused purges.
    func coversPurge(_ merged: RecordState, replacing old: Record) throws(StoreFault) -> Bool {
        guard old.collection != .devices, old.standing == .trashed,
            knowledge.deletionRule.verdict(on: merged).isPurged
        else { return false }
        return try covers(merged, .purged)
    }

    /// Whether all marks of a record in a field, deletes or purges, are refused.
    private func covers(_ record: RecordState, _ field: Field) throws(StoreFault) -> Bool {
        let deletes = record.survivors(of: field).filter { !$0.value.isNull }.map(\.write.dot)
        for delete in deletes {
            let row = try connection.statement(
                "SELECT counter, reach FROM refused_author WHERE replica = ?")
            row.bind(1, identifier: delete.replica.value)
            defer { row.reset() }
            guard try row.step(),
                row.int(1) != Reach.counter || delete.counter <= row.unsigned(0)
            else { return false }
        }
        return !deletes.isEmpty
    }

    // MARK: What comes back

    /// Keeps a record that a merge has just deleted or purged, as it was, if that is refused.
    ///
    /// - Returns: whether it is a delete.
    func note(_ merged: RecordState, replacing old: Record) throws(StoreFault) -> Bool {
        if try coversPurge(merged, replacing: old) {
            try keep(old.name, old.record, wasTrash: true)
            return false
        }
        guard old.collection != .devices, !old.verdict.isDeleted,
            knowledge.deletionRule.verdict(on: merged).isDeleted, try covers(merged)
        else { return false }
        try keep(old.name, old.record)
        return true
    }

    /// Keeps the records that were deleted before the deletes became so many that they were held.
    func noteTaken(_ held: HeldDeletes) throws(StoreFault) {
        for record in try taken(held) { try keep(record.name, record.record) }
    }

    /// The records that deletes have deleted before they became so many that they were held, the latest first; purged ones
    /// are left out.
    func taken(_ held: HeldDeletes) throws(StoreFault) -> [Record] {
        var found: [Record] = []
        if held.takenCount == 0 { return found }
        let names = try journal.records(
            deletedBy: Set(held.deleters),
            since: held.since - MassDeleteLimits.windowMilliseconds)
        for name in names where found.count < held.takenCount {
            guard let record = try store.records.find(name), record.verdict.isDeleted,
                !record.verdict.isPurged
            else { continue }
            found.append(record)
        }
        return found
    }

    /// - Parameter wasTrash: whether the record is in the trash; one that waits already is left as it was kept.
    private func keep(
        _ name: RecordName, _ record: RecordState, wasTrash: Bool = false
    ) throws(StoreFault) {
        mayWait = true
        let row = try connection.statement(
            "INSERT OR \(wasTrash ? "IGNORE" : "REPLACE") INTO refused_delete VALUES (?, ?, ?, ?, 0, ?)"
        )
        row.bind(1, identifier: name.id.value)
        row.bind(2, name.collection.canonicalBytes)
        row.bind(3, BodyCodec.encode(record, in: name.collection))
        row.bind(4, knowledge.clockBytes(record.clock))
        row.bind(5, Int64(wasTrash ? 1 : 0))
        try row.run()
    }

    /// The records that refused deletes have deleted and that are to be brought back.
    func records() throws(StoreFault) -> [RecordName] {
        guard mayWait else { return [] }
        return try database.reading { () throws(StoreFault) in
            var found: [RecordName] = []
            for item in try waiting() {
                if try due(item) != nil, let name = item.name { found.append(name) }
            }
            return found
        }
    }

    /// How many records could not be brought back.
    func failedCount() throws(StoreFault) -> Int {
        Int(
            try connection.number("SELECT count(*) FROM refused_delete WHERE has_failed = 1"))
    }

    /// The record if it is still deleted, or its content purged, by nothing but refused deletes.
    private func due(_ item: Waiting) throws(StoreFault) -> Record? {
        guard let name = item.name, let record = try store.records.find(name),
            item.wasTrash ? record.verdict.isPurged : record.verdict.isDeleted,
            try covers(record.record, item.wasTrash ? .purged : .deleted)
        else { return nil }
        return record
    }

    /// Brings back, by new writes, the records that refused deletes have deleted.
    ///
    /// One that cannot be brought back keeps no other back; it is tried again when the store is opened next.
    /// - Returns: whether any record was.
    func bringBack() throws(StoreFault) -> Bool {
        guard mayWait else { return false }
        if try database.reading({ () throws(StoreFault) in try waiting().isEmpty }) {
            (mayWait, hasTriedFailed) = (false, true)
            return false
        }
        let count = try store.edit { transaction throws(StoreFault) in
            try bringBackAll(in: transaction)
        }
        hasBroughtBack(count)
        return count > 0
    }

    /// Brings all back that waits, in a transaction that goes on.
    ///
    /// - Returns: how many records were.
    func bringBackAll(in transaction: Transaction) throws(StoreFault) -> Int {
        var count = 0
        for item in try waiting() {
            switch try bringBack(item, in: transaction) {
            case true?: count += 1
            case false?: break
            case nil:
                try noteFailure(of: item)
                continue
            }
            try forget(item)
        }
        return count
    }

    /// Counts those that a transaction has brought back that is committed.
    func hasBroughtBack(_ count: Int) {
        (mayWait, hasTriedFailed) = (false, true)
        broughtBackCount += count
    }

    /// Brings one record back.
    ///
    /// - Returns: whether it was, false if that was not due; nil if it cannot be.
    private func bringBack(
        _ item: Waiting, in transaction: Transaction
    ) throws(StoreFault) -> Bool? {
        guard let name = item.name else { return nil }
        guard let record = try due(item) else { return false }
        // A record in the trash has its content itself.
        guard let before = item.before ?? (record.verdict.isPurged ? nil : record.record) else {
            return nil
        }
        do throws(StoreFault) {
            let isBack = try transaction.restore(name, before: before)
            if isBack, item.wasTrash { try transaction.deleteAlone(name) }
            return isBack
        } catch {
            guard case .overLimit = error else { throw error }
            return nil
        }
    }

    private func forget(_ item: Waiting) throws(StoreFault) {
        try run("DELETE FROM refused_delete", for: item)
    }

    private func noteFailure(of item: Waiting) throws(StoreFault) {
        try run("UPDATE refused_delete SET has_failed = 1", for: item)
    }

    private func run(_ words: String, for item: Waiting) throws(StoreFault) {
        let row = try connection.statement("\(words) WHERE id = ? AND collection = ?")
        row.bind(1, item.key.id)
        row.bind(2, item.key.collection)
        try row.run()
    }

    private func waiting() throws(StoreFault) -> [Waiting] {
        let rows = try connection.statement(
            """
            SELECT id, body, clock, collection, was_trash FROM refused_delete WHERE has_failed <= ?
            ORDER BY id, collection
            """)
        rows.bind(1, hasTriedFailed ? Int64(0) : 1)
        defer { rows.reset() }
        var found: [Waiting] = []
        while try rows.step() {
            let collection = CollectionID(canonicalBytes: rows.bytes(3))
            let name = rows.identifier(0).flatMap { id in
                collection.map { RecordName($0, RecordID(value: id)) }
            }
            let decoded = knowledge.clock(in: rows, 2).flatMap { clock in
                try? BodyCodec.decode(rows.bytes(1), clock: clock)
            }
            found.append(
                Waiting(
                    key: (rows.bytes(0), rows.bytes(3)), name: name, before: decoded?.record,
                    wasTrash: rows.int(4) != 0))
        }
        return found
    }

    /// Forgets whose deletes are refused, and what waits.
    func forgetAll() throws(StoreFault) {
        try connection.execute("DELETE FROM refused_author; DELETE FROM refused_delete")
    }
}

import Core

/// The journal of a store: one row for each field change that became visible here, local and bounded.
///
/// It owns the tables `journal`, `journal_dropped`, `making`, `conflict_base` and `undo`. The fields that a record was made
/// with are not in it, as the record itself has them. A purge empties the record's rows.
package final class Journal: StorePart {
    /// The end of the journal, as a transaction has found it or brought it.
    private struct Tail {
        /// The number of the last entry; 0 if there never was one.
        var number: Int64 = 0
        /// The bytes of all entries that ever were, near enough.
        var reach: Int64 = 0
        /// The time at which the changes of this transaction become visible; milliseconds since
        /// 1970-01-01 UTC.
        var arrived: Int64
    }

    /// The number of entries from one look at the oldest ones to the next.
    private static let pruneInterval: Int64 = 64
    /// The bytes of an entry besides its values, near enough.
    private static let entryByteCount: Int64 = 64
    /// The most undoes that are remembered.
    private static let undoCountMax = 1000

    private static let columns =
        "number, record, field, kind, author, counter, timestamp, arrived, before, after, collection, previous"

    /// The condition for entries of edits that were made here.
    static let isEdit = "kind IN (0, 3, 6)"
    /// The condition for entries of the making of a record, here or elsewhere.
    static let isMaking = "kind = 4"
    /// The condition for entries of what is gone for good.
    static let isErasing = "kind = 5"

    private let database: Database
    let knowledge: Knowledge
    /// Where the journal ends; nil until a transaction has looked.
    private var tail: Tail?
    /// The records that the present transaction has made; nil if none.
    private var making: Making?

    init(_ database: Database, _ knowledge: Knowledge) {
        self.database = database
        self.knowledge = knowledge
    }

    func begin() { (tail, making) = (nil, nil) }

    func save() throws(StoreFault) -> Bool {
        if let making { try write(making) }
        return false
    }

    // MARK: Entries

    /// Reads the entries of a record, the latest first.
    package func entries(
        of name: RecordName, limit: Int? = nil
    ) throws(StoreFault) -> [JournalEntry] {
        try entries("\(Self.ofRecord) ORDER BY number DESC LIMIT ?3") { rows in
            Self.bind(name, to: rows)
            rows.bind(3, Int64(limit ?? -1))
        }
    }

    /// Whether every entry for a write that some replicas made since a time is there.
    ///
    /// By the times of the writes alone: when they arrived here says this machine's clock, which may have been wrong.
    ///
    /// - Parameter time: by the clocks of the authors; milliseconds since 1970-01-01 UTC.
    func reaches(
        backTo time: Int64, of authors: Set<ReplicaID>
    ) throws(StoreFault) -> Bool {
        let rows = try database.connection.statement(
            "SELECT author FROM journal_dropped WHERE milliseconds >= ?")
        rows.bind(1, time)
        defer { rows.reset() }
        while try rows.step() {
            guard let author = knowledge.replica(numbered: rows.int(0)), !authors.contains(author)
            else { return false }
        }
        return true
    }

    /// Reads the entries after a number, the earliest first.
    package func entries(after number: Int64) throws(StoreFault) -> [JournalEntry] {
        try entries("WHERE number > ? ORDER BY number") { $0.bind(1, number) }
    }

    /// Reads the entries of one transaction that was made here, the latest first.
    func localEntries(at timestamp: HybridTimestamp) throws(StoreFault) -> [JournalEntry] {
        var found: [JournalEntry] = []
        for condition in [Self.isEdit, Self.isMaking] {
            found += try entries("WHERE \(condition) AND timestamp = ? ORDER BY number DESC") {
                $0.bind(1, timestamp.rawValue)
            }
        }
        // A record may have been made elsewhere at the same time.
        return found.filter { $0.kind != .made || $0.author == knowledge.replica }
            .sorted { $0.number > $1.number }
    }

    /// The time of the latest edit or making of records here before another time; nil if there is none.
    func localTimestamp(before other: HybridTimestamp?) throws(StoreFault) -> HybridTimestamp? {
        var latest: HybridTimestamp?
        for rows in ["journal WHERE \(Self.isEdit) AND", "making WHERE"] {
            let row = try database.connection.statement(
                "SELECT timestamp FROM \(rows) timestamp < ? ORDER BY timestamp DESC LIMIT 1")
            row.bind(1, other.map { Int64(bitPattern: $0.rawValue) } ?? .max)
            defer { row.reset() }
            guard try row.step() else { continue }
            let found = HybridTimestamp(rawValue: row.unsigned(0))
            latest = latest.map { max($0, found) } ?? found
        }
        return latest
    }

    /// The records that writes of these replicas, merged here since a time, have deleted; the latest first.
    func records(
        deletedBy authors: Set<ReplicaID>, since: Int64
    ) throws(StoreFault) -> [RecordName] {
        let rows = try database.connection.statement(
            """
            SELECT record, author, collection FROM journal WHERE arrived >= ? AND kind = ? AND field = ?
            ORDER BY number DESC
            """)
        rows.bind(1, since)
        rows.bind(2, JournalEntry.Kind.merged.rawValue)
        rows.bind(3, Self.bytes(.deleted))
        defer { rows.reset() }
        var found: [RecordName] = []
        while try rows.step() {
            guard let id = rows.identifier(0),
                let author = knowledge.replica(numbered: rows.int(1)),
                let collection = CollectionID(canonicalBytes: rows.bytes(2)),
                authors.contains(author)
            else { continue }
            found.append(RecordName(collection, RecordID(value: id)))
        }
        return found
    }

    /// The latest purge made here after a time; nil if there was none, or its entry was dropped since.
    func latestPurge(after timestamp: HybridTimestamp) throws(StoreFault) -> HybridTimestamp? {
        let found = try entries(
            "WHERE \(Self.isErasing) AND field = ? AND timestamp > ? ORDER BY timestamp DESC LIMIT 1"
        ) { rows in
            rows.bind(1, Self.bytes(.purged))
            rows.bind(2, timestamp.rawValue)
        }
        return found.first?.timestamp
    }

    /// The records that were purged at a time.
    func purged(at timestamp: HybridTimestamp) throws(StoreFault) -> [RecordName] {
        try entries("WHERE \(Self.isErasing) AND field = ? AND timestamp = ? ORDER BY number") {
            rows in
            rows.bind(1, Self.bytes(.purged))
            rows.bind(2, timestamp.rawValue)
        }.map(\.record)
    }

    /// What was edited here after a time and purged by other devices, which left nothing of it; the latest first.
    func lost(after timestamp: HybridTimestamp, limit: Int) throws(StoreFault) -> [JournalEntry] {
        try entries(
            """
            WHERE \(Self.isErasing) AND field <> ?1 AND author = ?2 AND timestamp > ?3
            ORDER BY timestamp DESC LIMIT ?4
            """
        ) { rows in
            rows.bind(1, Self.bytes(.purged))
            rows.bind(2, Int64(knowledge.ownNumber))
            rows.bind(3, timestamp.rawValue)
            rows.bind(4, Int64(limit))
        }
    }

    /// The number of the last entry; 0 if there is none.
    package func lastNumber() throws(StoreFault) -> Int64 {
        try database.connection.number("SELECT ifnull(max(number), 0) FROM journal")
    }

    /// The time since which entries are kept; nil if none was ever dropped.
    package func start() throws(StoreFault) -> Int64? {
        try database.reading { () throws(StoreFault) in
            let row = try database.connection.statement(
                "SELECT number, arrived FROM journal ORDER BY number LIMIT 1")
            defer { row.reset() }
            guard try row.step(), row.int(0) > 1 else { return nil }
            return row.int(1)
        }
    }

    private func entries(
        _ clauses: String, _ bind: (PreparedStatement) -> Void
    ) throws(StoreFault) -> [JournalEntry] {
        try database.reading { () throws(StoreFault) in
            let rows = try database.connection.statement(
                "SELECT \(Self.columns) FROM journal \(clauses)")
            bind(rows)
            defer { rows.reset() }
            var found: [JournalEntry] = []
            while try rows.step() { found.append(try entry(rows)) }
            return found
        }
    }

    private func entry(_ row: PreparedStatement) throws(StoreFault) -> JournalEntry {
        guard let id = row.identifier(1), let kind = JournalEntry.Kind(rawValue: row.int(3)),
            let author = knowledge.replica(numbered: row.int(4)),
            let field = Self.field(row.bytes(2)), let before = Self.value(row, 8),
            let after = Self.value(row, 9),
            let collection = CollectionID(canonicalBytes: row.bytes(10))
        else { throw database.corrupt("entry \(row.int(0)) of the journal is damaged") }
        return JournalEntry(
            number: row.int(0), record: RecordName(collection, RecordID(value: id)), field: field,
            kind: kind, author: author, counter: row.unsigned(5),
            timestamp: HybridTimestamp(rawValue: row.unsigned(6)), arrived: row.int(7),
            before: before, after: after,
            previous: row.isNull(11) ? nil : knowledge.replica(numbered: row.int(11)))
    }

    /// Whether a record has entries.
    func hasEntries(of name: RecordName) throws(StoreFault) -> Bool {
        let row = try database.connection.statement(
            "SELECT 1 FROM journal \(Self.ofRecord) LIMIT 1")
        Self.bind(name, to: row)
        defer { row.reset() }
        return try row.step()
    }

    /// Appends an entry for a change that a write made visible.
    ///
    /// - Parameter previous: the replica whose write showed the value before.
    func append(
        _ record: RecordName, _ field: Field, _ kind: JournalEntry.Kind, _ write: Write,
        before: Value?, after: Value?, previous: ReplicaID? = nil
    ) throws(StoreFault) {
        var tail: Tail
        if let known = self.tail { tail = known } else { tail = try readTail() }
        let name = Self.bytes(field)
        let (old, new) = (before?.canonicalBytes, after?.canonicalBytes)
        tail.number += 1
        tail.reach +=
            Self.entryByteCount + Int64(name.count + (old?.count ?? 0) + (new?.count ?? 0))
        let row = try database.connection.statement(
            "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        row.bind(1, tail.number)
        row.bind(2, identifier: record.id.value)
        row.bind(3, name)
        row.bind(4, kind.rawValue)
        row.bind(5, Int64(knowledge.number(of: write.dot.replica)))
        row.bind(6, write.dot.counter)
        row.bind(7, write.timestamp.rawValue)
        row.bind(8, tail.arrived)
        if let old { row.bind(9, old) } else { row.bindNull(9) }
        if let new { row.bind(10, new) } else { row.bindNull(10) }
        row.bind(11, tail.reach)
        row.bind(12, record.collection.canonicalBytes)
        if let previous {
            row.bind(13, Int64(knowledge.number(of: previous)))
        } else {
            row.bindNull(13)
        }
        try row.run()
        self.tail = tail
        if tail.number % Self.pruneInterval == 0 { try prune(tail) }
    }

    private func readTail() throws(StoreFault) -> Tail {
        var tail = Tail(arrived: database.environment.wallMilliseconds())
        let row = try database.connection.statement(
            "SELECT number, reach FROM journal ORDER BY number DESC LIMIT 1")
        defer { row.reset() }
        if try row.step() { (tail.number, tail.reach) = (row.int(0), row.int(1)) }
        return tail
    }

    /// Drops the oldest entries over the bounds of number and bytes.
    private func prune(_ tail: Tail) throws(StoreFault) {
        let oldest = try database.connection.statement(
            "SELECT number FROM journal WHERE reach > ? ORDER BY number LIMIT 1")
        oldest.bind(1, tail.reach - database.options.journalByteCountMax)
        let kept = try oldest.step() ? oldest.int(0) : 0
        oldest.reset()
        let end = max(kept, tail.number - database.options.journalEntryCountMax + 1)
        // The lowest 16 bits of a timestamp count within a millisecond.
        let latest = try database.connection.statement(
            """
            INSERT INTO journal_dropped
                SELECT author, max(timestamp >> 16 & 0xFFFFFFFFFFFF) FROM journal WHERE number < ?
                GROUP BY author
            ON CONFLICT DO UPDATE SET milliseconds = max(milliseconds, excluded.milliseconds)
            """)
        latest.bind(1, end)
        try latest.run()
        let row = try database.connection.statement("DELETE FROM journal WHERE number < ?")
        row.bind(1, end)
        try row.run()
    }

    /// Empties the entries of a purged record, so that only their existence is left.
    func erase(_ name: RecordName) throws(StoreFault) {
        let row = try database.connection.statement(
            """
            UPDATE journal SET kind = \(JournalEntry.Kind.erased.rawValue), field = x'00',
                before = NULL, after = NULL \(Self.ofRecord)
            """)
        Self.bind(name, to: row)
        try row.run()
        let bases = try database.connection.statement(
            "DELETE FROM conflict_base \(Self.ofRecord)")
        Self.bind(name, to: bases)
        try bases.run()
    }

    // MARK: Makings

    /// The records that one transaction made here, by their arrival numbers; those that were changed since have others.
    struct Making {
        let timestamp: HybridTimestamp
        var sequences: ClosedRange<UInt64>
    }

    /// Remembers that the present transaction has made the record with an arrival number.
    func noteMade(_ sequence: UInt64, at timestamp: HybridTimestamp) {
        let first = making?.sequences.lowerBound ?? sequence
        making = Making(timestamp: timestamp, sequences: first...sequence)
    }

    /// The records that a transaction made here; nil if that is not known.
    func making(at timestamp: HybridTimestamp) throws(StoreFault) -> Making? {
        let row = try database.connection.statement(
            "SELECT first, last FROM making WHERE timestamp = ?")
        row.bind(1, timestamp.rawValue)
        defer { row.reset() }
        guard try row.step(), row.unsigned(0) <= row.unsigned(1) else { return nil }
        return Making(timestamp: timestamp, sequences: row.unsigned(0)...row.unsigned(1))
    }

    private func write(_ making: Making) throws(StoreFault) {
        let (first, last) = (making.sequences.lowerBound, making.sequences.upperBound)
        let row = try database.connection.statement(
            "INSERT OR REPLACE INTO making VALUES (?, ?, ?)")
        row.bind(1, making.timestamp.rawValue)
        row.bind(2, first)
        row.bind(3, last)
        try row.run()
        // Not each time: to count them costs more than to write one.
        let interval = UInt64(Self.pruneInterval)
        guard (first - 1) / interval != last / interval else { return }
        let old = try database.connection.statement(
            "DELETE FROM making WHERE timestamp <= (SELECT timestamp FROM making ORDER BY timestamp DESC LIMIT 1 OFFSET ?)"
        )
        old.bind(1, database.options.makingCountMax)
        try old.run()
    }

    // MARK: Bases of conflicts

    /// Keeps the value that a field showed before it came into conflict.
    func keepBase(_ value: Value, of field: Field, in name: RecordName) throws(StoreFault) {
        let row = try database.connection.statement(
            "INSERT OR IGNORE INTO conflict_base VALUES (?, ?, ?, ?)")
        Self.bind(name, to: row)
        row.bind(3, Self.bytes(field))
        row.bind(4, value.canonicalBytes)
        try row.run()
    }

    /// Forgets the base of a conflict that is over.
    func forgetBase(of field: Field, in name: RecordName) throws(StoreFault) {
        let row = try database.connection.statement(
            "DELETE FROM conflict_base \(Self.ofRecord) AND field = ?3")
        Self.bind(name, to: row)
        row.bind(3, Self.bytes(field))
        try row.run()
    }

    /// The value that a field in conflict showed before; `.null` if it had none, nil if that is not
    /// known here.
    package func conflictBase(
        of field: Field, in name: RecordName
    ) throws(StoreFault) -> Value? {
        try database.reading { () throws(StoreFault) in
            let row = try database.connection.statement(
                "SELECT value FROM conflict_base \(Self.ofRecord) AND field = ?3")
            Self.bind(name, to: row)
            row.bind(3, Self.bytes(field))
            defer { row.reset() }
            return try row.step() ? Self.value(row.bytes(0)) : nil
        }
    }

    // MARK: Undoes

    /// The undoes that are remembered.
    func undoes() throws(StoreFault) -> KnownUndoes {
        let rows = try database.connection.statement("SELECT timestamp, undoes FROM undo")
        defer { rows.reset() }
        var found: [HybridTimestamp: HybridTimestamp] = [:]
        while try rows.step() {
            found[HybridTimestamp(rawValue: rows.unsigned(0))] =
                HybridTimestamp(rawValue: rows.unsigned(1))
        }
        return KnownUndoes(found)
    }

    /// Remembers the change that an undo took back.
    func note(undo: HybridTimestamp, of timestamp: HybridTimestamp) throws(StoreFault) {
        let row = try database.connection.statement("INSERT OR REPLACE INTO undo VALUES (?, ?)")
        row.bind(1, undo.rawValue)
        row.bind(2, timestamp.rawValue)
        try row.run()
        try database.connection.run(
            """
            DELETE FROM undo WHERE timestamp NOT IN
                (SELECT timestamp FROM undo ORDER BY timestamp DESC LIMIT \(Self.undoCountMax))
            """)
    }

    // MARK: Columns

    /// The rows of one record, whose name is bound by `bind`.
    private static let ofRecord = "WHERE record = ?1 AND collection = ?2"

    private static func bind(_ name: RecordName, to row: PreparedStatement) {
        row.bind(1, identifier: name.id.value)
        row.bind(2, name.collection.canonicalBytes)
    }

    private static func bytes(_ field: Field) -> [UInt8] {
        var writer = CanonicalWriter()
        BodyCodec.write(field, to: &writer)
        return writer.bytes
    }

    private static func field(_ bytes: [UInt8]) -> Field? {
        bytes.withUnsafeBytes { buffer in
            var reader = CanonicalReader(buffer)
            return try? reader.field()
        }
    }

    /// The value in a column; nil if it is damaged.
    private static func value(_ row: PreparedStatement, _ column: Int32) -> Value?? {
        if row.isNull(column) { return .some(nil) }
        return value(row.bytes(column)).map { .some($0) }
    }

    private static func value(_ bytes: [UInt8]) -> Value? {
        bytes.withUnsafeBytes { buffer in
            var reader = CanonicalReader(buffer)
            return try? reader.value(in: nil)
        }
    }
}

import Core

/// What the journal tells.
extension Store {
    private static let journalColumns =
        "number, record, field, kind, author, counter, stamp, arrived, before, after"

    /// What became visible of a record, the latest first.
    package func journal(of id: RecordID, limit: Int? = nil) throws(StoreFault) -> [JournalEntry] {
        try reading { () throws(StoreFault) in
            let rows = try connection.statement(
                """
                SELECT \(Self.journalColumns) FROM journal WHERE record = ?
                ORDER BY number DESC LIMIT ?
                """)
            rows.bind(1, identifier: id.value)
            rows.bind(2, Int64(limit ?? -1))
            return try entries(rows)
        }
    }

    /// What became visible after an entry, the earliest first.
    package func journal(after number: Int64) throws(StoreFault) -> [JournalEntry] {
        try reading { () throws(StoreFault) in
            let rows = try connection.statement(
                "SELECT \(Self.journalColumns) FROM journal WHERE number > ? ORDER BY number")
            rows.bind(1, number)
            return try entries(rows)
        }
    }

    /// What became visible up to an entry, the latest first.
    func journal(upTo number: Int64, limit: Int) throws(StoreFault) -> [JournalEntry] {
        let rows = try connection.statement(
            """
            SELECT \(Self.journalColumns) FROM journal WHERE number <= ?
            ORDER BY number DESC LIMIT ?
            """)
        rows.bind(1, number)
        rows.bind(2, Int64(limit))
        return try entries(rows)
    }

    /// What one transaction changed, the latest first.
    func journal(at timestamp: HybridTimestamp) throws(StoreFault) -> [JournalEntry] {
        let rows = try connection.statement(
            """
            SELECT \(Self.journalColumns) FROM journal WHERE stamp = ? ORDER BY number DESC
            """)
        rows.bind(1, timestamp.rawValue)
        return try entries(rows)
    }

    /// The number of the last entry; 0 if there is none.
    package func lastJournalNumber() throws(StoreFault) -> Int64 {
        try connection.number("SELECT ifnull(max(number), 0) FROM journal")
    }

    /// How many entries are kept, and since when; nil if nothing was ever dropped.
    package func journalStart() throws(StoreFault) -> Int64? {
        try reading { () throws(StoreFault) in
            let row = try connection.statement(
                "SELECT number, arrived FROM journal ORDER BY number LIMIT 1")
            defer { row.reset() }
            guard try row.step(), row.int(0) > 1 else { return nil }
            return row.int(1)
        }
    }

    private func entries(_ rows: PreparedStatement) throws(StoreFault) -> [JournalEntry] {
        defer { rows.reset() }
        var found: [JournalEntry] = []
        while try rows.step() { found.append(try entry(rows)) }
        return found
    }

    private func entry(_ row: PreparedStatement) throws(StoreFault) -> JournalEntry {
        guard let id = row.identifier(1), let kind = JournalEntry.Kind(rawValue: row.int(3)),
            state.replicas.entries.indices.contains(Int(row.int(4))),
            let field = Self.field(row.bytes(2)), let before = value(row, 8),
            let after = value(row, 9)
        else {
            throw .corrupt(
                path: paths.database, detail: "entry \(row.int(0)) of the journal is damaged")
        }
        return JournalEntry(
            number: row.int(0), record: RecordID(value: id), field: field, kind: kind,
            author: state.replicas[Int(row.int(4))].replica, counter: row.unsigned(5),
            timestamp: HybridTimestamp(rawValue: row.unsigned(6)), arrived: row.int(7),
            before: before, after: after)
    }

    private static func field(_ bytes: [UInt8]) -> Field? {
        bytes.withUnsafeBytes { buffer in
            var reader = CanonicalReader(buffer)
            return try? reader.field()
        }
    }

    /// The value in a column; nil if it is damaged.
    private func value(_ row: PreparedStatement, _ column: Int32) -> Value?? {
        if row.isNull(column) { return .some(nil) }
        return Self.value(row.bytes(column)).map { .some($0) }
    }

    static func value(_ bytes: [UInt8]) -> Value? {
        bytes.withUnsafeBytes { buffer in
            var reader = CanonicalReader(buffer)
            return try? reader.value(in: VersionVector())
        }
    }

    // MARK: Before a conflict

    /// What a field showed before the two sides went apart; nil if that is not known here.
    ///
    /// The last value here that the other side had seen and that is no part of the conflict itself. Where
    /// the other side had merged the conflict already it has seen all of this side's values: then that
    /// may be one in between.
    func base(
        of field: Field, in old: StoredRecord, and incoming: Record, giving merged: Record
    ) throws(StoreFault) -> Value? {
        guard let shown = old.record.survivors(of: field).last else { return .null }
        let candidates = Set(merged.candidates(of: field).map(\.dot))
        func isBase(_ dot: Dot) -> Bool {
            incoming.clock.covers(dot) && !candidates.contains(dot)
        }
        if isBase(shown.write.dot) { return shown.value }
        let isTogether = old.record.clock.entries.contains {
            incoming.clock.counter(of: $0.replica) > 0
        }
        if !isTogether { return .null }
        let entries = try journal(of: old.id).filter {
            $0.field == field && ($0.kind == .local || $0.kind == .merged)
        }
        for entry in entries where isBase(Dot(replica: entry.author, counter: entry.counter)) {
            return entry.after ?? .null
        }
        // Before the first entry stood what the record was made with, or arrived with.
        guard let first = entries.last, try journalStart() == nil else { return nil }
        return first.before ?? .null
    }

    func keepBase(_ value: Value, of field: Field, in id: RecordID) throws(StoreFault) {
        let row = try connection.statement("INSERT OR IGNORE INTO conflict_base VALUES (?, ?, ?)")
        row.bind(1, identifier: id.value)
        row.bind(2, Self.bytes(field))
        row.bind(3, value.canonicalBytes)
        try row.run()
    }

    func forgetBase(of field: Field, in id: RecordID) throws(StoreFault) {
        let row = try connection.statement(
            "DELETE FROM conflict_base WHERE record = ? AND field = ?")
        row.bind(1, identifier: id.value)
        row.bind(2, Self.bytes(field))
        try row.run()
    }

    /// What a field in conflict showed before; `.null` if nothing, nil if that is not known here.
    package func conflictBase(of field: Field, in id: RecordID) throws(StoreFault) -> Value? {
        try reading { () throws(StoreFault) in
            let row = try connection.statement(
                "SELECT value FROM conflict_base WHERE record = ? AND field = ?")
            row.bind(1, identifier: id.value)
            row.bind(2, Self.bytes(field))
            defer { row.reset() }
            return try row.step() ? Self.value(row.bytes(0)) : nil
        }
    }

    private static func bytes(_ field: Field) -> [UInt8] {
        var writer = CanonicalWriter()
        BodyCodec.write(field, to: &writer)
        return writer.bytes
    }
}

import Core

/// The part of a store that counts the records of each collection by how they stand.
///
/// Owns the table `record_count`. The counts are written in the transaction that changes the records, so that a list
/// tells them without reading any; `Maintenance` compares them with the records and counts them anew.
final class RecordCounts: StorePart {
    /// How a record counts.
    struct Standing {
        /// The value of the column `state`.
        let state: Int64
        /// How many conflicts are open in it.
        let conflictCount: Int
        /// Whether the collection's counted column is empty.
        let isUnset: Bool
    }

    /// The counts of one collection.
    struct Count: Hashable {
        /// Live records.
        var live = 0
        /// Records in the trash.
        var trashed = 0
        /// Purged records.
        var purged = 0
        /// Records with an open conflict, whatever else.
        var conflicted = 0
        /// Live records whose counted column is empty.
        var unset = 0

        /// Counts a record, or with -1 takes it out of the count.
        mutating func add(_ number: Int, _ standing: Standing) {
            switch standing.state {
            case Records.RowState.live:
                live += number
                if standing.isUnset { unset += number }
            case Records.RowState.deleted: trashed += number
            default: purged += number
            }
            if standing.conflictCount > 0 { conflicted += number }
        }
    }

    private let database: Database
    /// By the indexes of the collections.
    private var counts: [Count]
    /// The same as the database has them.
    private var saved: [Count]
    /// Both, as the transaction found them.
    private var kept: (counts: [Count], saved: [Count])?

    init(_ database: Database) {
        self.database = database
        counts = Array(repeating: Count(), count: database.collections.count)
        saved = counts
    }

    /// Counts a record's new state in place of the one before.
    ///
    /// - Parameter old: nil if it was not there.
    func note(_ new: Standing, replacing old: Standing?, in index: Int) {
        if let old { counts[index].add(-1, old) }
        counts[index].add(1, new)
    }

    /// The number of records that a request is about; nil if they have to be counted.
    func count(_ request: FetchRequest, in index: Int) -> Int? {
        let count = counts[index]
        switch request.predicate {
        case .all, .and([]):
            return switch request.scope {
            case .live: count.live
            case .trash: count.trashed
            case .conflicted: count.conflicted
            case .all: count.live + count.trashed + count.purged
            }
        case .absent(let path):
            guard request.scope == .live, path.references.isEmpty,
                let field = database.collections[index].countedField,
                path.target == .field(field.name)
            else { return nil }
            return count.unset
        default: return nil
        }
    }

    /// How many records of a collection have content: live ones, and those in the trash.
    func keptCount(in index: Int) -> Int { counts[index].live + counts[index].trashed }

    /// How many records are live; those of devices do not count.
    var liveCount: Int {
        zip(database.collections, counts).reduce(0) { $1.0.id == .devices ? $0 : $0 + $1.1.live }
    }

    // MARK: From the records

    /// The names of the collections whose counts do not fit the records.
    func deviations() throws(StoreFault) -> [String] {
        let real = try fromRecords()
        return database.collections.indices.filter { real[$0] != counts[$0] }
            .map { database.collections[$0].name }
    }

    /// Counts all records anew, and writes the counts.
    func recount() throws(StoreFault) {
        counts = try fromRecords()
        try database.connection.run("DELETE FROM record_count")
        saved = Array(repeating: Count(), count: counts.count)
        _ = try save()
    }

    private func fromRecords() throws(StoreFault) -> [Count] {
        var found: [Count] = []
        for schema in database.collections {
            let unset = schema.countedField.map { "state = 0 AND \($0.quoted) IS NULL" } ?? "0"
            let row = try database.connection.statement(
                """
                SELECT count(*) FILTER (WHERE state = 0), count(*) FILTER (WHERE state = 1),
                    count(*) FILTER (WHERE state > 1), count(*) FILTER (WHERE conflicts > 0),
                    count(*) FILTER (WHERE \(unset))
                FROM \(schema.table)
                """)
            defer { row.reset() }
            guard try row.step() else { continue }
            found.append(
                Count(
                    live: Int(row.int(0)), trashed: Int(row.int(1)), purged: Int(row.int(2)),
                    conflicted: Int(row.int(3)), unset: Int(row.int(4))))
        }
        return found
    }

    // MARK: Transactions

    func load() throws(StoreFault) {
        var found = Array(repeating: Count(), count: counts.count)
        let rows = try database.connection.statement(
            "SELECT name, live, trashed, purged, conflicted, unset FROM record_count")
        defer { rows.reset() }
        while try rows.step() {
            let name = rows.text(0)
            guard let index = database.collections.firstIndex(where: { $0.name == name }) else {
                continue
            }
            found[index] = Count(
                live: Int(rows.int(1)), trashed: Int(rows.int(2)), purged: Int(rows.int(3)),
                conflicted: Int(rows.int(4)), unset: Int(rows.int(5)))
        }
        (counts, saved) = (found, found)
    }

    func begin() { kept = (counts, saved) }

    func save() throws(StoreFault) -> Bool {
        for index in counts.indices where counts[index] != saved[index] {
            let count = counts[index]
            let row = try database.connection.statement(
                "INSERT OR REPLACE INTO record_count VALUES (?, ?, ?, ?, ?, ?)")
            row.bind(1, database.collections[index].name)
            row.bind(2, Int64(count.live))
            row.bind(3, Int64(count.trashed))
            row.bind(4, Int64(count.purged))
            row.bind(5, Int64(count.conflicted))
            row.bind(6, Int64(count.unset))
            try row.run()
        }
        saved = counts
        return false
    }

    func rollBack() {
        if let kept { (counts, saved) = kept }
    }

    func end() { kept = nil }
}

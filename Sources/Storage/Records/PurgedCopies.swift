import Core

/// The part of a store that knows which records are copies of what was kept of purged ones.
///
/// Owns the table `purged_copy`. A copy leaves before, or together with, the purge that lets go of the values: whoever has the
/// purge has the copy.
final class PurgedCopies: StorePart {
    private let database: Database
    private var copies: [RecordName: [RecordID]] = [:]
    private var kept: [RecordName: [RecordID]]?

    init(_ database: Database) {
        self.database = database
    }

    /// The copies of a purged record.
    func copies(of purged: RecordName) -> [RecordName] {
        if copies.isEmpty { return [] }
        return (copies[purged] ?? []).map { RecordName(purged.collection, $0) }
    }

    /// Notes that a record is a copy of a purged one.
    func note(_ copy: RecordName, of purged: RecordName) throws(StoreFault) {
        if copies[purged]?.contains(copy.id) == true { return }
        let row = try database.connection.statement("INSERT INTO purged_copy VALUES (?, ?, ?)")
        row.bind(1, identifier: purged.id.value)
        row.bind(2, purged.collection.canonicalBytes)
        row.bind(3, identifier: copy.id.value)
        try row.run()
        copies[purged, default: []].append(copy.id)
    }

    // MARK: Transactions

    func load() throws(StoreFault) {
        let rows = try database.connection.statement(
            "SELECT id, collection, copy FROM purged_copy ORDER BY id, collection, copy")
        defer { rows.reset() }
        copies = [:]
        while try rows.step() {
            guard let id = rows.identifier(0), let copy = rows.identifier(2),
                let collection = CollectionID(canonicalBytes: rows.bytes(1))
            else { continue }
            copies[RecordName(collection, RecordID(value: id)), default: []].append(
                RecordID(value: copy))
        }
    }

    func begin() { kept = copies }

    func rollBack() { if let kept { copies = kept } }

    func end() { kept = nil }
}

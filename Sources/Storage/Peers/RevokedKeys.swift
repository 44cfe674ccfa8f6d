import Core

/// The part of a store that remembers the keys of revoked devices whose revocation a merge took away.
///
/// A device is out while an element with its key stands in a device's record. Any member can take the element away, by a
/// purge of the record or a body with a clock that has seen it, at a device that has not heard of the revocation. Who has heard of it
/// keeps it all the same. The revocations that stand in records are not repeated here.
///
/// Owns the table `revoked_key`. `Protocol/Model/revocation_model.py` searches the rule. Source: Protocol/11-Pairing.md §3.
final class RevokedKeys {
    /// The field of a device's record with the keys that it revoked: a set of bytes.
    static let number: UInt32 = 6
    /// How long a key is: the SHA-256 of a certificate.
    static let keyByteCount = 32

    private let database: Database

    init(_ store: Store) {
        database = store.database
    }

    /// The keys whose revocation stood in a record once, and was taken away by a merge; those first that went first.
    func all() throws(StoreFault) -> [[UInt8]] {
        try database.reading { () throws(StoreFault) in
            let rows = try database.connection.statement(
                "SELECT key FROM revoked_key ORDER BY number")
            defer { rows.reset() }
            var found: [[UInt8]] = []
            while try rows.step() { found.append(rows.bytes(0)) }
            return found
        }
    }

    /// Whether the revocation of a key was taken away once.
    func contains(_ key: [UInt8]) throws(StoreFault) -> Bool {
        let row = try database.connection.statement("SELECT 1 FROM revoked_key WHERE key = ?")
        row.bind(1, key)
        defer { row.reset() }
        return try row.step()
    }

    /// Remembers the keys that a merge takes from a device's record.
    func note(_ merged: RecordState, replacing old: Record) throws(StoreFault) {
        guard old.collection == .devices else { return }
        let former = Self.keys(in: old.record)
        if former.isEmpty { return }
        let lost = former.subtracting(Self.keys(in: merged))
        for key in lost.sorted(by: { $0.lexicographicallyPrecedes($1) }) { try add(key) }
    }

    /// Remembers a key.
    func add(_ key: [UInt8]) throws(StoreFault) {
        let row = try database.connection.statement(
            "INSERT OR IGNORE INTO revoked_key(key) VALUES (?)")
        row.bind(1, key)
        try row.run()
    }

    /// Forgets all of them, where the store leaves the space.
    func forgetAll() throws(StoreFault) {
        try database.connection.execute("DELETE FROM revoked_key")
    }

    /// The keys that a record says are out, whatever is assigned to the elements.
    static func keys(in record: RecordState) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for case .element(.number(number), .bytes(let key)) in record.fields
        where key.count == keyByteCount {
            keys.insert(key)
        }
        return keys
    }
}

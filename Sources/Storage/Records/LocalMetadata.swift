/// The part of a store with what programs keep beside the records on this device alone: never synced.
///
/// Owns the table `local_metadata`. An entry has a name inside of a namespace. It is saved with the edits of
/// its transaction or not at all. All are dropped when writes get other dots, as an entry may speak of
/// those.
final class LocalMetadata {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// All entries of a namespace, by name.
    func all(in namespace: String) throws(StoreFault) -> [String: [UInt8]] {
        try database.reading { () throws(StoreFault) in
            let rows = try database.connection.statement(
                "SELECT name, content FROM local_metadata WHERE namespace = ?")
            rows.bind(1, namespace)
            defer { rows.reset() }
            var found: [String: [UInt8]] = [:]
            while try rows.step() { found[rows.text(0)] = rows.bytes(1) }
            return found
        }
    }

    /// The entry of a name; nil if there is none.
    func entry(named name: String, in namespace: String) throws(StoreFault) -> [UInt8]? {
        try database.reading { () throws(StoreFault) in
            let row = try database.connection.statement(
                "SELECT content FROM local_metadata WHERE namespace = ? AND name = ?")
            row.bind(1, namespace)
            row.bind(2, name)
            defer { row.reset() }
            return try row.step() ? row.bytes(0) : nil
        }
    }

    /// Keeps an entry, instead of the one of that name; nil drops it.
    ///
    /// Only inside of a transaction.
    func set(
        _ content: [UInt8]?, named name: String, in namespace: String
    ) throws(StoreFault) {
        guard let content else {
            let row = try database.connection.statement(
                "DELETE FROM local_metadata WHERE namespace = ? AND name = ?")
            row.bind(1, namespace)
            row.bind(2, name)
            return try row.run()
        }
        let row = try database.connection.statement(
            "INSERT OR REPLACE INTO local_metadata VALUES (?, ?, ?)")
        row.bind(1, namespace)
        row.bind(2, name)
        row.bind(3, content)
        try row.run()
    }

    /// Drops all entries.
    func forgetAll() throws(StoreFault) {
        try database.connection.execute("DELETE FROM local_metadata")
    }
}

extension Transaction {
    /// Keeps an entry of the local metadata, instead of the one of that name; nil drops it.
    package func setLocalMetadata(
        _ content: [UInt8]?, named name: String, in namespace: String
    ) throws(StoreFault) {
        try store.metadata.set(content, named: name, in: namespace)
    }
}

import Records

/// Whether a file describes its tables, indexes and views as this program makes them: SQLite itself believes
/// whatever it reads there, so that a wrong bit can turn a column of a view into a text, or hide an index.
extension Migrations {
    /// What the file should describe and does not, in words; what others added to it is left alone.
    ///
    /// - Parameter collections: those of this program; one that the file keeps in other columns is not looked
    ///   at, as it is made anew when the store is opened.
    static func deviations(
        of connection: Connection, from collections: [CollectionSchema], on disk: any StoreDisk
    ) throws(StoreFault) -> [String] {
        let model = try Connection(path: ":memory:", on: disk, creates: true, busyMilliseconds: 0)
        defer { model.close() }
        try run(on: model, path: ":memory:")
        let note = try connection.statement("SELECT note FROM collection WHERE name = ?")
        for schema in collections {
            note.bind(1, schema.name)
            defer { note.reset() }
            if try note.step(), note.text(0) == schema.note { try makeTable(schema, on: model) }
        }
        let found = Set(try descriptions(connection))
        return try descriptions(model).filter { !found.contains($0) }.map {
            "the \($0.kind) \($0.name) is not described as it was made"
        }
    }

    /// What the file says of one table, index or view.
    private struct Description: Hashable {
        let kind: String
        let name: String
        let table: String
        let text: String
    }

    private static func descriptions(
        _ connection: Connection
    ) throws(StoreFault) -> [Description] {
        // An index that SQLite makes by itself has no text.
        let rows = try connection.statement(
            "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY rowid")
        defer { rows.reset() }
        var found: [Description] = []
        while try rows.step() {
            found.append(
                Description(
                    kind: rows.text(0), name: rows.text(1), table: rows.text(2), text: rows.text(3))
            )
        }
        return found
    }
}

import Core

/// Whether a file describes its tables, indexes and views as this program makes them: SQLite itself believes
/// whatever it reads there, so that a wrong bit can turn a column of a view into a text, or hide an index.
extension Migrations {
    /// What the file should describe and does not, in words; what others added to it is left alone.
    ///
    /// - Parameters:
    ///   - collections: those of this program; one that the file keeps in other columns is not looked at, as
    ///     it is made anew when the store is opened.
    ///   - models: what was worked out for earlier files.
    static func deviations(
        of connection: Connection, from collections: [CollectionSchema], on disk: any StoreDisk,
        models: TableModels
    ) throws(StoreFault) -> [String] {
        let note = try connection.statement("SELECT note FROM collection WHERE name = ?")
        var present: [CollectionSchema] = []
        for schema in collections {
            note.bind(1, schema.name)
            defer { note.reset() }
            if try note.step(), note.text(0) == schema.note { present.append(schema) }
        }
        let found = Set(try descriptions(connection))
        return try models.descriptions(of: present, on: disk).filter { !found.contains($0) }.map {
            "the \($0.kind) \($0.name) is not described as it was made"
        }
    }

    /// What this program's tables are described as, from a database made for that.
    static func descriptions(
        ofNew collections: [CollectionSchema], on disk: any StoreDisk
    ) throws(StoreFault) -> [TableModels.Description] {
        let model = try Connection(path: ":memory:", on: disk, creates: true, busyMilliseconds: 0)
        defer { model.close() }
        try run(on: model, path: ":memory:")
        for schema in collections { try makeTable(schema, on: model) }
        return try descriptions(model)
    }

    private static func descriptions(
        _ connection: Connection
    ) throws(StoreFault) -> [TableModels.Description] {
        // An index that SQLite makes by itself has no text.
        let rows = try connection.statement(
            "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY rowid")
        defer { rows.reset() }
        var found: [TableModels.Description] = []
        while try rows.step() {
            found.append(
                TableModels.Description(
                    kind: rows.text(0), name: rows.text(1), table: rows.text(2), text: rows.text(3))
            )
        }
        return found
    }
}

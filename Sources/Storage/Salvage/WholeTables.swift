/// Makes a database anew from its tables alone: no index of the damaged one is read.
///
/// The tables are made as this program makes them, whatever the damaged database says of itself.
struct WholeTables {
    let source: Connection
    let target: Connection
    let collections: [CollectionSchema]

    /// - Parameters:
    ///   - path: a copy of the damaged database, whose tables are known to be readable; may be changed.
    ///   - fresh: a new file.
    ///   - collections: those of this program.
    /// - Throws: whatever SQLite finds wrong; the new file is not whole then.
    static func copy(
        _ path: String, to fresh: String, collections: [CollectionSchema], on disk: any StoreDisk
    ) throws(StoreFault) {
        let source = try Connection(path: path, on: disk, creates: false, busyMilliseconds: 0)
        defer { source.close() }
        let target = try Connection(path: fresh, on: disk, creates: true, busyMilliseconds: 0)
        defer { target.close() }
        try Migrations.check(source, path: path)
        try Migrations.run(on: source, path: path)
        try Migrations.run(on: target, path: fresh)
        try WholeTables(source: source, target: target, collections: collections).copy()
    }

    private func copy() throws(StoreFault) {
        try target.execute("BEGIN")
        let notes = try source.statement("SELECT name, note FROM collection")
        while try notes.step() {
            let (name, note) = (notes.text(0), notes.text(1))
            // A collection of another version of this program is made without indexes: it is made anew in the
            // columns of this one when the store is opened.
            let known = collections.first { $0.name == name && $0.note == note }
            guard let schema = known ?? CollectionSchema(name: name, note: note) else {
                throw .corrupt(path: "", detail: "the columns of a collection are unknown")
            }
            try Migrations.makeTable(schema, on: target)
        }
        let made = try target.statement(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name <> 'collection' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        var tables: [String] = []
        while try made.step() { tables.append(made.text(0)) }
        for table in tables { try copyRows(of: table) }
        try target.execute("COMMIT")
    }

    private func copyRows(of table: String) throws(StoreFault) {
        // Not by way of an index, even where one has all columns.
        let rows = try source.statement("SELECT * FROM \(table) NOT INDEXED")
        defer { rows.reset() }
        let marks = Array(repeating: "?", count: rows.columnCount).joined(separator: ", ")
        let insert = try target.statement("INSERT INTO \(table) VALUES (\(marks))")
        while try rows.step() {
            for column in 0..<Int32(rows.columnCount) {
                insert.bind(column + 1, cell: rows.cell(column))
            }
            try insert.run()
        }
    }
}

/// Makes a database anew from its tables alone: no index of the damaged one is read.
struct WholeTables {
    let source: Connection
    let target: Connection

    /// - Parameters:
    ///   - path: a copy of the damaged database, whose tables are known to be readable; may be changed.
    ///   - fresh: a new file.
    /// - Throws: whatever SQLite finds wrong; the new file is not whole then.
    static func copy(_ path: String, to fresh: String, on disk: any StoreDisk) throws(StoreFault) {
        let source = try Connection(path: path, on: disk, creates: false, busyMilliseconds: 0)
        defer { source.close() }
        let target = try Connection(path: fresh, on: disk, creates: true, busyMilliseconds: 0)
        defer { target.close() }
        try Migrations.check(source, path: path)
        try WholeTables(source: source, target: target).copy()
    }

    private func copy() throws(StoreFault) {
        let application = try source.number("PRAGMA application_id")
        let format = try source.number("PRAGMA user_version")
        try target.execute(
            """
            PRAGMA application_id = \(application); PRAGMA user_version = \(format); BEGIN
            """)
        for (name, sql) in try list("table") {
            try target.execute(sql)
            try copyRows(of: "\"" + name.replacing("\"", with: "\"\"") + "\"")
        }
        for kind in ["index", "view"] {
            for (_, sql) in try list(kind) { try target.execute(sql) }
        }
        try target.execute("COMMIT")
    }

    /// What the database lists of a kind that was made by a statement.
    private func list(_ kind: String) throws(StoreFault) -> [(name: String, sql: String)] {
        let rows = try source.statement(
            """
            SELECT name, sql FROM sqlite_schema
            WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        rows.bind(1, kind)
        defer { rows.reset() }
        var found: [(String, String)] = []
        while try rows.step() { found.append((rows.text(0), rows.text(1))) }
        return found
    }

    private func copyRows(of table: String) throws(StoreFault) {
        // In the order of the table itself: so no index is asked.
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

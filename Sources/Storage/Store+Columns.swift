import CSQLite
import Core

/// A changed schema: rows are written again into the columns of this program, and nobody has to delete
/// a store. Nothing of a record changes, so no record gets a new arrival number.
extension Store {
    /// Brings the tables in line with the schema: new columns take the values that came before they
    /// were known, the values of columns that are gone are kept beside the others.
    ///
    /// - Parameter isInDoubt: whether the stamp has to stay as it is, so that the doubt outlives a crash.
    func adoptColumns(isInDoubt: Bool) throws(StoreFault) {
        if try reading({ () throws(StoreFault) in try hasOwnColumns() }) { return }
        if !isInDoubt { try openForWriting() }
        do throws(StoreFault) {
            try transact { () throws(StoreFault) in try makeOwnColumns() }
        } catch .database(let code, let detail, _) where code & 0xff == SQLITE_ERROR {
            // What makes the tables here made them when the store was new: the file describes them wrongly.
            throw .misdescribed(path: paths.database, detail: detail)
        }
    }

    private func makeOwnColumns() throws(StoreFault) {
        try refresh()
        let known = try knownCollections()
        let own = Set(collections.map(\.table))
        for old in known where !own.contains(old.table) { try retire(old) }
        for (place, schema) in collections.enumerated() {
            if let old = known.first(where: { $0.table == schema.table }) {
                if try note(of: schema) != schema.note { try rebuild(place, writtenAs: old) }
            } else {
                try Migrations.makeTable(schema, on: connection)
            }
        }
        try adoptForeign()
        smallCollections.forget()
    }

    /// Whether the tables have just the columns of this program's schema.
    func hasOwnColumns() throws(StoreFault) -> Bool {
        let rows = try connection.statement("SELECT name, note FROM collection")
        defer { rows.reset() }
        var count = 0
        while try rows.step() {
            let name = rows.text(0)
            guard let schema = collections.first(where: { $0.name == name }),
                rows.text(1) == schema.note
            else { return false }
            count += 1
        }
        return count == collections.count
    }

    private func note(of schema: CollectionSchema) throws(StoreFault) -> String? {
        let row = try connection.statement("SELECT note FROM collection WHERE name = ?")
        row.bind(1, schema.name)
        defer { row.reset() }
        return try row.step() ? row.text(0) : nil
    }

    private func knownCollections() throws(StoreFault) -> [CollectionSchema] {
        let rows = try connection.statement("SELECT name, note FROM collection ORDER BY name")
        defer { rows.reset() }
        var found: [CollectionSchema] = []
        while try rows.step() {
            guard let schema = CollectionSchema(name: rows.text(0), note: rows.text(1)) else {
                throw .corrupt(
                    path: paths.database, detail: "the columns of \(rows.text(0)) are unknown")
            }
            found.append(schema)
        }
        return found
    }

    /// Copies a table into one with the columns of this program.
    func rebuild(_ place: Int, writtenAs old: CollectionSchema) throws(StoreFault) {
        let aside = try Migrations.setAside(old, on: connection)
        try Migrations.makeTable(collections[place], on: connection)
        try copy(from: aside, writtenAs: old, to: place)
    }

    /// Moves the records of a collection that this program does not know to those of unknown ones.
    private func retire(_ old: CollectionSchema) throws(StoreFault) {
        let aside = try Migrations.setAside(old, on: connection)
        try copy(from: aside, writtenAs: old, to: collections.count - 1)
        let note = try connection.statement("DELETE FROM collection WHERE name = ?")
        note.bind(1, old.name)
        try note.run()
    }

    private func copy(
        from table: String, writtenAs old: CollectionSchema, to place: Int
    )
        throws(StoreFault)
    {
        let codec = RowCodec(old)
        let rows = try connection.statement(
            "SELECT \(old.statements.columns) FROM \(table) ORDER BY sequence")
        while try rows.step() {
            guard let id = rows.identifier(1), let record = codec.decode(rows, state.replicas)
            else {
                rows.reset()
                throw .corrupt(
                    path: paths.database, detail: "row \(rows.int(0)) of \(old.table) is damaged")
            }
            try write(
                RecordID(value: id), old.id, record, sequence: rows.unsigned(0), to: place)
        }
        connection.forgetStatements()
        try connection.execute("DROP TABLE \(table)")
    }

    /// Writes a row as it was, in other columns.
    private func write(
        _ id: RecordID, _ collection: CollectionID, _ record: Record, sequence: UInt64,
        to place: Int
    ) throws(StoreFault) {
        let body = BodyCodec.encode(record, in: collection)
        try bindRow(
            id, place, collection, record, body: body, sequence: sequence, old: nil,
            verdict: DeletionRule(state.policy).verdict(on: record)
        ).run()
    }

    /// Moves records of collections that were unknown until now into their own tables.
    private func adoptForeign() throws(StoreFault) {
        let foreign = collections.count - 1
        var found: [StoredRecord] = []
        try forEachRecord(in: foreign) { stored throws(StoreFault) in
            if place(of: stored.collection) != foreign { found.append(stored) }
        }
        for stored in found {
            let row = try connection.statement("DELETE FROM unknown_record WHERE sequence = ?")
            row.bind(1, stored.sequence)
            try row.run()
            try write(
                stored.id, stored.collection, stored.record, sequence: stored.sequence,
                to: place(of: stored.collection))
        }
    }
}

import CSQLite
import Core

/// The part of a store that brings its tables in line with a changed schema: rows are written again
/// into the columns of this program, and nobody has to delete a store.
///
/// Owns the table `collection`. Nothing of a record changes, so no record gets a new arrival number.
final class SchemaAdoption: StorePart {
    private let database: Database
    private let knowledge: Knowledge
    private let records: Records

    init(_ database: Database, _ knowledge: Knowledge, _ records: Records) {
        self.database = database
        self.knowledge = knowledge
        self.records = records
    }

    private var collections: [CollectionSchema] { database.collections }
    private var connection: Connection { database.connection }

    func load() throws(StoreFault) {
        // A program with another schema may have taken the store over.
        if database.isAdopted, try !hasOwnColumns() { throw .schemaChanged }
    }

    /// Brings the tables in line with the schema: new columns take the values that came before they
    /// were known, the values of columns that are gone are kept beside the others.
    ///
    /// - Parameter incarnations: begins to write there first; nil if the identity file has to stay as it is, so
    ///   that a suspicion outlives a crash.
    func adopt(writingIn incarnations: Incarnations?) throws(StoreFault) {
        if try database.reading({ () throws(StoreFault) in try hasOwnColumns() }) { return }
        try incarnations?.prepareWriting()
        do throws(StoreFault) {
            try database.transactUnprepared { () throws(StoreFault) in try makeOwnColumns() }
        } catch .database(let code, let detail, _) where code & 0xff == SQLITE_ERROR {
            // The same statements made the tables when the store was new: the file describes them wrongly.
            throw .misdescribed(path: database.paths.database, detail: detail)
        }
    }

    private func makeOwnColumns() throws(StoreFault) {
        try database.refresh()
        let known = try knownCollections()
        let own = Set(collections.map(\.table))
        for old in known where !own.contains(old.table) { try retire(old) }
        for (index, schema) in collections.enumerated() {
            if let old = known.first(where: { $0.table == schema.table }) {
                if try note(of: schema) != schema.note { try rebuild(index, writtenAs: old) }
            } else {
                try Migrations.makeTable(schema, on: connection)
            }
        }
        try adoptForeign()
        try records.counts.recount()
    }

    /// Whether the tables have just the columns of this program's schema.
    private func hasOwnColumns() throws(StoreFault) -> Bool {
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
                throw database.corrupt("the columns of \(rows.text(0)) are unknown")
            }
            found.append(schema)
        }
        return found
    }

    /// Writes all rows anew, as the rule by which they are deleted has changed.
    func rebuildAll() throws(StoreFault) {
        for (index, schema) in collections.enumerated() { try rebuild(index, writtenAs: schema) }
        try records.counts.recount()
    }

    /// Copies a table into one with the columns of this program.
    private func rebuild(_ index: Int, writtenAs old: CollectionSchema) throws(StoreFault) {
        let former = try Migrations.moveAway(old, on: connection)
        try Migrations.makeTable(collections[index], on: connection)
        try copy(from: former, writtenAs: old, to: index)
    }

    /// Moves the records of a collection that this program does not know to those of unknown ones.
    private func retire(_ old: CollectionSchema) throws(StoreFault) {
        let former = try Migrations.moveAway(old, on: connection)
        try copy(from: former, writtenAs: old, to: collections.count - 1)
        let note = try connection.statement("DELETE FROM collection WHERE name = ?")
        note.bind(1, old.name)
        try note.run()
    }

    private func copy(
        from table: String, writtenAs old: CollectionSchema, to index: Int
    )
        throws(StoreFault)
    {
        let codec = RowCodec(old)
        let rows = try connection.statement(
            "SELECT \(old.statements.columns) FROM \(table) ORDER BY sequence")
        while try rows.step() {
            guard let id = rows.identifier(1), let record = codec.decode(rows, knowledge.replicas)
            else {
                rows.reset()
                throw database.corrupt("row \(rows.int(0)) of \(old.table) is damaged")
            }
            try write(
                RecordName(old.id, RecordID(value: id)), record, sequence: rows.unsigned(0),
                to: index)
        }
        connection.forgetStatements()
        try connection.execute("DROP TABLE \(table)")
    }

    /// Writes a row as it was, in other columns.
    private func write(
        _ name: RecordName, _ record: RecordState, sequence: UInt64, to index: Int
    ) throws(StoreFault) {
        let body = BodyCodec.encode(record, in: name.collection)
        try records.bindRow(
            name, index, record, body: body, sequence: sequence, old: nil,
            verdict: knowledge.deletionRule.verdict(on: record)
        ).run()
    }

    /// Moves records of collections that were unknown until now into their own tables.
    private func adoptForeign() throws(StoreFault) {
        let foreign = collections.count - 1
        var found: [Record] = []
        try records.forEachRecord(in: foreign) { stored throws(StoreFault) in
            if records.index(of: stored.collection) != foreign { found.append(stored) }
        }
        for stored in found {
            let row = try connection.statement("DELETE FROM unknown_record WHERE sequence = ?")
            row.bind(1, stored.sequence)
            try row.run()
            try write(
                stored.name, stored.record, sequence: stored.sequence,
                to: records.index(of: stored.collection))
        }
    }
}

import Causality
import Merge
import Records
import Wire

/// A changed schema: new columns are added and filled, and nobody has to delete a store.
extension Store {
    /// Makes the tables of collections that are new, and fills columns that are.
    func adoptColumns() throws(StoreFault) {
        let known = try connection.statement("SELECT name, columns FROM collection")
        var columns: [String: String] = [:]
        while try known.step() { columns[known.text(0)] = known.text(1) }
        let changed = collections.indices.filter { place in
            let wanted = collections[place].fields.map { "\($0.number) \($0.column) \($0.type)" }
            return columns[collections[place].name] != wanted.joined(separator: ",")
        }
        if changed.isEmpty { return }
        try changing { () throws(StoreFault) in
            for place in changed {
                let isNew = columns[collections[place].name] == nil
                // Records are read by the columns they were written with: first those, then the new.
                let old = RowCodec(oldSchema(place, columns[collections[place].name] ?? ""))
                let added = try Migrations.makeTable(collections[place], on: connection)
                if isNew {
                    try adoptForeign(place)
                } else if !added.isEmpty {
                    try refill(place, writtenBy: old)
                }
            }
        }
    }

    private func oldSchema(_ place: Int, _ columns: String) -> CollectionSchema {
        let names = Set(columns.split(separator: ",").map(String.init))
        let schema = collections[place]
        let fields = schema.fields.filter { names.contains("\($0.number) \($0.column) \($0.type)") }
        return CollectionSchema(schema.id, schema.name, fields: fields)
    }

    /// Writes the rows of a table again, so that values kept beside the columns move into them.
    private func refill(_ place: Int, writtenBy old: RowCodec) throws(StoreFault) {
        var stale: [StoredRecord] = []
        let rows = try connection.statement(
            """
            SELECT \(Self.columns(old.schema)) FROM \(old.schema.table) ORDER BY sequence
            """)
        while try rows.step() {
            guard let id = rows.identifier(1), let record = old.decode(rows, state.replicas) else {
                rows.reset()
                throw .corrupt(path: paths.database, detail: "a row of \(old.schema.table) is damaged")
            }
            stale.append(
                StoredRecord(
                    id: RecordID(value: id), collection: old.schema.id, sequence: rows.unsigned(0),
                    record: record, verdict: DeletionRule(state.policy).verdict(on: record)))
        }
        for record in stale {
            try put(record.id, record.collection, record.record, replacing: record)
        }
    }

    /// Moves records of a collection that was unknown until now into its own table.
    private func adoptForeign(_ place: Int) throws(StoreFault) {
        let foreign = collections.count - 1
        if place == foreign { return }
        var mine: [StoredRecord] = []
        try forEachRecord(in: foreign) { stored throws(StoreFault) in
            if stored.collection == collections[place].id { mine.append(stored) }
        }
        for stored in mine {
            let row = try connection.statement("DELETE FROM unknown_record WHERE sequence = ?")
            row.bind(1, stored.sequence)
            try row.run()
            let body = BodyCodec.encode(stored.record, in: stored.collection)
            state.digest &-= contentHash(stored.id, stored.record.clock, body)
            for entry in stored.record.clock.entries {
                let number = state.replicas.placeOrNew(of: entry.replica)
                let summand = state.hash.tally(stored.id, entry.counter)
                state.replicas.change(number) { $0.tally &-= summand }
            }
            try put(stored.id, stored.collection, stored.record, replacing: nil)
        }
    }
}

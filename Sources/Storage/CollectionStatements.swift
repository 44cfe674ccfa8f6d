/// The SQL that a store needs for the records of one collection, and what its columns are remembered by.
///
/// A collection may have dozens of columns: their texts are put together once for a schema, not at each opening.
final class CollectionStatements: Sendable {
    /// The columns, in the order of a `RowCodec`.
    let columns: String
    /// The same, of a table that is called `t`.
    let columnsOfT: String
    let insert: String
    let update: String
    /// A record by its id.
    let find: String
    /// Whether there is a record of an id.
    let exists: String
    /// What arrived after a number.
    let arrivals: String
    /// The same in a compiled form of its own: one of `arrivals` may stand on a row while news are read.
    let feed: String
    /// The collection, its columns and indexes, as the store remembers them.
    let note: String

    init(table: String, fields: [FieldSchema], note: String) {
        let all = RowCodec.fixedColumns + fields.map(\.quoted)
        columns = all.joined(separator: ", ")
        let marks = Array(repeating: "?", count: all.count).joined(separator: ", ")
        let sets = all.map { "\($0) = ?" }.joined(separator: ", ")
        columnsOfT = all.map { "t.\($0)" }.joined(separator: ", ")
        insert = "INSERT INTO \(table)(\(columns)) VALUES (\(marks)) ON CONFLICT(id) DO NOTHING"
        update = "UPDATE \(table) SET \(sets) WHERE sequence = ?"
        find = "SELECT \(columns) FROM \(table) WHERE id = ?"
        exists = "SELECT 1 FROM \(table) WHERE id = ?"
        arrivals = "SELECT \(columns) FROM \(table) WHERE sequence > ? ORDER BY sequence"
        feed = arrivals + " LIMIT -1"
        self.note = note
    }
}

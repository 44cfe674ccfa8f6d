import Core

/// The descriptions of a program's tables in an undamaged file, kept for the examination of many files.
///
/// It depends on the program's schema alone, never on a file, and takes longer to work out than to compare.
package final class TableModels {
    /// The description of one table, index or view in a file.
    struct Description: Hashable {
        let kind: String
        let name: String
        let table: String
        let text: String

        /// Whether both say the same, in whichever spelling.
        func means(_ other: Description) -> Bool {
            kind == other.kind && name == other.name && table == other.table
                && SQLToken.tokens(of: text) == SQLToken.tokens(of: other.text)
        }
    }

    /// The known descriptions, with the schema that they are for.
    private var models: [(collections: [CollectionSchema], descriptions: [Description])] = []
    /// The most schemas that are kept: a world has two, that of the present version and that of a newer one.
    private static let modelCountMax = 4

    /// Nothing is worked out yet.
    package init() {}

    /// The tables of a store with these collections.
    func descriptions(
        of collections: [CollectionSchema], on disk: any StoreDisk
    ) throws(StoreFault) -> [Description] {
        if let known = models.first(where: { $0.collections == collections }) {
            return known.descriptions
        }
        let descriptions = try Migrations.descriptions(ofNew: collections, on: disk)
        if models.count >= Self.modelCountMax { models = [] }
        models.append((collections, descriptions))
        return descriptions
    }
}

/// Whether a file describes its tables, indexes and views as this program makes them: SQLite itself believes
/// whatever it reads there, so that a wrong bit can turn a column of a view into a text, or hide an index.
extension Migrations {
    /// The tables, indexes and views that the file does not describe as they were made; additions of others
    /// do not count.
    ///
    /// - Parameters:
    ///   - collections: those of this program; one that the file keeps in other columns is not looked at, as
    ///     it is made anew when the store is opened.
    ///   - models: what was worked out for earlier files.
    static func deviations(
        of connection: Connection, from collections: [CollectionSchema], on disk: any StoreDisk,
        models: TableModels
    ) throws(StoreFault) -> [StoreFinding] {
        let note = try connection.statement("SELECT note FROM collection WHERE name = ?")
        var present: [CollectionSchema] = []
        for schema in collections {
            note.bind(1, schema.name)
            defer { note.reset() }
            if try note.step(), note.text(0) == schema.note { present.append(schema) }
        }
        let found = try descriptions(connection)
        // Nearly every file has the very texts: tokens are compared where one differs.
        let known = Set(found)
        return try models.descriptions(of: present, on: disk)
            .filter { model in !known.contains(model) && !found.contains { $0.means(model) } }
            .map { .misdescribed(kind: $0.kind, name: $0.name) }
    }

    /// The descriptions of this program's tables, from a database made for that.
    static func descriptions(
        ofNew collections: [CollectionSchema], on disk: any StoreDisk
    ) throws(StoreFault) -> [TableModels.Description] {
        let model = try Connection(
            path: Connection.inMemory, on: disk, creates: true, busyMilliseconds: 0)
        defer { model.close() }
        try run(on: model, path: Connection.inMemory)
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

import Core

/// A collection of records with columns of their own.
package struct CollectionSchema: Equatable, Sendable {
    /// The collection's number or name in changes.
    package let id: CollectionID
    /// The name of the view that people query; the table is `<name>_record`.
    package let name: String
    /// The fields, sorted by number, then by name.
    package let fields: [FieldSchema]
    /// Indexes over columns, each a list of names; `state` is 0 for a live record.
    package let indexes: [[String]]
    /// Indexes over the rows alone in which the last column of each has a value: they cost nothing where it is
    /// rare.
    package let sparseIndexes: [[String]]
    /// Indexes over all columns of each but the last, of the rows alone in which the last one has no value.
    package let gapIndexes: [[String]]
    /// The field of which it is counted how many live records have nothing in its column; nil if none is counted.
    let countedField: FieldSchema?
    /// The columns of texts that a search finds by an index; none if it always reads all of them.
    let searchedColumns: [String]
    /// The SQL and the note that follow from all of that.
    let statements: CollectionStatements

    /// A collection.
    ///
    /// - Parameters:
    ///   - counted: the column of which it is counted how many live records have nothing in it.
    ///   - searched: the columns of texts that a search finds by an index.
    package init(
        _ id: CollectionID, _ name: String, fields: [FieldSchema], indexes: [[String]] = [],
        sparseIndexes: [[String]] = [], gapIndexes: [[String]] = [], counted: String? = nil,
        searched: [String] = []
    ) {
        self.id = id
        self.name = name
        self.fields = fields.sorted { $0.name < $1.name }
        self.indexes = indexes
        self.sparseIndexes = sparseIndexes
        self.gapIndexes = gapIndexes
        countedField = fields.first { $0.column == counted }
        searchedColumns = searched
        statements = CollectionStatements(
            table: Self.table(name), fields: self.fields, isShared: id == Self.foreignID,
            note: Self.note(id, self.fields, indexes, sparseIndexes, gapIndexes, counted))
    }

    /// The text by which the store remembers a collection.
    private static func note(
        _ id: CollectionID, _ fields: [FieldSchema], _ indexes: [[String]],
        _ sparseIndexes: [[String]], _ gapIndexes: [[String]], _ counted: String?
    ) -> String {
        let name: String
        switch id {
        case .number(let number): name = "#\(number)"
        case .text(let text): name = text
        }
        let parts =
            fields.map(\.note) + indexes.map { (["index"] + $0).joined(separator: " ") }
            + sparseIndexes.map { (["index", "sparse"] + $0).joined(separator: " ") }
            + gapIndexes.map { (["index", "gap"] + $0).joined(separator: " ") }
            + (counted.map { ["count \($0)"] } ?? [])
        return ([name] + parts).joined(separator: "\n")
    }

    /// The schema of a field with a column.
    package func field(_ number: UInt32) -> FieldSchema? {
        field(.number(number))
    }

    /// The schema of a field with a column.
    package func field(_ name: FieldName) -> FieldSchema? {
        fields.first { $0.name == name }
    }

    var table: String { Self.table(name) }

    /// Whether records of several collections share the table: it has a column for the collection.
    var isShared: Bool { statements.isShared }

    /// How many columns come before those of the fields.
    var fixedColumnCount: Int { RowCodec.fixedColumns.count + (isShared ? 1 : 0) }

    private static func table(_ name: String) -> String { "\(name)_record" }

    /// The collection, its columns and indexes, as the store remembers them.
    var note: String { statements.note }

    /// Reads such a note; nil if it is anything else.
    init?(name: String, note: String) {
        let lines = note.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, FieldSchema.isName(name) else { return nil }
        let id: CollectionID
        if first.first == "#" {
            guard let number = UInt32(first.dropFirst()) else { return nil }
            id = .number(number)
        } else {
            id = .text(String(first))
        }
        var fields: [FieldSchema] = []
        for line in lines.dropFirst()
        where !line.hasPrefix("index ") && !line.hasPrefix("count ") {
            guard let field = FieldSchema(note: line) else { return nil }
            fields.append(field)
        }
        self.init(id, name, fields: fields)
    }

    /// Compares the texts by which a store remembers the two.
    package static func == (left: CollectionSchema, right: CollectionSchema) -> Bool {
        left.name == right.name && left.note == right.note
    }

    /// The reserved collection of device names.
    package static let devices = CollectionSchema(
        .devices, "device", fields: [FieldSchema(2, "name", .text)])

    /// Where records of collections that this version does not know are kept.
    static let foreign = CollectionSchema(foreignID, "unknown", fields: [])

    private static let foreignID = CollectionID.text("?")
}

/// A field with a column of its own.
package struct FieldSchema: Hashable, Sendable {
    /// The kinds of value in a column.
    package typealias Kind = ColumnKind

    /// The field's number or name in changes; it never changes its meaning.
    package let name: FieldName
    /// The column's name.
    package let column: String
    /// The kind of value in the column.
    package let kind: ColumnKind
    /// Of a reference: whether deleting what it leads to deletes this record as well.
    package let isOwned: Bool

    /// A built-in field.
    package init(_ number: UInt32, _ column: String, _ kind: ColumnKind) {
        precondition(number > 1, "the fields 0 and 1 are reserved")
        self.init(.number(number), column, kind, isOwned: false)
    }

    /// A field of an app, of that name in changes; its column has the same name if that is free.
    package init(named name: String, _ kind: ColumnKind, isOwned: Bool = false) {
        let name = name.inFormC
        let isTaken = RowCodec.fixedColumns.contains(name.lowercased())
        self.init(.text(name), isTaken ? name + "_" : name, kind, isOwned: isOwned)
    }

    private init(_ name: FieldName, _ column: String, _ kind: ColumnKind, isOwned: Bool) {
        precondition(Self.isName(column), "a column's name has letters, digits and _ alone")
        self.name = name
        self.column = column
        self.kind = kind
        self.isOwned = isOwned
    }

    /// The field's register; of a set the elements have registers of their own.
    package var field: Field { Field(name) }

    /// The column's name in SQL.
    var quoted: String { ["\"", column, "\""].joined() }

    /// The number or name, the column and what it holds, as the store remembers them of its tables.
    var note: String {
        let name =
            switch name {
            case .number(let number): String(number)
            case .text(let text): "=" + text
            }
        return [name, column, kind.word].joined(separator: " ")
    }

    /// Reads such a note; nil if it is anything else.
    init?(note: Substring) {
        let words = note.split(separator: " ")
        guard words.count == 3, Self.isName(words[1]) else { return nil }
        let name: FieldName
        if words[0].first == "=" {
            guard Self.isName(words[0].dropFirst()) else { return nil }
            name = .text(String(words[0].dropFirst()))
        } else {
            guard let number = UInt32(words[0]), number > 1 else { return nil }
            name = .number(number)
        }
        guard let kind = ColumnKind(word: words[2]) else { return nil }
        self.init(name, String(words[1]), kind, isOwned: false)
    }

    /// Whether a name that was read from a file can be one that was once written into SQL as it is.
    package static func isName(_ name: some StringProtocol) -> Bool {
        // A digit in front would begin a number there.
        name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                    true
                default: false
                }
            }
    }
}

/// The SQL that a store needs for the records of one collection, and what its columns are remembered by.
///
/// A collection may have dozens of columns: their texts are put together once for a schema, not at each opening.
final class CollectionStatements: Sendable {
    /// The columns, in the order of a `RowCodec`.
    let columns: String
    /// How many they are.
    let columnCount: Int32
    /// Whether records of several collections share the table.
    let isShared: Bool
    /// The same columns, of a table that is called `t`.
    let columnsOfT: String
    let insert: String
    let update: String
    /// A record by its id, and in a shared table by its collection.
    let find: String
    /// The records that arrived after a number.
    let arrivals: String
    /// The same in a compiled form of its own: one of `arrivals` may stand on a row while news are read.
    let feed: String
    /// The collection, its columns and indexes, as the store remembers them.
    let note: String

    init(table: String, fields: [FieldSchema], isShared: Bool, note: String) {
        let key = isShared ? ["id", "collection"] : ["id"]
        let all = RowCodec.fixedColumns + key.dropFirst() + fields.map(\.quoted)
        columns = all.joined(separator: ", ")
        columnCount = Int32(all.count)
        self.isShared = isShared
        let marks = Array(repeating: "?", count: all.count).joined(separator: ", ")
        columnsOfT = "t." + all.joined(separator: ", t.")
        // Joined, as texts of columns that are put into others by interpolation are copied several times.
        insert = [
            "INSERT INTO ", table, "(", columns, ") VALUES (", marks, ") ON CONFLICT(",
            key.joined(separator: ", "), ") DO NOTHING",
        ].joined()
        update = [
            "UPDATE ", table, " SET ", all.joined(separator: " = ?, "), " = ? WHERE sequence = ?",
        ].joined()
        let rows = ["SELECT ", columns, " FROM ", table].joined()
        find = [rows, " WHERE ", key.joined(separator: " = ? AND "), " = ?"].joined()
        arrivals = rows + " WHERE sequence > ? ORDER BY sequence"
        feed = arrivals + " LIMIT -1"
        self.note = note
    }
}

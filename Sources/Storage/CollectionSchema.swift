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
    /// What follows from all of that.
    let statements: CollectionStatements

    /// A collection.
    package init(
        _ id: CollectionID, _ name: String, fields: [FieldSchema], indexes: [[String]] = [],
        sparseIndexes: [[String]] = [], gapIndexes: [[String]] = []
    ) {
        self.id = id
        self.name = name
        self.fields = fields.sorted { $0.name < $1.name }
        self.indexes = indexes
        self.sparseIndexes = sparseIndexes
        self.gapIndexes = gapIndexes
        statements = CollectionStatements(
            table: Self.table(name), fields: self.fields,
            note: Self.note(id, self.fields, indexes, sparseIndexes, gapIndexes))
    }

    /// What the store remembers a collection by.
    private static func note(
        _ id: CollectionID, _ fields: [FieldSchema], _ indexes: [[String]],
        _ sparseIndexes: [[String]], _ gapIndexes: [[String]]
    ) -> String {
        let name: String
        switch id {
        case .number(let number): name = "#\(number)"
        case .text(let text): name = text
        }
        let parts =
            fields.map(\.note) + indexes.map { "index \($0.joined(separator: " "))" }
            + sparseIndexes.map { "index sparse \($0.joined(separator: " "))" }
            + gapIndexes.map { "index gap \($0.joined(separator: " "))" }
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
        for line in lines.dropFirst() where !line.hasPrefix("index ") {
            guard let field = FieldSchema(note: line) else { return nil }
            fields.append(field)
        }
        self.init(id, name, fields: fields)
    }

    /// What a store remembers of the two is the same.
    package static func == (left: CollectionSchema, right: CollectionSchema) -> Bool {
        left.name == right.name && left.note == right.note
    }

    /// The reserved collection of device names.
    package static let devices = CollectionSchema(
        .devices, "device", fields: [FieldSchema(2, "name", .text)])

    /// Where records of collections that this version does not know are kept.
    static let foreign = CollectionSchema(.text("?"), "unknown", fields: [])
}

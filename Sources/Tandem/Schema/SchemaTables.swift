import Core
import Storage

// A schema's names, its tables, and what it makes of an app's values.

// MARK: Names

extension Schema {
    /// - Throws: `unknownName`.
    func required(_ name: CollectionID) throws(TandemError) -> Collection {
        if let found = collections.first(where: { name == .text($0.name) }) { return found }
        throw TandemError(
            .unknownName, "the schema has no collection '\(name)'", side: .app,
            next: "name one of: \(collections.map(\.name).joined(separator: ", "))")
    }

    /// - Throws: `unknownName`.
    func attribute(
        _ name: FieldName, of collection: Collection
    ) throws(TandemError) -> Attribute {
        if let found = collection.attributes.first(where: { name == .text($0.name) }) {
            return found
        }
        let names = collection.attributes.map(\.name).joined(separator: ", ")
        throw TandemError(
            .unknownName, "'\(collection.name)' has no attribute '\(name)'", side: .app,
            next: "name one of: \(names)")
    }

    /// The collection to which a reference leads.
    ///
    /// - Throws: `unknownName`.
    func target(of name: FieldName, of collection: Collection) throws(TandemError) -> Collection {
        guard case .reference(let target) = try attribute(name, of: collection).kind else {
            throw TandemError(
                .unknownName, "'\(collection.name).\(name)' is no reference", side: .app,
                next: "follow references alone")
        }
        return try required(target)
    }

    // MARK: Values

    /// Returns the assignments that make a record show these values.
    ///
    /// - Parameters:
    ///   - sets: the texts of attributes that hold sets.
    ///   - old: the record as it is; nil if it is new, or if sets are only to be added to.
    /// - Throws: `unknownName`, `wrongKind`.
    func assignments(
        _ values: [String: Value], sets: [String: [String]], in collection: Collection,
        from old: Record? = nil
    ) throws(TandemError) -> [Assignment] {
        var found: [Assignment] = []
        for (name, value) in values {
            let field = FieldName.text(name.inFormC)
            let attribute = try attribute(field, of: collection)
            found.append(Assignment(Field(field), try attribute.taking(value)))
        }
        for (name, texts) in sets {
            let field = FieldName.text(name.inFormC)
            guard try attribute(field, of: collection).kind == .set else {
                throw TandemError(
                    .wrongKind, "'\(collection.name).\(name)' holds no set", side: .app,
                    next: "give its value among the values")
            }
            let before = Set(old?.texts(in: field) ?? [])
            let after = Set(texts.map(\.inFormC))
            for text in after.subtracting(before) {
                found.append(Assignment(.element(field, text: text), .bool(true)))
            }
            for text in before.subtracting(after) {
                found.append(Assignment(.element(field, text: text), .null))
            }
        }
        return found.sorted { $0.field < $1.field }
    }
}

// MARK: Tables

extension Schema {
    /// Names that tables of the store itself have.
    private static let taken: Set<String> = [
        "state", "replica", "epoch", "checkpoint", "collection", "address", "journal", "undo",
        "making",
        "unopened", "device", "unknown",
    ]

    /// Returns the tables, with a column for each attribute.
    ///
    /// - Throws: `badSchema`, with the part that is wrong.
    func tables() throws(TandemError) -> [CollectionSchema] {
        try Self.check(collections.map(\.name), "collection", allowsUnderscore: false)
        var tables: [CollectionSchema] = []
        for collection in collections {
            try Self.check(
                collection.attributes.map(\.name), "attribute of '\(collection.name)'",
                allowsUnderscore: true)
            tables.append(try table(collection))
        }
        return tables
    }

    private static func wrong(_ what: String) -> TandemError {
        TandemError(
            .badSchema, "the schema is wrong: \(what)", side: .app, next: "correct the schema")
    }

    /// Checks that names can be names of columns and tables, and that no two of them are one to SQLite.
    private static func check(
        _ names: [String], _ what: String, allowsUnderscore: Bool
    ) throws(TandemError) {
        var seen: Set<String> = []
        for name in names {
            // One form alone of each name, whatever a device's keyboard makes of it.
            let isName = FieldSchema.isName(name) && name.utf8.allSatisfy { $0 < 0x80 }
            guard isName, name.first != "_", name.utf8.count <= 64, name.last != "_",
                allowsUnderscore || !name.contains("_")
            else {
                let signs = allowsUnderscore ? "letters, digits and _" : "letters and digits"
                throw wrong(
                    "'\(name)' cannot name a \(what): a name has 1 to 64 of ASCII's \(signs), "
                        + "a letter first")
            }
            guard seen.insert(name.lowercased()).inserted else {
                throw wrong("there are two with the name '\(name)': \(what)")
            }
        }
    }

    private func table(_ collection: Collection) throws(TandemError) -> CollectionSchema {
        var fields: [FieldSchema] = []
        var indexes: [[String]] = []
        for attribute in collection.attributes {
            if case .reference(let target) = attribute.kind,
                !collections.contains(where: { target == .text($0.name) })
            {
                throw Self.wrong(
                    "'\(collection.name).\(attribute.name)' refers to '\(target)', "
                        + "which is no collection")
            }
            let field = FieldSchema(
                named: attribute.name, attribute.kind, isOwned: attribute.deleteRule == .cascade)
            fields.append(field)
            if attribute.isIndexed { indexes.append([field.column]) }
        }
        for index in collection.indexes {
            var columns: [String] = []
            for name in index {
                guard let field = fields.first(where: { $0.name == .text(name) }) else {
                    throw Self.wrong("an index of '\(collection.name)' names '\(name)'")
                }
                columns.append(field.column)
            }
            if columns.isEmpty { throw Self.wrong("an index of '\(collection.name)' is empty") }
            indexes.append(columns)
        }
        let name = collection.name
        // A name with `_` at its end cannot be a collection's, so it is free.
        let isTaken = Self.taken.contains(name.lowercased())
        return CollectionSchema(
            .text(name), isTaken ? name + "_" : name, fields: fields, indexes: indexes)
    }
}

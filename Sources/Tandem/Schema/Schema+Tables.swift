import Core
import Storage

/// The schema as tables with a column for each attribute.
extension Schema {
    /// Names that tables of the store itself have.
    private static let taken: Set<String> = [
        "state", "replica", "epoch", "checkpoint", "parked", "collection", "address", "device",
        "unknown",
    ]

    /// The tables.
    ///
    /// - Throws: `badSchema`, with the place that is wrong.
    func tables() throws(TandemError) -> [CollectionSchema] {
        var names: Set<String> = []
        for collection in collections {
            try Self.check(collection.name, "collection", allowsUnderscore: false)
            guard names.insert(collection.name.lowercased()).inserted else {
                throw Self.wrong("there are two collections '\(collection.name)'")
            }
        }
        for collection in collections {
            var names: Set<String> = []
            for attribute in collection.attributes {
                try Self.check(attribute.name, "attribute", allowsUnderscore: true)
                guard names.insert(attribute.name.lowercased()).inserted else {
                    throw Self.wrong("'\(collection.name)' has two attributes '\(attribute.name)'")
                }
            }
            try checkInverses(of: collection)
        }
        var tables: [CollectionSchema] = []
        for collection in collections { tables.append(try table(collection)) }
        return tables
    }

    private static func wrong(_ what: String) -> TandemError {
        TandemError(.badSchema, "the schema is wrong: \(what)", side: .app, next: "mend the schema")
    }

    private static func check(
        _ name: String, _ what: String, allowsUnderscore: Bool
    ) throws(TandemError) {
        // One form alone of each name, whatever a device's keyboard makes of it.
        let isName = FieldSchema.isName(name) && name.utf8.allSatisfy { $0 < 0x80 }
        guard isName, name.first != "_", name.utf8.count <= 64, name.last != "_",
            allowsUnderscore || !name.contains("_")
        else {
            let signs = allowsUnderscore ? "letters, digits and _" : "letters and digits"
            throw wrong(
                "'\(name)' cannot name a \(what); it has 1 to 64 of ASCII's \(signs), a letter first"
            )
        }
    }

    private func checkInverses(of collection: Collection) throws(TandemError) {
        var names = Set(collection.attributes.map(\.name))
        for (other, attribute) in references(to: collection.name) {
            guard case .reference(_, let inverse?, _) = attribute.kind else { continue }
            guard names.insert(inverse).inserted else {
                throw Self.wrong(
                    "'\(other.name).\(attribute.name)' calls its other side '\(inverse)', "
                        + "and '\(collection.name)' has that name already")
            }
        }
    }

    private func references(to name: String) -> [(Collection, Attribute)] {
        collections.flatMap { other in
            other.attributes.compactMap { attribute in
                guard case .reference(name, _, _) = attribute.kind else { return nil }
                return (other, attribute)
            }
        }
    }

    private func table(_ collection: Collection) throws(TandemError) -> CollectionSchema {
        var fields: [FieldSchema] = []
        var indexes: [[String]] = []
        for attribute in collection.attributes {
            let field = try field(attribute, of: collection)
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

    private func field(
        _ attribute: Attribute, of collection: Collection
    ) throws(TandemError) -> FieldSchema {
        switch attribute.kind {
        case .text: return FieldSchema(named: attribute.name, .text)
        case .int: return FieldSchema(named: attribute.name, .int)
        case .double: return FieldSchema(named: attribute.name, .double)
        case .bool: return FieldSchema(named: attribute.name, .bool)
        case .bytes: return FieldSchema(named: attribute.name, .bytes)
        case .date: return FieldSchema(named: attribute.name, .moment)
        case .texts: return FieldSchema(named: attribute.name, .set)
        case .reference(let target, _, let rule):
            guard self.collection(target) != nil else {
                throw Self.wrong(
                    "'\(collection.name).\(attribute.name)' refers to '\(target)', "
                        + "which is no collection")
            }
            return FieldSchema(
                named: attribute.name, .reference(.text(target)), isOwned: rule == .cascade)
        }
    }
}

import Core
import Storage

/// Lookup of names in a schema.
extension Schema {
    /// - Throws: `unknownName`.
    func required(_ name: String) throws(TandemError) -> Collection {
        if let found = collection(name) { return found }
        throw TandemError(
            .unknownName, "the schema has no collection '\(name)'", side: .app,
            next: "name one of: \(collections.map(\.name).joined(separator: ", "))")
    }

    /// - Throws: `unknownName`.
    func attribute(_ name: String, of collection: Collection) throws(TandemError) -> Attribute {
        if let found = collection.attributes.first(where: { $0.name == name }) { return found }
        let names = collection.attributes.map(\.name).joined(separator: ", ")
        throw TandemError(
            .unknownName, "'\(collection.name)' has no attribute '\(name)'", side: .app,
            next: "name one of: \(names)")
    }

    /// The collection to which a reference leads.
    ///
    /// - Throws: `unknownName`.
    func target(of name: String, of collection: Collection) throws(TandemError) -> Collection {
        let attribute = try attribute(name, of: collection)
        guard case .reference(let target, _, _) = attribute.kind else {
            throw TandemError(
                .unknownName, "'\(collection.name).\(name)' is no reference", side: .app,
                next: "follow references alone")
        }
        return try required(target)
    }

    /// The collection and the reference whose other side has that name.
    ///
    /// - Throws: `unknownName`.
    func inverse(
        _ name: String, of collection: Collection
    ) throws(TandemError) -> (collection: Collection, reference: String) {
        for other in collections {
            for attribute in other.attributes {
                guard case .reference(collection.name, name?, _) = attribute.kind else { continue }
                return (other, attribute.name)
            }
        }
        throw TandemError(
            .unknownName, "nothing calls its other side in '\(collection.name)' '\(name)'",
            side: .app, next: "give a reference to '\(collection.name)' that inverse")
    }

    // MARK: Values

    /// Returns the assignments that make a record show these values.
    ///
    /// - Parameter old: the record as it is; nil if it is new, or if sets are only to be added to.
    /// - Throws: `unknownName`, `wrongKind`.
    func assignments(
        _ values: [String: Value], in collection: Collection, from old: StoredRecord? = nil
    ) throws(TandemError) -> [Assignment] {
        var found: [Assignment] = []
        for (name, value) in values {
            let attribute = try attribute(name, of: collection)
            if attribute.kind == .texts {
                let texts = try Self.texts(value, of: attribute)
                let field = FieldName.text(name.inFormC)
                let before = Set(old?.texts(in: field).map { $0.inFormC } ?? [])
                let after = Set(texts.map { $0.inFormC })
                for text in after.subtracting(before) {
                    found.append(Assignment(.element(field, text: text), .bool(true)))
                }
                for text in before.subtracting(after) {
                    found.append(Assignment(.element(field, text: text), .null))
                }
            } else {
                found.append(
                    Assignment(.custom(name), try Self.plain(value, of: attribute)))
            }
        }
        return found.sorted { $0.field < $1.field }
    }

    private static func texts(
        _ value: Value, of attribute: Attribute
    ) throws(TandemError) -> [String] {
        switch value {
        case .null: return []
        case .texts(let texts): return texts
        default: throw wrongKind(value, of: attribute)
        }
    }

    /// The value as the attribute holds it.
    static func plain(
        _ value: Value, of attribute: Attribute
    ) throws(TandemError) -> Core.Value {
        switch (attribute.kind, value) {
        case (_, .null): return .null
        case (.text, .text(let text)): return .text(text)
        case (.int, .int(let number)): return .int(number)
        case (.double, .double(let number)): return .double(number)
        case (.double, .int(let number)): return .double(Double(number))
        case (.bool, .bool(let flag)): return .bool(flag)
        case (.bytes, .bytes(let bytes)): return .bytes(bytes)
        case (.date, .instant(let instant)): return .instant(instant)
        case (.date, .day(let day)): return .day(day)
        case (.reference, .reference(let id)): return .reference(id.value)
        default: throw wrongKind(value, of: attribute)
        }
    }

    private static func wrongKind(_ value: Value, of attribute: Attribute) -> TandemError {
        TandemError(
            .wrongKind,
            "\(value) is no value of '\(attribute.name)', which holds \(attribute.kind)",
            side: .app, next: "give a value of that kind, or nil to clear it")
    }
}

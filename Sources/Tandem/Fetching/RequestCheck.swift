import Core
import Storage

/// Checks requests against a schema: the names of collections and attributes, and the kinds of values.
extension Schema {
    /// Returns a request whose names and values fit; a negative limit or offset is 0.
    ///
    /// - Throws: `unknownName`, `wrongKind`.
    func checked(_ request: FetchRequest) throws(TandemError) -> FetchRequest {
        let collection = try required(request.collection)
        for path in [request.section].compactMap({ $0?.path }) + request.sort.map(\.path) {
            _ = try attribute(at: path, of: collection)
        }
        try check(request.predicate, of: collection)
        var request = request
        request.limit = request.limit.map { max($0, 0) }
        request.offset = max(request.offset, 0)
        return request
    }

    /// Returns the attribute to which a path leads; nil if it leads to a fact about the record.
    private func attribute(
        at path: FieldPath, of collection: Collection
    ) throws(TandemError) -> Attribute? {
        var collection = collection
        for reference in path.references {
            collection = try target(of: reference, of: collection)
        }
        switch path.target {
        case .field(let name): return try attribute(name, of: collection)
        case .id, .sequence: return nil
        case .count(let related):
            _ = try checkedCollection(of: related, to: collection)
            return nil
        case .greatest(let name, let related), .least(let name, let related):
            return try attribute(name, of: try checkedCollection(of: related, to: collection))
        }
    }

    /// Returns the collection of the records that refer to one of `collection`.
    private func checkedCollection(
        of related: Related, to collection: Collection
    ) throws(TandemError) -> Collection {
        let other = try required(related.collection)
        guard try target(of: related.reference, of: other).name == collection.name else {
            throw TandemError(
                .unknownName,
                "'\(other.name).\(related.reference)' does not refer to '\(collection.name)'",
                side: .app, next: "name a reference to '\(collection.name)'")
        }
        try check(related.predicate, of: other)
        return other
    }

    private func check(
        _ predicate: FetchPredicate, of collection: Collection
    ) throws(TandemError) {
        switch predicate {
        case .all, .idPrefix, .idSuffix, .oneOf: break
        case .compare(let path, _, let value):
            _ = try attribute(at: path, of: collection)?.taking(value)
        case .absent(let path), .contains(let path, _), .hasPrefix(let path, _),
            .hasElement(let path, _):
            _ = try attribute(at: path, of: collection)
        case .and(let parts), .or(let parts):
            for part in parts { try check(part, of: collection) }
        case .not(let part): try check(part, of: collection)
        case .any(let related): _ = try checkedCollection(of: related, to: collection)
        }
    }
}

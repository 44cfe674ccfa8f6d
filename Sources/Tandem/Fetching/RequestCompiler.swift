import Core
import Storage

/// A request in names → one in the store's terms, checked against the schema.
struct RequestCompiler {
    let schema: Schema

    /// - Throws: `unknownName`, `wrongKind`.
    func compile(_ request: FetchRequest) throws(TandemError) -> Storage.FetchRequest {
        let collection = try schema.required(request.collection)
        var sections: Storage.FetchRequest.SortDescriptor?
        if let sort = request.sections { sections = try compile(sort, of: collection) }
        var order: [Storage.FetchRequest.SortDescriptor] = []
        for sort in request.sort { order.append(try compile(sort, of: collection)) }
        let scope: Storage.FetchRequest.Scope =
            switch request.scope {
            case .live: .live
            case .trash: .trash
            case .conflicted: .conflicted
            }
        return Storage.FetchRequest(
            .text(collection.name), scope: scope,
            where: try compile(request.predicate, of: collection), section: sections, sort: order,
            limit: request.limit.map { max($0, 0) }, offset: max(request.offset, 0))
    }

    private func compile(
        _ sort: FetchRequest.Sort, of collection: Schema.Collection
    ) throws(TandemError) -> Storage.FetchRequest.SortDescriptor {
        Storage.FetchRequest.SortDescriptor(
            try path(sort.path, of: collection).path, isAscending: sort.isAscending)
    }

    /// A path, and the attribute to which it leads, if it leads to one.
    private func path(
        _ path: FetchRequest.Path, of collection: Schema.Collection
    ) throws(TandemError) -> (path: FieldPath, attribute: Attribute?) {
        var collection = collection
        for reference in path.references {
            collection = try schema.target(of: reference, of: collection)
        }
        let references = path.references.map { FieldName.text($0.inFormC) }
        var attribute: Attribute?
        let target: FieldPath.Target
        switch path.target {
        case .attribute(let name):
            attribute = try schema.attribute(name, of: collection)
            target = .field(.text(name.inFormC))
        case .id: target = .id
        case .lastChange: target = .sequence
        case .count(let inverse, let predicate):
            target = .count(try related(inverse, predicate, of: collection).0)
        case .greatest(let inverse, let name, let predicate):
            let (related, other) = try related(inverse, predicate, of: collection)
            attribute = try schema.attribute(name, of: other)
            target = .greatest(.text(name.inFormC), related)
        case .least(let inverse, let name, let predicate):
            let (related, other) = try related(inverse, predicate, of: collection)
            attribute = try schema.attribute(name, of: other)
            target = .least(.text(name.inFormC), related)
        }
        return (FieldPath(through: references, target: target), attribute)
    }

    /// The records that refer to one of a collection.
    func related(
        _ inverse: String, _ predicate: FetchRequest.Predicate, of collection: Schema.Collection
    ) throws(TandemError) -> (Related, Schema.Collection) {
        let (other, reference) = try schema.inverse(inverse, of: collection)
        let related = Related(
            .text(other.name), by: .text(reference.inFormC),
            where: try compile(predicate, of: other))
        return (related, other)
    }

    private func compile(
        _ predicate: FetchRequest.Predicate, of collection: Schema.Collection
    ) throws(TandemError) -> Storage.Predicate {
        switch predicate.form {
        case .all: return .all
        case .compare(let path, let comparison, let value):
            let (path, attribute) = try self.path(path, of: collection)
            let compared: Core.Value
            if let attribute {
                compared = try Schema.plain(value, of: attribute)
            } else if case .id = path.target, case .reference(let id) = value {
                compared = .bytes(id.value.bytes)
            } else {
                compared = value.plain ?? .null
            }
            return .compare(path, Self.comparison(comparison), compared)
        case .absent(let path): return .absent(try self.path(path, of: collection).path)
        case .contains(let path, let text):
            return .contains(try self.path(path, of: collection).path, text)
        case .hasPrefix(let path, let text):
            return .hasPrefix(try self.path(path, of: collection).path, text)
        case .hasElement(let path, let text):
            return .hasElement(try self.path(path, of: collection).path, text)
        case .oneOf(let ids): return .oneOf(ids.map(\.value))
        case .and(let parts): return .and(try compile(parts, of: collection))
        case .or(let parts): return .or(try compile(parts, of: collection))
        case .not(let part): return .not(try compile(part, of: collection))
        case .any(let inverse, let predicate):
            return .any(try related(inverse, predicate, of: collection).0)
        }
    }

    private func compile(
        _ parts: [FetchRequest.Predicate], of collection: Schema.Collection
    ) throws(TandemError) -> [Storage.Predicate] {
        var compiled: [Storage.Predicate] = []
        for part in parts { compiled.append(try compile(part, of: collection)) }
        return compiled
    }

    private static func comparison(
        _ comparison: FetchRequest.Predicate.Comparison
    ) -> Storage.Predicate.Comparison {
        switch comparison {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
}

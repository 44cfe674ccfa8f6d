import Core
import Storage

/// Requests by the names of collections and attributes.
extension FetchRequest {
    /// A request for records of a collection.
    ///
    /// - Parameters:
    ///   - collection: the collection's name.
    ///   - scope: which records by their state.
    ///   - predicate: which records.
    ///   - section: the path whose values part the records into sections, and their order.
    ///   - sort: the order, within sections if there are any; at the end by id, so that it is total.
    ///   - limit: the most records to give; nil for no limit.
    ///   - offset: how many records to skip.
    public init(
        _ collection: String, scope: Scope = .live, where predicate: FetchPredicate = .all,
        section: SortDescriptor? = nil, sort: [SortDescriptor] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.init(
            .text(collection), scope: scope, where: predicate, section: section, sort: sort,
            limit: limit, offset: offset)
    }
}

extension FetchRequest.SortDescriptor {
    /// The smallest value first.
    public static func ascending(_ path: FieldPath) -> Self { Self(path) }

    /// The greatest value first.
    public static func descending(_ path: FieldPath) -> Self { Self(path, isAscending: false) }
}

/// A path in names: `"title"`, or through references `"photographer.name"`.
///
/// Everything behind a reference to a missing or deleted record is absent. Each name is one step, also in a cycle of
/// references: a fetch, and what it counts or asks of related records, does not look for cycles, as that would read
/// the whole collection. A condition on a reference itself compares what was assigned, also if that record is
/// deleted. ``TandemStore/target(of:_:)``, ``TandemStore/related(to:in:by:)`` and
/// ``TandemStore/relatedCount(to:in:by:)`` follow the whole rule.
extension FieldPath: ExpressibleByStringLiteral {
    /// The names of references and finally of an attribute, separated by dots.
    public init(stringLiteral text: String) { self.init(text) }

    /// The names of references and finally of an attribute, separated by dots.
    public init(_ text: String) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map {
            FieldName.text(String($0).inFormC)
        }
        self.init(through: names.dropLast(), target: .field(names.last ?? .text("")))
    }

    /// How many records refer to the record.
    public static func count(_ related: Related) -> FieldPath {
        FieldPath(target: .count(related))
    }

    /// The greatest value that an attribute has in the records that refer to the record.
    public static func greatest(_ attribute: String, _ related: Related) -> FieldPath {
        FieldPath(target: .greatest(.text(attribute.inFormC), related))
    }

    /// The smallest value that an attribute has in the records that refer to the record.
    public static func least(_ attribute: String, _ related: Related) -> FieldPath {
        FieldPath(target: .least(.text(attribute.inFormC), related))
    }
}

extension Related {
    /// The records of a collection whose reference leads to the record.
    ///
    /// - Parameters:
    ///   - collection: the name of the collection of those that refer.
    ///   - reference: the name of their reference.
    ///   - predicate: which of them count.
    public init(
        _ collection: String, by reference: String, where predicate: FetchPredicate = .all
    ) {
        self.init(.text(collection), by: .text(reference.inFormC), where: predicate)
    }
}

extension FetchPredicate {
    /// The attribute has that value; with `nil`, it has none.
    public static func equals(_ path: FieldPath, _ value: Value) -> FetchPredicate {
        value.isNull ? .absent(path) : .compare(path, .equal, value)
    }

    /// The attribute has another value, or none; with `nil`, it has one.
    public static func differs(_ path: FieldPath, _ value: Value) -> FetchPredicate {
        value.isNull ? .not(.absent(path)) : .compare(path, .notEqual, value)
    }

    /// The attribute has a smaller value.
    public static func less(_ path: FieldPath, _ value: Value) -> FetchPredicate {
        .compare(path, .less, value)
    }

    /// The attribute has that value or a smaller one.
    public static func atMost(_ path: FieldPath, _ value: Value) -> FetchPredicate {
        .compare(path, .lessOrEqual, value)
    }

    /// The attribute has a greater value.
    public static func greater(_ path: FieldPath, _ value: Value) -> FetchPredicate {
        .compare(path, .greater, value)
    }

    /// The attribute has that value or a greater one.
    public static func atLeast(_ path: FieldPath, _ value: Value) -> FetchPredicate {
        .compare(path, .greaterOrEqual, value)
    }

    /// Both hold.
    public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        .and([left, right])
    }

    /// One of both holds.
    public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        .or([left, right])
    }

    /// It does not hold.
    public static prefix func ! (part: FetchPredicate) -> FetchPredicate { .not(part) }
}

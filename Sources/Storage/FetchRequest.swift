import Core

/// What to fetch, in which order, and how much of it.
package struct FetchRequest: Hashable, Sendable {
    /// By what to sort.
    package struct SortDescriptor: Hashable, Sendable {
        /// The field.
        package var path: FieldPath
        /// Whether the smallest comes first; records without a value come last in either case.
        package var isAscending: Bool

        /// An order.
        package init(_ path: FieldPath, isAscending: Bool = true) {
            self.path = path
            self.isAscending = isAscending
        }
    }

    /// Which records by their state.
    package enum Scope: Hashable, Sendable {
        /// Those that are alive.
        case live
        /// Those in the trash, not purged.
        case trash
        /// Those with an open conflict, alive or in the trash.
        case conflicted
        /// All of them, tombstones included.
        case all
    }

    /// The collection.
    package var collection: CollectionID
    /// Which records by their state.
    package var scope: Scope = .live
    /// Which records.
    package var predicate: Predicate
    /// By what the records are parted into sections; these come before everything else in the order.
    package var section: SortDescriptor?
    /// The order, within a section if there are any; at the end by id, so that it is total.
    package var sort: [SortDescriptor]
    /// The most records to give; nil for no limit.
    package var limit: Int?
    /// How many to pass over.
    package var offset = 0

    /// A request.
    package init(
        _ collection: CollectionID, scope: Scope = .live, where predicate: Predicate = .all,
        section: SortDescriptor? = nil, sort: [SortDescriptor] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.collection = collection
        self.scope = scope
        self.predicate = predicate
        self.section = section
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    /// By what the records are sorted, sections first; without the id at the end.
    var order: [SortDescriptor] { (section.map { [$0] } ?? []) + sort }

    /// Every field that is looked at.
    var paths: [FieldPath] { order.map(\.path) + predicate.paths }
}

/// Which records to fetch, in which order, and how many.
///
/// ```swift
/// FetchRequest(
///     "photos", where: .contains("title", "dune") && .equals("photographer.name", "Ansel"),
///     sections: .ascending("photographer.name"), sort: [.descending("taken")], limit: 50)
/// ```
public struct FetchRequest: Hashable, Sendable {
    /// Which records by their state.
    public enum Scope: Hashable, Sendable {
        /// Records that are not deleted.
        case live
        /// Records in the trash, not purged.
        case trash
        /// Records about which devices disagree, deleted or not.
        case conflicted
    }

    /// By what to sort.
    public struct Sort: Hashable, Sendable {
        /// The path whose values are compared: numbers by value, text and bytes byte by byte.
        public var path: Path
        /// Whether the smallest comes first; records without a value come last in either case.
        public var isAscending: Bool

        /// The smallest first.
        public static func ascending(_ path: Path) -> Sort { Sort(path: path, isAscending: true) }

        /// The greatest first.
        public static func descending(_ path: Path) -> Sort { Sort(path: path, isAscending: false) }
    }

    /// The name of the collection.
    public var collection: String
    /// Which records by their state; those that are alive unless said otherwise.
    public var scope = Scope.live
    /// Which records; all of them unless said otherwise.
    public var predicate: Predicate
    /// By what the records are parted into sections, and how sections are sorted; nil for no sections.
    public var sections: Sort?
    /// The order, within sections if there are any; at the end by id, so that it is the same each time.
    public var sort: [Sort]
    /// The most records to give; nil for no limit.
    public var limit: Int?
    /// How many to pass over.
    public var offset: Int

    /// A request.
    public init(
        _ collection: String, where predicate: Predicate = .all, sections: Sort? = nil,
        sort: [Sort] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.collection = collection
        self.predicate = predicate
        self.sections = sections
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }
}

/// The collections of an app, their attributes and references.
///
/// A schema may grow: a store that was made with an older one gets the new columns when it is opened, with
/// the values that newer devices have sent meanwhile. What a schema does not know is kept, merged and
/// passed on. An attribute never changes its meaning: a new meaning gets a new name.
///
/// ```swift
/// let schema = Schema(
///     .collection("photographers", .text("name", isIndexed: true)),
///     .collection(
///         "photos", .text("title"), .date("taken"), .texts("tags"),
///         .reference("photographer", to: "photographers", inverse: "photos")))
/// ```
public struct Schema: Hashable, Sendable {
    /// The collections.
    public let collections: [Collection]

    /// A schema; it is checked when a store is opened with it.
    public init(_ collections: Collection...) {
        self.collections = collections
    }

    /// The same from a list.
    public init(_ collections: [Collection]) {
        self.collections = collections
    }

    /// A collection of records.
    public struct Collection: Hashable, Sendable {
        /// Its name, on every device the same: ASCII letters and digits, a letter first.
        public let name: String
        /// The attributes of its records.
        public let attributes: [Attribute]
        /// Indexes over several attributes; each a list of names.
        public let indexes: [[String]]

        /// A collection.
        ///
        /// - Parameters:
        ///   - name: its name, on every device the same: letters and digits.
        ///   - attributes: the attributes of its records.
        ///   - indexes: indexes over several attributes, for fetches that compare the first ones and sort by
        ///     the last; references have an index each.
        public static func collection(
            _ name: String, _ attributes: Attribute..., indexes: [[String]] = []
        ) -> Collection {
            Collection(name: name, attributes: attributes, indexes: indexes)
        }

        /// A collection.
        public init(name: String, attributes: [Attribute], indexes: [[String]] = []) {
            self.name = name
            self.attributes = attributes
            self.indexes = indexes
        }
    }

    func collection(_ name: String) -> Collection? { collections.first { $0.name == name } }
}

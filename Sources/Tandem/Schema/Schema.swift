import Core
import Storage

/// The collections of an app, their attributes and references.
///
/// A schema may grow: a store that was made with an older one gets the new columns when it is opened, with
/// the values that newer devices have sent meanwhile. Unknown attributes and collections are kept, merged and
/// passed on. An attribute never changes its meaning: a new meaning gets a new name.
///
/// ```swift
/// let schema = Schema(
///     .collection("photographers", Attribute("name", .text, isIndexed: true)),
///     .collection(
///         "photos", Attribute("title", .text), Attribute("taken", .moment),
///         Attribute("tags", .set), .reference("photographer", to: "photographers")))
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
}

/// An attribute of a collection's records.
public struct Attribute: Hashable, Sendable {
    /// The effect of deleting a record on the records that refer to it.
    public enum DeleteRule: Hashable, Sendable {
        /// They stay, and their reference reads as absent; it leads there again when the record is restored.
        case nullify
        /// They are deleted as well, in the same transaction, as far as this device knows them.
        ///
        /// A record that another device adds meanwhile stays, with a reference that reads as
        /// absent.
        case cascade
    }

    /// Its name, on every device the same: ASCII letters, digits and `_`; a letter first, no `_` last.
    public let name: String
    /// The kind of its values.
    public let kind: ColumnKind
    /// Whether it has an index of its own; references always have.
    public let isIndexed: Bool
    /// The effect of deleting the record to which a reference leads.
    public let deleteRule: DeleteRule

    /// An attribute.
    ///
    /// - Parameters:
    ///   - name: its name, on every device the same.
    ///   - kind: the kind of its values; a value of another kind is refused.
    ///   - isIndexed: whether it has an index of its own, for fetches that compare it or sort by it.
    public init(_ name: String, _ kind: ColumnKind, isIndexed: Bool = false) {
        self.init(name, kind, isIndexed: isIndexed, .nullify)
    }

    private init(
        _ name: String, _ kind: ColumnKind, isIndexed: Bool, _ deleteRule: DeleteRule
    ) {
        self.name = name
        self.kind = kind
        if case .reference = kind { self.isIndexed = true } else { self.isIndexed = isIndexed }
        self.deleteRule = deleteRule
    }

    /// A reference to another record.
    ///
    /// - Parameters:
    ///   - name: its name, on every device the same.
    ///   - collection: the name of the collection of the records to which it leads.
    ///   - onDelete: what becomes of the record that refers when the other is deleted.
    public static func reference(
        _ name: String, to collection: String, onDelete: DeleteRule = .nullify
    ) -> Attribute {
        Attribute(name, .reference(.text(collection)), isIndexed: true, onDelete)
    }

    /// Returns a value as the attribute holds it.
    ///
    /// - Throws: `wrongKind`.
    func taking(_ value: Value) throws(TandemError) -> Value {
        if let taken = kind.taking(value) { return taken }
        throw TandemError(
            .wrongKind, "\(value) is no value of '\(name)', which holds \(kind)", side: .app,
            next: kind == .set
                ? "give the texts of a set among the sets"
                : "give a value of that kind, or nil to clear it")
    }
}

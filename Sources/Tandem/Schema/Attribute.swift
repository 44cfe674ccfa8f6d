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

    /// The type of an attribute's values.
    public enum Kind: Hashable, Sendable {
        /// Text.
        case text
        /// A whole number.
        case int
        /// A floating-point number.
        case double
        /// Yes or no.
        case bool
        /// Bytes.
        case bytes
        /// A point in time, or a date without a time zone.
        case date
        /// A set of texts: elements that devices add and remove at the same time are all kept or gone.
        case texts
        /// Another record: its collection, what the other side is called, and the delete rule.
        case reference(to: String, inverse: String?, onDelete: DeleteRule)
    }

    /// Its name, on every device the same: ASCII letters, digits and `_`; a letter first, no `_` last.
    public let name: String
    /// The type of its values.
    public let kind: Kind
    /// Whether it has an index of its own; references always have.
    public let isIndexed: Bool

    /// An attribute.
    public init(name: String, kind: Kind, isIndexed: Bool = false) {
        self.name = name
        self.kind = kind
        self.isIndexed = isIndexed
    }

    /// Text.
    public static func text(_ name: String, isIndexed: Bool = false) -> Attribute {
        Attribute(name: name, kind: .text, isIndexed: isIndexed)
    }

    /// A whole number.
    public static func int(_ name: String, isIndexed: Bool = false) -> Attribute {
        Attribute(name: name, kind: .int, isIndexed: isIndexed)
    }

    /// A floating-point number.
    public static func double(_ name: String, isIndexed: Bool = false) -> Attribute {
        Attribute(name: name, kind: .double, isIndexed: isIndexed)
    }

    /// Yes or no.
    public static func bool(_ name: String, isIndexed: Bool = false) -> Attribute {
        Attribute(name: name, kind: .bool, isIndexed: isIndexed)
    }

    /// Bytes.
    public static func bytes(_ name: String) -> Attribute {
        Attribute(name: name, kind: .bytes)
    }

    /// A point in time, or a date without a time zone.
    public static func date(_ name: String, isIndexed: Bool = false) -> Attribute {
        Attribute(name: name, kind: .date, isIndexed: isIndexed)
    }

    /// A set of texts.
    public static func texts(_ name: String) -> Attribute {
        Attribute(name: name, kind: .texts)
    }

    /// A reference to another record.
    ///
    /// - Parameters:
    ///   - name: its name, on every device the same.
    ///   - collection: to whose records it leads.
    ///   - inverse: what the records that refer are called over there, for ``Store/related(to:_:)`` and
    ///     for paths such as ``FetchRequest/Path/count(_:where:)``.
    ///   - onDelete: what becomes of the record that refers when the other is deleted.
    public static func reference(
        _ name: String, to collection: String, inverse: String? = nil,
        onDelete: DeleteRule = .nullify
    ) -> Attribute {
        Attribute(
            name: name,
            kind: .reference(to: collection, inverse: inverse, onDelete: onDelete),
            isIndexed: true)
    }
}

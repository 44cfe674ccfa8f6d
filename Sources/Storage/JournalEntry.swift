import Core

/// One change of one field that became visible in this store: who made it, when, and what stood there.
package struct JournalEntry: Hashable, Sendable {
    /// What kind of change it was.
    package enum Kind: Int64, Hashable, Sendable {
        /// An edit made here.
        case local = 0
        /// An edit of another device, or of this one before it took a new id, that arrived here.
        case merged = 1
        /// A value that arrived and is kept beside the shown one, as both were given without having
        /// seen each other.
        case beside = 2
        /// A value that an edit made here took out of a conflict; it stands in `before`.
        case dropped = 3
        /// The record was made; its fields tell the rest.
        case made = 4
        /// What stood here was purged.
        case erased = 5
        /// A value that an undo made here put back into a conflict; it stands in `after`.
        case opened = 6
    }

    /// The number of the entry: later ones have higher numbers.
    package let number: Int64
    /// The record.
    package let record: RecordID
    /// The field; `deleted`, with true and false for values, where a record went to the trash or came back.
    package let field: Field
    /// What kind of change it was.
    package let kind: Kind
    /// The replica that made it.
    package let author: ReplicaID
    /// The author's number for its write.
    package let counter: UInt64
    /// When, by the author's clock; all entries of one transaction have the same.
    package let timestamp: HybridTimestamp
    /// When it became visible here, by this device's clock; milliseconds since 1970-01-01 UTC.
    package let arrived: Int64
    /// What was shown before; nil if there was nothing yet.
    package let before: Value?
    /// What is shown since.
    package let after: Value?
}

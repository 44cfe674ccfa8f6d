import Core

/// One change of one field that became visible in this store: who made it, when, and what stood there.
package struct JournalEntry: Hashable, Sendable {
    /// The kind of change.
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
        /// The record was purged, and this entry emptied. Where the purge was made here, one with the field `purged`
        /// tells who made it, and when.
        case erased = 5
        /// A value that an undo made here put back into a conflict; it stands in `after`.
        case opened = 6
        /// An edit of another device that arrived here and is shown in place of a value that it had not seen,
        /// which is kept beside it.
        case above = 7

        /// Whether a field shows another value since.
        package var changesShown: Bool { self == .local || self == .merged || self == .above }
    }

    /// The number of the entry: later ones have higher numbers.
    package let number: Int64
    /// The record.
    package let record: RecordName
    /// The field; `deleted`, with true and false for values, where a record went to the trash or came back.
    package let field: Field
    /// The kind of change.
    package let kind: Kind
    /// The replica that made it.
    package let author: ReplicaID
    /// The author's number for its write.
    package let counter: UInt64
    /// When, by the author's clock; all entries of one transaction have the same.
    package let timestamp: HybridTimestamp
    /// When it became visible here, by this device's clock; milliseconds since 1970-01-01 UTC.
    package let arrived: Int64
    /// The value shown before; nil if there was none.
    package let before: Value?
    /// The value shown since; nil if there is none.
    package let after: Value?
    /// The replica whose write showed the value before; nil if none did.
    package let previous: ReplicaID?

    /// Whether it tells of a decision on a delete that had not seen edits (`dropped`), or that this is in question again
    /// (`opened`).
    ///
    /// The record is deleted before and after as the values say: a decision may bring it back.
    package var isDecisionOnDelete: Bool {
        field == .deleted && (kind == .dropped || kind == .opened)
    }
}

/// The changes of one transaction of this device, as the journal has them.
package struct LocalChange: Hashable, Sendable {
    /// The transaction's reading of the clock, which no other has.
    package let timestamp: HybridTimestamp
    /// The entries, the latest first; those of records it made have the kind `made`.
    package var entries: [JournalEntry]
    /// The change that undid this one; nil if it stands.
    package var undoneBy: HybridTimestamp?
    /// The change that this one undid; nil if it is an edit of its own.
    package var undoes: HybridTimestamp?
}

/// A purge that leaves nothing to undo of what was done last.
package struct PassedPurge: Hashable, Sendable {
    /// The records: all that were purged here at once, or one that was edited here and purged by another device.
    package let records: [RecordName]
    /// Whether they were purged here.
    package let isOwn: Bool
}

/// The answer to a plain undo, which names no change.
package enum NextUndo: Hashable, Sendable {
    /// The latest change that stands and is no undo itself is taken back.
    case change(LocalChange)
    /// Nothing is taken back, as a purge came after every change that could be; the latest of these, nil for none.
    case purge(PassedPurge, before: LocalChange?)
    /// The journal keeps no change that could be taken back.
    case nothing

    /// The change that is taken back; nil if none is.
    package var change: LocalChange? {
        if case .change(let change) = self { change } else { nil }
    }
}

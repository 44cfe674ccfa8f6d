import Core

/// What one transaction of this device changed, as the journal has it.
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

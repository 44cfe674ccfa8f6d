import Core

/// In what a copy of a store is other than the store itself is now; each record is in one list at most.
package struct CopyDifference: Hashable, Sendable {
    /// Alive in the copy, in the trash here.
    package var deleted: [RecordID] = []
    /// Alive in the copy, and purged here: they can only come back as new ones.
    package var purged: [RecordID] = []
    /// Alive in the copy, and not known here.
    package var missing: [RecordID] = []
    /// Alive in both, with other values.
    package var changed: [RecordID] = []
    /// Alive here, and not alive in the copy: made since, or brought back.
    package var later: [RecordID] = []
    /// How many are alive in both and the same.
    package var equalCount = 0

    /// Nothing is other.
    package init() {}

    /// Whether nothing has to be written so that all that the copy has is here.
    package var isNothingMissing: Bool {
        deleted.isEmpty && purged.isEmpty && missing.isEmpty && changed.isEmpty
    }
}

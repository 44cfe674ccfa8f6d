import Core

/// What came of merging changes.
package struct IntegrateAnswer: Hashable, Sendable {
    /// Records of which a value that was left out is missing here; they are asked for whole.
    package var wanted: [RecordID]
    /// How many records changed.
    package var changedCount: Int
    /// How many changes could not be read and were set aside.
    package var parkedCount: Int
    /// How many changes could not be opened: no device of the space sealed them so.
    package var unreadableCount: Int
    /// Deletes that are held: then nothing of these was merged.
    package var held: HeldCount?
    /// The store's last arrival numbers, before and after.
    package var arrivals: ClosedRange<UInt64>?

    /// An answer.
    package init(
        wanted: [RecordID] = [], changedCount: Int, parkedCount: Int = 0,
        unreadableCount: Int = 0, held: HeldCount? = nil, arrivals: ClosedRange<UInt64>? = nil
    ) {
        self.wanted = wanted
        self.changedCount = changedCount
        self.parkedCount = parkedCount
        self.unreadableCount = unreadableCount
        self.held = held
        self.arrivals = arrivals
    }
}

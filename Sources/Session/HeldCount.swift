/// Deletes that the store holds until somebody has said that they are meant.
package struct HeldCount: Hashable, Sendable {
    /// How many records would be deleted by now.
    package var deletedCount: Int
    /// How many were alive before.
    package var liveCount: Int

    /// So many of so many.
    package init(deletedCount: Int, liveCount: Int) {
        self.deletedCount = deletedCount
        self.liveCount = liveCount
    }
}

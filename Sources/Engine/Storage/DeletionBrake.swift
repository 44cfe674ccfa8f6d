/// How much may be deleted here by one session before somebody has to say that it is meant.
///
/// The brake is a matter of this store alone: it changes nothing of what a merge gives, only when.
package struct DeletionBrake: Hashable, Sendable {
    /// So many deletes pass in any case; records.
    package var freeCount = 20
    /// Of the records that were alive, one in so many may be deleted: more are held.
    package var liveShare = 2
    /// Once more than one in so many is deleted, a snapshot is taken before the first delete beyond that.
    package var snapshotShare = 10

    /// The usual brake.
    package init() {}

    /// A brake that lets other numbers pass.
    package init(freeCount: Int) {
        self.freeCount = freeCount
    }

    /// A session that was never brought to its end counts on, in the next one, for so long; and one that
    /// goes on starts to count anew after it; milliseconds.
    static let windowMilliseconds: Int64 = 24 * 3_600_000
    /// What sessions with others deleted not longer ago than that counts as well: they may be carrying the
    /// same deletes side by side; milliseconds.
    static let besideMilliseconds: Int64 = 10 * 60_000

    /// Whether so many deletes are too many.
    func holds(_ deletedCount: Int, of liveCount: Int) -> Bool {
        deletedCount > freeCount && deletedCount * liveShare > liveCount
    }

    /// Whether so many deletes ask for a snapshot.
    func wantsSnapshot(_ deletedCount: Int, of liveCount: Int) -> Bool {
        deletedCount > freeCount && deletedCount * snapshotShare > liveCount
    }
}

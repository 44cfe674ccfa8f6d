import Core

/// How much may be deleted here by one session before somebody has to say that it is meant.
///
/// The mass-delete guard is a matter of this store alone: it changes nothing of what a merge gives, only when.
package struct MassDeleteLimits: Hashable, Sendable {
    /// The number of deletes that pass in any case; records.
    package var freeCount = 20
    /// Of the records that were alive, one in so many may be deleted: more are held.
    package var liveShare = 2
    /// Once more than one in so many is deleted, a snapshot is taken before the first delete beyond that.
    package var snapshotShare = 10

    /// The usual mass-delete guard.
    package init() {}

    /// A mass-delete guard that lets other numbers pass.
    package init(freeCount: Int) {
        self.freeCount = freeCount
    }

    /// A session that was never brought to its end counts on, in the next one, for so long; and one that
    /// goes on starts to count anew after it; milliseconds.
    static let windowMilliseconds: Int64 = 24 * 3_600_000
    /// Deletes by sessions with other peers count for so long: they may be the same deletes;
    /// milliseconds.
    static let besideMilliseconds: Int64 = 10 * 60_000
    /// A snapshot that was not taken for these deletes serves for them if it is no older; milliseconds.
    static let snapshotAgeMilliseconds: Int64 = 10 * 60_000
    /// Deletes that are held are noted again, as still coming, no more often than that; milliseconds.
    static let heldNoteMilliseconds: Int64 = 3_600_000
    /// Held deletes of a peer that has not come again for so long are forgotten: if it comes, they are
    /// held anew; milliseconds.
    static let heldMilliseconds: Int64 = 30 * 86_400_000
    /// The most records by which held deletes are shown.
    static let exampleCountMax = 3
    /// When deletes were accepted, one in so many more may come than were shown, or as many as pass in any
    /// case: the rest is asked for again.
    static let acceptedShare = 4

    /// Whether so many deletes are too many.
    package func holds(_ deletedCount: Int, of liveCount: Int) -> Bool {
        deletedCount > freeCount && deletedCount * liveShare > liveCount
    }

    /// Whether so many deletes ask for a snapshot.
    func wantsSnapshot(_ deletedCount: Int, of liveCount: Int) -> Bool {
        deletedCount > freeCount && deletedCount * snapshotShare > liveCount
    }

    /// Whether so many deletes are still those that somebody was shown and accepted.
    func covers(_ deletedCount: Int, accepted: Int) -> Bool {
        deletedCount <= accepted + max(freeCount, accepted / Self.acceptedShare)
    }
}

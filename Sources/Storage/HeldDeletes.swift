import Core

/// Deletes of one peer, or that came through one relay, that wait for a person's word.
package struct HeldDeletes: Hashable, Sendable {
    /// Whose session it was: a device, or the store of a relay.
    package let peer: ReplicaID
    /// How many records would be deleted by now; more may follow.
    package let deletedCount: Int
    /// How many of these were taken before they were held: as accepted, or while they were few.
    package let takenCount: Int
    /// How many were alive before.
    package let liveCount: Int
    /// When they were first held; milliseconds since 1970-01-01 UTC.
    package let since: Int64
    /// The file name of the snapshot that was taken before; "" if there is none.
    package let snapshot: String
    /// Whether one was taken and is there no more.
    package var isSnapshotGone = false
}

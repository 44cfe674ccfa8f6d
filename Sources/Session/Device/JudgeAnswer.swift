import Core

/// What came of the statements of other devices.
package struct JudgeAnswer: Hashable, Sendable {
    /// What each device vouches for.
    package var knowledge: [ReplicaID: VersionVector] = [:]
    /// Whether this store vouches for more than before.
    package var hasLearned = false
    /// Whether a device states writes that the relay has not sent: it is to be read anew.
    package var isMismatched = false
    /// Whether a device states writes that the relay does not send, twice in a row.
    package var isWithheld = false
    /// Whether contents differ although the histories are the same.
    package var isDiverged = false
    /// Whether the relay is to be read anew because of that.
    package var isRepairDue = false
    /// How many statements were no device's of this space.
    package var unreadableCount = 0

    /// Nothing came of it.
    package init() {}
}

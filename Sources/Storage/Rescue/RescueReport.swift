/// What can be read of a damaged store, and what is made of it.
package struct RescueReport: Hashable, Sendable {
    /// What is damaged, in words.
    package var findings: [String] = []
    /// Whether every record is there and fits: what is damaged can be made anew.
    package var isWhole = false
    /// Whether the store goes on under its own replica id.
    package var keepsIdentity = false
    /// How many records can be read, deleted ones among them.
    package var readCount = 0
    /// How many of these are newer than in the snapshot, or not in it.
    package var newCount = 0
    /// How many records were there and cannot be read.
    package var lostCount = 0
    /// Whether there can be no more of these.
    package var isLostCountExact = true
    /// How many of those that can be read are known to be as they were before a later change.
    package var outdatedCount = 0
    /// Of how many of those that can be read nobody knows whether there was a later change.
    package var doubtfulCount = 0
    /// Whether every record can be read, and what some of them say is not what the store had taken note of.
    package var isAltered = false
    /// Whether what the store had taken note of cannot be read, so that nothing tells of changed contents.
    package var isUnchecked = false
    /// How many of those that cannot be read come back as the snapshot has them.
    package var olderCount = 0
    /// The snapshot that the store goes on from; nil if no whole one is there, or none is needed.
    package var snapshot: Store.Snapshot?
    /// Whether the space's rule could not be read, and was guessed.
    package var isPolicyGuessed = false
    /// The folder with the damaged files; nil if nothing was changed.
    package var aside: String?
}

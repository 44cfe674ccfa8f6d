/// The first message of each side: who it is, what it has, and what it remembers of the other.
package struct Hello: Hashable, Sendable {
    /// Whether the session goes on after both sides have caught up.
    package struct Features: OptionSet, Hashable, Sendable {
        /// The bits on the wire; unknown ones are ignored.
        package let rawValue: UInt64
        /// Wraps the bits.
        package init(rawValue: UInt64) { self.rawValue = rawValue }
        /// Stays and sends changes as they commit.
        package static let live = Features(rawValue: 1)
    }

    /// The lowest version of the protocol that the speaker speaks.
    package var versionMin: UInt64
    /// The highest version of the protocol that the speaker speaks.
    package var versionMax: UInt64
    /// The space.
    package var space: SpaceID
    /// The space's rule; it never changes.
    package var policy: DeletePolicy
    /// The speaker.
    package var replica: ReplicaID
    /// The opening in which the speaker speaks.
    package var opening: EpochStart
    /// What the speaker has; nil if it is just what the other side's hello stated.
    package var statement: Statement?
    /// What the speaker can do.
    package var features: Features
    /// What the speaker remembers of the one it believes it speaks to.
    package var recollection: Recollection?
    /// The last arrival number that the statement covers.
    ///
    /// In the first hello it is always there. In an answer it stands for both sides' `caughtUp`: both
    /// state the same, so nothing is to be sent, and each has the other's number.
    package var reached: UInt64?

    /// A greeting in the versions spoken here.
    package init(
        space: SpaceID, policy: DeletePolicy, replica: ReplicaID, opening: EpochStart,
        statement: Statement?, features: Features, recollection: Recollection?,
        reached: UInt64? = nil
    ) {
        versionMin = WireLimits.versionMin
        versionMax = WireLimits.versionMax
        self.space = space
        self.policy = policy
        self.replica = replica
        self.opening = opening
        self.statement = statement
        self.features = features
        self.recollection = recollection
        self.reached = reached
    }
}

import Core

/// What the store says of itself for a hello, read in one transaction; all of it is on the disk.
package struct Greeting: Hashable, Sendable {
    /// The space.
    package var space: SpaceID
    /// The space's rule.
    package var policy: DeletePolicy
    /// This replica.
    package var replica: ReplicaID
    /// The store's opening.
    package var opening: EpochStart
    /// The last arrival number that the store had given.
    package var sequence: UInt64
    /// What the store has.
    package var statement: Statement
    /// What the store remembers of the peer that was asked about; its `peer` is that peer.
    package var recollection: Recollection?
    /// Whether a full exchange with that peer is due, by what came of earlier sessions.
    package var isRepairDue: Bool

    /// A greeting.
    package init(
        space: SpaceID, policy: DeletePolicy, replica: ReplicaID, opening: EpochStart,
        sequence: UInt64, statement: Statement, recollection: Recollection?,
        isRepairDue: Bool = false
    ) {
        self.space = space
        self.policy = policy
        self.replica = replica
        self.opening = opening
        self.sequence = sequence
        self.statement = statement
        self.recollection = recollection
        self.isRepairDue = isRepairDue
    }
}

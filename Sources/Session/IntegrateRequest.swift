import Core

/// Asks the store to merge changes and to remember how far they reach, in one transaction.
package struct IntegrateRequest: Hashable, Sendable {
    /// The changes.
    package var changes: [Change]
    /// Who sent them.
    package var peer: ReplicaID
    /// How far they reach; nil if that may not be remembered yet.
    ///
    /// It is not remembered either if the answer wants a record whole.
    package var checkpoint: Checkpoint?
    /// Openings that the sender knows of.
    package var openings: [ChangeBatch.Opening]
    /// Whether records with equal clocks and different contents are united: a full exchange.
    package var isRepair: Bool
    /// Whether these are the first of a session.
    package var startsSession: Bool

    /// A request.
    package init(
        changes: [Change], peer: ReplicaID, checkpoint: Checkpoint?,
        openings: [ChangeBatch.Opening], isRepair: Bool, startsSession: Bool = false
    ) {
        self.changes = changes
        self.peer = peer
        self.checkpoint = checkpoint
        self.openings = openings
        self.isRepair = isRepair
        self.startsSession = startsSession
    }
}

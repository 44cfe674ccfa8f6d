/// Changes in the order in which they arrived at the sender, and how far they reach.
package struct ChangeBatch: Hashable, Sendable {
    /// The changes.
    package var changes: [Change]
    /// How far into its sequence the sender has read; nil if these come out of turn, as asked for.
    package var through: Checkpoint?
    /// For replicas in the changes' clocks: the newest opening that the sender knows of, sorted by replica.
    package var openings: [Opening]

    /// The newest known opening of one replica.
    package struct Opening: Hashable, Sendable {
        /// Whose opening.
        package let replica: ReplicaID
        /// The opening.
        package let start: EpochStart

        /// The newest known opening of `replica`.
        package init(replica: ReplicaID, start: EpochStart) {
            self.replica = replica
            self.start = start
        }
    }

    /// A batch.
    package init(changes: [Change], through: Checkpoint?, openings: [Opening] = []) {
        self.changes = changes
        self.through = through
        self.openings = openings
    }
}

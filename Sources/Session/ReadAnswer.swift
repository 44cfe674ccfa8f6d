import Core

/// What the store read; every dot in it is on the disk.
package struct ReadAnswer: Hashable, Sendable {
    /// The records that were asked for whole.
    package var wanted: [Change]
    /// The changes in order of arrival.
    package var changes: [Change]
    /// How far was read.
    package var through: Checkpoint
    /// For replicas in the changes' clocks the newest opening known.
    package var openings: [ChangeBatch.Opening]
    /// What the store has, if nothing was left after `through` in the same transaction.
    package var statement: Statement?

    /// An answer.
    package init(
        wanted: [Change] = [], changes: [Change], through: Checkpoint,
        openings: [ChangeBatch.Opening] = [], statement: Statement?
    ) {
        self.wanted = wanted
        self.changes = changes
        self.through = through
        self.openings = openings
        self.statement = statement
    }
}

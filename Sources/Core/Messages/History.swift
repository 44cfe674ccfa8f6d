/// All that the speaker knows of the hearer's openings: the answer to a doubt about who one is.
package struct History: Hashable, Sendable {
    /// Whose openings: the hearer's.
    package let replica: ReplicaID
    /// The highest counter of the hearer's that is integrated at the speaker.
    package let counter: UInt64
    /// The openings known, oldest first.
    package let openings: [EpochStart]

    /// What is known of `replica`.
    package init(replica: ReplicaID, counter: UInt64, openings: [EpochStart]) {
        self.replica = replica
        self.counter = counter
        self.openings = openings
    }
}

/// What a replica says of the writes of one replica id, read together with all its other entries.
package struct StatementEntry: Hashable, Sendable {
    /// Whose writes.
    package let replica: ReplicaID
    /// The speaker has integrated or parked the writes 1 to `counter`.
    package let counter: UInt64
    /// The sum of H(record id, clock[replica]) over all the speaker's records, modulo 2^128.
    package let tally: UInt128
    /// The highest counter in any of the speaker's clocks; more than `counter` while a sync was cut.
    package let seen: UInt64

    /// An entry of a statement.
    package init(replica: ReplicaID, counter: UInt64, tally: UInt128, seen: UInt64) {
        self.replica = replica
        self.counter = counter
        self.tally = tally
        self.seen = seen
    }

    /// Whether the speaker holds nothing beyond what it vouches for.
    package var isComplete: Bool { seen <= counter }
}

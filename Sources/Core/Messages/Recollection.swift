/// What a replica remembers of the peer it greets: where to go on, and the last it has of the peer's own.
package struct Recollection: Hashable, Sendable {
    /// Whom this is about; whoever is somebody else ignores it.
    ///
    /// Nil: the reader, whose hello was read.
    package let peer: ReplicaID?
    /// Where the peer may go on reading its sequence; nil if nothing was read yet.
    package let checkpoint: Checkpoint?
    /// The highest counter of the peer's that is integrated here; 0 for none.
    package let counter: UInt64
    /// The peer's epoch in which that counter was given; nil if unknown.
    package let epoch: EpochID?

    /// What is remembered of `peer`.
    package init(peer: ReplicaID?, checkpoint: Checkpoint?, counter: UInt64, epoch: EpochID?) {
        self.peer = peer
        self.checkpoint = checkpoint
        self.counter = counter
        self.epoch = epoch
    }
}

/// How far into a peer's sequence a replica has read.
package struct Checkpoint: Hashable, Sendable {
    /// The peer's epoch when it gave the sequence.
    package let epoch: EpochID
    /// Everything up to this arrival number was integrated or parked.
    package let sequence: UInt64

    /// A place in a peer's sequence.
    package init(epoch: EpochID, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

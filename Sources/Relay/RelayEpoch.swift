import Core

/// One opening of a relay's store for writing.
///
/// Its id is odd on the disk. A checkpoint in the middle of a run names it with the even number below:
/// whoever comes back with that has not heard the statements that end the run.
/// Source: Protocol/10-Relay.md.
struct RelayEpoch: Hashable, Sendable {
    /// Its id, odd.
    let id: EpochID
    /// The last arrival number before it.
    let firstSequence: UInt64

    /// An id out of random bits: odd, and not 1, so that its even neighbour is not zero.
    static func id(from bits: UInt64) -> EpochID { EpochID(value: bits | 3) }

    /// A checkpoint at the end of a run: all statements up to there were told.
    static func end(_ id: EpochID, _ sequence: UInt64) -> Checkpoint {
        Checkpoint(epoch: id, sequence: sequence)
    }

    /// A checkpoint in the middle of a run.
    static func middle(_ id: EpochID, _ sequence: UInt64) -> Checkpoint {
        Checkpoint(epoch: EpochID(value: id.value & ~1), sequence: sequence)
    }

    /// Whether a checkpoint was given in the middle of a run.
    static func isMiddle(_ checkpoint: Checkpoint) -> Bool { checkpoint.epoch.value & 1 == 0 }
}

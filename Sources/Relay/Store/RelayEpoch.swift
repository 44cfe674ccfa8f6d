import Core

/// One opening of a relay's store for writing.
///
/// Its id is odd on the disk. A checkpoint in the middle of a run names it with the even number below:
/// a device that comes back with that has not heard the summary rows that end the run.
/// Source: Protocol/10-Relay.md.
package struct RelayEpoch: Hashable, Sendable {
    /// Its id, odd.
    package let id: EpochID
    /// The last arrival number before it.
    package let firstSequence: UInt64

    /// The most openings that a store remembers; of more the oldest go.
    package static let countMax = 256

    /// An opening out of random bits: odd, and not 1, so that its even neighbour is not zero.
    package init(bits: UInt64, firstSequence: UInt64) {
        self.init(id: EpochID(value: bits | 3), firstSequence: firstSequence)
    }

    /// An opening that is known.
    package init(id: EpochID, firstSequence: UInt64) {
        self.id = id
        self.firstSequence = firstSequence
    }

    /// A checkpoint at the end of a run: all summary rows up to there were sent.
    static func end(_ id: EpochID, _ sequence: UInt64) -> Checkpoint {
        Checkpoint(epoch: id, sequence: sequence)
    }

    /// A checkpoint in the middle of a run.
    static func middle(_ id: EpochID, _ sequence: UInt64) -> Checkpoint {
        Checkpoint(epoch: EpochID(value: id.value & ~1), sequence: sequence)
    }

    /// The arrival number behind which a device reads that comes with a bookmark.
    ///
    /// - Parameters:
    ///   - relay: the id of the store.
    ///   - epochs: the openings known, oldest first.
    ///   - sequence: the last arrival number given.
    package static func start(
        of bookmark: RelayHello.Bookmark?, relay: ReplicaID, in epochs: [RelayEpoch],
        through sequence: UInt64
    ) -> UInt64 {
        guard let bookmark, bookmark.relay == relay else { return 0 }
        let id = EpochID(value: bookmark.checkpoint.epoch.value | 1)
        guard let index = epochs.firstIndex(where: { $0.id == id }) else { return 0 }
        let isLast = index + 1 == epochs.count
        let end = isLast ? sequence : epochs[index + 1].firstSequence
        return min(bookmark.checkpoint.sequence, end)
    }

    /// The arrival number behind which the summary rows are that a device has not heard, if it reads behind `start`.
    ///
    /// A device that broke off in the middle of a run hears all of them again, and so does one that knows of more than
    /// the relay has: what it heard may be lost here.
    static func rowsAfter(_ bookmark: RelayHello.Bookmark?, start: UInt64) -> UInt64 {
        guard let checkpoint = bookmark?.checkpoint, checkpoint.sequence == start,
            checkpoint.epoch.value & 1 == 1
        else { return 0 }
        return start
    }
}

/// How far into a peer's sequence a replica has read.
package struct Checkpoint: Hashable, Sendable {
    /// The peer's epoch when it gave the sequence.
    package let epoch: EpochID
    /// Everything up to this arrival number was integrated or deferred.
    package let sequence: UInt64

    /// A position in a peer's sequence.
    package init(epoch: EpochID, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

/// The openings of a store for writing that speak with one epoch, usually one: the epoch, and how many writes the replica
/// had made before the first of them.
package struct Incarnation: Hashable, Sendable {
    /// The epoch.
    package let epoch: EpochID
    /// The replica's counter when the epoch began: writes above it were made in it or later.
    package let counter: UInt64

    /// Stands for no known incarnation: the one announced before may be older than that of the writes that come now.
    package static let none = Incarnation(epoch: EpochID(value: 0), counter: 0)

    /// An incarnation.
    package init(epoch: EpochID, counter: UInt64) {
        self.epoch = epoch
        self.counter = counter
    }
}

extension CanonicalWriter {
    /// Writes `[epoch, sequence]`.
    mutating func checkpoint(_ checkpoint: Checkpoint) {
        array(2)
        unsigned(checkpoint.epoch.value)
        unsigned(checkpoint.sequence)
    }

    /// Writes `[epoch, counter]`.
    mutating func start(_ start: Incarnation) {
        array(2)
        unsigned(start.epoch.value)
        unsigned(start.counter)
    }
}

extension CanonicalReader {
    mutating func checkpoint() throws(WireFault) -> Checkpoint {
        guard try array(max: 2, .checkpoint) == 2 else { throw .outOfRange(.checkpoint) }
        return Checkpoint(epoch: EpochID(value: try unsigned()), sequence: try counter())
    }

    mutating func epochStart() throws(WireFault) -> Incarnation {
        guard try array(max: 2, .incarnation) == 2 else { throw .outOfRange(.incarnation) }
        return Incarnation(epoch: EpochID(value: try unsigned()), counter: try counter())
    }
}

extension MessageField.Content {
    static func checkpoint(_ checkpoint: Checkpoint) -> Self {
        .list([.epoch(checkpoint.epoch), .number(checkpoint.sequence)])
    }

    static func start(_ start: Incarnation) -> Self {
        .list([.epoch(start.epoch), .number(start.counter)])
    }
}

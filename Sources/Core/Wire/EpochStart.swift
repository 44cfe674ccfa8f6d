import Causality

/// An opening of a store: its epoch, and how many writes its replica had made before.
package struct EpochStart: Hashable, Sendable {
    /// The epoch.
    package let epoch: EpochID
    /// The replica's counter when the epoch began: writes above it were made in it or later.
    package let counter: UInt64

    /// An opening.
    package init(epoch: EpochID, counter: UInt64) {
        self.epoch = epoch
        self.counter = counter
    }
}

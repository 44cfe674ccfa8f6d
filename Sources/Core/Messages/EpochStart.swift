/// An opening of a store: its epoch, and how many writes its replica had made before.
package struct EpochStart: Hashable, Sendable {
    /// The epoch.
    package let epoch: EpochID
    /// The replica's counter when the epoch began: writes above it were made in it or later.
    package let counter: UInt64

    /// No opening is known: what was told before may be an older one than that of what comes now.
    package static let none = EpochStart(epoch: EpochID(value: 0), counter: 0)

    /// An opening.
    package init(epoch: EpochID, counter: UInt64) {
        self.epoch = epoch
        self.counter = counter
    }
}

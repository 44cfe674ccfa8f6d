import Core
import Session

/// The stages of a relay's work whose time is counted.
package enum RelayStage: String, CaseIterable, Sendable {
    /// A device's hello is decided on, in the store.
    case admission
    /// Versions are read for devices.
    case reading
    /// An upload waits for the commit that takes it, from the first of a space on.
    case waiting
    /// Uploads of a space are committed.
    case commit
    /// Committed versions are handed to the links of all that subscribe to the space.
    case push
    /// The same, after another process has told of a commit.
    case notice
}

/// Counts how long stages take; the time is the driver's, as the engine's own has no parts of a millisecond.
package struct RelayStageClock {
    /// Microseconds of a clock that nobody sets.
    package let now: () -> Int64
    /// Takes the length of a stage, in microseconds.
    package let count: (RelayStage, Int) -> Void

    /// A clock, and what counts.
    package init(
        now: @escaping () -> Int64 = { 0 }, count: @escaping (RelayStage, Int) -> Void = { _, _ in }
    ) {
        self.now = now
        self.count = count
    }

    /// Counts a stage that began at a time.
    func end(_ stage: RelayStage, since start: Int64) { count(stage, Int(now() - start)) }
}

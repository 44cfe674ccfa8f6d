import Core

/// The times of one connection: signs of life, the next ping, and the wake that was asked for.
///
/// Every session machine has one, whatever its messages and its effects are.
package struct Liveness: Sendable {
    private let silenceTimeoutMilliseconds: Int64
    private let pingIntervalMilliseconds: Int64
    private var lastSent = Instant(milliseconds: 0)
    private var lastHeard = Instant(milliseconds: 0)
    private var pingCount: UInt64 = 0
    /// The wake that was asked for and has not come.
    private var awaitedWake: Instant?

    /// Creates the times of a connection that is not open yet.
    ///
    /// - Parameters:
    ///   - silenceTimeoutMilliseconds: the longest time without a message from the other side.
    ///   - pingIntervalMilliseconds: a ping is due when nothing was sent for so long.
    package init(silenceTimeoutMilliseconds: Int64, pingIntervalMilliseconds: Int64) {
        self.silenceTimeoutMilliseconds = silenceTimeoutMilliseconds
        self.pingIntervalMilliseconds = pingIntervalMilliseconds
    }

    /// Starts both clocks.
    package mutating func open(at now: Instant) {
        lastSent = now
        lastHeard = now
    }

    /// Records that something was sent.
    package mutating func noteSent(at now: Instant) { lastSent = now }

    /// Records that something came.
    package mutating func noteHeard(at now: Instant) { lastHeard = now }

    /// The time at which silence of the other side becomes a timeout.
    package var silenceDeadline: Instant {
        lastHeard.advanced(byMilliseconds: silenceTimeoutMilliseconds)
    }

    /// The time at which the next ping is due.
    package var pingDeadline: Instant {
        lastSent.advanced(byMilliseconds: pingIntervalMilliseconds)
    }

    /// Gives the number of the next ping.
    package mutating func nextPing() -> UInt64 {
        pingCount += 1
        return pingCount
    }

    /// Records that the wake came.
    package mutating func noteWake() { awaitedWake = nil }

    /// Gives the wake to ask for, if it is earlier than the one that was asked for.
    ///
    /// A deadline that has moved to a later time is not asked for again: the wake comes early, changes
    /// nothing, and asks anew; so messages cost no timer.
    package mutating func wake(at earliest: Instant) -> Instant? {
        if let awaitedWake, awaitedWake <= earliest { return nil }
        awaitedWake = earliest
        return earliest
    }
}

import Core
import Session
import Transport

/// The endpoints of one contact, in the order in which this device takes them.
///
/// A relay may have several, all as good: the first is chosen by chance, so that many devices spread over them, and a
/// device stays where it is until that fails. Then the next is taken at once, until each has had its turn.
package struct EndpointRound {
    /// The most endpoints that are taken without a wait in `windowMilliseconds`, whatever the other side says: behind that is a
    /// wait, as after any other failure.
    package static let atOnceCountMax = 16
    /// After so long the count of those begins anew.
    package static let windowMilliseconds: Int64 = 60_000

    private let count: Int
    /// The index of the endpoint that is dialled now.
    package private(set) var index: Int
    /// How many others have not had their turn since one of them was well.
    private var leftCount: Int
    private var atOnce: (since: Instant, count: Int) = (Instant(milliseconds: 0), 0)

    /// Begins at one of them.
    ///
    /// - Parameter chance: 64 bits of it.
    package init(count: Int, chance: UInt64) {
        self.count = max(1, count)
        index = Int(chance % UInt64(self.count))
        leftCount = self.count - 1
    }

    /// Notes that the present endpoint answered well: if it fails, all others have their turn.
    package mutating func isWell() { leftCount = count - 1 }

    /// Goes on to the next endpoint after a session, or an attempt to have one.
    ///
    /// - Returns: whether that is taken at once, without a wait.
    package mutating func goOn(
        after end: SessionEnd, _ error: TransportError?, now: Instant
    ) -> Bool {
        let isSent = Self.isSentElsewhere(end, error)
        guard isSent || Self.mayBeTheEndpoint(end, error) else { return false }
        index = (index + 1) % count
        guard isSent || leftCount > 0, isAllowed(now) else {
            isWell()
            return false
        }
        if !isSent { leftCount -= 1 }
        return true
    }

    private mutating func isAllowed(_ now: Instant) -> Bool {
        if now >= atOnce.since.advanced(byMilliseconds: Self.windowMilliseconds) {
            atOnce = (now, 0)
        }
        atOnce.count += 1
        return atOnce.count <= Self.atOnceCountMax
    }

    /// Whether the other side has named the others: no failure.
    private static func isSentElsewhere(_ end: SessionEnd, _ error: TransportError?) -> Bool {
        if error == nil, case .failed(let told, _) = end { return told.reason == .elsewhere }
        return false
    }

    /// Whether another process of the same relay may do better.
    ///
    /// It does not if the space or the device is refused, or the store is full or damaged. That one process does not reach
    /// the store may be its own matter.
    private static func mayBeTheEndpoint(_ end: SessionEnd, _ error: TransportError?) -> Bool {
        if let error { return error.mayPass }
        switch end {
        case .finished: return false
        case .lost: return true
        case .failed(let told, let side):
            return told.known == .busy || told.known == .timeout
                || told.known == .store && told.reason == .storeBusy && side == .theirs
        }
    }
}

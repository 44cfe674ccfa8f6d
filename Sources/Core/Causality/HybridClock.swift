/// Gives timestamps that grow with all that was seen, and are dragged at most a minute by a peer's clock.
package struct HybridClock: Hashable, Sendable {
    /// How far ahead of the wall clock a seen timestamp is followed; milliseconds.
    package static let driftMillisecondsMax: Int64 = 60_000

    /// The greatest timestamp in the store.
    package private(set) var greatestSeen: HybridTimestamp

    /// Goes on after the greatest timestamp of a store.
    package init(greatestSeen: HybridTimestamp = .zero) {
        self.greatestSeen = greatestSeen
    }

    /// Takes note of a timestamp in the store, however wrong it may be.
    package mutating func observe(_ timestamp: HybridTimestamp) {
        greatestSeen = max(greatestSeen, timestamp)
    }

    /// The timestamp of a transaction that starts now: one reading for all its writes.
    ///
    /// - Parameter wallMilliseconds: the wall clock, since 1970-01-01 UTC; may be wrong or negative.
    package mutating func next(wallMilliseconds: Int64) -> HybridTimestamp {
        let wall = HybridTimestamp(milliseconds: wallMilliseconds)
        let (sum, overflow) = wallMilliseconds.addingReportingOverflow(Self.driftMillisecondsMax)
        let limit = HybridTimestamp(milliseconds: overflow ? .max : sum)
        let followed = min(greatestSeen, limit)
        let next = followed >= wall ? followed.successor : wall
        observe(next)
        return next
    }
}

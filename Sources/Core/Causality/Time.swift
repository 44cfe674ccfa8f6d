/// When a write was made, for showing and for ordering truly concurrent values: never for causality.
///
/// Shape: 48 bits of milliseconds since 1970-01-01 UTC, then a 16-bit count within the millisecond.
/// Source: Kulkarni et al., "Logical physical clocks", 2014.
package struct HybridTimestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds in the upper 48 bits, the count in the lower 16.
    package let rawValue: UInt64

    /// The highest number of milliseconds that fits.
    package static let millisecondsMax: Int64 = (1 << 48) - 1

    /// The earliest timestamp.
    package static let zero = HybridTimestamp(rawValue: 0)

    /// Wraps the 64 bits.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The first timestamp of a millisecond, clamped to what fits.
    package init(milliseconds: Int64) {
        rawValue = UInt64(min(max(milliseconds, 0), Self.millisecondsMax)) << 16
    }

    /// Milliseconds since 1970-01-01 UTC.
    package var milliseconds: Int64 { Int64(rawValue >> 16) }

    /// The count within the millisecond.
    package var count: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// The next one; the count carries into the milliseconds, the last of all stays.
    package var successor: HybridTimestamp {
        HybridTimestamp(rawValue: rawValue == .max ? rawValue : rawValue + 1)
    }

    package static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { "\(milliseconds)+\(count)" }
}

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

/// A point on a clock that only goes forward; milliseconds from an arbitrary start.
package struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since the clock's start.
    package let milliseconds: Int64

    /// A point on the clock.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The point so many milliseconds later.
    package func advanced(byMilliseconds count: Int64) -> Instant {
        Instant(milliseconds: milliseconds + count)
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

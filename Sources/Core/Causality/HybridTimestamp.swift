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

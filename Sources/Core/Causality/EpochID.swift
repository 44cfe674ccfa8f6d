/// Names one opening of a store for writing; random.
package struct EpochID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The eight bytes, read big-endian; zero names no epoch.
    package let value: UInt64

    /// Wraps eight bytes that were read big-endian.
    package init(value: UInt64) {
        self.value = value
    }

    package static func < (left: EpochID, right: EpochID) -> Bool {
        left.value < right.value
    }

    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Chance from a seed: the same seed gives the same numbers everywhere.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts at a seed.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// A number from 0 to `bound` - 1, spelled out here so that no library can change it.
    package mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "nothing lies below zero")
        return Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Whether a chance of `numerator` in `denominator` came true.
    package mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
        below(denominator) < numerator
    }

    /// One of the items.
    package mutating func pick<T>(_ items: [T]) -> T {
        items[below(items.count)]
    }

    /// The items in another order.
    package mutating func shuffled<T>(_ items: [T]) -> [T] {
        var result = items
        for index in stride(from: result.count - 1, to: 0, by: -1) {
            result.swapAt(index, below(index + 1))
        }
        return result
    }

    /// So many bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Sixteen random bytes as a number.
    package mutating func wide() -> UInt128 {
        UInt128(next()) << 64 | UInt128(next())
    }
}

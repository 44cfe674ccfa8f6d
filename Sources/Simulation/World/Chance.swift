/// A stream of chance that a seed and a name determine.
///
/// One stream's numbers do not depend on those drawn from others: leaving a step out
/// of a scenario changes nothing for those that draw from streams of other names. SplitMix64, from
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct Chance: Hashable, Sendable {
    private var state: UInt64

    /// The stream of that name.
    package init(seed: UInt64, _ name: String) {
        state = name.utf8.reduce(seed &* 0x9e37_79b9_7f4a_7c15 ^ 0x2545_f491_4f6c_dd1d) {
            Self.mixed($0 ^ UInt64($1))
        }
    }

    /// The first number of the stream.
    package var first: UInt64 {
        var copy = self
        return copy.next()
    }

    /// Sixty-four bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// Spreads the bits of a number over all of it.
    package static func mixed(_ number: UInt64) -> UInt64 {
        var bits = number
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }

    /// A number from 0 up to and without `end`, which is at least 1.
    package mutating func below(_ end: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(end)).high)
    }

    /// Whether something happens that does so `part` times of `whole`.
    package mutating func happens(_ part: Int, in whole: Int) -> Bool {
        below(whole) < part
    }

    /// One of several, of which there is at least one.
    package mutating func pick<T>(_ choices: [T]) -> T {
        choices[below(choices.count)]
    }

    /// The same things in another order.
    package mutating func shuffled<T>(_ things: [T]) -> [T] {
        var result = things
        for index in result.indices.reversed() where index > 0 {
            result.swapAt(index, below(index + 1))
        }
        return result
    }
}

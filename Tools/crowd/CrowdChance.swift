import Core

/// Chance that is the same for the same seed.
struct CrowdChance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// Splitmix64: the step of the state, and its mixing.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A time between two, in milliseconds.
    mutating func time(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: range, using: &self))
    }

    /// Whether something with this share of all cases is so.
    mutating func happens(_ share: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < share
    }
}

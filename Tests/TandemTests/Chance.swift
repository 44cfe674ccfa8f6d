// Several suites of this module draw from it.
/// Seeded chance.
struct Chance {
    var state: UInt64

    /// One of 0, 1, … `count` - 1.
    mutating func below(_ count: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ mixed >> 31) % UInt64(count))
    }
}

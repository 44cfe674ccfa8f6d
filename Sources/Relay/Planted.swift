import Core

// Broken variants of this module's rules, for `PlantedFault`; release builds have none of them.

extension RelayCovering {
    /// Takes the greater sum of counters for the later version.
    static func sumCovers(_ left: VersionVector, _ right: VersionVector) -> Bool {
        sum(left) >= sum(right)
    }

    private static func sum(_ clock: VersionVector) -> UInt64 {
        clock.entries.reduce(0) { $0 &+ $1.counter }
    }
}

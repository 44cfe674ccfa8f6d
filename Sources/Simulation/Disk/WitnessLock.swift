/// The lock on a witness file, by the number of the opening that holds it.
///
/// Source: flock(2).
struct WitnessLock {
    private var exclusive: UInt64 = 0
    private var shared: Set<UInt64> = []

    /// Takes the lock for one alone; a shared one that was held is lost also if it is not granted.
    mutating func takeExclusive(for owner: UInt64) -> Bool {
        if exclusive == owner { return true }
        shared.remove(owner)
        guard exclusive == 0, shared.isEmpty else { return false }
        exclusive = owner
        return true
    }

    /// Takes the lock together with others, in place of one for itself alone.
    mutating func takeShared(for owner: UInt64) -> Bool {
        if exclusive == owner { exclusive = 0 }
        guard exclusive == 0 else { return false }
        shared.insert(owner)
        return true
    }

    /// Gives it up.
    mutating func unlock(for owner: UInt64) {
        if exclusive == owner { exclusive = 0 }
        shared.remove(owner)
    }
}

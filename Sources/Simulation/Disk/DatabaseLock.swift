import CSQLite

/// The locks on a database file, by the number of the opening that holds them; 0 is nobody.
///
/// Source: sqlite.org/lockingv3.html.
struct DatabaseLock {
    private var sharedCount = 0
    private var reserved: UInt64 = 0
    private var pending: UInt64 = 0
    private var exclusive: UInt64 = 0

    /// Whether somebody is about to write.
    var isReserved: Bool { reserved != 0 || pending != 0 || exclusive != 0 }

    /// Takes a stronger lock than the one that `owner` holds.
    ///
    /// - Parameter level: the lock held, which may grow also if the wish is not granted.
    /// - Returns: whether it was granted.
    mutating func take(_ wish: Int32, for owner: UInt64, level: inout Int32) -> Bool {
        if level >= wish { return true }
        if level == SQLITE_LOCK_NONE {
            guard isMine(pending, owner), isMine(exclusive, owner) else { return false }
            sharedCount += 1
            level = SQLITE_LOCK_SHARED
            if wish == SQLITE_LOCK_SHARED { return true }
        }
        guard isMine(reserved, owner), isMine(pending, owner), isMine(exclusive, owner) else {
            return false
        }
        if wish == SQLITE_LOCK_RESERVED {
            reserved = owner
            level = wish
            return true
        }
        pending = owner
        level = SQLITE_LOCK_PENDING
        guard sharedCount == 1 else { return false }
        exclusive = owner
        level = SQLITE_LOCK_EXCLUSIVE
        return true
    }

    /// Goes down to a shared lock or none.
    mutating func lower(to wish: Int32, for owner: UInt64, level: inout Int32) {
        if level <= wish { return }
        if reserved == owner { reserved = 0 }
        if pending == owner { pending = 0 }
        if exclusive == owner { exclusive = 0 }
        if wish == SQLITE_LOCK_NONE { sharedCount -= 1 }
        level = wish
    }

    private func isMine(_ holder: UInt64, _ owner: UInt64) -> Bool {
        holder == 0 || holder == owner
    }
}

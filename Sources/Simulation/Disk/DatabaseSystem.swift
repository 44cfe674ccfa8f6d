import CSQLite

/// SQLite's way to a made-up disk: a VFS of its own, found by a name that no other disk has.
///
/// Source: sqlite.org/c3ref/vfs.html.
package final class DatabaseSystem {
    /// The name for `sqlite3_open_v2`.
    let name: String
    private let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    private let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    private let nameBytes: UnsafeMutablePointer<CChar>

    /// Times that SQLite asks for are always the same: 2027-01-15, in milliseconds of the Julian day.
    private static let julianMilliseconds: Int64 = 210_866_760_000_000 + 1_800_000_000_000

    private unowned let disk: SimulatedDisk

    /// Has SQLite take memory in the way that suits worlds, which open a store at every other step.
    ///
    /// It counts no bytes, and keeps what is given back for the next who asks: more than a tenth of a world's
    /// instructions. For programs that run nothing but worlds, before the first of them.
    package static func settleMemory() {
        _ = tandem_sqlite_stop_counting()
        _ = tandem_sqlite_recycle_memory()
    }

    /// Makes a disk known to SQLite; it outlives this.
    init(for disk: SimulatedDisk) {
        self.disk = disk
        name = "tandem-simulated-\(UInt(bitPattern: ObjectIdentifier(disk)))"
        let characters = Array(name.utf8CString)
        nameBytes = .allocate(capacity: characters.count)
        nameBytes.initialize(from: characters, count: characters.count)
        methods.initialize(to: DatabaseHandle.makeMethods())
        system.initialize(to: Self.functions())
        system.pointee.zName = UnsafePointer(nameBytes)
        system.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_vfs_register(system, 0)
    }

    deinit {
        sqlite3_vfs_unregister(system)
        system.deallocate()
        methods.deallocate()
        nameBytes.deallocate()
    }

    private static func at(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> DatabaseSystem? {
        guard let data = system?.pointee.pAppData else { return nil }
        return Unmanaged<DatabaseSystem>.fromOpaque(data).takeUnretainedValue()
    }

    private static func functions() -> sqlite3_vfs {
        var system = sqlite3_vfs()
        system.iVersion = 2
        system.szOsFile = DatabaseHandle.slotByteCount
        system.mxPathname = 1024
        system.xOpen = { system, name, slot, flags, flagsOut in
            guard let own = DatabaseSystem.at(system), let slot else { return SQLITE_MISUSE }
            flagsOut?.pointee = flags
            return DatabaseHandle.open(
                name.map { String(cString: $0) }, on: own.disk, flags, methods: own.methods,
                into: slot)
        }
        system.xDelete = { system, name, flushes in
            guard let disk = DatabaseSystem.at(system)?.disk, let name else { return SQLITE_MISUSE }
            return DatabaseHandle.delete(String(cString: name), on: disk, flushes: flushes != 0)
        }
        system.xAccess = { system, name, flags, result in
            guard let disk = DatabaseSystem.at(system)?.disk, let name else { return SQLITE_MISUSE }
            if disk.hasFuseBlown { return SQLITE_IOERR }
            // An empty file counts as none, as in SQLite's own way to files.
            let file = disk.names[String(cString: name)]
            let isThere =
                flags == SQLITE_ACCESS_EXISTS ? (file?.content.byteCount ?? 0) > 0 : file != nil
            result?.pointee = isThere ? 1 : 0
            return SQLITE_OK
        }
        system.xFullPathname = { _, name, count, result in
            guard let name, let result else { return SQLITE_MISUSE }
            DatabaseSystem.copyPath(name, count, result)
            return SQLITE_OK
        }
        system.xRandomness = { system, count, result in
            guard let disk = DatabaseSystem.at(system)?.disk, let result else { return 0 }
            for index in 0..<Int(count) {
                result[index] = CChar(truncatingIfNeeded: disk.drawBits())
            }
            return count
        }
        system.xSleep = { _, microseconds in microseconds }
        system.xCurrentTime = { _, result in
            result?.pointee = Double(DatabaseSystem.julianMilliseconds) / 86_400_000
            return SQLITE_OK
        }
        system.xCurrentTimeInt64 = { _, result in
            result?.pointee = DatabaseSystem.julianMilliseconds
            return SQLITE_OK
        }
        system.xGetLastError = { _, _, _ in 0 }
        return system
    }

    /// Copies a path, which is whole already.
    private static func copyPath(
        _ name: UnsafePointer<CChar>, _ count: Int32, _ result: UnsafeMutablePointer<CChar>
    ) {
        var index = 0
        while index < Int(count) - 1, name[index] != 0 {
            result[index] = name[index]
            index += 1
        }
        result[index] = 0
    }
}

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
    mutating func acquire(_ wish: Int32, for owner: UInt64, level: inout Int32) -> Bool {
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

/// The memory that the connections to one database share, with its locks: the index of the log.
///
/// Lives on, as mapped memory does, while somebody who uses it is let go of later than the file.
final class SharedIndex {
    private var regions: [UnsafeMutableRawPointer] = []
    // Never moved: reading an array in a class asks each time whether somebody writes it.
    private let sharedCounts = SharedIndex.slots(of: 0)
    private let exclusiveOwners = SharedIndex.slots(of: UInt64(0))
    /// How long the regions are together.
    private(set) var byteCount = 0
    /// How many openings use it.
    var userCount = 0

    deinit {
        for region in regions { region.deallocate() }
        sharedCounts.deallocate()
        exclusiveOwners.deallocate()
    }

    private static func slots<Number: BinaryInteger>(
        of zero: Number
    ) -> UnsafeMutablePointer<Number> {
        let slots = UnsafeMutablePointer<Number>.allocate(capacity: Int(SQLITE_SHM_NLOCK))
        slots.initialize(repeating: zero, count: Int(SQLITE_SHM_NLOCK))
        return slots
    }

    /// How many regions there are.
    var regionCount: Int { regions.count }

    /// A region, if it is there.
    func region(_ index: Int) -> UnsafeMutableRawPointer? {
        index < regions.count ? regions[index] : nil
    }

    /// Adds a region of zeros.
    func addRegion(byteCount: Int) {
        let region = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        region.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        regions.append(region)
        self.byteCount += byteCount
    }

    /// Takes locks together with others; `held` are the locks of `owner`, a bit each.
    func acquireShared(_ slots: Range<Int>, for owner: UInt64, held: inout UInt8) -> Bool {
        for slot in slots where exclusiveOwners[slot] != 0 && exclusiveOwners[slot] != owner {
            return false
        }
        for slot in slots where held & 1 << UInt8(slot) == 0 {
            sharedCounts[slot] += 1
            held |= 1 << UInt8(slot)
        }
        return true
    }

    /// Takes locks for one alone.
    func acquireExclusive(_ slots: Range<Int>, for owner: UInt64, held: UInt8) -> Bool {
        for slot in slots {
            let own = held & 1 << UInt8(slot) == 0 ? 0 : 1
            let holder = exclusiveOwners[slot]
            if sharedCounts[slot] > own || (holder != 0 && holder != owner) { return false }
        }
        for slot in slots { exclusiveOwners[slot] = owner }
        return true
    }

    /// Gives locks up.
    func unlock(_ slots: Range<Int>, for owner: UInt64, held: inout UInt8) {
        for slot in slots {
            if exclusiveOwners[slot] == owner { exclusiveOwners[slot] = 0 }
            if held & 1 << UInt8(slot) != 0 {
                sharedCounts[slot] -= 1
                held &= ~(1 << UInt8(slot))
            }
        }
    }
}

import CSQLite

/// SQLite's way to a made-up disk: a VFS of its own, found by a name that no other disk has.
///
/// Source: sqlite.org/c3ref/vfs.html.
package final class DatabaseSystem {
    /// What `sqlite3_open_v2` is told.
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
            for place in 0..<Int(count) {
                result[place] = CChar(truncatingIfNeeded: disk.drawBits())
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
        var place = 0
        while place < Int(count) - 1, name[place] != 0 {
            result[place] = name[place]
            place += 1
        }
        result[place] = 0
    }
}

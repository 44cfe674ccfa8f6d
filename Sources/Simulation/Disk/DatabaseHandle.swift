import CSQLite

/// One opening of a file by SQLite.
///
/// Each call gives a code of SQLite's. Source: sqlite.org/c3ref/io_methods.html.
final class DatabaseHandle {
    private let disk: SimulatedDisk
    private let file: DiskFile
    private let path: String?
    private let number: UInt64
    private let life: UInt64
    /// Whether the first flush brings the names in the folder to the disk as well: so it is for every log
    /// that SQLite would have made, had it not been there (a killed program may have made it).
    private var flushesNames: Bool
    private let isTemporary: Bool
    private var level = SQLITE_LOCK_NONE
    private var index: SharedIndex?
    private var sharedSlots: UInt8 = 0

    init(_ file: DiskFile, at path: String?, on disk: SimulatedDisk, flags: Int32) {
        self.file = file
        self.path = path
        self.disk = disk
        let isLog = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0
        flushesNames = isLog && flags & SQLITE_OPEN_CREATE != 0
        isTemporary = path == nil || flags & SQLITE_OPEN_DELETEONCLOSE != 0
        number = disk.nextOpening()
        life = disk.life
    }

    private var isAlive: Bool { disk.isAlive(life) }

    // MARK: Names

    /// Opens a file into the slot that SQLite has for it.
    static func open(
        _ path: String?, on disk: SimulatedDisk, _ flags: Int32,
        methods: UnsafePointer<sqlite3_io_methods>, into slot: UnsafeMutablePointer<sqlite3_file>
    ) -> Int32 {
        slot.pointee.pMethods = nil
        if disk.hasFuseBlown { return SQLITE_IOERR }
        var file = path.map { disk.names[$0] } ?? disk.makeFile()
        if file == nil, flags & SQLITE_OPEN_CREATE != 0, let path { file = disk.makeFile(path) }
        guard let file else {
            return disk.hasFuseBlown ? SQLITE_IOERR : SQLITE_CANTOPEN
        }
        let handle = DatabaseHandle(file, at: path, on: disk, flags: flags)
        handle.put(into: slot, methods)
        return SQLITE_OK
    }

    /// Takes a file away.
    static func delete(_ path: String, on disk: SimulatedDisk, flushes: Bool) -> Int32 {
        if disk.hasFuseBlown { return Code.delete }
        guard disk.names[path] != nil else { return Code.deleteMissing }
        guard disk.admit() else { return Code.delete }
        disk.rename([(path, nil)])
        if flushes, !disk.syncNames(besides: path) { return Code.flushFolder }
        return SQLITE_OK
    }

    func close() {
        if isAlive {
            _ = unlock(SQLITE_LOCK_NONE)
            _ = unmapIndex()
            if isTemporary, let path, disk.names[path] === file { disk.remove(path) }
        }
        index = nil
    }

    // MARK: Bytes

    func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, at offset: Int) -> Int32 {
        guard isAlive else { return Code.read }
        let target = UnsafeMutableRawBufferPointer(start: buffer, count: count)
        let found = file.content.read(at: offset, into: target)
        if found == count { return SQLITE_OK }
        (buffer + found).initializeMemory(as: UInt8.self, repeating: 0, count: count - found)
        return Code.readShort
    }

    func write(_ buffer: UnsafeRawPointer, _ count: Int, at offset: Int) -> Int32 {
        guard isAlive else { return Code.write }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
        if disk.write(bytes, to: file, at: offset) { return SQLITE_OK }
        return disk.isOutOfSpace ? SQLITE_FULL : Code.write
    }

    func truncate(_ count: Int) -> Int32 {
        guard isAlive else { return Code.truncate }
        if disk.resize(file, to: count) { return SQLITE_OK }
        return disk.isOutOfSpace ? SQLITE_FULL : Code.truncate
    }

    func sync() -> Int32 {
        guard isAlive, disk.sync(file) else { return Code.flush }
        if flushesNames, let path {
            guard disk.syncNames(besides: path) else { return Code.flushFolder }
            flushesNames = false
        }
        return SQLITE_OK
    }

    func size(_ result: inout Int64) -> Int32 {
        guard isAlive else { return Code.status }
        result = Int64(file.content.byteCount)
        return SQLITE_OK
    }

    // MARK: Locks

    func lock(_ wish: Int32) -> Int32 {
        guard isAlive else { return Code.lock }
        return file.databaseLock.take(wish, for: number, level: &level) ? SQLITE_OK : SQLITE_BUSY
    }

    func unlock(_ wish: Int32) -> Int32 {
        if isAlive { file.databaseLock.lower(to: wish, for: number, level: &level) }
        return SQLITE_OK
    }

    func checkReserved(_ result: inout Int32) -> Int32 {
        guard isAlive else { return Code.checkReserved }
        result = file.databaseLock.isReserved ? 1 : 0
        return SQLITE_OK
    }

    func control(_ code: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        guard code == SQLITE_FCNTL_HAS_MOVED, let argument else { return SQLITE_NOTFOUND }
        let hasMoved = path.map { disk.names[$0] !== file } ?? false
        argument.storeBytes(of: hasMoved ? 1 : 0, as: Int32.self)
        return SQLITE_OK
    }

    func mapIndex(
        _ region: Int, _ byteCount: Int, extends: Bool,
        _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> Int32 {
        guard isAlive else { return Code.map }
        if index == nil {
            let shared = file.index ?? SharedIndex()
            file.index = shared
            shared.userCount += 1
            index = shared
        }
        guard let index else { return Code.map }
        while extends, index.regionCount <= region {
            guard disk.claim(byteCount, for: file) else { return Code.grow }
            index.addRegion(byteCount: byteCount)
        }
        result.pointee = index.region(region)
        return SQLITE_OK
    }

    func lockIndex(_ slots: Range<Int>, _ flags: Int32) -> Int32 {
        // SQLite names no slots that are not there; the numbers go into memory as they are.
        guard isAlive, let index, slots.lowerBound >= 0, slots.upperBound <= SQLITE_SHM_NLOCK
        else { return Code.lockIndex }
        var held = sharedSlots
        defer { sharedSlots = held }
        if flags & SQLITE_SHM_UNLOCK != 0 {
            index.unlock(slots, for: number, held: &held)
            return SQLITE_OK
        }
        let isTaken =
            flags & SQLITE_SHM_SHARED != 0
            ? index.takeShared(slots, for: number, held: &held)
            : index.takeExclusive(slots, for: number, held: held)
        return isTaken ? SQLITE_OK : SQLITE_BUSY
    }

    func unmapIndex() -> Int32 {
        guard isAlive, let index else { return SQLITE_OK }
        var held = sharedSlots
        index.unlock(0..<Int(SQLITE_SHM_NLOCK), for: number, held: &held)
        sharedSlots = held
        index.userCount -= 1
        if index.userCount == 0, file.index === index {
            _ = disk.claim(-index.byteCount, for: file)
            file.index = nil
        }
        self.index = nil
        return SQLITE_OK
    }

    /// Extended codes, which are made by macros that Swift does not see.
    private enum Code {
        static let read = SQLITE_IOERR | 1 << 8
        static let readShort = SQLITE_IOERR | 2 << 8
        static let write = SQLITE_IOERR | 3 << 8
        static let flush = SQLITE_IOERR | 4 << 8
        static let flushFolder = SQLITE_IOERR | 5 << 8
        static let truncate = SQLITE_IOERR | 6 << 8
        static let status = SQLITE_IOERR | 7 << 8
        static let delete = SQLITE_IOERR | 10 << 8
        static let checkReserved = SQLITE_IOERR | 14 << 8
        static let lock = SQLITE_IOERR | 15 << 8
        static let grow = SQLITE_IOERR | 19 << 8
        static let lockIndex = SQLITE_IOERR | 20 << 8
        static let map = SQLITE_IOERR | 21 << 8
        static let deleteMissing = SQLITE_IOERR | 23 << 8
    }
}

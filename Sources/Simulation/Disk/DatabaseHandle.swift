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
        number = disk.nextIncarnation()
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
        guard isAlive, disk.sync(file, at: path ?? "") else { return Code.flush }
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
        return file.databaseLock.acquire(wish, for: number, level: &level) ? SQLITE_OK : SQLITE_BUSY
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
            ? index.acquireShared(slots, for: number, held: &held)
            : index.acquireExclusive(slots, for: number, held: held)
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

/// How SQLite calls an open file.
extension DatabaseHandle {
    /// How much SQLite sets aside for an open file: its own part, and the way to this object.
    static var slotByteCount: Int32 {
        Int32(offsetInSlot + MemoryLayout<UnsafeMutableRawPointer>.size)
    }

    private static var offsetInSlot: Int { MemoryLayout<sqlite3_file>.stride }

    /// Makes the slot lead here; it keeps this object.
    func put(
        into slot: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>
    ) {
        UnsafeMutableRawPointer(slot).storeBytes(
            of: Unmanaged.passRetained(self).toOpaque(), toByteOffset: Self.offsetInSlot,
            as: UnsafeMutableRawPointer.self)
        slot.pointee.pMethods = methods
    }

    private static func way(
        from slot: UnsafeMutablePointer<sqlite3_file>?
    ) -> Unmanaged<DatabaseHandle>? {
        guard let slot else { return nil }
        return Unmanaged<DatabaseHandle>.fromOpaque(
            UnsafeRawPointer(slot).load(
                fromByteOffset: offsetInSlot, as: UnsafeMutableRawPointer.self))
    }

    private static func at(_ slot: UnsafeMutablePointer<sqlite3_file>?) -> DatabaseHandle? {
        way(from: slot)?.takeUnretainedValue()
    }

    /// The methods that SQLite calls for an open file.
    static func makeMethods() -> sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = 2
        methods.xClose = { slot in
            guard let way = DatabaseHandle.way(from: slot) else { return SQLITE_MISUSE }
            way.takeUnretainedValue().close()
            slot?.pointee.pMethods = nil
            way.release()
            return SQLITE_OK
        }
        addBytes(to: &methods)
        addLocks(to: &methods)
        addIndex(to: &methods)
        return methods
    }

    private static func addBytes(to methods: inout sqlite3_io_methods) {
        methods.xRead = { slot, buffer, count, offset in
            guard let handle = DatabaseHandle.at(slot), let buffer else { return SQLITE_MISUSE }
            return handle.read(buffer, Int(count), at: Int(offset))
        }
        methods.xWrite = { slot, buffer, count, offset in
            guard let handle = DatabaseHandle.at(slot), let buffer else { return SQLITE_MISUSE }
            return handle.write(buffer, Int(count), at: Int(offset))
        }
        methods.xTruncate = { slot, count in
            DatabaseHandle.at(slot)?.truncate(Int(count)) ?? SQLITE_MISUSE
        }
        methods.xSync = { slot, _ in DatabaseHandle.at(slot)?.sync() ?? SQLITE_MISUSE }
        methods.xFileSize = { slot, result in
            guard let handle = DatabaseHandle.at(slot), let result else { return SQLITE_MISUSE }
            return handle.size(&result.pointee)
        }
        methods.xSectorSize = { _ in Int32(PagedBytes.pageByteCount) }
        // Bytes beside those written in one sector are never harmed.
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    }

    private static func addLocks(to methods: inout sqlite3_io_methods) {
        methods.xLock = { slot, level in DatabaseHandle.at(slot)?.lock(level) ?? SQLITE_MISUSE }
        methods.xUnlock = { slot, level in DatabaseHandle.at(slot)?.unlock(level) ?? SQLITE_MISUSE }
        methods.xCheckReservedLock = { slot, result in
            guard let handle = DatabaseHandle.at(slot), let result else { return SQLITE_MISUSE }
            return handle.checkReserved(&result.pointee)
        }
        methods.xFileControl = { slot, code, argument in
            DatabaseHandle.at(slot)?.control(code, argument) ?? SQLITE_MISUSE
        }
    }

    private static func addIndex(to methods: inout sqlite3_io_methods) {
        methods.xShmMap = { slot, region, count, extends, result in
            guard let handle = DatabaseHandle.at(slot), let result else { return SQLITE_MISUSE }
            result.pointee = nil
            return handle.mapIndex(Int(region), Int(count), extends: extends != 0, result)
        }
        methods.xShmLock = { slot, first, count, flags in
            DatabaseHandle.at(slot)?.lockIndex(Int(first)..<Int(first + count), flags)
                ?? SQLITE_MISUSE
        }
        methods.xShmBarrier = { _ in }
        methods.xShmUnmap = { slot, _ in DatabaseHandle.at(slot)?.unmapIndex() ?? SQLITE_MISUSE }
    }
}

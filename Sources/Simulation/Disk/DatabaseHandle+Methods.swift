import CSQLite

/// How SQLite calls an open file.
extension DatabaseHandle {
    /// How much SQLite sets aside for an open file: its own part, and the way to this object.
    static var slotByteCount: Int32 {
        Int32(placeInSlot + MemoryLayout<UnsafeMutableRawPointer>.size)
    }

    private static var placeInSlot: Int { MemoryLayout<sqlite3_file>.stride }

    /// Makes the slot lead here; it keeps this object.
    func put(
        into slot: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>
    ) {
        UnsafeMutableRawPointer(slot).storeBytes(
            of: Unmanaged.passRetained(self).toOpaque(), toByteOffset: Self.placeInSlot,
            as: UnsafeMutableRawPointer.self)
        slot.pointee.pMethods = methods
    }

    private static func way(
        from slot: UnsafeMutablePointer<sqlite3_file>?
    ) -> Unmanaged<DatabaseHandle>? {
        guard let slot else { return nil }
        return Unmanaged<DatabaseHandle>.fromOpaque(
            UnsafeRawPointer(slot).load(
                fromByteOffset: placeInSlot, as: UnsafeMutableRawPointer.self))
    }

    private static func at(_ slot: UnsafeMutablePointer<sqlite3_file>?) -> DatabaseHandle? {
        way(from: slot)?.takeUnretainedValue()
    }

    /// What SQLite calls for an open file.
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
        // What stands beside the bytes written in one sector is never harmed.
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

import Core
import Devices
import Storage
import Transport

/// Looking for damage, copies, and going on with them.
extension TandemStore {
    // MARK: Damage

    /// Looks for damage; a store that is damaged beyond repair in place is closed.
    ///
    /// - Throws: `damaged`: ``rescue(at:schema:isDry:)`` goes on with what can be read; `notOpen`, `busy`.
    public func examine() throws(TandemError) -> Examination {
        let device = try openDevice()
        do {
            return try device.repair.examine(now: SystemEnvironment.wallMilliseconds())
        } catch {
            close()
            throw TandemError(any: error)
        }
    }

    /// Repairs what was found, after a snapshot.
    ///
    /// - Throws: `notOpen`, `busy`, `diskFull`, `inputOutput`.
    public func repair(_ examination: Examination) throws(TandemError) {
        let device = try openDevice()
        try TandemError.mappingAny {
            try device.repair.perform(examination.repairs)
        }
    }

    /// Goes on with what can be read of a damaged store that is closed; the damaged files stay in a folder beside.
    ///
    /// - Parameters:
    ///   - folder: the store's folder.
    ///   - schema: the app's collections.
    ///   - isDry: whether only to look.
    /// - Throws: `noStore`, `busy` if it is open anywhere, `damaged` if nothing can be read.
    public static func rescue(
        at folder: String, schema: Schema, isDry: Bool = false
    ) throws(TandemError) -> RescueReport {
        let tables = try schema.tables()
        return try TandemError.mappingAny {
            let found = DeviceFolder(folder)
            if found.isBeingReplaced, !isDry { try found.finishReplacing() }
            return try found.rescue(schema: tables, isDry: isDry)
        }
    }

    /// Puts a damaged store that is closed aside, and goes on from a copy that is whole, as another device.
    ///
    /// - Parameters:
    ///   - folder: the store's folder.
    ///   - schema: the app's collections.
    ///   - copy: a folder or file, `latest`, or the number of a snapshot.
    /// - Returns: the folder in which the damaged store is.
    /// - Throws: `noStore`, `damaged`, `refused`, `busy`.
    public static func startOver(
        at folder: String, schema: Schema, from copy: String
    ) throws(TandemError) -> String {
        let tables = try schema.tables()
        return try TandemError.mappingAny {
            let found = DeviceFolder(folder)
            return try found.startOver(from: found.checkedCopy(copy, schema: tables))
        }
    }

    // MARK: Copies

    /// Copies the store into a new folder, for its owner alone.
    ///
    /// - Parameters:
    ///   - folder: where the copy is made; nothing may be there.
    ///   - hasKeys: whether the device's keys go with it: such a copy is this device to the others, and needs no
    ///     invitation; keep it as safe as the device.
    ///   - isVerified: whether it is read back.
    /// - Throws: `storeExists`, `damaged`, `diskFull`, `inputOutput`, `notOpen`; `unusableKeys` if the copy has all
    ///   records, but not the keys.
    public func backup(
        to folder: String, hasKeys: Bool = true, isVerified: Bool = false
    ) throws(TandemError) {
        let device = try openDevice()
        try TandemError.mappingAny {
            _ = try device.copies.backup(to: folder, hasKeys: hasKeys, isVerified: isVerified)
        }
    }

    /// The snapshots beside the store, oldest first.
    public var snapshots: [StoreSnapshot] {
        let found = DeviceFolder(folder)
        return found.snapshots.map {
            StoreSnapshot(number: $0.number, time: $0.time, path: found.paths.path(of: $0))
        }
    }

    /// Takes a snapshot; old ones are let go.
    ///
    /// - Returns: its path.
    /// - Throws: `diskFull`, `inputOutput`, `notOpen`.
    @discardableResult
    public func takeSnapshot() throws(TandemError) -> String {
        let device = try openDevice()
        return try TandemError.mapping { () throws(StoreFault) in
            try device.copies.takeSnapshot()
        }
    }

    /// Brings back what a copy has, by new edits that sync like any others.
    ///
    /// - Parameters:
    ///   - copy: a folder or file, `latest`, or the number of a snapshot.
    ///   - deletesLater: whether records that the copy has not are deleted.
    /// - Throws: `noStore`, `damaged` and `refused` of the copy; `busy`, `diskFull`, `notOpen`.
    public func restore(
        from copy: String, deletesLater: Bool = false
    ) throws(TandemError) {
        let device = try openDevice()
        try TandemError.mappingAny {
            let opened = try device.copies.opened(copy)
            defer { opened.close() }
            let difference = try device.copies.difference(from: opened) { _, _ in true }
            try device.copies.restore(difference, from: opened, deletesLater: deletesLater)
        }
    }
}

import Core
import Glibc
import Storage
import Transport

/// The folder of a store that may be damaged or gone: what lies in it, and going on with that.
package struct DeviceFolder: Sendable {
    /// Its path.
    package let path: String
    /// The snapshots in it, oldest first.
    package let snapshots: [Store.Snapshot]

    /// Looks into a folder, which need not be there.
    package init(_ path: String) {
        self.path = path
        snapshots = Store.snapshots(
            of: StorePaths(folder: path), on: SystemEnvironment.environment())
    }

    private var disk: any StoreDisk { SystemEnvironment.environment().disk }

    /// Where what is in it lies.
    package var paths: StorePaths { StorePaths(folder: path) }

    /// Whether a fault says that this store cannot be used as it is.
    package func isConcerned(by fault: StoreFault) -> Bool {
        let database = paths.database
        return switch fault {
        case .corrupt(let path, _), .notAStore(let path): path == database
        case .noStore(let folder): folder == path
        default: fault.tellsOfDamage
        }
    }

    /// Whether there is no store.
    package var isGone: Bool { !disk.exists(paths.database) }

    /// Whether a whole store waits to be put in place, and there is none: a program ended before it was done.
    package var isBeingReplaced: Bool { isGone && disk.exists(paths.replacement) }

    /// Whether the keys of a space are in it; nobody can make them again.
    package var hasKeys: Bool { disk.exists(Keyring.path(in: path)) }

    /// Folders with damaged stores that were put aside in it.
    package var asideFolders: [String] {
        disk.fileNames(in: path).filter { $0.hasPrefix(StorePaths.asidePrefix) }.sorted().map {
            path + "/" + $0
        }
    }

    /// Whether there is no store, or nothing of one but a database into which nothing was written.
    package var isEmpty: Bool {
        isGone || (try? Store.isUnmade(in: path, on: disk)) == true
    }

    /// Refuses to make a store where one is gone of which there are copies, or the keys.
    ///
    /// - Throws: `storeGone`, `replacementUnfinished`.
    package func refuseToReplace() throws(DeviceFault) {
        if isBeingReplaced { throw .replacementUnfinished(self) }
        if !snapshots.isEmpty || hasKeys, isEmpty { throw .storeGone(self) }
    }

    // MARK: Going on

    /// Looks what can be read of a damaged store, and puts that in its place, unless it is only to be looked at.
    package func rescue(
        schema: [CollectionSchema], isDry: Bool
    ) throws(StoreFault) -> RescueReport {
        let scratch = StoreScratch.path(in: path)
        StoreScratch.remove(scratch)
        defer { StoreScratch.remove(scratch) }
        return try Store.rescue(
            folder: path, schema: schema, space: (try? Keyring.read(in: path))?.space,
            deviceName: SystemEnvironment.hostName, scratch: scratch,
            environment: SystemEnvironment.environment(), isDry: isDry)
    }

    /// Puts the store in place that waits for it.
    ///
    /// - Throws: `replacementDamaged`; `busy` and `inUse` of the store.
    package func finishReplacing() throws {
        do throws(StoreFault) {
            _ = try Store.finishReplacing(
                folder: path, environment: SystemEnvironment.environment())
        } catch {
            switch error {
            case .busy, .inUse: throw error
            default: throw DeviceFault.replacementDamaged(self, error)
            }
        }
    }

    /// Opens a copy of this store: a path, `latest`, or the number of a snapshot.
    ///
    /// - Throws: a `CopyFault`.
    package func copy(_ word: String, schema: [CollectionSchema]) throws -> StoreCopy {
        try StoreCopy(
            word, in: path, scratch: path, of: (try? Keyring.read(in: path))?.space, schema: schema)
    }
}

/// How a store that was opened for repair turned out.
package enum RepairOpening {
    /// It opens, and nothing in it needs more than a repair in place.
    case open(Device, Examination)
    /// It cannot be used as it is: what can be read of it can be rescued, or a copy put in its place.
    case damaged(StoreFault)
    /// A program ended while it put another store in its place: that can be finished.
    case replacementUnfinished
}

/// How a store that a copy is to be restored into turned out.
package enum RestoreOpening {
    /// It opens and is whole: what the copy has is brought back by edits.
    case open(Device)
    /// It cannot be used as it is: the copy is put in its place.
    case damaged(StoreFault)
}

/// The readable part of a damaged store.
package enum RescueLook {
    /// This much can be read.
    case readable(RescueReport)
    /// Nothing can be read, and there is no snapshot to go on from.
    case nothing(StoreFault)
}

/// A copy that was checked, to go on from.
package struct CheckedCopy: Hashable, Sendable {
    /// Where it is.
    package let path: String
    /// How many of the app's records it has.
    package let recordCount: Int
}

/// Opening a store that may be damaged, and going on with what there is.
extension DeviceFolder {
    /// Opens a store and examines it, to repair it.
    ///
    /// - Parameters:
    ///   - now: the wall clock's time; milliseconds since 1970-01-01 UTC.
    ///   - opened: called with the device before it is examined.
    /// - Throws: a `StoreFault` that is about something else; `noStore` if there is none, and none is on its way.
    package func openForRepair(
        schema: [CollectionSchema], now: Int64, opened: (Device) throws -> Void = { _ in }
    ) throws -> RepairOpening {
        do {
            let device = try Device.open(in: path, schema: schema)
            try opened(device)
            return .open(device, try device.repair.examine(now: now))
        } catch StoreFault.noStore where isBeingReplaced {
            return .replacementUnfinished
        } catch let fault as StoreFault where isConcerned(by: fault) {
            if case .noStore = fault { throw fault }
            return .damaged(fault)
        }
    }

    /// Opens a store to restore a copy into it; one that is damaged is closed again.
    ///
    /// - Parameter opened: called with the device before it is examined.
    /// - Throws: `replacementUnfinished`, as the store that waits is not discarded for a copy; `noStore` where nothing
    ///   ever was.
    package func openForRestore(
        schema: [CollectionSchema], opened: (Device) throws -> Void = { _ in }
    ) throws -> RestoreOpening {
        let device: Device
        do throws(StoreFault) {
            device = try Device.open(in: path, schema: schema)
        } catch {
            guard isConcerned(by: error) else { throw error }
            if case .noStore = error {
                if isBeingReplaced { throw DeviceFault.replacementUnfinished(self) }
                if snapshots.isEmpty { throw error }
            }
            return .damaged(error)
        }
        try opened(device)
        guard let damage = device.repair.damage() else { return .open(device) }
        device.close()
        return .damaged(.corrupt(path: paths.database, detail: damage))
    }

    // MARK: Rescuing

    /// Looks what can be read of a damaged store.
    ///
    /// - Throws: a fault that passes or that the user can end: `busy`, `inUse`, `diskFull`, `readOnly`.
    package func lookForRescue(schema: [CollectionSchema]) throws(StoreFault) -> RescueLook {
        do throws(StoreFault) {
            return .readable(try rescue(schema: schema, isDry: true))
        } catch {
            switch error {
            case .busy, .inUse, .diskFull, .readOnly: throw error
            default: return .nothing(error)
            }
        }
    }

    // MARK: Starting over

    /// Checks a copy that is to take the place of the store.
    ///
    /// - Parameter word: a path, `latest`, or the number of a snapshot.
    /// - Throws: a `CopyFault`.
    package func checkedCopy(_ word: String, schema: [CollectionSchema]) throws -> CheckedCopy {
        let copy = try copy(word, schema: schema)
        defer { copy.close() }
        try copy.check()
        var count = 0
        for collection in schema { count += try copy.store.count(FetchRequest(collection.id)) }
        return CheckedCopy(path: copy.path, recordCount: count)
    }

    /// Puts the store aside, and goes on from a copy as another replica.
    ///
    /// - Returns: the folder in which the damaged store is.
    package func startOver(from copy: CheckedCopy) throws(StoreFault) -> String {
        try Store.startOver(
            folder: path, from: copy.path, environment: SystemEnvironment.environment())
    }

    // MARK: A copy where no store is

    /// The command line of files that puts a copy in the place of a store that never was: from where, to where.
    ///
    /// - Returns: nil if there is nothing at the copy's path.
    package func placement(ofCopy copy: String) -> (from: String, to: String)? {
        if disk.exists(StorePaths(folder: copy).database) { return (copy + "/.", path) }
        return disk.exists(copy) ? (copy, paths.database) : nil
    }

    // MARK: A daemon

    /// Has the daemon or service that runs for the store leave everybody alone for a while.
    ///
    /// - Throws: `noDaemon`; `daemonRefused`.
    package func pauseSync(seconds: Int) throws {
        try ControlClient.tell(.pause(seconds: seconds), in: path)
    }

    /// Ends a pause.
    ///
    /// - Throws: `noDaemon`; `daemonRefused`.
    package func resumeSync() throws { try ControlClient.tell(.resume, in: path) }
}

/// Folders for scratch inside of a store's folder: what is in them is for the store's owner alone, and of no
/// use to anybody once the program that made them has ended.
package enum StoreScratch {
    /// How their names begin; the number of the process follows.
    package static let prefix = "scratch-"

    /// The one of this process.
    package static func path(in folder: String) -> String { "\(folder)/\(prefix)\(getpid())" }

    /// Takes a folder away, with the files in it.
    package static func remove(_ folder: String) {
        if let stream = opendir(folder) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                unlink(folder + "/" + name)
            }
            closedir(stream)
        }
        rmdir(folder)
    }
}

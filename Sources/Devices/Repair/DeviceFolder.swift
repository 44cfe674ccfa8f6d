import Core
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

    /// Refuses to make a store where one is gone of which there are copies, or the keys.
    ///
    /// - Throws: `storeGone`, `replacementUnfinished`.
    package func refuseToReplace() throws(DeviceFault) {
        if isBeingReplaced { throw .replacementUnfinished(self) }
        if isGone, !snapshots.isEmpty || hasKeys { throw .storeGone(self) }
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

    /// Puts the store aside, and goes on from a copy as another replica.
    ///
    /// - Parameter copy: the path of a copy that was checked.
    /// - Returns: the folder in which the damaged store is.
    package func startOver(from copy: String) throws(StoreFault) -> String {
        try Store.startOver(
            folder: path, from: copy, environment: SystemEnvironment.environment())
    }

    /// Opens a copy of this store: a path, `latest`, or the number of a snapshot.
    ///
    /// - Throws: a `CopyFault`.
    package func copy(_ word: String, schema: [CollectionSchema]) throws -> StoreCopy {
        try StoreCopy(
            word, in: path, of: (try? Keyring.read(in: path))?.space, schema: schema)
    }
}

import CLinux
import Core
import Glibc
import Storage
import Transport

/// Why a copy of a store cannot be used.
package enum CopyFault: Error, Hashable, Sendable {
    /// There is no snapshot yet.
    case noSnapshot
    /// There is no snapshot of that number.
    case noSuchSnapshot(Int)
    /// There is nothing at that path.
    case missing(path: String)
    /// The file or folder at the path cannot be read.
    case unreadable(path: String, errno: Int32)
    /// The folder has no store in it.
    case noStore(folder: String)
    /// It is neither a file nor a folder.
    case notAFile(path: String)
    /// It belongs to another space.
    case otherSpace(path: String, SpaceID)
    /// It is damaged; what was found.
    case damaged(path: String, findings: [StoreFinding])
}

/// A backup or a snapshot, opened to be looked at; the files themselves are not touched.
package struct StoreCopy {
    /// Where it is.
    package let path: String
    /// It, as another store, in a folder for scratch.
    package let store: Store
    private let scratch: String

    /// A record of the copy, deleted or not; nil if it is not there.
    package func record(_ name: RecordName) throws(StoreFault) -> Record? {
        try store.record(name)
    }

    /// Opens what a user named: a folder, a file, `latest`, or the number of a snapshot.
    ///
    /// - Parameters:
    ///   - folder: that of the store that it is a copy of, which need not be open, nor be there.
    ///   - parent: the folder in which the copy is opened for a while.
    ///   - space: which space the copy has to be of; nil if that is not known.
    /// - Throws: a `CopyFault`; a `StoreFault` if it does not open.
    package init(
        _ word: String, in folder: String, scratch parent: String, of space: SpaceID?,
        schema: [CollectionSchema]
    ) throws {
        path = try Self.path(word, in: folder)
        scratch = StoreScratch.path(in: parent)
        StoreScratch.remove(scratch)
        do {
            store = try Store.openCopy(
                of: path, in: scratch, schema: schema, environment: SystemEnvironment.environment())
        } catch {
            StoreScratch.remove(scratch)
            if case .noStore = error { throw CopyFault.missing(path: path) }
            throw error
        }
        guard space == nil || store.space == space else {
            close()
            throw CopyFault.otherSpace(path: path, store.space)
        }
    }

    /// Looks for damage in it.
    ///
    /// - Throws: `CopyFault.damaged`.
    package func check() throws {
        let findings = try store.examine()
        if !findings.isEmpty { throw CopyFault.damaged(path: path, findings: findings) }
    }

    /// Lets go of it, and of the scratch.
    package func close() {
        store.close()
        StoreScratch.remove(scratch)
    }

    private static func path(_ word: String, in folder: String) throws(CopyFault) -> String {
        let found = DeviceFolder(folder)
        if word == "latest" {
            guard let last = found.snapshots.last else { throw .noSnapshot }
            return found.paths.path(of: last)
        }
        guard word.allSatisfy(\.isNumber), let number = Int(word) else {
            try checkKind(of: word)
            return word
        }
        guard let snapshot = found.snapshots.last(where: { $0.number == number }) else {
            throw .noSuchSnapshot(number)
        }
        return found.paths.path(of: snapshot)
    }

    /// Whether a path may be a copy at all: nothing else is opened, as a pipe would have one wait.
    private static func checkKind(of path: String) throws(CopyFault) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { throw .missing(path: path) }
            throw .unreadable(path: path, errno: code)
        }
        var kind = status.st_mode & S_IFMT
        if kind == S_IFDIR {
            guard stat(StorePaths(folder: path).database, &status) == 0 else {
                throw .noStore(folder: path)
            }
            kind = status.st_mode & S_IFMT
        }
        if kind != S_IFREG { throw .notAFile(path: path) }
    }
}

/// Copies a device, and brings back what copies have.
package struct DeviceCopies {
    private let device: Device
    private var store: Store { device.store }

    init(_ device: Device) { self.device = device }

    /// Copies the store into a new folder, for its owner alone.
    ///
    /// - Parameters:
    ///   - hasKeys: whether the keys go with it, so that the copy is this device to the others.
    ///   - isVerified: whether it is read back.
    /// - Returns: whether there were keys to copy.
    /// - Throws: `StoreFault.storeExists`; `keysNotCopied`; `CopyFault.damaged`.
    package func backup(to folder: String, hasKeys: Bool, isVerified: Bool) throws -> Bool {
        try store.backup(to: folder)
        var isKeyed = false
        if hasKeys {
            do {
                isKeyed = try DeviceKeys.copy(from: device.folder, to: folder)
            } catch {
                throw DeviceFault.keysNotCopied(to: folder, error)
            }
        }
        if isVerified {
            // Other programs may have written to the copy meanwhile; damage is refused.
            try opened(folder).close()
        }
        return isKeyed
    }

    /// Takes a snapshot; gives its path.
    @discardableResult
    package func takeSnapshot() throws(StoreFault) -> String {
        store.paths.snapshots + "/" + (try store.takeSnapshot())
    }

    /// Opens a copy of this store: a path, `latest`, or the number of a snapshot.
    ///
    /// - Throws: a `CopyFault`; a `StoreFault` if it does not open.
    package func open(_ word: String) throws -> StoreCopy {
        try StoreCopy(
            word, in: device.folder, scratch: device.scratchFolder, of: store.space,
            schema: device.schema)
    }

    /// Opens a copy, as `open` does, and looks for damage in it.
    ///
    /// - Throws: as `open`; `CopyFault.damaged`.
    package func opened(_ word: String) throws -> StoreCopy {
        let copy = try open(word)
        do {
            try copy.check()
        } catch {
            copy.close()
            throw error
        }
        return copy
    }

    /// In what a copy is other than the store, as far as a record of either is asked for.
    package func difference(
        from copy: StoreCopy, where isMeant: (Record, Store) throws(StoreFault) -> Bool
    ) throws(StoreFault) -> CopyDifference {
        try store.difference(from: copy.store, where: isMeant)
    }

    /// Brings back what a copy has, by new edits.
    ///
    /// - Parameter deletesLater: whether what the copy has not is deleted.
    package func restore(
        _ difference: CopyDifference, from copy: StoreCopy, deletesLater: Bool
    ) throws(StoreFault) {
        try store.restore(difference, from: copy.store, deletesLater: deletesLater)
    }
}

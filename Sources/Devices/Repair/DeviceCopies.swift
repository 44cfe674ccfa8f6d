import Core
import Glibc
import Storage

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
        let mask = umask(0o077)
        defer { umask(mask) }
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
            let copy = try open(folder)
            defer { copy.close() }
            try copy.check()
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
            word, in: device.folder, of: store.space,
            schema: device.schema)
    }

    /// In what a copy is other than the store.
    package func difference(
        from copy: StoreCopy, where isMeant: (StoredRecord) -> Bool
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

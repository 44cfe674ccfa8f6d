import Core
import Crypto
import Glibc
import Storage
import Transport

/// The folder's contents before a join, used to roll back a refused join.
///
/// Another program may have made a store there meanwhile: what it made is never taken away.
package struct JoinRollback {
    private let folder: String
    private let wasThere: Bool
    private let hadKey: Bool
    private let hadKeyring: Bool
    private let hadStore: Bool
    private let environment = SystemEnvironment.environment()

    /// Looks at the folder of a store that is there, or is to be made.
    package init(before folder: String) {
        self.folder = folder
        wasThere = environment.disk.exists(folder)
        hadKey = environment.disk.exists(DeviceCertificate.path(in: folder))
        hadKeyring = environment.disk.exists(Keyring.path(in: folder))
        hadStore = environment.disk.exists(StorePaths(folder: folder).database)
    }

    /// Takes away what trying has made, before there was a store: the device's key, and the folder.
    package func remove() {
        StoreScratch.remove(StoreScratch.path(in: folder))
        let paths = StorePaths(folder: folder)
        let foreign = [paths.database, paths.stamp, Keyring.path(in: folder)]
        if foreign.contains(where: { environment.disk.exists($0) }) { return }
        removeKeyAndFolder()
    }

    /// Takes away a store that was made for it, and is closed; one that was there before stays, and so does one that
    /// another program uses or has used.
    ///
    /// - Parameters:
    ///   - replica: the id that it was closed with.
    ///   - counter: how many writes it had made by then.
    /// - Returns: whether nothing of it is left.
    package func removeStore(replica: ReplicaID, counter: UInt64) -> Bool {
        if hadStore { return false }
        let isUnmade = try? Store.unmake(
            folder: folder, replica: replica, counter: counter, environment: environment)
        guard isUnmade == true else { return false }
        if !hadKeyring { Keyring.remove(in: folder) }
        StoreScratch.remove(StoreScratch.path(in: folder))
        removeKeyAndFolder()
        return wasThere || !environment.disk.exists(folder)
    }

    /// The folder goes only if nothing else is in it.
    private func removeKeyAndFolder() {
        if !hadKey { environment.disk.remove(DeviceCertificate.path(in: folder)) }
        if !wasThere { rmdir(folder) }
    }
}

import Runtime
import Security
import Storage

/// What was in a folder before a device tried to join there: one that is refused leaves no more than that.
package struct JoiningTraces {
    private let folder: String
    private let wasThere: Bool
    private let hadKey: Bool

    /// Looks at the folder of a store that is there, or is to be made.
    package init(before folder: String) {
        self.folder = folder
        let disk = SystemWorld.environment().disk
        wasThere = disk.exists(folder)
        hadKey = disk.exists(DeviceCertificate.path(in: folder))
    }

    /// Takes away what trying has made, before there was a store: the device's key, and the folder.
    package func remove() {
        if !hadKey { SystemWorld.environment().disk.remove(DeviceCertificate.path(in: folder)) }
        if !wasThere { StoreScratch.remove(folder) }
    }

    /// Takes away a store that was made for it, and is closed; one in a folder that was there stays.
    ///
    /// - Returns: whether nothing is left.
    package func removeStore() -> Bool {
        if wasThere { return false }
        StoreScratch.remove(folder)
        return !SystemWorld.environment().disk.exists(folder)
    }
}

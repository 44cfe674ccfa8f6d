import CLinux
import Crypto
import Glibc
import Storage
import Transport

/// Who may read and write the files of a store: its owner alone, whatever the folder and the umask.
///
/// Programs make each file so. A copy made by another program, or a store made by an older version of this one,
/// may have other modes.
package struct StoreModes: Sendable {
    /// The files that programs keep beside a store for themselves.
    private static let ownFiles = [
        "keyring.lock", "recent", "numbers", "numbers-wal", "numbers-shm", "control",
    ]

    /// The bits of a mode by which others may write.
    static let othersWrite: UInt32 = 0o022

    private let paths: StorePaths

    /// The modes of a store's files, which need not be there.
    package init(of paths: StorePaths) { self.paths = paths }

    private var folder: String { paths.folder }

    /// The accounts that may reach into the folder besides its owner.
    package enum Others: Hashable, Sendable {
        /// Nobody.
        case nobody
        /// Others see which files are in it.
        case mayRead
        /// Others can take files away and put their own in their place.
        case mayWrite
    }

    /// The accounts that may reach into the folder.
    package var others: Others {
        guard let mode = Self.mode(of: folder, S_IFDIR) else { return .nobody }
        if mode & Self.othersWrite != 0 { return .mayWrite }
        return mode & 0o055 != 0 ? .mayRead : .nobody
    }

    /// Finds the files of the store that others may read or write, keys first, and the folder if others may write there.
    func exposed() -> [RepairStep] {
        let keys = [DeviceCertificate.path(in: folder), Keyring.path(in: folder)]
        let files =
            StorePaths.files(ofDatabase: paths.database) + [paths.identityFile, paths.lockFile]
            + StorePaths.files(ofDatabase: paths.replacement) + [TrustedDevices.path(in: folder)]
            + Self.ownFiles.map { folder + "/" + $0 } + copies
        return exposed(keys).map { .exposedKey(path: $0.path, mode: $0.mode) }
            + exposed(files).map { .exposedFile(path: $0.path, mode: $0.mode) } + exposedFolder
    }

    /// The folder, if others may write there and it is this account's own; in one like /tmp they cannot take away what
    /// is not theirs.
    private var exposedFolder: [RepairStep] {
        var status = stat()
        guard others == .mayWrite, stat(folder, &status) == 0, status.st_uid == geteuid(),
            status.st_mode & S_ISVTX == 0
        else { return [] }
        return [.exposedFolder(path: folder, mode: UInt32(status.st_mode) & 0o7777)]
    }

    /// The files of snapshots, and of damaged stores that were put aside.
    private var copies: [String] {
        let disk = SystemEnvironment.environment().disk
        let folders = [paths.snapshots] + DeviceFolder(folder).asideFolders
        return folders.flatMap { folder in
            disk.fileNames(in: folder).sorted().map { folder + "/" + $0 }
        }
    }

    private func exposed(_ paths: [String]) -> [(path: String, mode: UInt32)] {
        paths.compactMap { path in
            guard let mode = Self.mode(of: path, S_IFREG), mode & 0o077 != 0 else { return nil }
            return (path, mode)
        }
    }

    /// The mode of a file of that kind; nil if there is none.
    private static func mode(of path: String, _ kind: mode_t) -> UInt32? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == kind else { return nil }
        return UInt32(status.st_mode) & 0o777
    }
}

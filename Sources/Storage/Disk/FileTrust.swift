import Glibc

/// Why a file of a store is not opened: another account may have put it there, to read or change what is written.
package enum FileDistrust: Hashable, Sendable, CustomStringConvertible {
    /// It is a symbolic link.
    case link
    /// It is a folder, a pipe or the like.
    case noRegularFile
    /// Another account owns it.
    case otherOwner(UInt32)
    /// It has another name as well, and others can make names in its folder.
    case otherName

    /// The reason and the next step, as they follow the path.
    package var description: String {
        switch self {
        case .link:
            """
            is a symbolic link, which another account may have made, and is not followed; look where it leads, \
            and remove it or put the file itself in its place
            """
        case .noRegularFile:
            "is no regular file, and another account may have made it; look at it, and remove it"
        case .otherOwner(let number):
            """
            belongs to another account (number \(number)), which could read and change what is written there; \
            look at it, and move it away
            """
        case .otherName:
            """
            has another name as well (a hard link), and others can make such in its folder; close the folder \
            (chmod 700), then replace the file by a copy of itself
            """
        }
    }
}

/// Looks whether a file may be one that another account has put in a folder that it can write to.
package enum FileTrust {
    /// The account of this process.
    private static let account = geteuid()

    /// Refuses a name that is not a regular file of this account or root; one that is not there is fine.
    ///
    /// A link is looked at and not followed.
    /// - Returns: what the system says of the file; nil if it is not there.
    @discardableResult
    static func check(_ path: String) throws(StoreFault) -> stat? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        if let reason = distrust(status, path) { throw .untrustedFile(path: path, reason) }
        return status
    }

    /// Opens a file without following a link; nil if another account may have put it there.
    ///
    /// - Parameter flags: what `open` is asked for besides.
    /// - Returns: a descriptor, or -1 with `errno`; or why the file is not opened.
    package static func open(
        _ path: String, _ flags: Int32
    ) -> (descriptor: Int32, distrust: FileDistrust?) {
        let descriptor = Glibc.open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return (-1, errno == ELOOP ? .link : nil) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            errno = code
            return (-1, nil)
        }
        guard let reason = distrust(status, path) else { return (descriptor, nil) }
        close(descriptor)
        return (-1, reason)
    }

    /// Makes an empty file for its owner alone; what had its name is removed, and no link followed.
    ///
    /// - Returns: its descriptor, or -1 with `errno`.
    package static func make(_ path: String) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var descriptor = Glibc.open(path, flags, 0o600)
        if descriptor < 0, errno == EEXIST, unlink(path) == 0 {
            descriptor = Glibc.open(path, flags, 0o600)
        }
        // The umask may have taken away what the owner needs.
        if descriptor >= 0, fchmod(descriptor, 0o600) != 0 {
            let code = errno
            close(descriptor)
            errno = code
            return -1
        }
        return descriptor
    }

    private static func distrust(_ status: stat, _ path: String) -> FileDistrust? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: return .link
        default: return .noRegularFile
        }
        if status.st_uid != account, status.st_uid != 0 {
            // Root may look after a folder of somebody else.
            guard account == 0, folder(of: path)?.st_uid == status.st_uid else {
                return .otherOwner(status.st_uid)
            }
        }
        if status.st_nlink > 1, let folder = folder(of: path), folder.st_mode & 0o022 != 0 {
            return .otherName
        }
        return nil
    }

    private static func folder(of path: String) -> stat? {
        var status = stat()
        return stat(SystemDisk.folder(of: path), &status) == 0 ? status : nil
    }
}

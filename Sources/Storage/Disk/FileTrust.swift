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
            is a symbolic link, which another account may have made in this folder, and is not followed. Next: close \
            the folder (chmod 700); look where it leads, and put the file itself in its place or remove the link
            """
        case .noRegularFile:
            "is no regular file, and another account may have made it; look at it, and remove it"
        case .otherOwner(let number):
            """
            belongs to another account (number \(number)), which could read and change what is written there. Next: \
            look at it; make it yours if it is (sudo chown), else move it away
            """
        case .otherName:
            """
            has another name as well (a hard link), and others can make such in its folder. Next: close the folder \
            (chmod 700)
            """
        }
    }
}

/// Looks whether a file may be one that another account has put in a folder that it can write to.
package enum FileTrust {
    /// The account of this process.
    private static let account = geteuid()

    /// Refuses a name that another account may have made; one that is not there is fine.
    ///
    /// A link is looked at and not followed.
    /// - Returns: what the system says of the file; nil if it is not there.
    @discardableResult
    static func check(_ path: String) throws(StoreFault) -> stat? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemDisk.fault("lstat", path)
        }
        if let reason = distrust(status, path) { throw .untrustedFile(path: path, reason) }
        return status
    }

    /// Opens a file; nil if another account may have put it there.
    ///
    /// A link is followed only where nobody else can have made it, and a pipe keeps nobody waiting.
    /// - Parameter flags: what `open` is asked for besides.
    /// - Returns: a descriptor, or -1 with `errno`; or why the file is not opened.
    package static func open(
        _ path: String, _ flags: Int32
    ) -> (descriptor: Int32, distrust: FileDistrust?) {
        var status = stat()
        let isThere = lstat(path, &status) == 0
        let isLink = isThere && status.st_mode & S_IFMT == S_IFLNK
        if isLink, let reason = distrust(status, path) { return (-1, reason) }
        let descriptor = Glibc.open(
            path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (isLink ? 0 : O_NOFOLLOW), 0o600)
        guard descriptor >= 0 else { return (-1, errno == ELOOP ? .link : nil) }
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            errno = code
            return (-1, nil)
        }
        let reason =
            isLink
            ? (status.st_mode & S_IFMT == S_IFREG ? nil : .noRegularFile) : distrust(status, path)
        guard let reason else {
            if !isThere { giveToOwnerOfFolder(descriptor, path) }
            return (descriptor, nil)
        }
        close(descriptor)
        return (-1, reason)
    }

    /// Gives a file that root has made to the owner of its folder, as SQLite does with the files beside a database: else who
    /// owns the store could not read it.
    package static func giveToOwnerOfFolder(_ descriptor: Int32, _ path: String) {
        var folder = stat()
        guard account == 0, stat(SystemDisk.folder(of: path), &folder) == 0, folder.st_uid != 0,
            // Everybody makes files in such a folder.
            folder.st_mode & 0o1000 == 0
        else { return }
        _ = fchown(descriptor, folder.st_uid, folder.st_gid)
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
        if descriptor >= 0 { giveToOwnerOfFolder(descriptor, path) }
        // The umask may have taken away what the owner needs.
        if descriptor >= 0, fchmod(descriptor, 0o600) != 0 {
            let code = errno
            close(descriptor)
            errno = code
            return -1
        }
        return descriptor
    }

    /// Why a file may be another account's work.
    ///
    /// - Returns: nil if nobody can have put it there but this account, root and the owner of the folder, who have all of it.
    private static func distrust(_ status: stat, _ path: String) -> FileDistrust? {
        let type = status.st_mode & S_IFMT
        guard type == S_IFREG || type == S_IFLNK else { return .noRegularFile }
        // The usual case: whatever the folder's mode is, nobody else can have made it.
        let isOwn = status.st_uid == account || status.st_uid == 0
        if type == S_IFREG, isOwn, status.st_nlink == 1 { return nil }
        var folder = stat()
        guard stat(SystemDisk.folder(of: path), &folder) == 0 else { return nil }
        let isOpen = isOpen(folder)
        if type == S_IFLNK {
            // Where others cannot put it in place of another, the link's own account tells who made it.
            let isSafe = !isOpen || folder.st_mode & 0o1000 != 0 && isOwn && status.st_nlink == 1
            return isSafe ? nil : .link
        }
        // Root may look after a folder whose files came from elsewhere.
        if ![account, 0, folder.st_uid].contains(status.st_uid), isOpen || account != 0 {
            return .otherOwner(status.st_uid)
        }
        return isOpen && status.st_nlink > 1 ? .otherName : nil
    }

    /// Whether accounts besides the owner can make names in a folder.
    ///
    /// A group whose number is that of the owner is the owner's alone, as most systems make them.
    private static func isOpen(_ folder: stat) -> Bool {
        folder.st_mode & 0o002 != 0
            || folder.st_mode & 0o020 != 0 && folder.st_gid != folder.st_uid
    }
}

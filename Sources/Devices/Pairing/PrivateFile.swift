import CLinux
import Glibc

/// A small file that only its owner may read, written whole or not at all.
package enum PrivateFile {
    /// The largest file that is read.
    static let byteCountMax = 1 << 20

    /// A problem with a file.
    package enum Problem: Error {
        /// There is none.
        case missing
        /// There is one already.
        case exists
        /// Others may read or write it.
        case exposed(mode: UInt32)
        /// It is longer than any such file.
        case tooLarge
        /// A system call on it failed.
        case failedCall(errno: CInt)
    }

    /// Reads all of it.
    ///
    /// - Parameter isSecret: whether others must not be able to read or write it.
    package static func read(_ path: String, isSecret: Bool) throws(Problem) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .missing : .failedCall(errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .failedCall(errno: errno) }
        let mode = UInt32(status.st_mode) & 0o777
        if isSecret, mode & 0o077 != 0 { throw .exposed(mode: mode) }
        guard Int(status.st_size) <= byteCountMax else { throw .tooLarge }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
                guard bytes.count <= byteCountMax else { throw .tooLarge }
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw .failedCall(errno: errno)
            }
        }
    }

    /// Writes it so that a reader, and whoever looks after a power cut, sees all of it or what was
    /// there before.
    ///
    /// - Parameter replaces: whether a file of that name is replaced; else `exists` is thrown.
    package static func write(
        _ bytes: [UInt8], to path: String, replaces: Bool
    ) throws(Problem) {
        let temporary = "\(path).\(getpid()).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failedCall(errno: errno) }
        defer { unlink(temporary) }
        do {
            defer { close(descriptor) }
            try fill(descriptor, bytes)
        }
        // A link refuses a name that is taken; a rename would replace another process's new key.
        let result = replaces ? rename(temporary, path) : link(temporary, path)
        guard result == 0 else { throw errno == EEXIST ? .exists : .failedCall(errno: errno) }
        try flushFolder(of: path)
    }

    private static func fill(_ descriptor: CInt, _ bytes: [UInt8]) throws(Problem) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                offset += count
            } else if errno != EINTR {
                throw .failedCall(errno: errno)
            }
        }
        guard fsync(descriptor) == 0 else { throw .failedCall(errno: errno) }
    }

    private static func flushFolder(of path: String) throws(Problem) {
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failedCall(errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .failedCall(errno: errno) }
    }
}

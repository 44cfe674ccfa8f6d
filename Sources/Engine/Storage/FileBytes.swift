import Glibc

/// Whole small files.
enum FileBytes {
    /// The bytes of a file; nil if it cannot be read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? result : nil }
            result.append(contentsOf: buffer[..<count])
        }
    }

    /// Puts a file in place whole: a reader sees the old bytes or the new ones, also after a power cut.
    static func replace(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fault("open", temporary) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let fault = fault("write", temporary)
                close(descriptor)
                throw fault
            }
            written += count
        }
        let synced = fsync(descriptor)
        close(descriptor)
        guard synced == 0 else { throw fault("fsync", temporary) }
        guard rename(temporary, path) == 0 else { throw fault("rename", path) }
        try flushFolder(of: path)
    }

    /// Makes the names in a file's folder survive a power cut.
    static func flushFolder(of path: String) throws(StoreFault) {
        let cut = path.lastIndex(of: "/")
        let folder = cut.map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault("open", folder) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0, errno != EINVAL { throw fault("fsync", folder) }
    }

    /// The fault of the system call that just failed.
    static func fault(_ call: String, _ path: String) -> StoreFault {
        switch errno {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EACCES, EPERM, EROFS: .readOnly(path: path)
        default: .inputOutput(call: call, path: path, detail: String(cString: strerror(errno)))
        }
    }
}

import CLinux
import Glibc

/// The machine's own disk.
final class SystemDisk: StoreDisk {
    var databaseSystem: String? { nil }

    var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT }

    func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    func makeFolder(_ path: String) throws(StoreFault) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST { throw Self.fault("mkdir", made) }
        }
    }

    func fileNames(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func byteCount(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    func read(_ path: String) -> [UInt8]? {
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

    func replace(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.fault("open", temporary) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let fault = Self.fault("write", temporary)
                close(descriptor)
                throw fault
            }
            written += count
        }
        let synced = fsync(descriptor)
        close(descriptor)
        guard synced == 0 else { throw Self.fault("fsync", temporary) }
        guard rename(temporary, path) == 0 else { throw Self.fault("rename", path) }
        try flushFolder(of: path)
    }

    func move(_ path: String, to other: String) throws(StoreFault) {
        guard rename(path, other) == 0 else { throw Self.fault("rename", path) }
    }

    func flushFolder(of path: String) throws(StoreFault) {
        let cut = path.lastIndex(of: "/")
        let folder = cut.map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.fault("open", folder) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0, errno != EINVAL { throw Self.fault("fsync", folder) }
    }

    func remove(_ path: String) {
        unlink(path)
    }

    func identify(_ path: String) throws(StoreFault) -> FileIdentity {
        var status = statx()
        let mask = UInt32(STATX_BASIC_STATS | STATX_BTIME)
        guard tandem_statx(AT_FDCWD, path, 0, mask, &status) == 0 else {
            throw Self.fault("statx", path)
        }
        let birth = "\(status.stx_btime.tv_sec).\(status.stx_btime.tv_nsec)"
        let device = "\(status.stx_dev_major):\(status.stx_dev_minor)"
        return FileIdentity(
            file: "\(device) \(status.stx_ino) \(birth)",
            changed: "\(status.stx_ctime.tv_sec).\(status.stx_ctime.tv_nsec)")
    }

    func openWitness(_ path: String) throws(StoreFault) -> any WitnessFile {
        try SystemWitness(path)
    }

    func pause(microseconds: UInt32) {
        usleep(microseconds)
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

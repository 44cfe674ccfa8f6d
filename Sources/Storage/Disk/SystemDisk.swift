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

    func makePrivateFile(_ path: String) throws(StoreFault) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 || errno == EEXIST else { throw Self.fault("open", path) }
        if descriptor >= 0 {
            defer { close(descriptor) }
            FileTrust.giveToOwnerOfFolder(descriptor, path)
            // The umask may have taken away what the owner needs.
            guard fchmod(descriptor, 0o600) == 0 else { throw Self.fault("fchmod", path) }
        }
        // SQLite opens what stands beside it as well.
        for file in StorePaths.files(ofDatabase: path) {
            guard let status = try FileTrust.check(file), status.st_size == 0,
                status.st_mode & 0o077 != 0
            else { continue }
            guard chmod(file, 0o600) == 0 else { throw Self.fault("chmod", file) }
        }
    }

    func refuseUntrusted(_ paths: [String]) throws(StoreFault) {
        for path in paths {
            guard let status = try FileTrust.check(path), status.st_mode & S_IFMT == S_IFLNK,
                let target = realpath(path, nil)
            else { continue }
            defer { free(target) }
            // SQLite makes its files where a link leads.
            for file in StorePaths.files(ofDatabase: String(cString: target)) {
                try FileTrust.check(file)
            }
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
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
            var result: [UInt8] = []
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? result : nil }
                result.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    func replace(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
        try replace(path, with: bytes, flushes: true)
        try flushFolder(of: path)
    }

    func replaceUnflushed(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
        try replace(path, with: bytes, flushes: false)
    }

    private func replace(
        _ path: String, with bytes: [UInt8], flushes: Bool
    ) throws(StoreFault) {
        let temporary = path + ".new"
        let descriptor = FileTrust.make(temporary)
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
        let synced = flushes ? fsync(descriptor) : 0
        close(descriptor)
        guard synced == 0 else { throw Self.fault("fsync", temporary) }
        guard rename(temporary, path) == 0 else { throw Self.fault("rename", path) }
    }

    func move(_ path: String, to other: String) throws(StoreFault) {
        guard rename(path, other) == 0 else { throw Self.fault("rename", path) }
    }

    func flushFolder(of path: String) throws(StoreFault) {
        let folder = Self.folder(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
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

    func openLockFile(_ path: String) throws(StoreFault) -> any LockFile {
        try SystemLockFile(path)
    }

    func pause(microseconds: UInt32) {
        usleep(microseconds)
    }

    /// The fault of the system call that just failed.
    static func fault(_ call: String, _ path: String) -> StoreFault {
        let code = errno
        switch code {
        case ENOSPC, EDQUOT: return .diskFull(path: path)
        case EROFS: return .readOnly(path: path, .readOnlyDisk)
        case EACCES, EPERM:
            let folder = folder(of: path)
            let isFolder = access(path, F_OK) != 0 && access(folder, W_OK | X_OK) != 0
            return isFolder ? .readOnly(path: folder, .folderPermissions) : .readOnly(path: path)
        default:
            return .inputOutput(call: call, path: path, detail: String(cString: strerror(code)))
        }
    }

    func writeObstacle(ofDatabase path: String) -> StoreFault? {
        let folder = Self.folder(of: path)
        if access(folder, W_OK | X_OK) != 0 {
            return .readOnly(
                path: folder, errno == EROFS ? .readOnlyDisk : .folderPermissions)
        }
        for file in StorePaths.files(ofDatabase: path) where access(file, F_OK) == 0 {
            if access(file, R_OK | W_OK) != 0 { return .readOnly(path: file) }
        }
        return nil
    }

    static func folder(of path: String) -> String {
        guard let cut = path.lastIndex(of: "/") else { return "." }
        return cut == path.startIndex ? "/" : String(path[..<cut])
    }
}

/// Which processes hold a store: the kernel lists locks with their process ids in /proc/locks (proc(5)).
extension SystemDisk {
    /// The most processes that are named.
    private static let namedCountMax = 3

    /// SQLite locks ranges of the shared-memory file beside the database for whoever writes.
    func holder(ofDatabase path: String) -> String {
        StoreUser.words(
            Array(processes(locking: [path + "-shm", path]) { $0 == "WRITE" }.prefix(1)))
    }

    /// Every process that has a store open shares the lock of its lock file.
    func opener(ofLockFile path: String) -> [LockHolder] {
        Array(processes(locking: [path]) { _ in true }.prefix(Self.namedCountMax))
    }

    /// The processes that hold a lock of the wanted kind on one of the files, but for this one.
    private func processes(
        locking paths: [String], _ isWanted: (Substring) -> Bool
    ) -> [LockHolder] {
        guard let locks = read("/proc/locks") else { return [] }
        var names: Set<String> = []
        for path in paths {
            var status = stat()
            if stat(path, &status) == 0 { names.insert(Self.name(of: status)) }
        }
        let own = getpid()
        var found: [LockHolder] = []
        for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, isWanted(words[3]), let process = Int32(words[4]),
                process != own, names.contains(String(words[5]))
            else { continue }
            let name = read("/proc/\(process)/comm") ?? []
            let program = String(decoding: name, as: UTF8.self).filter { $0 != "\n" }
            let holder = LockHolder(process: process, program: program)
            if !found.contains(holder) { found.append(holder) }
        }
        return found
    }

    /// A file as the kernel lists it, `fe:00:123`: the device's numbers in hexadecimal digits and the inode, which
    /// alone is that of other files on other disks, too.
    private static func name(of status: stat) -> String {
        let device = UInt64(status.st_dev)
        let numbers = [
            device >> 8 & 0xfff | device >> 32 & ~0xfff, device & 0xff | device >> 12 & ~0xff,
        ]
        return numbers.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
            + ":\(status.st_ino)"
    }
}

/// A lock file on the machine's own disk.
///
/// Source: flock(2).
final class SystemLockFile: LockFile {
    private let path: String
    private var descriptor: Int32

    init(_ path: String) throws(StoreFault) {
        self.path = path
        let (descriptor, distrust) = FileTrust.open(path, O_RDWR | O_CREAT)
        self.descriptor = descriptor
        if let distrust { throw .untrustedFile(path: path, distrust) }
        guard descriptor >= 0 else { throw SystemDisk.fault("open", path) }
    }

    deinit {
        close()
    }

    func tryExclusiveLock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    func trySharedLock() throws(StoreFault) -> Bool {
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else {
            throw SystemDisk.fault("flock", path)
        }
        return false
    }

    func share() {
        flock(descriptor, LOCK_SH)
    }

    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    func read(at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(StoreFault) {
        guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw SystemDisk.fault("write", path)
        }
    }

    func close() {
        guard descriptor >= 0 else { return }
        // A child process between fork and exec holds the descriptor as well, and the lock with it.
        flock(descriptor, LOCK_UN)
        _ = Glibc.close(descriptor)
        descriptor = -1
    }
}

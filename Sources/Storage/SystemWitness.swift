import Glibc

/// A witness file on the machine's own disk.
///
/// Source: flock(2).
final class SystemWitness: WitnessFile {
    private let path: String
    private var descriptor: Int32

    init(_ path: String) throws(StoreFault) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
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

    func flush() throws(StoreFault) {
        if fdatasync(descriptor) != 0 { throw SystemDisk.fault("fdatasync", path) }
    }

    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}

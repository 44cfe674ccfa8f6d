import Storage

/// An open lock file on a made-up disk.
final class SimulatedLockFile: LockFile {
    private let file: DiskFile
    private let path: String
    private let disk: SimulatedDisk
    private let number: UInt64
    private let life: UInt64
    private var isClosed = false

    init(_ file: DiskFile, at path: String, on disk: SimulatedDisk) {
        self.file = file
        self.path = path
        self.disk = disk
        number = disk.nextIncarnation()
        life = disk.life
    }

    deinit {
        close()
    }

    private var isAlive: Bool { !isClosed && disk.isAlive(life) }

    func tryExclusiveLock() -> Bool {
        isAlive && file.fileLock.acquireExclusive(for: number)
    }

    func trySharedLock() throws(StoreFault) -> Bool {
        guard isAlive else { throw dead("flock") }
        return file.fileLock.acquireShared(for: number)
    }

    func share() {
        if isAlive { _ = file.fileLock.acquireShared(for: number) }
    }

    func unlock() {
        if isAlive { file.fileLock.unlock(for: number) }
    }

    func read(at offset: Int, count: Int) -> [UInt8] {
        guard isAlive else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = file.content.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(StoreFault) {
        guard isAlive else { throw dead("write") }
        let isWritten = bytes.withUnsafeBytes { disk.write($0, to: file, at: offset) }
        guard isWritten else { throw disk.fault("write", path) }
    }

    func close() {
        unlock()
        isClosed = true
    }

    private func dead(_ call: String) -> StoreFault {
        .inputOutput(call: call, path: path, detail: "the process has ended")
    }
}

/// The lock on a lock file, by the number of the opening that holds it.
///
/// Source: flock(2).
struct SimulatedLock {
    private var exclusive: UInt64 = 0
    private var shared: Set<UInt64> = []

    /// Takes the lock for one alone; a shared one that was held is lost also if it is not granted.
    mutating func acquireExclusive(for owner: UInt64) -> Bool {
        if exclusive == owner { return true }
        shared.remove(owner)
        guard exclusive == 0, shared.isEmpty else { return false }
        exclusive = owner
        return true
    }

    /// Takes the lock together with others, in place of one for itself alone.
    mutating func acquireShared(for owner: UInt64) -> Bool {
        if exclusive == owner { exclusive = 0 }
        guard exclusive == 0 else { return false }
        shared.insert(owner)
        return true
    }

    /// Gives it up.
    mutating func unlock(for owner: UInt64) {
        if exclusive == owner { exclusive = 0 }
        shared.remove(owner)
    }
}

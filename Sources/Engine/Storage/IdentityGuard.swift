import Causality
import Glibc

/// Keeps the stamp beside a store, and finds out at open whether the store may keep its replica id.
///
/// Every process that has the store open holds a shared lock on the witness file; who gets the
/// exclusive lock is alone. The witness also says when the stamp was put in place, as a copy of the
/// stamp has another change time. Source: flock(2).
final class IdentityGuard {
    /// How often, and how long each time, one waits for another process that opens or closes the store.
    private static let waitCountMax = 5000
    private static let waitMicroseconds: UInt32 = 1000

    private let paths: StorePaths
    private let descriptor: Int32
    private let environment: StoreEnvironment

    /// Opens the witness file and waits until no other process is opening or closing the store.
    init(paths: StorePaths, environment: StoreEnvironment) throws(StoreFault) {
        self.paths = paths
        self.environment = environment
        descriptor = open(paths.witness, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileBytes.fault("open", paths.witness) }
    }

    deinit {
        close(descriptor)
    }

    /// Takes part in holding the store.
    ///
    /// - Returns: whether no other process has it open; then the exclusive lock is held, and
    ///   `share` must follow.
    func enter() throws(StoreFault) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        // Another process has it open, or is opening or closing it: wait until that is done.
        for _ in 0..<Self.waitCountMax {
            if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return false }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw FileBytes.fault("flock", paths.witness)
            }
            usleep(Self.waitMicroseconds)
            // Whoever was closing it may have been the last.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        }
        throw .busy(
            holder: "a process that is opening or closing it",
            waitedMilliseconds: Self.waitCountMax * Int(Self.waitMicroseconds) / 1000)
    }

    /// Lets other processes open the store as well.
    func share() {
        flock(descriptor, LOCK_SH)
    }

    /// Whether this process is the last that has the store open; if so the exclusive lock is held.
    func leave() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Takes no part any more.
    func release() {
        flock(descriptor, LOCK_UN)
    }

    /// Why the store may not keep its id; nil if everything agrees.
    func doubt(replica: ReplicaID, epoch: EpochID, counter: UInt64) throws(StoreFault)
        -> IdentityDoubt?
    {
        guard let bytes = FileBytes.read(paths.stamp),
            let stamp = IdentityStamp(text: String(decoding: bytes, as: UTF8.self))
        else { return .noStamp }
        let now = try IdentityStamp.identify(paths.database)
        if stamp.machine != environment.machine { return .otherMachine }
        if stamp.file != now.file { return .otherFile }
        if try !witnessAgrees(stamp) { return .stampReplaced }
        if let sealed = stamp.sealed {
            if sealed != now.changed { return .changedWhileClosed }
            let agrees = stamp.replica == replica && stamp.epoch == epoch && stamp.counter == counter
            return agrees ? nil : .historyDiffers
        }
        if stamp.boot != environment.boot { return .powerCut }
        let agrees =
            stamp.replica == replica && [stamp.epoch, stamp.next].contains(epoch)
            && stamp.counter <= counter
        return agrees ? nil : .historyDiffers
    }

    private func witnessAgrees(_ stamp: IdentityStamp) throws(StoreFault) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        let changed = try IdentityStamp.identify(paths.stamp).changed
        // Between putting the stamp in place and noting its change time a process may have been killed.
        return words.first == "placed \(changed)" || words.first == "placing \(stamp.next)"
    }

    /// Puts a stamp beside the store.
    ///
    /// - Parameters:
    ///   - next: the epoch that is about to begin, if any.
    ///   - isSealed: whether this process is about to close the store as the last one.
    func stamp(
        replica: ReplicaID, epoch: EpochID, next: EpochID?, counter: UInt64, isSealed: Bool
    ) throws(StoreFault) {
        let now = try IdentityStamp.identify(paths.database)
        let stamp = IdentityStamp(
            replica: replica, epoch: epoch, next: next ?? epoch, counter: counter,
            machine: environment.machine, boot: environment.boot, file: now.file, sealed: isSealed ? now.changed : nil)
        try note("placing \(next ?? epoch)")
        try FileBytes.replace(paths.stamp, with: Array(stamp.text.utf8))
        try note("placed \(try IdentityStamp.identify(paths.stamp).changed)")
    }

    private func note(_ line: String) throws(StoreFault) {
        let bytes = Array((line + "\n").utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
        else { throw FileBytes.fault("write", paths.witness) }
    }
}

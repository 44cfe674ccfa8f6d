import Core

/// Keeps the identity file beside a store, and finds out at open whether the store may keep its replica id.
///
/// Every process that has the store open holds a shared lock on the lock file; who gets the
/// exclusive lock is alone. The lock file also says when the identity file was put in place, as a copy of the
/// identity file has another change time.
final class CloneDetector {
    /// How often, and how long each time, one waits for another process that opens or closes the store.
    private static let waitCountMax = 5000
    private static let waitMicroseconds: UInt32 = 1000

    /// The length of the lock file, always the same.
    private static let lockFileByteCount = 192

    private let paths: StorePaths
    private let lockFile: any LockFile
    private let environment: StoreEnvironment
    private let disk: any StoreDisk
    /// The database file as it was before this process wrote to it.
    private var found: FileIdentity?

    /// Opens the lock file and waits until no other process is opening or closing the store.
    init(paths: StorePaths, environment: StoreEnvironment) throws(StoreFault) {
        self.paths = paths
        self.environment = environment
        disk = environment.disk
        lockFile = try disk.openLockFile(paths.lockFile)
    }

    deinit {
        lockFile.close()
    }

    /// Takes part in holding the store.
    ///
    /// - Returns: whether no other process has it open; then the exclusive lock is held, and
    ///   `share` must follow.
    func enter() throws(StoreFault) -> Bool {
        let isAlone = try acquireLock()
        found = try disk.identify(paths.database)
        return isAlone
    }

    private func acquireLock() throws(StoreFault) -> Bool {
        if lockFile.tryExclusiveLock() { return true }
        // Another process has it open, or is opening or closing it: wait until that is done.
        for _ in 0..<Self.waitCountMax {
            if try lockFile.trySharedLock() { return false }
            disk.pause(microseconds: Self.waitMicroseconds)
            // Whoever was closing it may have been the last.
            if lockFile.tryExclusiveLock() { return true }
        }
        throw .busy(
            holder: "a process that is opening or closing it",
            waitedMilliseconds: Self.waitCountMax * Int(Self.waitMicroseconds) / 1000)
    }

    /// Lets other processes open the store as well.
    func share() {
        lockFile.share()
    }

    /// Whether this process is the last that has the store open; if so the exclusive lock is held.
    ///
    /// If not, the shared lock may be gone as well: of several that leave at once the last one wins.
    func leave() -> Bool {
        lockFile.tryExclusiveLock()
    }

    /// Takes no part any more.
    func release() {
        lockFile.unlock()
    }

    /// Why the store may not keep its id; nil if everything agrees.
    func suspicion(_ ownState: OwnState) throws(StoreFault) -> CloneSuspicion? {
        guard let identityFile = readIdentityFile() else { return .noIdentityFile }
        guard let now = found else { preconditionFailure("a store is entered before it is judged") }
        if identityFile.machine != environment.machine { return .otherMachine }
        if identityFile.file != now.file { return .otherFile }
        if try !lockFileAgrees(identityFile) { return .identityFileReplaced }
        if let sealed = identityFile.sealed {
            if sealed != now.changed { return .changedWhileClosed }
        } else if identityFile.boot != environment.boot {
            return .powerCut
        }
        // A process was killed before it had taken the id that it was to take, for the same reason.
        if identityFile.replica != ownState.replica, let reason = identityFile.taking {
            return reason
        }
        // The database alone was set back, beside the identity file of the same opening.
        if let noted = notedSequence, noted > ownState.sequence { return .historyDiffers }
        // The counter may have grown since: other processes wrote, or this one was killed.
        let agrees =
            identityFile.replica == ownState.replica
            && [identityFile.epoch, identityFile.next].contains(ownState.epoch)
            && identityFile.counter <= ownState.counter
        return agrees ? nil : .historyDiffers
    }

    /// Notes the arrival number of a commit, for whoever opens the store next.
    ///
    /// Not flushed: what a killed process wrote stays in the page cache, and after a power cut there is a
    /// clone suspicion in any case.
    func note(sequence: UInt64) {
        let digits = String(sequence)
        let padding = String(repeating: "0", count: Self.sequenceDigitCount - digits.count)
        let bytes = Array((padding + digits + "\n").utf8)
        // A note that cannot be written leaves an older one, which raises no suspicion.
        try? lockFile.write(bytes, at: Self.lockFileByteCount)
    }

    /// The arrival number that was noted last; nil if there is none.
    private var notedSequence: UInt64? {
        let bytes = lockFile.read(at: Self.lockFileByteCount, count: Self.sequenceDigitCount)
        guard bytes.count == Self.sequenceDigitCount else { return nil }
        return UInt64(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether more was ever written than what the making of a store writes.
    var hasSeenWrites: Bool {
        (notedSequence ?? 0) > 1 || (readIdentityFile()?.counter ?? 0) > 0
    }

    /// Every 64-bit number has at most so many digits.
    private static let sequenceDigitCount = 20

    private func readIdentityFile() -> IdentityFile? {
        disk.read(paths.identityFile).flatMap { IdentityFile(text: $0) }
    }

    /// Whether the identity file says that a process has the store open for writing.
    var isIdentityFileOpen: Bool {
        readIdentityFile().map { $0.sealed == nil } ?? false
    }

    private func lockFileAgrees(_ identityFile: IdentityFile) throws(StoreFault) -> Bool {
        let lines = lockFileLines()
        let changed = try disk.identify(paths.identityFile).changed
        if lines.first == "placed \(changed)" { return true }
        // Between putting the identity file in place and noting its change time a process may have been killed.
        return lines.count > 1 && lines[1] == "placing \(identityFile.mark)"
    }

    private func lockFileLines() -> [String] {
        IdentityFileLines(lockFile.read(at: 0, count: 256)).all
    }

    /// Puts an identity file beside the store that says who it is, and that it is open.
    ///
    /// - Parameters:
    ///   - next: the epoch that is about to begin, if any.
    ///   - reason: why the id is taken that it names, before that is committed; nil for an id that it has.
    ///   - mark: tells it from all others that were put in place; by default drawn by chance.
    ///   - flush: how far it is on the disk when this returns.
    func writeIdentityFile(
        _ ownState: OwnState, next: EpochID? = nil, taking reason: CloneSuspicion? = nil,
        mark: String? = nil, flush: IdentityFileFlush = .whole
    ) throws(StoreFault) {
        var identityFile = IdentityFile(
            replica: ownState.replica, epoch: ownState.epoch,
            next: next ?? ownState.epoch,
            counter: ownState.counter,
            machine: environment.machine, boot: environment.boot,
            file: try disk.identify(paths.database).file, sealed: nil)
        identityFile.taking = reason
        identityFile.mark = mark ?? drawMark()
        try put(identityFile, flush)
    }

    /// Says in the identity file that the last process has closed the store; all else stays as it was.
    ///
    /// Not flushed: a power cut before the system writes it leaves an identity file that says "open", or none that can
    /// be read. Both cost the id, as a power cut while the store is open does, and nothing else.
    func seal(counter: UInt64, of replica: ReplicaID) throws(StoreFault) {
        guard var identityFile = readIdentityFile(), identityFile.sealed == nil else { return }
        if identityFile.replica == replica {
            identityFile.counter = max(identityFile.counter, counter)
        }
        identityFile.sealed = try disk.identify(paths.database).changed
        identityFile.mark = drawMark()
        try put(identityFile, .none)
    }

    private func drawMark() -> String { String(environment.drawBits(), radix: 16) }

    /// The lock file says first which identity file is to come, then that it is there: whenever a process is
    /// killed, it agrees with the identity file that is in place.
    private func put(
        _ identityFile: IdentityFile, _ flush: IdentityFileFlush
    ) throws(StoreFault) {
        // If the identity file cannot be put in place, the lock file must not speak for the one that stays there.
        try note(try standingLine() + "\nplacing \(identityFile.mark)")
        let text = Array(identityFile.text.utf8)
        if flush == .whole {
            try disk.replace(paths.identityFile, with: text)
        } else {
            try disk.replaceUnflushed(paths.identityFile, with: text)
        }
        if flush == .name { try disk.flushFolder(of: paths.identityFile) }
        try note("placed \(try disk.identify(paths.identityFile).changed)")
    }

    /// The line of the lock file for the identity file that is in place.
    ///
    /// Its change time is missing if the process that put it there was killed before it could note that: then it is
    /// noted now, as the next one may be killed as well, before another identity file is in place.
    private func standingLine() throws(StoreFault) -> String {
        if let standing = readIdentityFile(), try lockFileAgrees(standing) {
            return "placed \(try disk.identify(paths.identityFile).changed)"
        }
        return lockFileLines().first ?? "placed nothing"
    }

    /// Writes the lock file with one call, so that it is never seen half written.
    private func note(_ lines: String) throws(StoreFault) {
        var bytes = Array((lines + "\n").utf8)
        bytes += [UInt8](
            repeating: UInt8(ascii: "\n"), count: max(0, Self.lockFileByteCount - bytes.count))
        try lockFile.write(bytes, at: 0)
    }
}

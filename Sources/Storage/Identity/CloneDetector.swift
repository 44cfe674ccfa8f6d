import Core

/// Keeps the stamp beside a store, and finds out at open whether the store may keep its replica id.
///
/// Every process that has the store open holds a shared lock on the witness file; who gets the
/// exclusive lock is alone. The witness also says when the stamp was put in place, as a copy of the
/// stamp has another change time.
final class CloneDetector {
    /// How often, and how long each time, one waits for another process that opens or closes the store.
    private static let waitCountMax = 5000
    private static let waitMicroseconds: UInt32 = 1000

    /// The length of the witness file, always the same.
    private static let witnessByteCount = 192

    private let paths: StorePaths
    private let witness: any LockFile
    private let environment: StoreEnvironment
    private let disk: any StoreDisk
    /// The database file as it was before this process wrote to it.
    private var found: FileIdentity?

    /// Opens the witness file and waits until no other process is opening or closing the store.
    init(paths: StorePaths, environment: StoreEnvironment) throws(StoreFault) {
        self.paths = paths
        self.environment = environment
        disk = environment.disk
        witness = try disk.openWitness(paths.witness)
    }

    deinit {
        witness.close()
    }

    /// Takes part in holding the store.
    ///
    /// - Returns: whether no other process has it open; then the exclusive lock is held, and
    ///   `share` must follow.
    func enter() throws(StoreFault) -> Bool {
        let isAlone = try takeLock()
        found = try disk.identify(paths.database)
        return isAlone
    }

    private func takeLock() throws(StoreFault) -> Bool {
        if witness.tryExclusiveLock() { return true }
        // Another process has it open, or is opening or closing it: wait until that is done.
        for _ in 0..<Self.waitCountMax {
            if try witness.trySharedLock() { return false }
            disk.pause(microseconds: Self.waitMicroseconds)
            // Whoever was closing it may have been the last.
            if witness.tryExclusiveLock() { return true }
        }
        throw .busy(
            holder: "a process that is opening or closing it",
            waitedMilliseconds: Self.waitCountMax * Int(Self.waitMicroseconds) / 1000)
    }

    /// Lets other processes open the store as well.
    func share() {
        witness.share()
    }

    /// Whether this process is the last that has the store open; if so the exclusive lock is held.
    ///
    /// If not, the shared lock may be gone as well: of several that leave at once the last one wins.
    func leave() -> Bool {
        witness.tryExclusiveLock()
    }

    /// Takes no part any more.
    func release() {
        witness.unlock()
    }

    /// Why the store may not keep its id; nil if everything agrees.
    func suspicion(_ ownStanding: OwnStanding) throws(StoreFault) -> CloneSuspicion? {
        guard let stamp = readStamp() else { return .noStamp }
        guard let now = found else { preconditionFailure("a store is entered before it is judged") }
        if stamp.machine != environment.machine { return .otherMachine }
        if stamp.file != now.file { return .otherFile }
        if try !witnessAgrees(stamp) { return .stampReplaced }
        if let sealed = stamp.sealed {
            if sealed != now.changed { return .changedWhileClosed }
        } else if stamp.boot != environment.boot {
            return .powerCut
        }
        // The database alone was set back, beside the stamp of the same opening.
        if let noted = notedSequence, noted > ownStanding.sequence { return .historyDiffers }
        // The counter may have grown since: other processes wrote, or this one was killed.
        let agrees =
            stamp.replica == ownStanding.replica
            && [stamp.epoch, stamp.next].contains(ownStanding.epoch)
            && stamp.counter <= ownStanding.counter
        return agrees ? nil : .historyDiffers
    }

    /// Notes the arrival number of a commit, for whoever opens the store next.
    ///
    /// Not flushed: what a killed process wrote stays in the page cache, and after a power cut there is a
    /// doubt in any case.
    func note(sequence: UInt64) {
        let digits = String(sequence)
        let padding = String(repeating: "0", count: Self.sequenceDigitCount - digits.count)
        let bytes = Array((padding + digits + "\n").utf8)
        // A note that cannot be written leaves an older one, which raises no doubt.
        try? witness.write(bytes, at: Self.witnessByteCount)
    }

    /// The arrival number that was noted last; nil if there is none.
    private var notedSequence: UInt64? {
        let bytes = witness.read(at: Self.witnessByteCount, count: Self.sequenceDigitCount)
        guard bytes.count == Self.sequenceDigitCount else { return nil }
        return UInt64(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether more was ever written than what the making of a store writes.
    var hasSeenWrites: Bool {
        (notedSequence ?? 0) > 1 || (readStamp()?.counter ?? 0) > 0
    }

    /// Every 64-bit number has at most so many digits.
    private static let sequenceDigitCount = 20

    private func readStamp() -> IdentityFile? {
        disk.read(paths.stamp).flatMap { IdentityFile(text: $0) }
    }

    /// Whether the stamp says that a process has the store open for writing.
    var isStampOpen: Bool {
        readStamp().map { $0.sealed == nil } ?? false
    }

    private func witnessAgrees(_ stamp: IdentityFile) throws(StoreFault) -> Bool {
        let lines = witnessLines()
        let changed = try disk.identify(paths.stamp).changed
        if lines.first == "placed \(changed)" { return true }
        // Between putting the stamp in place and noting its change time a process may have been killed.
        return lines.count > 1 && lines[1] == "placing \(stamp.mark)"
    }

    private func witnessLines() -> [String] {
        StampLines(witness.read(at: 0, count: 256)).all
    }

    /// Puts a stamp beside the store that says who it is, and that it is open.
    ///
    /// - Parameter next: the epoch that is about to begin, if any.
    func stamp(_ ownStanding: OwnStanding, next: EpochID? = nil) throws(StoreFault) {
        try place(
            IdentityFile(
                replica: ownStanding.replica, epoch: ownStanding.epoch,
                next: next ?? ownStanding.epoch,
                counter: ownStanding.counter,
                machine: environment.machine, boot: environment.boot,
                file: try disk.identify(paths.database).file, sealed: nil))
    }

    /// Says in the stamp that the last process has closed the store; all else stays as it was.
    func seal(counter: UInt64, of replica: ReplicaID) throws(StoreFault) {
        guard var stamp = readStamp(), stamp.sealed == nil else { return }
        if stamp.replica == replica { stamp.counter = max(stamp.counter, counter) }
        stamp.sealed = try disk.identify(paths.database).changed
        try place(stamp)
    }

    /// The witness says first which stamp is to come, then that it is there: whenever a process is
    /// killed, it agrees with the stamp that is in place.
    private func place(_ new: IdentityFile) throws(StoreFault) {
        // If the stamp cannot be put in place, the witness must not speak for the one that stays there.
        var stamp = new
        stamp.mark = String(environment.drawBits(), radix: 16)
        let old = witnessLines().first ?? "placed nothing"
        try note(old + "\nplacing \(stamp.mark)")
        try disk.replace(paths.stamp, with: Array(stamp.text.utf8))
        try note("placed \(try disk.identify(paths.stamp).changed)")
        if stamp.sealed != nil { try witness.flush() }
    }

    /// Writes the witness with one call, so that it is never seen half written.
    private func note(_ lines: String) throws(StoreFault) {
        var bytes = Array((lines + "\n").utf8)
        bytes += [UInt8](
            repeating: UInt8(ascii: "\n"), count: max(0, Self.witnessByteCount - bytes.count))
        try witness.write(bytes, at: 0)
    }
}

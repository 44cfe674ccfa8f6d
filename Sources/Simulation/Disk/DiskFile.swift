/// A file on a made-up disk, apart from its names: what is read from it, and what a power cut leaves.
final class DiskFile {
    /// Tells it from every other file that was ever on the disk.
    let inode: UInt64
    /// When it was made.
    let birth: UInt64
    /// When it was changed last.
    private(set) var changed: UInt64
    /// What is read from it.
    private(set) var content: PagedBytes
    /// Whether its bytes take room on the disk; a file without a name takes none.
    var takesRoom = true

    /// The locks of SQLite's connections.
    var databaseLock = DatabaseLock()
    /// The shared memory of those that have it open.
    var index: SharedIndex?
    /// The locks on it as a witness.
    var witnessLock = WitnessLock()

    /// Whether it has to be known what of it a power cut leaves.
    private let mayLosePower: Bool
    private var durable: PagedBytes
    private var durableChanged: UInt64
    private var unsynced: [UnsyncedChange] = []
    /// What was written long ago has reached the disk by itself: more than that is never in doubt.
    private static let unsyncedCountMax = 2048

    /// A file whose first bytes are on the disk; nothing of it is if there are none.
    init(
        inode: UInt64, birth: UInt64, changed: UInt64, content: PagedBytes = PagedBytes(),
        mayLosePower: Bool
    ) {
        self.mayLosePower = mayLosePower
        self.inode = inode
        self.birth = birth
        self.changed = changed
        self.content = content
        durable = mayLosePower ? content : PagedBytes()
        durableChanged = changed
    }

    /// Writes at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, time: UInt64) {
        content.write(bytes, at: offset)
        if mayLosePower {
            note(.write([UInt8](bytes), offset: offset), time)
        } else {
            changed = time
        }
    }

    /// Cuts the end off, or puts zeros there.
    func resize(to count: Int, time: UInt64) {
        content.resize(to: count)
        if mayLosePower { note(.resize(count), time) } else { changed = time }
    }

    /// Notes that the name was changed.
    func touch(time: UInt64) {
        changed = time
        if unsynced.isEmpty { durableChanged = time }
    }

    private func note(_ deed: UnsyncedChange.Deed, _ time: UInt64) {
        changed = time
        unsynced.append(UnsyncedChange(deed: deed, time: time))
        guard unsynced.count > Self.unsyncedCountMax else { return }
        let oldest = unsynced.prefix(Self.unsyncedCountMax / 2)
        for change in oldest { change.apply(to: &durable) }
        durableChanged = oldest.last?.time ?? durableChanged
        unsynced.removeFirst(oldest.count)
    }

    /// Brings everything to the disk.
    func sync() {
        if unsynced.isEmpty { return }
        durable = content
        durableChanged = changed
        unsynced.removeAll(keepingCapacity: true)
    }

    /// Puts other bytes in, which are on the disk at once.
    func replaceContent(_ bytes: PagedBytes, time: UInt64) {
        content = bytes
        changed = time
        if !mayLosePower { return }
        unsynced = [UnsyncedChange(deed: .resize(bytes.byteCount), time: time)]
        sync()
    }

    /// Turns a bit over, on the disk and in memory; no time changes with it.
    func flip(bit: Int, ofPage page: Int) {
        content.flip(bit: bit, ofPage: page)
        durable.flip(bit: bit, ofPage: page)
    }

    /// The file goes back to what is on the disk.
    func loseUnsynced() {
        content = durable
        changed = durableChanged
        unsynced = []
    }

    /// The file goes back to what may be on the disk: everything that was flushed, and of what was not
    /// a part, in which one change may be torn.
    func loseSome(choosing chance: inout Chance) {
        if unsynced.isEmpty { return }
        let whole = chance.below(4)
        if whole == 0 { return sync() }
        if whole == 1 { return loseUnsynced() }
        let end = whole == 2 ? chance.below(unsynced.count + 1) : unsynced.count
        let torn = chance.happens(1, in: 2) ? chance.below(unsynced.count) : unsynced.count
        for (place, change) in unsynced.enumerated() {
            let isKept = place < end && (whole == 2 || chance.happens(1, in: 2))
            if place == torn {
                change.applyTorn(to: &durable, choosing: &chance)
            } else if isKept {
                change.apply(to: &durable)
            } else if chance.happens(1, in: 8) {
                change.applyLength(to: &durable)
            } else {
                continue
            }
            durableChanged = change.time
        }
        loseUnsynced()
    }

    /// All locks fall: nobody has it open any more.
    func fallLocks() {
        databaseLock = DatabaseLock()
        index = nil
        witnessLock = WitnessLock()
    }
}

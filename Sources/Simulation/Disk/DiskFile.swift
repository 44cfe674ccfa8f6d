/// A file on a made-up disk, apart from its names: what is read from it, and what a power cut leaves.
final class DiskFile {
    /// Tells it from every other file that was ever on the disk.
    let inode: UInt64
    /// When it was made.
    let birth: UInt64
    /// When it was changed last.
    private(set) var changed: UInt64
    /// The bytes that are read from it.
    private(set) var content: PagedBytes
    /// Whether its bytes take room on the disk; a file without a name takes none.
    var takesRoom = true

    /// The locks of SQLite's connections.
    var databaseLock = DatabaseLock()
    /// The shared memory of those that have it open.
    var index: SharedIndex?
    /// The locks on it as a lock file.
    var fileLock = SimulatedLock()

    /// Whether it has to be known what of it a power cut leaves.
    private let mayLosePower: Bool
    private var durable: PagedBytes
    private var durableChanged: UInt64
    private var unsynced: [UnsyncedChange] = []
    /// Old writes have reached the disk by themselves: at most this many may be lost.
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

    private func note(_ operation: UnsyncedChange.Operation, _ time: UInt64) {
        changed = time
        unsynced.append(UnsyncedChange(operation: operation, time: time))
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
        unsynced = [UnsyncedChange(operation: .resize(bytes.byteCount), time: time)]
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

    /// The file goes back to what is on the disk if of the changes since then the latest alone were done.
    func loseAllBut(latest count: Int) {
        for change in unsynced.suffix(count) {
            change.apply(to: &durable)
            durableChanged = change.time
        }
        loseUnsynced()
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
        for (position, change) in unsynced.enumerated() {
            let isKept = position < end && (whole == 2 || chance.happens(1, in: 2))
            if position == torn {
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
        fileLock = SimulatedLock()
    }
}

/// A change of a file since it was last brought to the disk.
struct UnsyncedChange {
    /// The change.
    enum Operation {
        case write([UInt8], offset: Int)
        case resize(Int)
    }

    let operation: Operation
    /// The file's change time afterwards.
    let time: UInt64

    /// Does it to bytes.
    func apply(to content: inout PagedBytes) {
        switch operation {
        case .write(let bytes, let offset):
            bytes.withUnsafeBytes { content.write($0, at: offset) }
        case .resize(let count): content.resize(to: count)
        }
    }

    /// Does to bytes what is left of it if the power goes while it is being done: some of the sectors.
    func applyTorn(to content: inout PagedBytes, choosing chance: inout Chance) {
        guard case .write(let bytes, let offset) = operation else { return }
        var position = offset
        while position < offset + bytes.count {
            let end = min(
                (position / Self.sectorByteCount + 1) * Self.sectorByteCount, offset + bytes.count)
            if chance.happens(1, in: 2) {
                bytes.withUnsafeBytes {
                    content.write(
                        UnsafeRawBufferPointer(rebasing: $0[(position - offset)..<(end - offset)]),
                        at: position)
                }
            }
            position = end
        }
    }

    /// Makes the file as long as it would be, with zeros in place of the bytes.
    func applyLength(to content: inout PagedBytes) {
        guard case .write(let bytes, let offset) = operation,
            offset + bytes.count > content.byteCount
        else { return }
        content.resize(to: offset + bytes.count)
    }

    /// The bytes that a disk writes whole or not at all.
    static let sectorByteCount = 512
}

/// The bytes of a file in pages that copies share until one of them writes.
struct PagedBytes {
    /// The size of a page.
    static let pageByteCount = 4096

    private static let emptyPage = [UInt8](repeating: 0, count: pageByteCount)

    /// The last page is whole, with zeros after the end of the file.
    private var pages: [[UInt8]] = []
    private(set) var byteCount = 0

    /// No bytes.
    init() {}

    /// These bytes.
    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0, at: 0) }
    }

    /// How many pages there are, the last one perhaps not full.
    var pageCount: Int { pages.count }

    /// All of it.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
            filled = read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Reads from `offset` on.
    ///
    /// - Returns: how many bytes there were; the rest of the target is left as it is.
    func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        let end = min(offset + target.count, byteCount)
        guard offset < end, let base = target.baseAddress else { return 0 }
        var position = offset
        while position < end {
            let (page, start) = position.quotientAndRemainder(dividingBy: Self.pageByteCount)
            let count = min(Self.pageByteCount - start, end - position)
            pages[page].withUnsafeBytes { source in
                guard let from = source.baseAddress else { return }
                (base + (position - offset)).copyMemory(from: from + start, byteCount: count)
            }
            position += count
        }
        return end - offset
    }

    /// Writes at `offset`; zeros fill a gap before it.
    mutating func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard let base = source.baseAddress, !source.isEmpty else { return }
        let end = offset + source.count
        if end > byteCount { resize(to: end) }
        var position = offset
        while position < end {
            let (page, start) = position.quotientAndRemainder(dividingBy: Self.pageByteCount)
            let count = min(Self.pageByteCount - start, end - position)
            pages[page].withUnsafeMutableBytes { target in
                guard let into = target.baseAddress else { return }
                (into + start).copyMemory(from: base + (position - offset), byteCount: count)
            }
            position += count
        }
    }

    /// Cuts the end off, or puts zeros there.
    mutating func resize(to count: Int) {
        let pageCount = (count + Self.pageByteCount - 1) / Self.pageByteCount
        if count < byteCount {
            pages.removeLast(pages.count - pageCount)
            let start = count % Self.pageByteCount
            if start > 0 {
                pages[pageCount - 1].replaceSubrange(start..., with: Self.emptyPage[start...])
            }
        } else {
            while pages.count < pageCount { pages.append(Self.emptyPage) }
        }
        byteCount = count
    }

    /// One byte of a page.
    func byte(_ position: Int, ofPage page: Int) -> UInt8 { pages[page][position] }

    /// Turns one bit over; nothing happens past the end.
    mutating func flip(bit: Int, ofPage page: Int) {
        guard page < pages.count else { return }
        pages[page][bit / 8 % Self.pageByteCount] ^= 1 << UInt8(bit % 8)
    }
}

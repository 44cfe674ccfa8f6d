import Storage

/// A disk in memory on which the real SQLite works, for one device.
///
/// It fails when it is told to: at any write, by a power cut, for want of space. What it does depends
/// on nothing but what is asked of it. It belongs to one thread.
///
/// Names are paths from "/"; whoever has a path has the file, there are no other rights.
package final class SimulatedDisk: StoreDisk {
    /// Tells it from the disks of other devices.
    package let number: UInt64
    /// The counts of its calls so far.
    package var counts: DiskCounts { done }
    /// The end of the process that uses the disk, until somebody has seen to that.
    package var blownFuse: DiskEnd? { end }
    /// Whether the call that failed last did so for want of space.
    package var isOutOfSpace: Bool { lacksSpace }

    // Every call looks at these: what is private needs no look at run time whether somebody writes it.
    private var done = DiskCounts()
    private var end: DiskEnd?
    private var lacksSpace = false

    /// The files by their names, as the processes see them.
    private(set) var names: [String: DiskFile] = [:]
    /// The names as they are on the disk.
    private var durableNames: [String: DiskFile] = [:]
    /// Whether it has to be known what a power cut leaves: most of what a write costs.
    let mayLosePower: Bool
    private var pendingNames: [NameChange] = []
    private var folders: Set<String> = ["/"]
    /// Counts the lives of the process that uses the disk: what an earlier one opened is dead.
    private(set) var life: UInt64 = 1

    /// Whether a flush is only said to be done: a planted fault.
    package var isFeigned: (DiskFlush) -> Bool = { _ in false }

    private var fuse: (end: DiskEnd, writesLeft: Int)?
    private var tear: Chance?
    private var byteLimit: Int?
    private var usedByteCount = 0
    private var clock: UInt64 = 0
    private var lastInode: UInt64 = 10
    private var lastIncarnation: UInt64 = 0
    private var chance: Chance
    private var system: DatabaseSystem?

    /// An empty disk.
    ///
    /// - Parameter mayLosePower: whether power may ever fail there.
    package init(number: UInt64, mayLosePower: Bool = true) {
        self.number = number
        self.mayLosePower = mayLosePower
        chance = Chance(seed: number, "disk")
        system = DatabaseSystem(for: self)
    }

    /// The name under which SQLite finds the disk.
    package var databaseSystem: String? { system?.name }

    /// Whether the process that uses the disk has come to its end at a write.
    package var hasFuseBlown: Bool { end != nil }

    // MARK: Ends

    /// The process is killed at the write of that number from now on, counted from 1: that write and
    /// everything after it fails, until `crash` or `losePower` is called.
    ///
    /// - Parameter tearing: if given, a part of that write may be done.
    package func crashAfterWrites(_ number: Int, tearing: Chance? = nil) {
        fuse = (.crash, max(1, number))
        tear = tearing
    }

    /// The machine loses power at the write of that number; otherwise like `crashAfterWrites`.
    package func losePowerAfterWrites(_ number: Int, tearing: Chance? = nil) {
        fuse = (.powerCut, max(1, number))
        tear = tearing
    }

    /// Takes the fuse out that has not blown yet.
    package func removeFuse() {
        if end == nil { fuse = nil }
    }

    /// The process is killed: what it had open is dead, its locks fall, what it wrote stays.
    package func crash() {
        endLife()
        for file in names.values { file.fallLocks() }
    }

    /// The machine loses power: what was not flushed is there or not, as chance will have it.
    package func losePower(choosing chance: inout Chance) {
        let change = chance.below(4)
        let kept = change == 0 ? pendingNames.count : chance.below(pendingNames.count + 1)
        losePower(keepingNames: kept) { $0.loseSome(choosing: &chance) }
    }

    /// The machine loses power, and what was not flushed is all there or all gone.
    package func losePower(keeping: DiskKeeping) {
        switch keeping {
        case .nothingUnsynced: losePower(keepingNames: 0) { $0.loseUnsynced() }
        case .everything: losePower(keepingNames: pendingNames.count) { $0.sync() }
        case .latest(let count):
            losePower(keepingNames: pendingNames.count) { $0.loseAllBut(latest: count) }
        }
    }

    private func losePower(keepingNames count: Int, _ lose: (DiskFile) -> Void) {
        precondition(mayLosePower, "the disk was made for a world without power cuts")
        endLife()
        for change in pendingNames.prefix(count) { change.apply(to: &durableNames) }
        pendingNames = []
        names = durableNames
        var done: Set<UInt64> = []
        for file in files where done.insert(file.inode).inserted {
            file.fallLocks()
            lose(file)
            file.takesRoom = true
        }
        countRoom()
    }

    private func endLife() {
        life += 1
        end = nil
        fuse = nil
        tear = nil
        lacksSpace = false
    }

    /// The files, in the order of their names.
    var files: [DiskFile] { names.sorted { $0.key < $1.key }.map(\.value) }

    // MARK: Changing

    /// Whether the process lives, and may look.
    func isAlive(_ life: UInt64) -> Bool { life == self.life && end == nil }

    /// Counts a change that is about to be made.
    ///
    /// - Returns: whether it may be made.
    func admit() -> Bool {
        lacksSpace = false
        guard end == nil else { return false }
        if let (end, left) = fuse {
            if left == 1 {
                self.end = end
                return false
            }
            fuse = (end, left - 1)
        }
        done.writes += 1
        return true
    }

    /// Writes into a file, if that is admitted and there is room.
    func write(_ bytes: UnsafeRawBufferPointer, to file: DiskFile, at offset: Int) -> Bool {
        let hadBlown = hasFuseBlown
        guard admit() else {
            if !hadBlown { tearWrite(bytes, to: file, at: offset) }
            return false
        }
        let growth = max(0, offset + bytes.count - file.content.byteCount)
        guard claim(growth, for: file) else { return false }
        done.bytes += bytes.count
        file.write(bytes, at: offset, time: tick())
        return true
    }

    /// Does the beginning of the write at which the fuse blew, if it is to be torn.
    ///
    /// A disk never tears a write of this size.
    private func tearWrite(_ bytes: UnsafeRawBufferPointer, to file: DiskFile, at offset: Int) {
        guard var chance = tear, bytes.count > UnsyncedChange.sectorByteCount else { return }
        let part = UnsafeRawBufferPointer(rebasing: bytes[..<chance.below(bytes.count)])
        let growth = max(0, offset + part.count - file.content.byteCount)
        guard claim(growth, for: file) else { return }
        file.write(part, at: offset, time: tick())
    }

    /// Cuts the end of a file off, or puts zeros there, if that is admitted and there is room.
    func resize(_ file: DiskFile, to count: Int) -> Bool {
        guard admit(), claim(count - file.content.byteCount, for: file) else { return false }
        file.resize(to: count, time: tick())
        return true
    }

    /// Brings a file to the disk, if that is admitted.
    func sync(_ file: DiskFile, at path: String) -> Bool {
        guard admit() else { return false }
        done.syncs += 1
        if !isFeigned(DiskFlush(path: path, isFolder: false, byteCount: file.content.byteCount)) {
            file.sync()
        }
        return true
    }

    /// Brings the names in a folder to the disk, if that is admitted.
    func syncNames(besides path: String) -> Bool {
        guard admit() else { return false }
        done.syncs += 1
        if !mayLosePower { return true }
        let folder = Self.folder(of: path)
        if isFeigned(DiskFlush(path: String(folder), isFolder: true, byteCount: 0)) { return true }
        for change in pendingNames where change.folder == folder {
            change.apply(to: &durableNames)
        }
        pendingNames.removeAll { $0.folder == folder }
        return true
    }

    /// Makes a file, if that is admitted and its folder is there.
    func makeFile(_ path: String) -> DiskFile? {
        guard folders.contains(String(Self.folder(of: path))), admit() else { return nil }
        let file = makeFile()
        rename([(path, file)])
        return file
    }

    /// Makes a file without a name.
    func makeFile() -> DiskFile {
        lastInode += 1
        let now = tick()
        return DiskFile(
            inode: lastInode, birth: now, changed: now, mayLosePower: mayLosePower)
    }

    /// Changes names, in one step.
    func rename(_ changes: [(path: String, file: DiskFile?)]) {
        let former = changes.compactMap { names[$0.path] }
        let change = NameChange(names: changes)
        change.apply(to: &names)
        if mayLosePower { pendingNames.append(change) }
        for file in former where !changes.contains(where: { $0.file === file }) { leave(file) }
    }

    /// Makes a folder and those above it.
    func addFolder(_ path: String) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            folders.insert(made)
        }
    }

    /// Whether there is such a folder.
    func hasFolder(_ path: String) -> Bool { folders.contains(path) }

    /// Puts files in place of all that were there, on the disk at once.
    func settle(_ names: [String: DiskFile]) {
        self.names = names
        durableNames = names
        pendingNames = []
        for path in names.keys { addFolder(String(Self.folder(of: path))) }
        countRoom()
    }

    /// The time of a change; another one each time.
    func tick() -> UInt64 {
        clock += 1
        return clock
    }

    /// The clock stands no earlier than that, and no inode up to that one is given again.
    func skip(toTime time: UInt64, inode: UInt64) {
        clock = max(clock, time)
        lastInode = max(lastInode, inode)
    }

    /// A number for the next opening of a file.
    func nextIncarnation() -> UInt64 {
        lastIncarnation += 1
        return lastIncarnation
    }

    /// The next bits of chance that SQLite asks for.
    func drawBits() -> UInt64 { chance.next() }

    /// The folder that a path is in.
    static func folder(of path: String) -> Substring {
        guard let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")), cut > path.startIndex else {
            return "/"
        }
        return path[..<cut]
    }

    // MARK: Room

    /// How many bytes are left; nil if there is no limit.
    package var freeByteCount: Int? {
        get { byteLimit.map { max(0, $0 - usedByteCount) } }
        set { byteLimit = newValue.map { usedByteCount + max(0, $0) } }
    }

    /// Takes room for bytes, or gives it back if the number is negative.
    func claim(_ count: Int, for file: DiskFile? = nil) -> Bool {
        guard file?.takesRoom ?? true else { return true }
        if count > 0, let byteLimit, usedByteCount + count > byteLimit {
            lacksSpace = true
            return false
        }
        usedByteCount += count
        return true
    }

    private func leave(_ file: DiskFile) {
        _ = claim(-file.content.byteCount, for: file)
        file.takesRoom = false
    }

    private func countRoom() {
        let used = names.values.reduce(0) { $0 + $1.content.byteCount }
        if let byteLimit { self.byteLimit = max(used, byteLimit) }
        usedByteCount = used
    }
}

/// How much a made-up disk has done.
package struct DiskCounts: Hashable, Sendable {
    /// Whatever changed something: writes, truncations, flushes, files made, renamed and taken away.
    package internal(set) var writes = 0
    /// The flushes among them.
    package internal(set) var syncs = 0
    /// Bytes written.
    package internal(set) var bytes = 0
}

/// One flush that a made-up disk is asked for.
package struct DiskFlush: Hashable, Sendable {
    /// The file, or the folder whose names are meant.
    package let path: String
    /// Whether the names in a folder are meant.
    package let isFolder: Bool
    /// How long the file is; 0 for a folder.
    package let byteCount: Int
}

/// The end of the process that uses a disk.
package enum DiskEnd: Hashable, Sendable {
    /// It is killed: what it wrote stays.
    case crash
    /// The machine loses power: what was not flushed may be lost.
    case powerCut
}

/// The part of unflushed data that a power cut leaves.
package enum DiskKeeping: Hashable, Sendable {
    /// Nothing.
    case nothingUnsynced
    /// All of it.
    case everything
    /// All names, and of each file the latest changes alone: the disk did them first.
    case latest(Int)
}

/// One change of the names of files since their folder was last brought to the disk.
struct NameChange {
    /// Which names stand for which files from then on; nil for none.
    let names: [(path: String, file: DiskFile?)]

    /// Does it.
    func apply(to names: inout [String: DiskFile]) {
        for change in self.names { names[change.path] = change.file }
    }

    /// The folder of the names.
    var folder: Substring { names.first.map { SimulatedDisk.folder(of: $0.path) } ?? "" }
}

/// The contents of a disk at one moment; cheap to take, as pages are shared until one of the two is written.
package struct DiskImage {
    /// One file of it.
    struct File {
        let path: String
        let inode: UInt64
        let birth: UInt64
        let changed: UInt64
        let content: PagedBytes
    }

    /// In the order of their paths.
    let files: [File]

    /// The paths of the files, in order.
    package var paths: [String] { files.map(\.path) }

    /// The bytes of a file; nil if there is no such file.
    package func bytes(_ path: String) -> [UInt8]? {
        files.first { $0.path == path }?.content.bytes
    }
}

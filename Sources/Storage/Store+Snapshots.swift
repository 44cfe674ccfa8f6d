/// Snapshots: copies of the store that are taken before something that may not be meant.
extension Store {
    /// A snapshot, in a file of its own beside the store.
    package struct Snapshot: Hashable, Sendable {
        /// Which of them it is, counted from 1.
        package let number: Int
        /// When it was taken; milliseconds since 1970-01-01 UTC, by this device's clock.
        package let time: Int64

        /// The greatest number: a file that somebody named so is no snapshot, and none comes after it.
        static let numberMax = 1 << 40

        /// The name of its file.
        package var name: String { "\(number)-\(time).db" }

        /// A snapshot of that number.
        init(number: Int, time: Int64) {
            self.number = number
            self.time = time
        }

        /// The snapshot in the file of that name; nil if it is none.
        package init?(name: String) {
            guard name.hasSuffix(".db") else { return nil }
            let parts = name.dropLast(3).split(separator: "-", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[0]),
                (1...Self.numberMax).contains(number),
                let time = Int64(parts[1])
            else { return nil }
            self.init(number: number, time: time)
            guard self.name == name else { return nil }
        }
    }

    /// How many snapshots are kept, the newest ones; and as many more that deletes were held or counted for,
    /// and the oldest that some are held for.
    package static let snapshotCountMax = 5
    /// How many bytes all snapshots may take together, save that the newest, and those that deletes are held
    /// for, are kept in any case.
    package static let snapshotByteCountMax = 1 << 30

    /// The snapshots that there are, oldest first.
    package func snapshots() -> [Snapshot] { Self.snapshots(of: paths, on: environment) }

    /// The snapshots beside a store that need not be open, nor be there, oldest first.
    package static func snapshots(
        of paths: StorePaths, on environment: StoreEnvironment
    ) -> [Snapshot] {
        environment.disk.fileNames(in: paths.snapshots).compactMap { Snapshot(name: $0) }
            .sorted { ($0.number, $0.time) < ($1.number, $1.time) }
    }

    /// The path of a snapshot's file.
    package func path(of snapshot: Snapshot) -> String { paths.path(of: snapshot) }

    /// Copies the store as it is now, so that it survives a power cut, and lets old snapshots go.
    ///
    /// - Returns: the name of its file.
    @discardableResult
    package func takeSnapshot() throws(StoreFault) -> String {
        let disk = environment.disk
        try disk.makeFolder(paths.snapshots)
        try disk.flushFolder(of: paths.snapshots)
        removeUnfinishedCopies()
        let snapshot = Snapshot(
            number: (snapshots().last?.number ?? 0) + 1, time: environment.wallMilliseconds())
        let path = path(of: snapshot)
        try copy(to: path, by: path + Self.unfinishedSuffix)
        removeOldSnapshots()
        return snapshot.name
    }

    /// Takes a snapshot, if need be in the room of all older ones but the newest.
    ///
    /// - Returns: the name of its file; "" if there is no room for it, which is no reason to stop a sync that
    ///   still asks before it deletes.
    func snapshotIfPossible() -> String {
        if let name = try? takeSnapshot() { return name }
        removeOldSnapshots(countMax: 1)
        return (try? takeSnapshot()) ?? ""
    }

    private func removeOldSnapshots(countMax: Int = Store.snapshotCountMax) {
        // Without knowing what is needed nothing is let go of.
        guard let needed = try? neededSnapshots(), let held = try? heldDeletes() else { return }
        let disk = environment.disk
        // The oldest one shows the store as it was before any of what is held.
        let oldest = snapshots().first { one in held.contains { $0.snapshot == one.name } }
        var (byteCount, neededCount) = (0, 0)
        for (place, snapshot) in snapshots().reversed().enumerated() {
            byteCount += disk.byteCount(of: path(of: snapshot))
            if place == 0 || snapshot == oldest { continue }
            if needed.contains(snapshot.name), neededCount < Self.snapshotCountMax {
                neededCount += 1
                continue
            }
            if place >= countMax || byteCount > Self.snapshotByteCountMax {
                removeDatabase(at: path(of: snapshot))
            }
        }
    }

    /// What a copy is called until it is whole.
    static let unfinishedSuffix = ".new"
    /// After so long nobody is at work any more on a copy that is not finished; milliseconds.
    private static let unfinishedMilliseconds: Int64 = 24 * 3_600_000

    /// Takes away what was left of snapshots whose program was killed.
    private func removeUnfinishedCopies() {
        let now = environment.wallMilliseconds()
        for name in environment.disk.fileNames(in: paths.snapshots)
        where name.hasSuffix(Self.unfinishedSuffix) {
            let final = String(name.dropLast(Self.unfinishedSuffix.count))
            guard let snapshot = Snapshot(name: final),
                abs(now - snapshot.time) > Self.unfinishedMilliseconds
            else { continue }
            removeDatabase(at: paths.snapshots + "/" + name)
        }
    }

    /// Copies the store, as of one point in time, into a new file; all or nothing.
    ///
    /// - Parameter unfinished: the file's path until it is whole and on the disk.
    func copy(to path: String, by unfinished: String) throws(StoreFault) {
        let disk = environment.disk
        try speaking { () throws(StoreFault) in }
        removeDatabase(at: unfinished)
        let target = try Connection(
            path: unfinished, on: disk, creates: true, busyMilliseconds: 0)
        do throws(StoreFault) {
            try connection.backup(to: target)
            try target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            target.close()
            try disk.move(unfinished, to: path)
            try disk.flushFolder(of: path)
        } catch {
            target.close()
            removeDatabase(at: unfinished)
            throw error
        }
    }

    /// Takes a file away that nobody has open, and what SQLite keeps beside it.
    private func removeDatabase(at path: String) {
        Self.removeDatabase(at: path, on: environment.disk)
    }

    /// The same, of a store that need not be open.
    static func removeDatabase(at path: String, on disk: any StoreDisk) {
        for file in StorePaths.files(ofDatabase: path) { disk.remove(file) }
    }
}

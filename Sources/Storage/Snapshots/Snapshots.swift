import Core

/// The part of a store that copies it: into snapshots, before something that may not be meant, and into
/// backups.
///
/// Owns the folder of snapshots.
final class Snapshots {
    /// The age from which nobody is at work any more on a copy that is not finished; milliseconds.
    private static let unfinishedMilliseconds: Int64 = 24 * 3_600_000

    private let database: Database
    private let incarnations: Incarnations
    private unowned let store: Store

    init(_ store: Store) {
        database = store.database
        incarnations = store.incarnations
        self.store = store
    }

    private var disk: any StoreDisk { database.environment.disk }
    private var paths: StorePaths { database.paths }

    /// The snapshots that there are, oldest first.
    var all: [Store.Snapshot] { Store.snapshots(of: paths, on: database.environment) }

    /// Copies the store as it is now, so that it survives a power cut, and lets old snapshots go.
    ///
    /// - Returns: the name of its file.
    func take() throws(StoreFault) -> String {
        try disk.makeFolder(paths.snapshots)
        try disk.flushFolder(of: paths.snapshots)
        removeUnfinished()
        let snapshot = Store.Snapshot(
            number: (all.last?.number ?? 0) + 1, time: database.environment.wallMilliseconds())
        let path = paths.path(of: snapshot)
        try copy(to: path, by: path + StorePaths.unfinishedSuffix)
        removeOld(countMax: Store.snapshotCountMax)
        return snapshot.name
    }

    /// Takes a snapshot, if need be in the room of all older ones but the newest.
    ///
    /// - Returns: the name of its file; "" if there is no room for it, which is no reason to stop a sync that
    ///   still asks before it deletes.
    func makeIfPossible() -> String {
        if let name = try? take() { return name }
        removeOld(countMax: 1)
        return (try? take()) ?? ""
    }

    private func removeOld(countMax: Int) {
        // Without knowing which are needed none is let go of.
        guard let needed = try? store.deleteGuard.neededSnapshots(),
            let held = try? store.deleteGuard.heldDeletes()
        else { return }
        let snapshots = all
        // The oldest one shows the store as it was before any of what is held.
        let oldest = snapshots.first { one in held.contains { $0.snapshot == one.name } }
        var (byteCount, neededCount) = (0, 0)
        for (index, snapshot) in snapshots.reversed().enumerated() {
            byteCount += disk.byteCount(of: paths.path(of: snapshot))
            if index == 0 || snapshot == oldest { continue }
            if needed.contains(snapshot.name), neededCount < Store.snapshotCountMax {
                neededCount += 1
                continue
            }
            if index >= countMax || byteCount > Store.snapshotByteCountMax {
                StorePaths.removeDatabase(at: paths.path(of: snapshot), on: disk)
            }
        }
    }

    /// Takes away what was left of snapshots whose program was killed.
    private func removeUnfinished() {
        let now = database.environment.wallMilliseconds()
        for name in disk.fileNames(in: paths.snapshots)
        where name.hasSuffix(StorePaths.unfinishedSuffix) {
            let final = String(name.dropLast(StorePaths.unfinishedSuffix.count))
            guard let snapshot = Store.Snapshot(name: final),
                abs(now - snapshot.time) > Self.unfinishedMilliseconds
            else { continue }
            StorePaths.removeDatabase(at: paths.snapshots + "/" + name, on: disk)
        }
    }

    /// Copies the store, as of one point in time, into a new folder.
    func backUp(to folder: String) throws(StoreFault) {
        let path = StorePaths(folder: folder).database
        try disk.makeFolder(folder)
        if disk.exists(path) { throw .storeExists(folder: folder) }
        // Another program may be at it as well.
        let time = database.environment.wallMilliseconds()
        try copy(to: path, by: "\(path).\(time)\(StorePaths.unfinishedSuffix)")
    }

    /// Copies the store, as of one point in time, into a new file; all or nothing.
    ///
    /// - Parameter unfinished: the file's path until it is whole and on the disk.
    private func copy(to path: String, by unfinished: String) throws(StoreFault) {
        try incarnations.speaking { () throws(StoreFault) in }
        StorePaths.removeDatabase(at: unfinished, on: disk)
        let target: Connection
        do throws(StoreFault) {
            target = try Connection(
                path: unfinished, on: disk, creates: true, busyMilliseconds: 0)
        } catch {
            StorePaths.removeDatabase(at: unfinished, on: disk)
            throw error
        }
        do throws(StoreFault) {
            try database.connection.backup(to: target)
            try target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            target.close()
            try disk.move(unfinished, to: path)
            try disk.flushFolder(of: path)
        } catch {
            target.close()
            StorePaths.removeDatabase(at: unfinished, on: disk)
            throw error
        }
    }
}

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
    package func snapshots() -> [Snapshot] { copies.all }

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
    package func takeSnapshot() throws(StoreFault) -> String { try copies.take() }

    /// Copies the store, as of one point in time, into a new folder.
    ///
    /// The copy has no identity file, so that its first opening takes a new replica id.
    package func backup(to folder: String) throws(StoreFault) { try copies.backUp(to: folder) }
}

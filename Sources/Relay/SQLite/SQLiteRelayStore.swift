import Core
import Storage

/// A relay's store of SQLite files: a folder with one file for each space, which belongs to one process at a time.
///
/// Files are opened when they are needed, and the least recently used are closed.
package final class SQLiteRelayStore: SynchronousRelayStore, RelayExpiring {
    /// A file that is open.
    private struct Opened {
        let file: SQLiteRelaySpace
        /// When it was last needed, counted in uses.
        var lastUse: Int
    }

    /// How much a space may have, how much is read at a time, and how many files are open.
    package var limits: RelayLimits
    /// The totals of the store, for metrics.
    package private(set) var totals = RelayStoreTotals()

    private let folder: String
    private let environment: StoreEnvironment
    /// Held while the relay has its folder.
    private let lock: any LockFile
    /// Spaces that have a file.
    private var known: Set<SpaceID>
    private var opened: [SpaceID: Opened] = [:]
    /// How files stood when they were closed.
    private var marks: [SpaceID: SQLiteRelayMark] = [:]
    /// How often another file was found in the place of a space's, where that was ever so.
    private var histories: [SpaceID: Int] = [:]
    /// The sums of the spaces that were opened, as the totals have them.
    private var counted: [SpaceID: (byteCount: Int, versionCount: Int, recordCount: Int)] = [:]
    private var useCount = 0
    /// The space at which it was looked last whether it is idle.
    private var lookedAt: SpaceID?

    /// Opens the folder.
    ///
    /// - Throws: `inUse` if another relay has it.
    package init(
        in folder: String, limits: RelayLimits, environment: StoreEnvironment
    ) throws(StoreFault) {
        self.folder = folder
        self.limits = limits
        self.environment = environment
        try environment.disk.makeFolder(folder)
        lock = try environment.disk.openLockFile(folder + "/relay.lock")
        guard lock.tryExclusiveLock() else {
            lock.close()
            throw .inUse(
                by: .relay(environment.disk.opener(ofLockFile: folder + "/relay.lock")))
        }
        known = Set(
            environment.disk.fileNames(in: folder).compactMap {
                SQLiteRelaySpace.space(ofFile: $0)
            })
        totals.spaceCount = known.count
    }

    /// Closes all files and lets go of the folder.
    package func close() {
        for space in opened.keys.sorted() { opened[space]?.file.close() }
        opened = [:]
        totals.openSpaceCount = 0
        lock.close()
    }

    // MARK: Files

    /// The file of a space, opened if need be; nil if there is none, or its making was cut off.
    private func file(of space: SpaceID) throws(StoreFault) -> SQLiteRelaySpace? {
        guard known.contains(space) else { return nil }
        useCount += 1
        if let file = opened[space]?.file {
            opened[space]?.lastUse = useCount
            return file
        }
        makeRoom()
        let mark = marks[space]
        guard
            let file = try SQLiteRelaySpace.open(
                space, in: folder, environment: environment, resuming: mark)
        else {
            restored(space)
            if !environment.disk.exists(SQLiteRelaySpace.path(of: space, in: folder)) {
                known.remove(space)
                totals.spaceCount = known.count
            }
            return nil
        }
        // A file that was put in the place of the one that was closed voids what conversations know.
        if let mark, !mark.fits(file.state) { restored(space) }
        add(file)
        return file
    }

    private func restored(_ space: SpaceID) {
        marks[space] = nil
        histories[space, default: 0] += 1
    }

    private func add(_ file: SQLiteRelaySpace) {
        marks[file.space] = nil
        opened[file.space] = Opened(file: file, lastUse: useCount)
        totals.openSpaceCount = opened.count
        count(file)
    }

    /// Closes the files that were not needed for longest, so that one more may be opened.
    private func makeRoom() {
        let most = max(1, limits.openSpaceCountMax)
        guard opened.count >= most else { return }
        let oldest = opened.sorted { $0.value.lastUse < $1.value.lastUse }
        for (space, old) in oldest.prefix(opened.count - most + 1) {
            marks[space] = old.file.mark
            old.file.close()
            opened[space] = nil
        }
        totals.openSpaceCount = opened.count
    }

    /// Closes the file of a space without regard to how it stands.
    package func forget(_ space: SpaceID) {
        marks[space] = nil
        guard let old = opened.removeValue(forKey: space) else { return }
        totals.openSpaceCount = opened.count
        old.file.close()
    }

    /// Brings the totals up to date.
    private func count(_ file: SQLiteRelaySpace) {
        let before = counted[file.space]
        totals.byteCount += file.byteCount - (before?.byteCount ?? 0)
        totals.versionCount += file.versionCount - (before?.versionCount ?? 0)
        totals.recordCount += file.recordCount - (before?.recordCount ?? 0)
        counted[file.space] = (file.byteCount, file.versionCount, file.recordCount)
    }

    private func key(of file: SQLiteRelaySpace) -> RelaySpaceKey {
        RelaySpaceKey(
            space: file.space, relay: file.relay, history: histories[file.space] ?? 0)
    }

    private func head(of file: SQLiteRelaySpace) -> RelaySpaceHead {
        RelaySpaceHead(
            key: key(of: file), generation: file.generation, verifier: file.verifier,
            epoch: file.epoch, sequence: file.sequence, byteCount: file.byteCount,
            recordCount: file.recordCount, versionCount: file.versionCount,
            rekeyMessageMarks: file.rekeyMessageMarks)
    }

    // MARK: What the engine asks for

    /// Decides on a device and does what was decided; a space's file is changed by this process alone.
    package func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?,
        _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
    ) throws(StoreFault) -> RelayAdmission {
        let space = relayHello.space
        let found = try file(of: space)
        let otherCount = self.known.count - (self.known.contains(space) ? 1 : 0)
        let known = try visitor.flatMap { visitor throws(StoreFault) in
            try found?.device(visitor.fingerprint)
        }
        var head = found.map { self.head(of: $0) }
        head?.isVisitorKnown = known != nil
        switch decide(head, otherCount) {
        case .refuse(let rejection):
            guard let found, let verifier = rejection.rekeyMessageVerifier else {
                return .refused(rejection, nil)
            }
            return .refused(rejection, try found.rekeyMessage(to: verifier))
        case .enter:
            guard let found else { preconditionFailure("a space that is not there was entered") }
            try remember(visitor, in: found, lastDay: known?.lastDay)
            return .entered(try entry(.found, relayHello, found))
        case .make(let generation, let verifier):
            precondition(found == nil, "a space that is there was made")
            makeRoom()
            let made = try SQLiteRelaySpace.make(
                space, generation: generation, verifier: verifier, in: folder,
                environment: environment)
            useCount += 1
            add(made)
            self.known.insert(space)
            totals.spaceCount = self.known.count
            try remember(visitor, in: made)
            return .entered(try entry(.made, relayHello, made))
        case .begin(let generation, let verifier):
            guard let found else { preconditionFailure("a generation of no space was begun") }
            let old = found.generation
            try found.begin(generation: generation, verifier: verifier)
            count(found)
            try remember(visitor, in: found)
            return .entered(try entry(.begun(after: old), relayHello, found))
        }
    }

    /// Notes that a device was let in today; on a disk that cannot be written that waits for its next visit.
    private func remember(
        _ visitor: RelayVisitor?, in file: SQLiteRelaySpace, lastDay: Int64? = nil
    ) throws(StoreFault) {
        guard let visitor, lastDay.map({ $0 < visitor.day }) ?? true else { return }
        do throws(StoreFault) {
            try file.remember(visitor, countMax: limits.spaceDeviceCountMax)
        } catch {
            guard error.leavesReading else { throw error }
        }
    }

    private func entry(
        _ cause: RelayEntry.Cause, _ relayHello: RelayHello, _ file: SQLiteRelaySpace
    ) throws(StoreFault) -> RelayEntry {
        RelayEntry(
            cause: cause, head: head(of: file), uploaded: try file.uploaded(by: relayHello.replica),
            start: file.start(relayHello.read))
    }

    /// Keeps uploads in one transaction.
    package func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayCommit {
        let file = try file(key)
        do throws(StoreFault) {
            let commit = try file.transact { () throws(StoreFault) in
                try RelayCommit(uploads, in: file, limits: limits)
            }
            count(file)
            return commit
        } catch {
            throw .failed(error)
        }
    }

    /// Reads as one device or several read.
    package func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayReading {
        let file = try file(key)
        do throws(StoreFault) {
            return try file.read(request, byteCountMax: limits.batchByteCountMax)
        } catch {
            throw .failed(error)
        }
    }

    private func file(_ key: RelaySpaceKey) throws(RelayStoreFault) -> SQLiteRelaySpace {
        let found: SQLiteRelaySpace?
        do throws(StoreFault) {
            found = try file(of: key.space)
        } catch {
            throw .failed(error)
        }
        guard let found, self.key(of: found) == key else { throw .replaced }
        return found
    }

    // MARK: Idle spaces

    /// Looks at the next space, and deletes it with its file if no device has come since a day.
    package func expireNext(
        since day: Int64, sparing open: Set<SpaceID>
    ) throws(StoreFault) -> SpaceID? {
        let next = known.filter { space in lookedAt.map { $0 < space } ?? true }.min()
        lookedAt = next
        guard let next, !open.contains(next) else { return nil }
        guard let last = try file(of: next)?.devices().map(\.lastDay).max(), last <= day else {
            return nil
        }
        forget(next)
        // A conversation that knows it never goes on with one of that name.
        restored(next)
        if let sums = counted.removeValue(forKey: next) {
            totals.byteCount -= sums.byteCount
            totals.versionCount -= sums.versionCount
            totals.recordCount -= sums.recordCount
        }
        known.remove(next)
        totals.spaceCount = known.count
        let path = SQLiteRelaySpace.path(of: next, in: folder)
        for file in StorePaths.files(ofDatabase: path) { environment.disk.remove(file) }
        return next
    }

    // MARK: For a look from outside

    /// A space as it is now; nil if there is none.
    package func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead? {
        try file(of: space).map { head(of: $0) }
    }

    /// The versions of one record, in order of arrival.
    package func versions(
        of record: RecordName, in space: SpaceID
    ) throws(StoreFault) -> [Change] {
        try file(of: space)?.versions(of: record) ?? []
    }

    /// The summary rows of a device, sorted by key.
    package func rows(
        of replica: ReplicaID, in space: SpaceID
    ) throws(StoreFault) -> [SummaryRow] {
        try file(of: space)?.rows(of: replica) ?? []
    }

    /// The devices that were let in since the present generation began, by fingerprint.
    package func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice] {
        try file(of: space)?.devices() ?? []
    }

    /// Looks whether all rows of a space fit together; gives the findings.
    package func examine(_ space: SpaceID) throws(StoreFault) -> [RelayFinding] {
        try file(of: space)?.examine() ?? []
    }
}

extension RelayEngine {
    /// Opens a relay on SQLite files in the folder of the options.
    package convenience init(
        options: RelayOptions, access: any RelayAccess, environment: StoreEnvironment
    ) throws(StoreFault) {
        self.init(
            options: options, access: access,
            store: try SQLiteRelayStore(
                in: options.folder, limits: options.limits, environment: environment))
    }
}

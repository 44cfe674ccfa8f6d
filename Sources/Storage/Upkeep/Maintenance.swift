import CSQLite
import Core

/// The part of a store that looks for damage, counts anew and purges what has long been in the trash.
///
/// Owns the table `run_day`.
final class Maintenance {
    private let database: Database
    private let knowledge: Knowledge
    private let records: Records
    private let deferred: DeferredChanges
    private unowned let store: Store

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        records = store.records
        deferred = store.deferred
        self.store = store
    }

    // MARK: Damage

    /// Looks for damage: pages, rows, and the sums that are kept along.
    ///
    /// - Parameter models: descriptions of tables from the examination of other stores.
    /// - Returns: nothing if all is well.
    func examine(models: TableModels) throws(StoreFault) -> [StoreFinding] {
        try database.reading { () throws(StoreFault) in
            var findings: [StoreFinding] = []
            let pages = try integrityCheck()
            if pages != "ok" { findings.append(StoreFinding(integrityCheck: pages)) }
            findings += try Migrations.deviations(
                of: database.connection, from: database.collections,
                on: database.environment.disk, models: models)
            let sums = try sums { stored in
                if !stored.record.isWellFormed { findings.append(.malformedRecord(stored.name)) }
            }
            findings += try records.counts.deviations().map { .counts(collection: $0) }
            findings += try store.search.deviations().map { .search(collection: $0) }
            return findings + deviations(from: sums)
        }
    }

    /// SQLite's own check, which evaluates the conditions of indexes as the file describes them.
    private func integrityCheck() throws(StoreFault) -> String {
        do throws(StoreFault) {
            return try database.connection.lines("PRAGMA integrity_check(10)")
        } catch .database(let code, let detail, _) where code & 0xff == SQLITE_ERROR {
            throw .misdescribed(path: database.paths.database, detail: detail)
        }
    }

    /// After a copy or a restore the log beside the file may belong to another time: look before trusting.
    func checkPages(_ suspicion: CloneSuspicion) throws(StoreFault) {
        let result = try database.connection.text("PRAGMA quick_check(1)")
        if result != "ok" { throw database.corrupt(result) }
        // A file that was put there by something else may fit together page by page and still be no state
        // that the store was ever in.
        if suspicion == .powerCut { return }
        if let finding = try store.examine().first { throw database.corrupt("\(finding)") }
    }

    private func deviations(from sums: RecordSums) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let (checksums, known) = (sums.checksums, knowledge.replicas)
        if sums.digest != knowledge.digest { findings.append(.digest) }
        for entry in checksums.entries where known.index(of: entry.replica) == nil {
            findings.append(.missingReplica(entry.replica))
        }
        for entry in known.entries {
            let counted = checksums.index(of: entry.replica).map { checksums[$0] }
            if entry.deferred != counted?.deferred ?? 0 {
                findings.append(.deferredChecksum(entry.replica))
            }
            if entry.checksum != counted?.checksum ?? 0 {
                findings.append(.checksum(entry.replica))
            }
        }
        return findings
    }

    /// Makes all indexes anew from the rows.
    func rebuildIndexes() throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            try database.connection.run("REINDEX")
            try store.search.remake()
        }
    }

    /// Counts the sums anew that are kept along with the records.
    ///
    /// If a record was changed or lost by something else than this program, the sums tell that to the other
    /// devices from now on: the next sync compares contents, and brings back what they have.
    func recount() throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            knowledge.replaceSums(try sums())
            try records.counts.recount()
            try deferred.recount()
        }
    }

    /// Counts the sums from the records.
    ///
    /// - Parameter each: is shown every record on the way.
    private func sums(_ each: (Record) -> Void = { _ in }) throws(StoreFault) -> RecordSums {
        var sums = RecordSums(checksums: ReplicaTable(hash: knowledge.hash))
        for index in database.collections.indices {
            try records.forEachRecord(in: index) { stored throws(StoreFault) in
                let body = BodyCodec.encode(stored.record, in: stored.collection)
                sums.digest &+= knowledge.hash.content(stored.id, stored.record.clock, body)
                let deferred = knowledge.deferredClocks[stored.name] ?? VersionVector()
                sums.checksums.account(
                    stored.name, from: VersionVector(),
                    to: stored.record.clock.joined(with: deferred))
                each(stored)
            }
        }
        for (name, clock) in knowledge.deferredClocks {
            let stored = try records.find(name)?.record.clock
            if stored == nil { sums.checksums.account(name, from: VersionVector(), to: clock) }
            sums.checksums.accountDeferred(
                name, deferred: clock, integrated: stored ?? VersionVector())
        }
        return sums
    }

    /// Whether the tables were made, and then nothing was written into them.
    func isUnmade() throws(StoreFault) -> Bool {
        for table in ["state", "replica", "epoch", "collection"] {
            let count = try database.connection.number("SELECT count(*) FROM \(table)")
            if count > 0 { return false }
        }
        // The tables of records are made in the one transaction with those rows.
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%\\_record' ESCAPE '\\'"
        if try database.connection.number(tables) > 0 {
            throw database.corrupt("it has records, and has lost what it says of itself")
        }
        return true
    }

    /// Ends what takes an empty database for one whose making was cut short, where the identity file knows of writes.
    func refuseIfEmptied() throws(StoreFault) {
        if store.identity.hasSeenWrites {
            throw database.corrupt("it is empty, and was not when last used")
        }
    }

    // MARK: The log

    /// From now on commits of this process leave the folding of the log into the file to `foldLog`, as
    /// long as the log does not grow too long: a commit does not wait for that.
    func postponeFolding() throws(StoreFault) {
        try database.connection.execute("PRAGMA wal_autocheckpoint = 8000")
    }

    /// Folds the log into the file, as far as nobody reads older parts of it.
    func foldLog() throws(StoreFault) {
        _ = try database.connection.foldLog()
    }

    // MARK: Trash

    /// Notes that the program ran today, and purges what has long been in the trash: only what this
    /// replica itself deleted, and nothing with an open conflict.
    ///
    /// - Returns: how many records were purged.
    func purgeOldTrash() throws(StoreFault) -> Int {
        let now = database.environment.wallMilliseconds()
        let today = now / 86_400_000
        try database.catchUp()
        let known = try database.connection.number(
            "SELECT count(*) FROM run_day WHERE day = \(today)")
        // Once a day is often enough for what has waited half a year.
        if known > 0 { return 0 }
        let old = try database.reading { () throws(StoreFault) in try oldTrash(now: now) }
        // In one transaction: a day that is noted is a day whose purge was done.
        return try store.edit { transaction throws(StoreFault) in
            try database.connection.execute("INSERT OR IGNORE INTO run_day VALUES (\(today))")
            // Looked at again, as another process may have restored one of them.
            var count = 0
            for name in old {
                guard let stored = try records.find(name), stored.standing == .trashed,
                    try isOldTrash(stored, now: now)
                else { continue }
                try transaction.purge(name)
                count += 1
            }
            return count
        }
    }

    private func oldTrash(now: Int64) throws(StoreFault) -> [RecordName] {
        var old: [RecordName] = []
        for schema in database.collections where schema.id != .devices {
            for stored in try store.fetch(FetchRequest(schema.id, scope: .trash)) {
                if try isOldTrash(stored, now: now) { old.append(stored.name) }
            }
        }
        return old
    }

    private func isOldTrash(_ stored: Record, now: Int64) throws(StoreFault) -> Bool {
        if stored.verdict.isContested || !stored.record.fieldConflicts.isEmpty { return false }
        let own = stored.record.survivors(of: .deleted).filter {
            $0.write.dot.replica == knowledge.replica && !$0.value.isNull
        }
        guard let deleted = own.map(\.write.timestamp.milliseconds).max(),
            now.minus(deleted) >= Store.AutomaticPurge.ageMilliseconds
        else { return false }
        // Today is one of them, whether it is noted yet or not.
        let days = try database.connection.number(
            """
            SELECT count(*) FROM run_day
            WHERE day > \(deleted / 86_400_000) AND day <> \(now / 86_400_000)
            """)
        return days + 1 >= Store.AutomaticPurge.runDayCount
    }
}

/// Pages in memory.
extension Store {
    /// How much of the store is kept in memory while very many records are changed in one transaction; KiB.
    package static let bulkCacheKibibyteCount = 131_072

    /// How much of the store is kept in memory; KiB.
    package func cacheKibibyteCount() throws(StoreFault) -> Int {
        Int(-(try database.connection.number("PRAGMA cache_size")))
    }

    /// From now on this process keeps as much in memory as a transaction needs that changes very many records.
    ///
    /// Pages that do not fit are written to the log and read again: with random ids that costs far more than all else.
    package func enlargeCache() throws(StoreFault) {
        try database.connection.execute("PRAGMA cache_size = -\(Self.bulkCacheKibibyteCount)")
    }
}

extension Store {
    /// How long a deleted record stays in the trash before it is purged by itself.
    package enum AutomaticPurge {
        /// By the clock of the device that deleted it; milliseconds.
        package static let ageMilliseconds: Int64 = 180 * 86_400_000
        /// On how many different days that device must have run since.
        package static let runDayCount: Int64 = 30
    }
}

/// A folder whose store may be one of which the making was cut short.
extension Store {
    /// Whether there is anything in the folder but a store whose making was cut short.
    static func holdsOther(
        _ folder: String, on disk: any StoreDisk
    ) throws(StoreFault) -> Bool {
        let path = StorePaths(folder: folder).database
        guard disk.exists(path) else { return false }
        do throws(StoreFault) {
            let connection = try Connection(
                path: path, on: disk, creates: false, busyMilliseconds: 0)
            // Who only looks changes no file: an identity file may be sealed beside a log that was left.
            connection.keepLog()
            try Migrations.check(connection, path: folder)
            if try connection.number("SELECT count(*) FROM sqlite_schema") == 0 { return false }
            return try connection.number("SELECT count(*) FROM state") > 0
        } catch {
            if case .untrustedFile = error { throw error }
            return true
        }
    }

    /// Whether the folder has a database into which nothing was ever written, as its making was cut short.
    package static func isUnmade(
        in folder: String, on disk: any StoreDisk
    ) throws(StoreFault) -> Bool {
        guard disk.exists(StorePaths(folder: folder).database) else { return false }
        return try !holdsOther(folder, on: disk)
    }
}

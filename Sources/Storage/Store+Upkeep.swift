import Core

/// Backup, inspection, and what runs by itself.
extension Store {
    /// Copies the store, as of one point in time, into a new folder.
    ///
    /// The copy has no stamp, so whoever opens it takes a new replica id.
    package func backup(to folder: String) throws(StoreFault) {
        let disk = environment.disk
        let path = StorePaths(folder: folder).database
        try disk.makeFolder(folder)
        if disk.exists(path) { throw .storeExists(folder: folder) }
        // Another program may be at it as well.
        let time = environment.wallMilliseconds()
        try copy(to: path, by: "\(path).\(time)\(Self.unfinishedSuffix)")
    }

    /// Whether the tables were made, and then nothing was written into them.
    func isUnmade() throws(StoreFault) -> Bool {
        for table in ["state", "replica", "epoch", "collection"] {
            if try connection.number("SELECT count(*) FROM \(table)") > 0 { return false }
        }
        // The tables of records are made in the one transaction with those rows.
        let records = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%\\_record' ESCAPE '\\'"
        if try connection.number(records) > 0 {
            throw .corrupt(
                path: paths.database, detail: "it has records, and has lost what it says of itself")
        }
        return true
    }

    /// Tells the other devices what this one is called, as the first write of all; a store whose
    /// making was cut short right before it catches up on it.
    func finishMaking() throws(StoreFault) {
        if state.sequence > 0 { return }
        let name = state.deviceName
        try edit { transaction throws(StoreFault) in try transaction.nameDevice(name) }
    }

    /// Looks for damage: pages, rows, and the sums that are kept along.
    ///
    /// - Parameter models: what was worked out when other stores were examined.
    /// - Returns: what is wrong, in words; nothing if all is well.
    package func examine(models: TableModels = TableModels()) throws(StoreFault) -> [String] {
        try reading { () throws(StoreFault) in try findings(models) }
    }

    private func findings(_ models: TableModels) throws(StoreFault) -> [String] {
        var findings: [String] = []
        let pages = try connection.lines("PRAGMA integrity_check(10)")
        if pages != "ok" { findings.append("pages: \(pages)") }
        findings += try Migrations.deviations(
            of: connection, from: collections, on: environment.disk, models: models)
        let sums = try sums { stored in
            if !stored.record.isWellFormed { findings.append("record \(stored.id) is malformed") }
        }
        let tallies = sums.tallies
        if sums.digest != state.digest { findings.append("the digest does not fit the records") }
        for entry in tallies.entries where state.replicas.place(of: entry.replica) == nil {
            findings.append("replica \(entry.replica) is missing in the table of replicas")
        }
        for entry in state.replicas.entries {
            let place = tallies.place(of: entry.replica)
            if entry.aside != (place.map { tallies[$0].aside } ?? 0) {
                findings.append("the tally of what is set aside of \(entry.replica) does not fit")
            }
            if entry.tally != (place.map { tallies[$0].tally } ?? 0) {
                findings.append("the tally of replica \(entry.replica) does not fit the records")
            }
        }
        return findings
    }

    /// From now on commits of this process leave the folding of the log into the file to `foldLog`, as
    /// long as the log does not grow too long: whoever waits for a commit does not wait for that.
    package func postponeFolding() throws(StoreFault) {
        try connection.execute("PRAGMA wal_autocheckpoint = 8000")
    }

    /// Folds the log into the file, as far as nobody reads older parts of it.
    package func foldLog() throws(StoreFault) {
        try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Remembers who answers at an address, for the next greeting.
    package func remember(_ replica: ReplicaID, at address: String) throws(StoreFault) {
        if try self.replica(at: address) == replica { return }
        try changing { () throws(StoreFault) in
            let row = try connection.statement("INSERT OR REPLACE INTO address VALUES (?, ?)")
            row.bind(1, address)
            row.bind(2, Int64(state.replicas.placeOrNew(of: replica)))
            try row.run()
        }
    }

    /// Who answered at an address last time.
    package func replica(at address: String) throws(StoreFault) -> ReplicaID? {
        let row = try connection.statement("SELECT replica FROM address WHERE address = ?")
        row.bind(1, address)
        defer { row.reset() }
        guard try row.step(), Int(row.int(0)) < state.replicas.entries.count else { return nil }
        return state.replicas[Int(row.int(0))].replica
    }

    /// All addresses that somebody has answered at, with who did last time.
    package func knownAddresses() throws(StoreFault) -> [(address: String, replica: ReplicaID)] {
        let row = try connection.statement("SELECT address, replica FROM address ORDER BY address")
        defer { row.reset() }
        var found: [(address: String, replica: ReplicaID)] = []
        while try row.step() {
            guard Int(row.int(1)) < state.replicas.entries.count else { continue }
            found.append((row.text(0), state.replicas[Int(row.int(1))].replica))
        }
        return found
    }

    /// How long a deleted record stays in the trash before it is purged by itself.
    package enum AutomaticPurge {
        /// By the clock of the device that deleted it; milliseconds.
        package static let ageMilliseconds: Int64 = 180 * 86_400_000
        /// On how many different days that device must have run since.
        package static let runDayCount: Int64 = 30
    }

    /// Notes that the program ran today, and purges what has long been in the trash: only what this
    /// replica itself deleted, and nothing with an open conflict.
    ///
    /// - Returns: how many records were purged.
    package func purgeOldTrash() throws(StoreFault) -> Int {
        let now = environment.wallMilliseconds()
        let today = now / 86_400_000
        try catchUp()
        let known = try connection.number(
            "SELECT count(*) FROM run_day WHERE day = \(today)")
        // Once a day is often enough for what has waited half a year.
        if known > 0 { return 0 }
        let old = try reading { () throws(StoreFault) in try oldTrash(now: now) }
        // In one transaction: a day that is noted is a day whose purge was done.
        return try edit { transaction throws(StoreFault) in
            try connection.execute("INSERT OR IGNORE INTO run_day VALUES (\(today))")
            // Looked at again, as another process may have restored one of them.
            var count = 0
            for id in old {
                guard let stored = try find(id), !stored.verdict.isPurged,
                    try isOldTrash(stored, now: now)
                else { continue }
                try transaction.purge(id)
                count += 1
            }
            return count
        }
    }

    private func oldTrash(now: Int64) throws(StoreFault) -> [RecordID] {
        var old: [RecordID] = []
        for schema in collections where schema.id != .devices {
            for stored in try fetch(FetchRequest(schema.id, scope: .trash)) {
                if try isOldTrash(stored, now: now) { old.append(stored.id) }
            }
        }
        return old
    }

    private func isOldTrash(_ stored: StoredRecord, now: Int64) throws(StoreFault) -> Bool {
        if stored.verdict.isContested || !stored.record.fieldConflicts.isEmpty { return false }
        let own = stored.record.survivors(of: .deleted).filter {
            $0.write.dot.replica == state.replica && !$0.value.isNull
        }
        guard let deleted = own.map(\.write.timestamp.milliseconds).max(),
            now - deleted >= AutomaticPurge.ageMilliseconds
        else { return false }
        // Today is one of them, whether it is noted yet or not.
        let days = try connection.number(
            """
            SELECT count(*) FROM run_day
            WHERE day > \(deleted / 86_400_000) AND day <> \(now / 86_400_000)
            """)
        return days + 1 >= AutomaticPurge.runDayCount
    }
}

import Core

/// Makes a store out of what can be read of a damaged one, which is not changed.
///
/// If every record is there and all sums fit, only indexes and the like are made anew, and the store stays
/// who it was. Else the newest whole snapshot, or an empty store, takes a new replica id, and gets each
/// record that can be read by the ordinary merge, under the dots it has: who has them too has nothing to
/// merge. It vouches for a replica's writes only where the checksums say that all of them are there.
struct StoreRescue {
    let paths: StorePaths
    let schema: [CollectionSchema]
    let environment: StoreEnvironment
    /// The space, if that is known from elsewhere.
    let space: SpaceID?
    /// The name for a device whose own cannot be read.
    let deviceName: String
    /// A folder for what is not finished.
    let scratch: StorePaths

    private var disk: any StoreDisk { environment.disk }
    /// The pages of the damaged database in one file.
    private var copy: String { scratch.folder + "/copy.db" }
    /// The database that was made of its tables alone.
    private var fresh: String { scratch.folder + "/fresh.db" }

    /// Looks, and unless `isDry` puts what was made in the place of the damaged store.
    ///
    /// - Parameter identity: holds the store so that nobody else can open it.
    func run(_ identity: CloneDetector, isDry: Bool) throws(StoreFault) -> RescueReport {
        try disk.makeFolder(scratch.folder)
        removeUnfinished()
        let image = try DatabaseImage(path: paths.database, on: disk)
        if image.format > Migrations.formatMax {
            throw .newerStore(found: image.format, supported: Migrations.formatMax)
        }
        let tables = SalvagedTables(image)
        var report = RescueReport()
        report.findings = findings(tables)
        if tables.areTablesWhole,
            let made = try unlessDamaged({ () throws(StoreFault) in
                try remake(image)
            })
        {
            let suspicion = try identity.suspicion(made.own)
            report.isWhole = true
            report.keepsIdentity = suspicion == nil
            report.readCount = try count(at: fresh)
            if isDry { return report }
            report.aside = try Store.replace(
                paths, by: suspicion == nil ? fresh : scratch.folder, environment)
            try vouch(for: suspicion == nil ? made.own : made.other, identity)
            return report
        }
        removeUnfinished()
        let ownState = try salvage(SalvagedStore(tables, collections: ownCollections), &report)
        if isDry { return report }
        report.aside = try Store.replace(paths, by: scratch.folder, environment)
        try vouch(for: ownState, identity)
        return report
    }

    /// The result of a body; nil if the file that it read is damaged.
    ///
    /// A full disk and the like say nothing about that.
    private func unlessDamaged<T>(
        _ body: () throws(StoreFault) -> T
    ) throws(StoreFault) -> T? {
        do throws(StoreFault) {
            return try body()
        } catch {
            switch error {
            case .corrupt, .notAStore, .noStore, .newerStore, .database: return nil
            default: throw error
            }
        }
    }

    private var ownCollections: [CollectionSchema] { [.devices] + schema + [.foreign] }

    /// Puts an identity file beside the database that is in place now; ending before that, a program leaves one
    /// without an identity file, which takes a new replica id when it is opened.
    private func vouch(
        for ownState: OwnState, _ identity: CloneDetector
    ) throws(StoreFault) {
        identity.note(sequence: ownState.sequence)
        try identity.writeIdentityFile(ownState)
        try identity.seal(counter: ownState.counter, of: ownState.replica)
    }

    private func findings(_ tables: SalvagedTables) -> [SalvageFinding] {
        (tables.image.isHeaderWhole ? [] : [.header])
            + tables.trees.filter { !$0.isWhole }.map { .unreadable($0.damage) }
    }

    // MARK: Whole tables

    /// Makes the database anew from its tables, under its own replica id and, in the scratch folder, as another
    /// replica.
    ///
    /// - Throws: if anything in it does not fit.
    private func remake(
        _ image: DatabaseImage
    ) throws(StoreFault) -> (own: OwnState, other: OwnState) {
        try disk.replace(copy, with: image.bytes())
        try WholeTables.copy(copy, to: fresh, collections: ownCollections, on: disk)
        let made = try Connection(path: fresh, on: disk, creates: false, busyMilliseconds: 0)
        defer { made.close() }
        let own = try OwnState(in: made)
        // A copy is checked whole when it is opened: every page, every record and all sums.
        let store = try Store.openCopy(
            of: fresh, in: scratch.folder, schema: schema, environment: environment)
        defer { store.close() }
        try store.replicaIdentity.noteRescue(of: own.replica)
        if let finding = try store.examine().first {
            throw .corrupt(path: paths.database, detail: "\(finding)")
        }
        return (own, store.ownState)
    }

    private func count(at path: String) throws(StoreFault) -> Int {
        let made = try Connection(path: path, on: disk, creates: false, busyMilliseconds: 0)
        defer { made.close() }
        var count: Int64 = 0
        let rows = try made.statement("SELECT name FROM collection WHERE name <> ?")
        rows.bind(1, CollectionSchema.devices.name)
        var names: [String] = []
        while try rows.step() { names.append(rows.text(0)) }
        for name in names { count += try made.number("SELECT count(*) FROM \"\(name)_record\"") }
        return Int(count)
    }

    // MARK: Records one by one

    private func salvage(
        _ salvaged: SalvagedStore, _ report: inout RescueReport
    ) throws(StoreFault) -> OwnState {
        let records = salvaged.records()
        let store = try base(salvaged, records, &report)
        defer { store.close() }
        var olderCount = 0
        for name in records.lostNames where try store.records.find(name) != nil { olderCount += 1 }
        let newCount = try merge(records, vouchedBy: salvaged.summaryEntries, into: store)
        try store.replicaIdentity.noteRescue(of: salvaged.replica)
        if let finding = try store.examine().first {
            throw .corrupt(path: scratch.database, detail: "\(finding)")
        }
        let lost = records.lostNames
        report.readCount = records.readNames.subtracting(lost).count
        report.newCount = newCount
        report.lostCount = lost.count
        report.isLostCountExact = records.isCountExact
        report.outdatedCount = records.names(.older).subtracting(lost).count
        report.uncertainCount = records.names(.unknown).subtracting(lost).count
        let isUnchanged = salvaged.areUnchanged(records)
        report.isUnchecked = isUnchanged == nil
        report.isAltered =
            lost.isEmpty && records.isCountExact && report.outdatedCount == 0
            && report.uncertainCount == 0 && isUnchanged == false
        report.olderCount = olderCount
        if report.readCount == 0, report.snapshot == nil {
            throw .corrupt(path: paths.database, detail: "no record in it can be read")
        }
        return store.ownState
    }

    /// The newest whole snapshot, as a new replica, in the scratch folder; or a new store of the space.
    private func base(
        _ salvaged: SalvagedStore, _ records: SalvagedRecords, _ report: inout RescueReport
    ) throws(StoreFault) -> Store {
        let known = salvaged.space ?? space
        for snapshot in Store.snapshots(of: paths, on: environment).reversed() {
            scratch.removeStore(on: disk)
            let copy = try unlessDamaged { () throws(StoreFault) in
                let store = try Store.openCopy(
                    of: paths.path(of: snapshot), in: scratch.folder, schema: schema,
                    environment: environment)
                return try store.examine().isEmpty ? store : nil
            }
            guard let store = copy ?? nil else { continue }
            if known == nil || store.space == known {
                report.snapshot = snapshot
                return store
            }
            store.close()
        }
        scratch.removeStore(on: disk)
        guard let known else {
            throw .corrupt(
                path: paths.database, detail: "neither it nor a snapshot tells of which space it is"
            )
        }
        report.isPolicyGuessed = salvaged.policy == nil
        return try Store.create(
            folder: scratch.folder, schema: schema, space: known,
            policy: salvaged.policy ?? records.likelyPolicy,
            deviceName: salvaged.deviceName ?? deviceName, environment: environment)
    }

    /// Merges the readable records of the damaged store into another one, in one transaction.
    ///
    /// - Parameter summaryEntries: the entries that the damaged store vouched for; believed where it had nothing
    ///   beyond that, and the writes that are in `store` now add up to the same checksum.
    /// - Returns: how many records are newer than before.
    private func merge(
        _ records: SalvagedRecords, vouchedBy summaryEntries: [StateSummaryEntry], into store: Store
    ) throws(StoreFault) -> Int {
        let (knowledge, readNames) = (store.knowledge, records.readNames)
        return try store.database.changing { () throws(StoreFault) in
            var newer: Set<RecordName> = []
            for change in records.changes + records.deferred {
                let old = try store.records.find(change.name)
                if old?.record.clock.covers(change.clock) == true { continue }
                for entry in change.clock.entries where entry.replica != knowledge.replica {
                    knowledge.suspectIncarnation(of: entry.replica, before: entry.counter)
                }
                var result = Integration()
                try store.integrator.integrateAgain(change, &result)
                if result.changedCount > 0, readNames.contains(change.name) {
                    newer.insert(change.name)
                }
            }
            for key in records.revokedKeys { try store.revokedKeys.add(key) }
            // They are held again when the store is opened next.
            for (peer, change) in records.heldChanges {
                let known = try store.records.find(change.name)?.record.clock
                if known?.covers(change.clock) != true {
                    try store.heldChanges.add(change, from: peer)
                }
            }
            for entry in summaryEntries where entry.isComplete && entry.replica != knowledge.replica
            {
                guard let mine = knowledge.entry(of: entry.replica) else { continue }
                if mine.checksum == entry.checksum, mine.seen == entry.counter {
                    knowledge.raise(entry.replica, to: entry.counter)
                }
            }
            return newer.count
        }
    }

    /// Takes away what is in the scratch folder.
    private func removeUnfinished() {
        scratch.removeStore(on: disk)
        StorePaths.removeDatabase(at: copy, on: disk)
        StorePaths.removeDatabase(at: fresh, on: disk)
    }
}

/// Going on with what can be read of a damaged store.
extension Store {
    /// The greatest damaged database that is read, in bytes, and the longest log beside it: both are held in memory.
    package static let rescueByteCountMax = 1 << 30

    /// Looks what can be read of a store that does not open or is damaged, and puts a whole one in its place.
    ///
    /// The damaged files are moved to a folder beside it, and never changed. If the program ends on the way,
    /// either store is in place, and it can be done once more.
    /// - Parameters:
    ///   - space: which space it is of, if that is known from elsewhere.
    ///   - deviceName: what to call the device if that cannot be read.
    ///   - scratch: a folder that is made; the caller removes it before and after.
    ///   - isDry: whether to look alone: nothing is changed but in `scratch`.
    /// - Throws: `inUse` if any program has the store open; `noStore`; `corrupt` if nothing can be read and
    ///   there is no whole snapshot, or nobody knows of which space it is. Nothing was changed then.
    package static func rescue(
        folder: String, schema: [CollectionSchema], space: SpaceID?, deviceName: String,
        scratch: String, environment: StoreEnvironment, isDry: Bool
    ) throws(StoreFault) -> RescueReport {
        let paths = StorePaths(folder: folder)
        guard environment.disk.exists(paths.database) else { throw .noStore(folder: folder) }
        let identity = try CloneDetector(paths: paths, environment: environment)
        let isAlone = try identity.enter()
        defer { identity.release() }
        guard isAlone else {
            throw .inUse(by: .processes(environment.disk.opener(ofLockFile: paths.lockFile)))
        }
        let rescue = StoreRescue(
            paths: paths, schema: schema, environment: environment, space: space,
            deviceName: deviceName, scratch: StorePaths(folder: scratch))
        return try rescue.run(identity, isDry: isDry)
    }
}

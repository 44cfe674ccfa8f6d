import Core

/// Makes a store out of what can be read of a damaged one, which is not changed.
///
/// If every record is there and all sums fit, only indexes and the like are made anew, and the store stays
/// who it was. Else the newest whole snapshot, or an empty store, takes a new replica id, and gets each
/// record that can be read by the ordinary merge, under the dots it has: who has them too has nothing to
/// merge. It vouches for a replica's writes only where the tallies say that all of them are there.
struct StoreRescue {
    let paths: StorePaths
    let schema: [CollectionSchema]
    let environment: StoreEnvironment
    /// The space, if that is known from elsewhere.
    let space: SpaceID?
    /// What to call a device whose name cannot be read.
    let deviceName: String
    /// A folder for what is not finished.
    let scratch: StorePaths

    private var disk: any StoreDisk { environment.disk }
    /// The pages of the damaged database in one file.
    private var copy: String { scratch.folder + "/copy.db" }
    /// What was made of its tables alone.
    private var fresh: String { scratch.folder + "/fresh.db" }

    /// Looks, and unless `isDry` puts what was made in the place of the damaged store.
    ///
    /// - Parameter identity: holds the store so that nobody else can open it.
    func run(_ identity: IdentityGuard, isDry: Bool) throws(StoreFault) -> RescueReport {
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
            let doubt = try identity.doubt(
                replica: made.own.replica, epoch: made.own.opening.epoch,
                counter: made.own.counter, sequence: made.own.sequence)
            report.isWhole = true
            report.keepsIdentity = doubt == nil
            report.readCount = try count(at: fresh)
            if isDry { return report }
            report.aside = try Store.replace(
                paths, by: doubt == nil ? fresh : scratch.folder, environment)
            try vouch(for: doubt == nil ? made.own : made.other, identity)
            return report
        }
        removeUnfinished()
        let state = try salvage(SalvagedStore(tables, collections: ownCollections), &report)
        if isDry { return report }
        report.aside = try Store.replace(paths, by: scratch.folder, environment)
        try vouch(for: state, identity)
        return report
    }

    /// What a body gives; nil if what it read is damaged: a full disk and the like say nothing about that.
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

    /// Puts a stamp beside the database that is in place now; ending before that, a program leaves one
    /// without a stamp, which takes a new replica id when it is opened.
    private func vouch(for state: StoreState, _ identity: IdentityGuard) throws(StoreFault) {
        identity.note(sequence: state.sequence)
        try identity.stamp(
            replica: state.replica, epoch: state.opening.epoch, next: nil, counter: state.counter)
        try identity.seal(counter: state.counter, of: state.replica)
    }

    private func findings(_ tables: SalvagedTables) -> [String] {
        var findings: [String] = []
        if !tables.image.isHeaderWhole { findings.append("the file does not begin as a database") }
        for tree in tables.trees where !tree.isWhole {
            let kind = tree.isIndex ? "the index" : "the table"
            let parts = [(tree.lostPageCount, "page"), (tree.lostRowCount, "row")]
            let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
            findings.append(
                "\(kind) \(tree.name): \(words.joined(separator: " and ")) cannot be read")
        }
        return findings
    }

    // MARK: Whole tables

    /// Makes the database anew from its tables, under its own replica id and, in the scratch folder, as another
    /// replica.
    ///
    /// - Throws: if anything in it does not fit.
    private func remake(
        _ image: DatabaseImage
    ) throws(StoreFault) -> (own: StoreState, other: StoreState) {
        try disk.replace(copy, with: image.bytes())
        try WholeTables.copy(copy, to: fresh, collections: ownCollections, on: disk)
        let made = try Connection(path: fresh, on: disk, creates: false, busyMilliseconds: 0)
        defer { made.close() }
        let state = try StoreState.load(from: made, path: fresh)
        // A copy is checked whole when it is opened: every page, every record and all sums.
        let store = try Store.openCopy(
            of: fresh, in: scratch.folder, schema: schema, environment: environment)
        defer { store.close() }
        try store.noteRescue(of: state.replica)
        if let finding = try store.examine().first {
            throw .corrupt(path: paths.database, detail: finding)
        }
        return (state, store.state)
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
    ) throws(StoreFault) -> StoreState {
        let records = salvaged.records()
        let store = try base(salvaged, records, &report)
        defer { store.close() }
        var olderCount = 0
        for id in records.lostIDs where try store.find(id) != nil { olderCount += 1 }
        let result = try store.take(records, vouchedBy: salvaged.statements)
        try store.noteRescue(of: salvaged.replica)
        if let finding = try store.examine().first {
            throw .corrupt(path: scratch.database, detail: finding)
        }
        let lost = records.lostIDs.union(result.refused)
        report.readCount = records.readIDs.subtracting(lost).count
        report.newCount = result.newCount
        report.lostCount = lost.count
        report.isLostCountExact = records.isCountExact
        report.outdatedCount = records.ids(.older).subtracting(lost).count
        report.doubtfulCount = records.ids(.unknown).subtracting(lost).count
        let isUnchanged = salvaged.areUnchanged(records)
        report.isUnchecked = isUnchanged == nil
        report.isAltered =
            lost.isEmpty && records.isCountExact && report.outdatedCount == 0
            && report.doubtfulCount == 0 && isUnchanged == false
        report.olderCount = olderCount
        if report.readCount == 0, report.snapshot == nil {
            throw .corrupt(path: paths.database, detail: "no record in it can be read")
        }
        return store.state
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

    /// Takes away what is in the scratch folder.
    private func removeUnfinished() {
        scratch.removeStore(on: disk)
        Store.removeDatabase(at: copy, on: disk)
        Store.removeDatabase(at: fresh, on: disk)
    }
}

import Core

/// Bringing back what a copy of the store has, by new writes.
extension Store {
    /// Opens a copy of the store in a folder for scratch: the copy itself is not touched.
    ///
    /// The opened store is another replica, to be looked at and let go of.
    /// - Parameters:
    ///   - path: the folder of a store, or the file of a snapshot.
    ///   - folder: is made, and may be removed as a whole once the store is closed.
    /// - Throws: `noStore`, `notAStore`, `newerStore`; `corrupt` if anything in it does not fit.
    package static func openCopy(
        of path: String, in folder: String, schema: [CollectionSchema],
        environment: StoreEnvironment
    ) throws(StoreFault) -> Store {
        let disk = environment.disk
        let file = try openFile(of: path, on: disk)
        defer { file.connection.close() }
        try disk.makeFolder(folder)
        do throws(StoreFault) {
            try file.connection.backup(toFile: StorePaths(folder: folder).database, on: disk)
            // What is looked at once and let go of gets no index for it.
            var options = StoreOptions()
            options.searchedRecordCountMin = .max
            return try open(
                folder: folder, schema: schema, environment: environment, options: options)
        } catch .corrupt(_, let detail) {
            throw .corrupt(path: file.path, detail: detail)
        }
    }

    /// Opens the database of a copy, and sees to it that it is one.
    ///
    /// - Parameter path: the folder of a store, or the file of a snapshot.
    static func openFile(
        of path: String, on disk: any StoreDisk
    ) throws(StoreFault) -> (connection: Connection, path: String) {
        let inner = StorePaths(folder: path).database
        let source = disk.exists(inner) ? inner : path
        guard disk.exists(source) else { throw .noStore(folder: path) }
        do throws(StoreFault) {
            let file = try Connection(copyAt: source, on: disk)
            try Migrations.check(file, path: source)
            if try file.number("SELECT count(*) FROM sqlite_schema") == 0 {
                throw .noStore(folder: path)
            }
            return (file, source)
        } catch .inputOutput {
            // A folder, or what cannot be read at all.
            throw .notAStore(path: source)
        }
    }

    /// In what a copy is other than this store, as far as a record there or here is asked for.
    ///
    /// Devices are left out: nobody brings these back.
    /// - Parameter isMeant: whether a record of a store is asked for; the store is the copy or this one.
    package func difference(
        from copy: Store,
        where isMeant: (Record, Store) throws(StoreFault) -> Bool = { _, _ in true }
    ) throws(StoreFault) -> CopyDifference {
        var difference = CopyDifference()
        var standIns: Set<RecordName> = []
        for index in copy.collections.indices.dropFirst() {
            try copy.records.forEachRecord(in: index) { there throws(StoreFault) in
                guard !there.verdict.isDeleted, try isMeant(there, copy) else { return }
                let name = try standIn(of: there.name)
                if name != there.name { standIns.insert(name) }
                guard let here = try records.find(name) else {
                    if name == there.name {
                        difference.missing.append(there.name)
                    } else {
                        difference.purged.append(there.name)
                    }
                    return
                }
                if here.verdict.isDeleted {
                    difference.deleted.append(there.name)
                } else if try assignments(from: here.record, to: there.record).isEmpty {
                    difference.equalCount += 1
                } else {
                    difference.changed.append(there.name)
                }
            }
        }
        for index in collections.indices.dropFirst() {
            try records.forEachRecord(in: index) { here throws(StoreFault) in
                guard !here.verdict.isDeleted, !standIns.contains(here.name),
                    try isMeant(here, self)
                else { return }
                let there = try copy.records.find(here.name)
                if there?.verdict.isDeleted ?? true { difference.later.append(here.name) }
            }
        }
        return difference
    }

    /// Brings back what a copy has and this store has not, in one transaction: deleted records are restored,
    /// fields get the copy's values, and what was purged comes as new records.
    ///
    /// All of it are writes like any others: they sync, and can be undone.
    /// - Parameter deletesLater: whether what is alive here and not in the copy is deleted.
    package func restore(
        _ difference: CopyDifference, from copy: Store, deletesLater: Bool = false
    ) throws(StoreFault) {
        try edit { transaction throws(StoreFault) in
            // Another process may have changed a record since the comparison.
            for name in difference.deleted + difference.changed {
                let here = try standIn(of: name)
                guard let there = try copy.records.find(name), let old = try records.find(here)
                else {
                    continue
                }
                if old.verdict.isDeleted { try transaction.restore(here) }
                guard let now = try records.find(here), !now.verdict.isDeleted else { continue }
                let values = try assignments(from: now.record, to: there.record)
                if !values.isEmpty { try transaction.update(here, values) }
            }
            for name in difference.missing + difference.purged {
                let here = try standIn(of: name)
                guard let there = try copy.records.find(name), try records.find(here) == nil else {
                    continue
                }
                let values = try assignments(from: RecordState(), to: there.record)
                try transaction.insert(values, into: here.collection, id: here.id)
            }
            guard deletesLater else { return }
            for name in difference.later where try records.find(name)?.verdict.isDeleted == false {
                try transaction.delete(name)
            }
        }
    }

    /// The record that stands here for one of a copy: itself, unless it was purged, which is for ever.
    ///
    /// Every device finds the same, so that what two of them bring back is there once.
    /// - Parameter ifMade: whether only a record that is here already stands for another one.
    package func standIn(
        of name: RecordName, ifMade: Bool = false
    ) throws(StoreFault) -> RecordName {
        guard let found = try records.find(name), found.wasPurged else { return name }
        let standIn = try records.standIn(for: found)
        return ifMade && standIn.record == nil ? name : standIn.name
    }

    /// The assignments that make a record show what another one shows.
    private func assignments(
        from here: RecordState, to there: RecordState
    ) throws(StoreFault) -> [Assignment] {
        var shown: [Field: (here: Value, there: Value)] = [:]
        here.forEachVisible { shown[$0] = ($1, .null) }
        there.forEachVisible { shown[$0, default: (.null, .null)].there = $1 }
        var result: [Assignment] = []
        for (field, values) in shown.sorted(by: { $0.key < $1.key }) where field > .purged {
            var value = values.there
            if case .reference(let target) = value { value = .reference(try standIn(of: target)) }
            if values.here != value { result.append(Assignment(field, value)) }
        }
        return result
    }
}

/// In what a copy of a store is other than the store itself is now; each record is in one list at most.
package struct CopyDifference: Hashable, Sendable {
    /// Alive in the copy, in the trash here.
    package var deleted: [RecordName] = []
    /// Alive in the copy, and purged here: they can only come back as new ones.
    package var purged: [RecordName] = []
    /// Alive in the copy, and not known here.
    package var missing: [RecordName] = []
    /// Alive in both, with other values.
    package var changed: [RecordName] = []
    /// Alive here, and not alive in the copy: made since, or brought back.
    package var later: [RecordName] = []
    /// How many are alive in both and the same.
    package var equalCount = 0

    /// Nothing is other.
    package init() {}

    /// Whether nothing has to be written so that all that the copy has is here.
    package var isNothingMissing: Bool {
        deleted.isEmpty && purged.isEmpty && missing.isEmpty && changed.isEmpty
    }
}

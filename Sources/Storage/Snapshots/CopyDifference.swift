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
            return try open(folder: folder, schema: schema, environment: environment)
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
    package func difference(
        from copy: Store, where isMeant: (Record) -> Bool = { _ in true }
    ) throws(StoreFault) -> CopyDifference {
        var difference = CopyDifference()
        var standIns: Set<RecordID> = []
        for index in copy.collections.indices.dropFirst() {
            try copy.records.forEachRecord(in: index) { there throws(StoreFault) in
                guard !there.verdict.isDeleted, isMeant(there) else { return }
                let id = try standIn(of: there.id)
                if id != there.id { standIns.insert(id) }
                guard let here = try records.find(id) else {
                    if id == there.id {
                        difference.missing.append(there.id)
                    } else {
                        difference.purged.append(there.id)
                    }
                    return
                }
                if here.verdict.isDeleted {
                    difference.deleted.append(there.id)
                } else if try assignments(from: here.record, to: there.record).isEmpty {
                    difference.equalCount += 1
                } else {
                    difference.changed.append(there.id)
                }
            }
        }
        for index in collections.indices.dropFirst() {
            try records.forEachRecord(in: index) { here throws(StoreFault) in
                guard !here.verdict.isDeleted, isMeant(here), !standIns.contains(here.id) else {
                    return
                }
                let there = try copy.records.find(here.id)
                if there?.verdict.isDeleted ?? true { difference.later.append(here.id) }
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
            for id in difference.deleted + difference.changed {
                let here = try standIn(of: id)
                guard let there = try copy.records.find(id), let old = try records.find(here) else {
                    continue
                }
                if old.verdict.isDeleted { try transaction.restore(here) }
                guard let now = try records.find(here), !now.verdict.isDeleted else { continue }
                let values = try assignments(from: now.record, to: there.record)
                if !values.isEmpty { try transaction.update(here, values) }
            }
            for id in difference.missing + difference.purged {
                let here = try standIn(of: id)
                guard let there = try copy.records.find(id), try records.find(here) == nil else {
                    continue
                }
                let values = try assignments(from: RecordState(), to: there.record)
                try transaction.insert(values, into: there.collection, id: here)
            }
            guard deletesLater else { return }
            for id in difference.later where try records.find(id)?.verdict.isDeleted == false {
                try transaction.delete(id)
            }
        }
    }

    /// The record that stands here for one of a copy: itself, unless it was purged, which is for ever.
    ///
    /// Every device finds the same, so that what two of them bring back is there once.
    package func standIn(of id: RecordID) throws(StoreFault) -> RecordID {
        var id = id
        for _ in 0..<Self.standInCountMax {
            guard let found = try records.find(id), found.verdict.isPurged, found.verdict.isDeleted
            else {
                break
            }
            id = Self.derivedID(found.collection, key: "in place of \(id)")
        }
        return id
    }

    /// How often one record may be purged and brought back.
    private static let standInCountMax = 1000

    /// The assignments that make a record show what another one shows.
    private func assignments(
        from here: RecordState, to there: RecordState
    ) throws(StoreFault) -> [Assignment] {
        var result: [Assignment] = []
        var fields = Set(there.fields)
        fields.formUnion(here.fields)
        for field in fields.sorted() where field != .deleted && field != .purged {
            var value = there.visible(field) ?? .null
            if case .reference(let target) = value { value = .reference(try standIn(of: target)) }
            if here.visible(field) ?? .null != value { result.append(Assignment(field, value)) }
        }
        return result
    }
}

/// In what a copy of a store is other than the store itself is now; each record is in one list at most.
package struct CopyDifference: Hashable, Sendable {
    /// Alive in the copy, in the trash here.
    package var deleted: [RecordID] = []
    /// Alive in the copy, and purged here: they can only come back as new ones.
    package var purged: [RecordID] = []
    /// Alive in the copy, and not known here.
    package var missing: [RecordID] = []
    /// Alive in both, with other values.
    package var changed: [RecordID] = []
    /// Alive here, and not alive in the copy: made since, or brought back.
    package var later: [RecordID] = []
    /// How many are alive in both and the same.
    package var equalCount = 0

    /// Nothing is other.
    package init() {}

    /// Whether nothing has to be written so that all that the copy has is here.
    package var isNothingMissing: Bool {
        deleted.isEmpty && purged.isEmpty && missing.isEmpty && changed.isEmpty
    }
}

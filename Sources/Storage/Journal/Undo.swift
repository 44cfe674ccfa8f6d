import Core

/// Undoing what this device did, by new writes: it works after a sync as before it.
extension Store {
    /// The number of entries that are read at once.
    private static let undoPageCount = 1000
    /// How many of the latest changes are looked at for the undo that a redo takes back.
    package static let redoLookCount = 200
    /// How many of the newest records are looked at for those that were made here and not touched since.
    package static let madeLookCount = 1000

    /// The changes that were made here, the latest first.
    ///
    /// Of a change that made very many records not all of them are named.
    package func localChanges(limit: Int) throws(StoreFault) -> [LocalChange] {
        try database.reading { () throws(StoreFault) in try changes(limit: limit) }
    }

    private func changes(limit: Int) throws(StoreFault) -> [LocalChange] {
        var groups: [HybridTimestamp: [JournalEntry]] = [:]
        for entry in try untouched() { groups[entry.timestamp, default: []].append(entry) }
        var number = Int64.max
        while true {
            let page = try journal.entries(upTo: number, limit: Self.undoPageCount)
            for entry in page where isLocal(entry) {
                groups[entry.timestamp, default: []].append(entry)
            }
            guard let last = page.last, page.count == Self.undoPageCount, groups.count <= limit
            else { break }
            number = last.number - 1
        }
        let undoes = try journal.undoes()
        return groups.keys.sorted(by: >).prefix(limit).map { timestamp in
            LocalChange(
                timestamp: timestamp, entries: groups[timestamp] ?? [],
                undoneBy: Self.standingUndo(of: timestamp, among: undoes),
                undoes: undoes[timestamp])
        }
    }

    /// The undo of a change that is not undone itself; nil if the change stands.
    ///
    /// - Parameter undoes: what each undo took back.
    private static func standingUndo(
        of timestamp: HybridTimestamp, among undoes: [HybridTimestamp: HybridTimestamp]
    ) -> HybridTimestamp? {
        undoes.keys.first {
            undoes[$0] == timestamp && standingUndo(of: $0, among: undoes) == nil
        }
    }

    /// The change that a plain undo takes back: the latest that stands and is no undo itself.
    package func nextToUndo() throws(StoreFault) -> LocalChange? {
        var limit = 20
        while true {
            let changes = try localChanges(limit: limit)
            if let found = changes.first(where: { $0.undoneBy == nil && $0.undoes == nil }) {
                return found
            }
            if changes.count < limit { return nil }
            limit *= 10
        }
    }

    /// The records of the purge that a plain undo would pass over on its way to a change; empty if there is none, or
    /// if the user has gone past it already.
    ///
    /// - Parameter change: the change that would be undone; nil if there is none.
    package func purged(after change: LocalChange?) throws(StoreFault) -> [RecordName] {
        try database.reading { () throws(StoreFault) in
            let start = change?.timestamp ?? .zero
            guard let purge = try journal.latestPurge(after: start) else { return [] }
            let undoes = try journal.undoes()
            if undoes.contains(where: { $0.key > purge && $0.value < purge }) { return [] }
            return try journal.entries(at: purge).filter { $0.field == .purged }.map(\.record)
        }
    }

    /// The undo that a redo takes back: the latest that stands.
    package func nextToRedo() throws(StoreFault) -> LocalChange? {
        let changes = try localChanges(limit: Self.redoLookCount)
        // An edit made since leaves nothing to go forward to.
        for change in changes {
            if change.undoes == nil {
                if change.undoneBy == nil { return nil }
                continue
            }
            // A redo took an undo back, rather than an edit.
            let isRedo = changes.contains { $0.timestamp == change.undoes && $0.undoes != nil }
            if change.undoneBy == nil, !isRedo { return change }
        }
        return nil
    }

    /// The change that an undo took back; nil if it is not among the latest.
    package func undone(by change: LocalChange) throws(StoreFault) -> LocalChange? {
        try localChanges(limit: Self.redoLookCount).first { $0.timestamp == change.undoes }
    }

    private func isLocal(_ entry: JournalEntry) -> Bool {
        switch entry.kind {
        case .local, .dropped, .opened: true
        case .made: entry.author == knowledge.replica
        case .merged, .above, .beside, .erased: false
        }
    }

    /// Records that were made here and never changed since have no entry in the journal: the newest of
    /// them, or those of one transaction.
    private func untouched(
        madeAt timestamp: HybridTimestamp? = nil
    ) throws(StoreFault)
        -> [JournalEntry]
    {
        var found: [JournalEntry] = []
        for index in collections.indices where collections[index].id != .devices {
            if index == collections.count - 1 { continue }
            let schema = collections[index]
            let collection = Hexadecimal.text(schema.id.canonicalBytes)
            let known =
                "NOT EXISTS (SELECT 1 FROM journal WHERE record = t.id AND collection = x'\(collection)')"
            let columns = (RowCodec.fixedColumns + schema.fields.map(\.column)).map { "t.\($0)" }
            let rows = try database.connection.statement(
                """
                SELECT \(columns.joined(separator: ", ")) FROM \(schema.table) AS t
                WHERE t.state = 0 AND \(known)\(timestamp == nil ? "" : " AND length(t.clock) < 20")
                ORDER BY t.sequence DESC LIMIT \(timestamp == nil ? Self.madeLookCount : -1)
                """)
            defer { rows.reset() }
            while try rows.step() {
                let stored = try records.stored(rows, index)
                guard let write = stored.record.onlyWrite, write.dot.replica == knowledge.replica,
                    timestamp == nil || write.timestamp == timestamp
                else { continue }
                found.append(making(of: stored.name, write))
            }
        }
        return found
    }

    private func making(of record: RecordName, _ write: Write) -> JournalEntry {
        JournalEntry(
            number: 0, record: record, field: .deleted, kind: .made, author: write.dot.replica,
            counter: write.dot.counter, timestamp: write.timestamp,
            arrived: write.timestamp.milliseconds, before: nil, after: nil, previous: nil)
    }

    /// All entries of one change that was made here, the latest first.
    package func localEntries(of timestamp: HybridTimestamp) throws(StoreFault) -> [JournalEntry] {
        try database.reading { () throws(StoreFault) in
            let found = try journal.entries(at: timestamp).filter(isLocal)
            return found + (try untouched(madeAt: timestamp))
        }
    }

    /// Undoes a change that was made here: the fields show again what they showed before it.
    ///
    /// - Parameter isForced: whether to go on where somebody changed a field later.
    /// - Throws: `noSuchRecord` if the journal has no such change (any more).
    package func undo(
        _ timestamp: HybridTimestamp, isForced: Bool = false
    ) throws(StoreFault)
        -> UndoOutcome
    {
        try edit { transaction throws(StoreFault) in
            let entries = try localEntries(of: timestamp)
            if entries.isEmpty { throw .noSuchRecord }
            let undoes = try journal.undoes()
            if Self.standingUndo(of: timestamp, among: undoes) != nil { return .undoneAlready }
            let byRecord = Dictionary(grouping: entries, by: \.record)
            var plans: [UndoPlan] = []
            for name in Self.inOrder(entries.map(\.record)) {
                guard let stored = try records.find(name), let own = byRecord[name] else {
                    continue
                }
                // A former id may be another's by now, of whom this store is a copy.
                plans.append(UndoPlan(stored, own, isOwn: { $0 == knowledge.replica }))
            }
            let obstacles = plans.flatMap(\.obstacles)
                .filter { !isForced || !$0.reason.yields }
            if !obstacles.isEmpty { return .refused(obstacles) }
            var changed: [RecordName] = []
            for plan in plans where try transaction.carryOut(plan) { changed.append(plan.record) }
            try journal.note(undo: transaction.timestamp, of: timestamp)
            return .done(changed)
        }
    }

    private static func inOrder(_ names: [RecordName]) -> [RecordName] {
        var seen: Set<RecordName> = []
        return names.filter { seen.insert($0).inserted }
    }
}

extension Transaction {
    /// The reading of the clock that all writes of this transaction have.
    package var timestamp: HybridTimestamp { edit.writeTimestamp }

    /// Makes a record what it was.
    ///
    /// - Parameter deletes: whether a record that is to be deleted is, with those that it owns.
    /// - Returns: whether anything was written.
    @discardableResult
    func carryOut(_ plan: UndoPlan, deletes: Bool = true) throws(StoreFault) -> Bool {
        var isChanged = false
        if plan.isDeleted == false {
            isChanged = try takeBackDelete(plan.record)
            if !isChanged { isChanged = try restore(plan.record) }
        }
        // Of a field in conflict the value is chosen by whoever forces the undo.
        if !plan.assignments.isEmpty, try update(plan.record, plan.assignments, resolves: true) {
            isChanged = true
        }
        for conflict in plan.conflicts {
            try put(conflict.values, beside: conflict.field, of: plan.record)
            isChanged = true
        }
        if deletes, plan.isDeleted == true, try delete(plan.record) { isChanged = true }
        return isChanged
    }
}

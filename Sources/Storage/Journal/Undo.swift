import Core

/// Undoing what this device did, by new writes: it works after a sync as before it.
extension Store {
    /// How many of the latest changes are looked at for the undo that a redo takes back.
    package static let redoLookCount = 200
    /// How many of the records that a change made and nobody has touched since are named.
    package static let madeLookCount = 1000

    /// The changes that were made here, the latest first.
    ///
    /// Of a change that made very many records not all of them are named.
    package func localChanges(limit: Int) throws(StoreFault) -> [LocalChange] {
        var found: [LocalChange] = []
        if limit <= 0 { return found }
        try forEachLocalChange { change, _ throws(StoreFault) in
            if let change = try withEntries(change) { found.append(change) }
            return found.count < limit
        }
        return found
    }

    /// The change that a plain undo takes back, unless it would pass over a purge to an older edit.
    package func nextToUndo() throws(StoreFault) -> NextUndo {
        try database.reading { () throws(StoreFault) in
            let change = try latestToUndo()
            if let purge = try purge(after: change) { return .purge(purge, before: change) }
            return change.map { .change($0) } ?? .nothing
        }
    }

    /// The latest change that stands and is no undo itself.
    private func latestToUndo() throws(StoreFault) -> LocalChange? {
        var found: LocalChange?
        try forEachLocalChange { change, _ throws(StoreFault) in
            if change.undoneBy == nil, change.undoes == nil { found = try withEntries(change) }
            return found == nil
        }
        return found
    }

    /// The purge that a plain undo would pass over on its way to a change; nil if there is none, or if the user has gone
    /// past it already.
    ///
    /// - Parameter change: the change that would be undone; nil if there is none.
    private func purge(after change: LocalChange?) throws(StoreFault) -> PassedPurge? {
        let start = change?.timestamp ?? .zero
        let undoes = try journal.undoes()
        if let purge = try journal.latestPurge(after: start) {
            if undoes.hasPassed(purge) { return nil }
            return PassedPurge(records: try journal.purged(at: purge), isOwn: true)
        }
        // An edit that stands would be the one to undo, if another device had left anything of it.
        let lost = try journal.lost(after: start, limit: Self.redoLookCount).first {
            undoes.target(of: $0.timestamp) == nil && undoes.standing(of: $0.timestamp) == nil
        }
        guard let lost, !undoes.hasPassed(lost.timestamp) else { return nil }
        return PassedPurge(records: [lost.record], isOwn: false)
    }

    /// The undo that a redo takes back: the latest that stands.
    package func nextToRedo() throws(StoreFault) -> LocalChange? {
        var found: LocalChange?
        var rest = Self.redoLookCount
        try forEachLocalChange { change, undoes throws(StoreFault) in
            rest -= 1
            if let undone = change.undoes {
                // A redo took an undo back, rather than an edit.
                if change.undoneBy == nil, undoes.target(of: undone) == nil {
                    found = try withEntries(change)
                }
            } else if change.undoneBy == nil, try withEntries(change) != nil {
                // An edit made since leaves nothing to go forward to.
                return false
            }
            return found == nil && rest > 0
        }
        return found
    }

    /// The change that an undo took back; nil if it is not known any more.
    package func undone(by change: LocalChange) throws(StoreFault) -> LocalChange? {
        guard let timestamp = change.undoes else { return nil }
        return try localChange(at: timestamp)
    }

    /// A change that was made here; nil if it is not known any more.
    package func localChange(at timestamp: HybridTimestamp) throws(StoreFault) -> LocalChange? {
        try database.reading { () throws(StoreFault) in
            try withEntries(Self.change(at: timestamp, among: try journal.undoes()))
        }
    }

    /// Whether a change that was made here is undone, or is done again after it was; nil if no undo of it is known.
    package func isUndone(_ timestamp: HybridTimestamp) throws(StoreFault) -> Bool? {
        try database.reading { () throws(StoreFault) in
            try journal.undoes().isUndone(timestamp)
        }
    }

    /// Gives the changes that were made here to `body`, the latest first and without their entries, until it returns
    /// false; and what each undo took back.
    private func forEachLocalChange(
        _ body: (LocalChange, KnownUndoes) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        try database.reading { () throws(StoreFault) in
            let undoes = try journal.undoes()
            var last: HybridTimestamp?
            while let timestamp = try journal.localTimestamp(before: last) {
                if try !body(Self.change(at: timestamp, among: undoes), undoes) { return }
                last = timestamp
            }
        }
    }

    private static func change(
        at timestamp: HybridTimestamp, among undoes: KnownUndoes
    ) -> LocalChange {
        LocalChange(
            timestamp: timestamp, entries: [], undoneBy: undoes.standing(of: timestamp),
            undoes: undoes.target(of: timestamp))
    }

    /// The change with its entries; nil if none is left.
    private func withEntries(_ change: LocalChange) throws(StoreFault) -> LocalChange? {
        var change = change
        change.entries = try localEntries(of: change.timestamp, madeLimit: Self.madeLookCount)
        return change.entries.isEmpty ? nil : change
    }

    /// All entries of one change that was made here, the latest first.
    ///
    /// - Parameter madeLimit: the most records to name that it made and nobody has touched since; nil for all.
    package func localEntries(
        of timestamp: HybridTimestamp, madeLimit: Int? = nil
    ) throws(StoreFault) -> [JournalEntry] {
        try database.reading { () throws(StoreFault) in
            try journal.localEntries(at: timestamp)
                + (try untouched(madeAt: timestamp, limit: madeLimit))
        }
    }

    /// Records that one transaction made here and that were never changed since: they have no entry in the journal.
    ///
    /// Each has one of the arrival numbers that the transaction gave; no other row is looked at.
    private func untouched(
        madeAt timestamp: HybridTimestamp, limit: Int?
    ) throws(StoreFault) -> [JournalEntry] {
        guard let making = try journal.making(at: timestamp) else { return [] }
        var found: [JournalEntry] = []
        for index in collections.indices.dropLast() where collections[index].id != .devices {
            let schema = collections[index]
            let collection = Hexadecimal.text(schema.id.canonicalBytes)
            let rows = try database.connection.statement(
                """
                SELECT t.id, t.clock, t.meta FROM \(schema.table) AS t
                WHERE t.sequence BETWEEN ? AND ? AND +t.state = 0 AND NOT EXISTS
                    (SELECT 1 FROM journal WHERE record = t.id AND collection = x'\(collection)')
                ORDER BY t.sequence DESC LIMIT ?
                """)
            rows.bind(1, making.sequences.lowerBound)
            rows.bind(2, making.sequences.upperBound)
            rows.bind(3, Int64(limit.map { $0 - found.count } ?? -1))
            defer { rows.reset() }
            while try rows.step() {
                guard let id = rows.identifier(0) else { continue }
                let name = RecordName(schema.id, RecordID(value: id))
                guard let write = try onlyWrite(of: name, rows), write.timestamp == timestamp,
                    write.dot.replica == knowledge.replica
                else { continue }
                found.append(
                    JournalEntry(
                        number: 0, record: name, field: .deleted, kind: .made,
                        author: write.dot.replica, counter: write.dot.counter,
                        timestamp: timestamp, arrived: timestamp.milliseconds, before: nil,
                        after: nil, previous: nil))
            }
        }
        return found
    }

    /// The dot and time of the write that made a record, if it has no other.
    ///
    /// - Parameter row: its clock and its meta bytes are in the columns 1 and 2.
    private func onlyWrite(
        of name: RecordName, _ row: PreparedStatement
    ) throws(StoreFault) -> (dot: Dot, timestamp: HybridTimestamp)? {
        if let timestamp = row.withBytes(2, RowCodec.onlyTimestamp),
            let clock = knowledge.clock(in: row, 1), clock.entries.count == 1
        {
            let entry = clock.entries[0]
            return (Dot(replica: entry.replica, counter: entry.counter), timestamp)
        }
        return try records.find(name)?.record.onlyWrite.map { ($0.dot, $0.timestamp) }
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
            if undoes.standing(of: timestamp) != nil { return .undoneAlready }
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
        for contest in plan.contests {
            try put(contest.values, beside: contest.field, of: plan.record)
            isChanged = true
        }
        return isChanged
    }
}

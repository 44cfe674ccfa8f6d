import Core
import Storage

extension JournalEntry {
    /// Whether a person wants to see it: a field that only keeps count is left out, and what another entry tells.
    package var isShown: Bool {
        // Of a decision by which a to-do is deleted, or back, there is an entry that says so.
        if isDecisionOnDelete, before != after { return false }
        let hidden = [ToDoSchema.Number.completions, ToDoSchema.Number.anchor]
        if case .number(let number) = field.name { return !hidden.contains(number) }
        return true
    }

    /// Whether it is the value for which a conflict was decided.
    package var isChosen: Bool { kind == .dropped && before ?? .null == after ?? .null }
}

extension LocalChange {
    /// The edits that a person wants to see; side effects, such as a next occurrence, are left out.
    package var shownEdits: [JournalEntry] {
        entries.filter { $0.kind != .made && $0.isShown }
    }

    /// The first edit that a person wants to see, else the first entry.
    package var firstShown: JournalEntry? { shownEdits.first ?? entries.first }

    /// Whether it may have made more to-dos than were looked at.
    package var mayHaveMadeMore: Bool {
        // The journal numbers its entries from 1 on; what nobody touched since it was made has none there.
        entries.count { $0.number == 0 } >= Store.madeLookCount
    }

    /// How many to-dos it was about.
    ///
    /// - Parameter changed: the records that its undo changed: those that were not looked at are among them.
    package func recordCount(undone changed: [RecordName]) -> Int {
        let named = Set(entries.map(\.record)).count
        return mayHaveMadeMore ? max(named, changed.count) : named
    }

    /// The records among these that it made beside others: they are in the trash once it is undone.
    package func unmade(among changed: [RecordName]) -> [RecordName] {
        let made = Set(entries.filter { $0.kind == .made }.map(\.record))
        let named = Set(entries.map(\.record))
        // One that was not looked at was made and never touched.
        let unmade = changed.filter { made.contains($0) || !named.contains($0) }
        return unmade.count == changed.count ? [] : unmade
    }
}

extension PassedPurge {
    /// The reason why nothing is undone, as the end of a sentence on the last thing that was done here.
    package var predicate: String {
        isOwn
            ? "is the purge of \(records.count == 1 ? "1 to-do" : "\(records.count) to-dos"), "
                + "which nothing can undo"
            : "was with a to-do that another device has purged since; nothing of it is left to undo"
    }
}

/// The changes of this device, and their undo.
extension ToDoStore {
    /// The changes that were made here, the latest first.
    ///
    /// Of a change that made very many to-dos not all of them are named.
    package func localChanges(limit: Int) throws(StoreFault) -> [LocalChange] {
        try store.localChanges(limit: limit)
    }

    /// A change that was made here; nil if the journal does not know it any more.
    package func localChange(at timestamp: HybridTimestamp) throws(StoreFault) -> LocalChange? {
        try store.localChange(at: timestamp)
    }

    /// The changes from the latest to one that was made here; empty if it is not among the latest.
    package func localChanges(downTo change: LocalChange) throws(StoreFault) -> [LocalChange] {
        let changes = try localChanges(limit: Store.redoLookCount)
        let index = changes.firstIndex { $0.timestamp == change.timestamp }
        return index.map { Array(changes[...$0]) } ?? []
    }

    /// The change that a plain undo takes back, unless it would pass over a purge to an older edit.
    package func nextToUndo() throws(StoreFault) -> NextUndo { try store.nextToUndo() }

    /// The undo that a redo takes back: the latest that stands.
    package func nextToRedo() throws(StoreFault) -> LocalChange? { try store.nextToRedo() }

    /// The change that an undo took back; nil if it is not known any more.
    package func undone(by change: LocalChange) throws(StoreFault) -> LocalChange? {
        try store.undone(by: change)
    }

    /// Undoes a change that was made here: the fields show again what they showed before it.
    ///
    /// - Parameter isForced: whether to go on where somebody changed a field later.
    /// - Throws: `noSuchRecord` if the journal has no such change (any more).
    package func undo(
        _ timestamp: HybridTimestamp, isForced: Bool = false
    ) throws(StoreFault) -> UndoOutcome {
        try store.undo(timestamp, isForced: isForced)
    }
}

/// Reasons against an undo.
extension ToDoStore {
    /// Whether an obstacle is that another device made the same occurrence of a series, which the undo would delete.
    ///
    /// The making is the one write that gives an occurrence its series.
    package func isMadeElsewhere(_ obstacle: UndoOutcome.Obstacle) throws(StoreFault) -> Bool {
        guard case .changedLater(let author, let time) = obstacle.reason,
            let stored = try stored(obstacle.record.id)
        else { return false }
        let series = Field.number(ToDoSchema.Number.series)
        return stored.record.writes.contains { write in
            write.dot.replica == author && write.timestamp == time
                && write.assignments.contains { $0.field == series }
        }
    }
}

/// History, and what was shown at a time.
extension ToDoStore {
    /// The changes of one to-do, the latest first, and since when the journal knows them.
    ///
    /// - Parameter limit: the most to give; nil for all.
    package func history(
        of id: RecordID, limit: Int?
    ) throws(StoreFault) -> (entries: [JournalEntry], since: Int64?) {
        (try store.journal.entries(of: id, limit: limit), try store.journal.start())
    }

    /// The assignments that make a to-do show again its values of a time.
    package enum Past: Sendable, Equatable {
        /// These values, and whether it was in the trash.
        case shown([Assignment], isDeleted: Bool)
        /// It was not here yet.
        case notYetHere
        /// The journal goes back only to this time; milliseconds since 1970.
        case unknown(since: Int64)
    }

    /// The values that a to-do showed here at a time, as far as they differ from now.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970, by this device's clock.
    ///   - field: the one field to look at; nil for all.
    package func past(
        of stored: Record, at time: Int64, field: Field? = nil
    ) throws(StoreFault) -> Past {
        let entries = try store.journal.entries(of: stored.id)
        if let since = try store.journal.start(), time < since { return .unknown(since: since) }
        let later = entries.prefix { $0.arrived > time }
        // The journal notes with the first change that a to-do was made, and when: it was here from then on.
        if let made = entries.last, made.kind == .made,
            min(made.arrived, made.timestamp.milliseconds) > time
        {
            return .notYetHere
        }
        if entries.isEmpty, let write = stored.record.writes.first,
            write.timestamp.milliseconds > time
        {
            return .notYetHere
        }
        var values: [Field: Value] = [:]
        var isDeleted = stored.verdict.isDeleted
        for entry in later {
            switch entry.kind {
            case .local, .merged, .above:
                if entry.field == .deleted {
                    isDeleted = entry.before == .bool(true)
                } else {
                    values[entry.field] = entry.before ?? .null
                }
            case .beside, .dropped, .opened, .made, .erased: continue
            }
        }
        let assignments = values.filter { item in
            let isMeant = field.map { $0 == item.key || $0.name == item.key.name } ?? true
            return isMeant && stored.record.visible(item.key) ?? .null != item.value
        }.map { Assignment($0.key, $0.value) }.sorted { $0.field < $1.field }
        return .shown(assignments, isDeleted: isDeleted)
    }

    /// What a to-do showed at a time: the assignments that `past` gave, and whether it was in the trash.
    package typealias PastValues = (id: RecordID, assignments: [Assignment], isDeleted: Bool)

    /// Whether a to-do shows anything else now than it did at a time.
    package static func isOther(_ stored: Record, than past: PastValues) -> Bool {
        !past.assignments.isEmpty || past.isDeleted != stored.verdict.isDeleted
    }

    /// Makes to-dos show what they showed at a time, by new writes in one edit; one that was not in the trash then is brought
    /// back.
    ///
    /// - Returns: those that were changed.
    package func restore(_ pasts: [PastValues]) throws(StoreFault) -> Set<RecordID> {
        try store.edit { transaction throws(StoreFault) in
            var changed: Set<RecordID> = []
            for (id, assignments, isDeleted) in pasts {
                guard let stored = try transaction.record(id) else { throw .noSuchRecord }
                if !Self.isOther(stored, than: (id, assignments, isDeleted)) { continue }
                if stored.verdict.isDeleted, try transaction.restore(id) { changed.insert(id) }
                if !assignments.isEmpty,
                    try transaction.update(id, assignments, resolves: true)
                {
                    changed.insert(id)
                }
                if isDeleted, try transaction.delete(id) { changed.insert(id) }
            }
            return changed
        }
    }
}

/// The authors of the values of a conflict that was opened again.
///
/// An undo or a restore writes them under the dots of the device that does it, as every write is by the one
/// that makes it. The journal tells which device gave them first, where it can.
extension ToDoStore {
    /// Whether a value was written together with another one of the same field: only what puts a whole
    /// conflict back does so.
    static func isPutBack(
        _ candidate: FieldConflict.Candidate, in conflict: FieldConflict
    ) -> Bool {
        conflict.candidates.contains {
            $0.dot != candidate.dot && $0.dot.replica == candidate.dot.replica
                && $0.timestamp == candidate.timestamp
        }
    }

    func putBack(
        _ candidate: FieldConflict.Candidate, by device: String, _ field: Field, of id: RecordID,
        _ own: ReplicaID
    ) throws(StoreFault) -> ToDoConflict.Candidate {
        let isOwn = candidate.dot.replica == own
        let origin = try origin(of: candidate, field, of: id, isPutBackHere: isOwn)
        let giver = if let origin { try deviceName(origin.author) } else { device }
        let time = candidate.timestamp.milliseconds
        return ToDoConflict.Candidate(
            value: candidate.value, device: giver,
            isMine: origin.map { $0.kind == .local } ?? false,
            time: origin?.timestamp.milliseconds ?? time,
            putBack: ToDoConflict.PutBack(
                device: device, isMine: isOwn, time: time, isOriginKnown: origin != nil))
    }

    /// The entry of the journal by which the value came; nil if it may have been one or another.
    ///
    /// For its own writes, this device knows the entry. For received ones, it knows the entry only
    /// if a single device ever gave that value: otherwise another device may have chosen it in
    /// resolving the conflict.
    private func origin(
        of candidate: FieldConflict.Candidate, _ field: Field, of id: RecordID,
        isPutBackHere: Bool
    ) throws(StoreFault) -> JournalEntry? {
        let entries = try store.journal.entries(of: id).filter {
            $0.field == field && $0.timestamp < candidate.timestamp
        }
        // Deciding, and undoing that, gives no value first.
        let decisions = Set(
            entries.filter { $0.kind == .dropped || $0.kind == .opened }.map(\.timestamp))
        let gifts = entries.filter { entry in
            entry.after ?? .null == candidate.value && !decisions.contains(entry.timestamp)
                && (entry.kind == .local
                    || isPutBackHere && [.merged, .above, .beside].contains(entry.kind))
        }
        return Set(gifts.map(\.author)).count == 1 ? gifts.first : nil
    }
}

import Core
import Storage

/// Undo, history, and what was shown at a time.
extension ToDoStore {
    /// The changes made here that concern to-dos, the latest first.
    package func changes(limit: Int) throws(StoreFault) -> [LocalChange] {
        try store.localChanges(limit: limit)
    }

    /// The change that a plain undo takes back: the latest that stands and is no undo itself.
    package func nextToUndo() throws(StoreFault) -> LocalChange? {
        var limit = 20
        while true {
            let changes = try store.localChanges(limit: limit)
            if let found = changes.first(where: { $0.undoneBy == nil && $0.undoes == nil }) {
                return found
            }
            if changes.count < limit { return nil }
            limit *= 10
        }
    }

    /// The undo that a redo takes back: the latest that stands.
    package func nextToRedo() throws(StoreFault) -> LocalChange? {
        let changes = try store.localChanges(limit: 200)
        // An edit made since leaves nothing to go forward to.
        for change in changes {
            if change.undoes == nil {
                if change.undoneBy == nil { return nil }
                continue
            }
            if change.undoneBy == nil, !isRedo(change, among: changes) { return change }
        }
        return nil
    }

    /// Whether a change took an undo back, rather than an edit.
    private func isRedo(_ change: LocalChange, among changes: [LocalChange]) -> Bool {
        changes.contains { $0.timestamp == change.undoes && $0.undoes != nil }
    }

    /// What to write so that a to-do shows again what it showed here at a time.
    package enum Past: Sendable, Equatable {
        /// These values, and whether it was in the trash.
        case shown([Assignment], isDeleted: Bool)
        /// It was not here yet.
        case notYetHere
        /// The journal goes back only to this time; milliseconds since 1970.
        case unknown(since: Int64)
    }

    /// What a to-do showed here at a time, as far as it is other than now.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970, by this device's clock.
    ///   - field: the one field to look at; nil for all.
    package func past(
        of stored: StoredRecord, at time: Int64, field: Field? = nil
    ) throws(StoreFault) -> Past {
        let entries = try store.journal(of: stored.id)
        if let since = try store.journalStart(), time < since { return .unknown(since: since) }
        let later = entries.prefix { $0.arrived > time }
        if let made = entries.last, made.kind == .made, made.arrived > time { return .notYetHere }
        if entries.isEmpty, let write = stored.record.writes.first,
            write.timestamp.milliseconds > time
        {
            return .notYetHere
        }
        var values: [Field: Value] = [:]
        var isDeleted = stored.verdict.isDeleted
        for entry in later {
            switch entry.kind {
            case .local, .merged:
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

    /// Makes a to-do show what it showed at a time, by new writes.
    ///
    /// - Parameters:
    ///   - assignments: what `past` gave.
    ///   - isDeleted: whether it was in the trash; it is brought back where it was not.
    /// - Returns: whether anything was written.
    package func restore(
        _ id: RecordID, to assignments: [Assignment], isDeleted: Bool
    ) throws(StoreFault) -> Bool {
        try store.edit { transaction throws(StoreFault) in
            guard let stored = try transaction.record(id) else { throw .noSuchRecord }
            var isChanged = false
            if stored.verdict.isDeleted { isChanged = try transaction.restore(id) }
            if !assignments.isEmpty,
                try transaction.update(id, assignments, resolves: true)
            {
                isChanged = true
            }
            if isDeleted, try transaction.delete(id) { isChanged = true }
            return isChanged
        }
    }
}

import Core
import Storage

/// Edits of fields in conflict: what grows a text decides nothing, what replaces one does.
extension ToDoStore {
    /// Writes an edit; of a field in conflict a text that only grew stands in the place of the shown one, and the values
    /// of others stay beside it.
    ///
    /// - Returns: whether anything was written.
    func update(
        _ id: RecordID, _ changes: [Assignment], in transaction: Transaction
    ) throws(StoreFault) -> Bool {
        let name = RecordName(toDo: id)
        guard let stored = try transaction.record(id), !stored.verdict.isDeleted else {
            return try transaction.update(id, changes)
        }
        var plain: [Assignment] = []
        var isChanged = false
        for change in changes {
            guard let seen = Self.seenIfGrown(change, stored.record) else {
                plain.append(change)
                continue
            }
            if try transaction.update(name, [change], seen: seen, bases: [:]) { isChanged = true }
        }
        if !plain.isEmpty, try transaction.update(id, plain) { isChanged = true }
        return isChanged
    }

    /// The values that an edit takes out of conflicts, as nobody sees them any more once it is made.
    package static func valuesDropped(
        by new: ToDoItem, from old: ToDoItem, of stored: Record
    ) -> [(field: Field, value: Value)] {
        var dropped: [(field: Field, value: Value)] = []
        for change in ToDoMapping.assignments(from: old, to: new)
        where seenIfGrown(change, stored.record) == nil {
            for candidate in stored.record.candidates(of: change.field).dropFirst()
            where candidate.value != change.value {
                dropped.append((change.field, candidate.value))
            }
        }
        return dropped
    }

    /// All writes but those of the values beside the shown one, if a text of a field in conflict only grew; nil else.
    private static func seenIfGrown(_ change: Assignment, _ record: RecordState) -> VersionVector? {
        if change.field.isElement { return nil }
        let candidates = record.candidates(of: change.field)
        guard candidates.count > 1, case .text(let new) = change.value,
            case .text(let shown) = candidates[0].value, !shown.isEmpty, new.contains(shown)
        else { return nil }
        var unseen: [ReplicaID: UInt64] = [:]
        for candidate in candidates.dropFirst() {
            let (replica, counter) = (candidate.dot.replica, candidate.dot.counter - 1)
            unseen[replica] = min(unseen[replica] ?? counter, counter)
        }
        var seen = VersionVector()
        for entry in record.clock.entries {
            let counter = min(entry.counter, unseen[entry.replica] ?? entry.counter)
            if counter > 0 { seen.include(counter, of: entry.replica) }
        }
        // Where one replica wrote both, nobody can have seen the shown value alone.
        return seen.covers(candidates[0].dot) ? seen : nil
    }
}

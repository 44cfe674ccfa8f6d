import Causality
import Merge
import Records
import Storage

/// What comes after a to-do that comes again.
extension ToDoStore {
    /// Makes what comes after a to-do that was completed just now, if it comes again.
    func makeNext(
        after id: RecordID, at time: Int64, in transaction: Transaction
    ) throws(StoreFault) {
        guard let stored = try transaction.record(id), !stored.verdict.isDeleted else { return }
        let item = ToDoMapping.item(stored)
        guard item.status == .completed, let next = next(of: item, completed: time) else { return }
        _ = try make(next, after: id, in: transaction)
    }

    /// What comes after a to-do; nil if nothing does.
    func next(of item: ToDoItem, completed: Int64) -> ToDoItem? {
        item.nextOccurrence(completed: completed, zone: zone, named: Self.zone(named:))
    }

    /// Makes the next occurrence, or has the one that is there already take over what has changed.
    ///
    /// One in the trash is brought back, as completing what comes before it asks for it. A field takes over
    /// the new value where it shows what it was given by the one before; what a person wrote in it stays.
    /// - Parameters:
    ///   - next: as it would be made now.
    ///   - previous: the to-do that it comes after.
    func make(
        _ next: ToDoItem, after previous: RecordID, in transaction: Transaction
    ) throws(StoreFault) -> RecordID? {
        guard let identifier = next.identifier else { return nil }
        let id = RecordID(value: identifier)
        guard let known = try transaction.record(id) else {
            return try transaction.insert(
                ToDoMapping.assignments(from: nil, to: next), into: ToDoSchema.collection, id: id)
        }
        if known.verdict.isPurged { return nil }
        if known.verdict.isDeleted { try transaction.restore(id) }
        // One that was finished itself tells what was done then.
        guard ToDoMapping.item(known).status == .pending else { return id }
        guard let given = try given(to: known, after: previous, in: transaction) else { return id }
        let before = ToDoMapping.values(of: given)
        let handedOn = try handedOn(to: id, after: previous)
        let untouched = ToDoMapping.assignments(from: given, to: next).filter { change in
            // A conflict is for a person to decide.
            if known.record.candidates(of: change.field).count > 1 { return false }
            let shown = known.record.visible(change.field) ?? .null
            return shown == before[change.field] ?? .null || handedOn.contains(change.field)
        }
        try transaction.update(id, untouched)
        return id
    }

    /// The fields whose last change came with a change of the status of the to-do before: by taking over, or
    /// as that was undone.
    private func handedOn(
        to id: RecordID, after previous: RecordID
    ) throws(StoreFault) -> Set<Field> {
        let changes = try store.journal(of: previous).filter {
            $0.field == .number(ToDoSchema.Number.status)
        }
        let times = Set(changes.map(\.timestamp))
        var last: [Field: HybridTimestamp] = [:]
        for entry in try store.journal(of: id) where last[entry.field] == nil {
            last[entry.field] = entry.timestamp
        }
        return Set(last.filter { times.contains($0.value) }.keys)
    }

    /// What an occurrence was given by the one before it; nil if this device cannot tell.
    private func given(
        to known: StoredRecord, after previous: RecordID, in transaction: Transaction
    ) throws(StoreFault) -> ToDoItem? {
        guard let stored = try transaction.record(previous) else { return nil }
        if let former = try lastFinished(stored, before: transaction.timestamp) {
            let item = ToDoMapping.item(former)
            return next(of: item, completed: item.completed ?? now)
        }
        // Undone on another device before this one saw it. In the trash, and all of one write, it is as
        // it was made, unless somebody wrote in it and brought it back from the trash before.
        let content = known.record.writes.filter { write in
            write.assignments.contains { $0.field > .purged }
        }
        guard known.verdict.isDeleted, content.count == 1,
            try !store.journal(of: known.id).contains(where: { $0.field > .purged })
        else { return nil }
        return ToDoMapping.item(known)
    }

    /// A to-do as it was when it was finished the time before; nil if the journal does not tell.
    private func lastFinished(
        _ stored: StoredRecord, before timestamp: HybridTimestamp
    ) throws(StoreFault) -> StoredRecord? {
        let entries = try store.journal(of: stored.id).filter {
            $0.kind == .local || $0.kind == .merged
        }
        let finish = entries.first {
            $0.field == .number(ToDoSchema.Number.status) && $0.timestamp != timestamp
                && $0.after.map { !$0.isNull } ?? false
        }
        guard let finish else { return nil }
        var values: [Field: Value] = [:]
        for field in stored.record.fields { values[field] = stored.record.visible(field) }
        for entry in entries.prefix(while: { $0.number > finish.number }) {
            // What came with it is a part of it.
            if entry.timestamp == finish.timestamp { continue }
            if entry.kind == .merged, finish.kind == .merged, entry.arrived == finish.arrived {
                continue
            }
            values[entry.field] = entry.before ?? .null
        }
        return stored.showing(values)
    }
}

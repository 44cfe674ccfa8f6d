import Core
import Storage

/// What becomes of the next occurrence where the one before it is pending again.
extension ToDoStore {
    /// Puts the next occurrence in the trash if it is as it was made.
    ///
    /// - Parameters:
    ///   - finished: the one before as it was until now.
    ///   - others: to-dos that are wanted.
    /// - Returns: nil if there is none.
    func takeBackNext(
        of finished: ToDoItem, _ id: RecordID, unless others: [RecordID],
        in transaction: Transaction
    ) throws(StoreFault) -> FollowingOutcome? {
        guard finished.repetition != nil, let identifier = finished.nextIdentifier else {
            return nil
        }
        let next = RecordID(value: identifier)
        guard let known = try transaction.record(next), !known.verdict.isDeleted,
            !others.contains(next)
        else { return nil }
        guard try isAsMade(known, after: id, finished, in: transaction) else { return .kept(next) }
        try transaction.delete(next)
        return .takenBack(next)
    }

    /// Whether nobody did anything with an occurrence since the one before gave it what it has.
    private func isAsMade(
        _ known: StoredRecord, after previous: RecordID, _ finished: ToDoItem,
        in transaction: Transaction
    ) throws(StoreFault) -> Bool {
        let item = ToDoMapping.item(known)
        guard item.status == .pending, item.work.isEmpty, !known.verdict.isContested,
            known.record.fieldConflicts.isEmpty
        else { return false }
        // What finishing would make of the one before as it is now is made again by that.
        let gifts = [
            try given(to: known, after: previous, in: transaction),
            next(of: finished, completed: finished.completed ?? now),
        ]
        let isGiven = gifts.contains { given in
            given.map { ToDoMapping.assignments(from: item, to: $0).isEmpty } ?? false
        }
        if !isGiven { return false }
        let parts = FetchRequest(
            ToDoSchema.collection,
            where: .compare(.field(ToDoSchema.Number.parent), .equal, .reference(known.id)))
        return try store.fetch(parts).isEmpty
    }
}

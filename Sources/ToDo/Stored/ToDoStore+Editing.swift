import Core
import Storage

/// Edits; each is saved whole or not at all.
extension ToDoStore {
    /// Makes a to-do.
    ///
    /// - Throws: `recordExists` if the item has the id of another.
    package func add(_ item: ToDoItem) throws(StoreFault) -> RecordID {
        var item = item
        item.created = item.created ?? now
        let assignments = ToDoMapping.assignments(from: nil, to: item)
        return try store.edit { transaction throws(StoreFault) in
            try transaction.insert(
                assignments, into: ToDoSchema.collection,
                id: item.identifier.map { RecordID(value: $0) })
        }
    }

    /// Makes to-dos, all of them or none.
    ///
    /// - Returns: their ids, in order.
    package func add(_ items: [ToDoItem]) throws(StoreFault) -> [RecordID] {
        try store.edit { transaction throws(StoreFault) in
            var ids: [RecordID] = []
            for var item in items {
                item.created = item.created ?? now
                ids.append(
                    try transaction.insert(
                        ToDoMapping.assignments(from: nil, to: item),
                        into: ToDoSchema.collection,
                        id: item.identifier.map { RecordID(value: $0) }))
            }
            return ids
        }
    }

    /// Changes several to-dos from what they showed, all of them or none.
    ///
    /// - Returns: those that were written.
    package func edit(
        _ edits: [(id: RecordID, old: ToDoItem, new: ToDoItem)]
    ) throws(StoreFault) -> Set<RecordID> {
        try store.edit { transaction throws(StoreFault) in
            var changed: Set<RecordID> = []
            for edit in edits {
                let assignments = ToDoMapping.assignments(from: edit.old, to: edit.new)
                if try transaction.update(edit.id, assignments) { changed.insert(edit.id) }
            }
            return changed
        }
    }

    /// Changes a to-do from what it showed to something else; what others changed meanwhile stays.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: `recordDeleted` if it is in the trash.
    package func edit(
        _ id: RecordID, from old: ToDoItem, to new: ToDoItem
    ) throws(StoreFault)
        -> Bool
    {
        let assignments = ToDoMapping.assignments(from: old, to: new)
        return try store.edit { transaction throws(StoreFault) in
            try transaction.update(id, assignments)
        }
    }

    /// Puts to-dos in the trash.
    ///
    /// - Returns: those that were not there, or were but not by every device's word.
    package func delete(_ ids: [RecordID]) throws(StoreFault) -> Set<RecordID> {
        try change(ids) { transaction, id throws(StoreFault) in try transaction.delete(id) }
    }

    /// Brings to-dos back from the trash, whole.
    ///
    /// - Returns: those that were there.
    /// - Throws: `recordPurged` if nothing is left to bring back.
    package func restore(_ ids: [RecordID]) throws(StoreFault) -> Set<RecordID> {
        try change(ids) { transaction, id throws(StoreFault) in try transaction.restore(id) }
    }

    /// Drops the content of deleted to-dos for ever.
    ///
    /// - Parameter isForced: whether to do so although a conflict is open or one is not deleted.
    /// - Returns: those that still had any.
    package func purge(
        _ ids: [RecordID], isForced: Bool = false
    ) throws(StoreFault)
        -> Set<RecordID>
    {
        try change(ids) { transaction, id throws(StoreFault) in
            try transaction.purge(id, isForced: isForced)
        }
    }

    private func change(
        _ ids: [RecordID], _ body: (Transaction, RecordID) throws(StoreFault) -> Bool
    ) throws(StoreFault) -> Set<RecordID> {
        try store.edit { transaction throws(StoreFault) in
            var changed: Set<RecordID> = []
            for id in ids where try body(transaction, id) { changed.insert(id) }
            return changed
        }
    }
}

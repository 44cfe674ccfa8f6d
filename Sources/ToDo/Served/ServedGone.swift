import Core
import Storage

/// To-dos that a client is told of as gone.
extension ServedToDos {
    /// The names of the resources that to-dos have, or had before they were deleted.
    ///
    /// Of one that was purged the name is known if the client was served it, or if it is that of its id.
    package func names(_ identifiers: [RecordID]) throws(StoreFault) -> [RecordID: String] {
        if identifiers.isEmpty { return [:] }
        return try todos.store.reading { () throws(StoreFault) in
            let names = try ServedNames(todos.store, for: identifiers.count)
            var found: [RecordID: String] = [:]
            for id in identifiers {
                guard let stored = try todos.stored(id) else { continue }
                let lost = stored.standing.isPurged ? try lastItem(of: id) : nil
                found[id] = try names.name(of: lost ?? ToDoMapping.item(stored))
            }
            return found
        }
    }

    /// The to-do as the client was served it last; nil if it was not, or that is not kept.
    private func lastItem(of id: RecordID) throws(StoreFault) -> ToDoItem? {
        guard let last = try memory(id)?.last, let text = try text(id, last.digest),
            let document = try? ICalendarDocument.read(text, zone: todos.zone),
            document.item.identifier == id.value
        else { return nil }
        return document.item
    }
}

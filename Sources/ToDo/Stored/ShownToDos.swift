import Core
import Storage

/// To-dos as they are shown: their parents read by the rule of references.
///
/// `ToDoMapping.item` gives a to-do as its record has it, which is right for edits: they write what differs. Whatever
/// a person or another program gets to see goes through here.
extension ToDoStore {
    private static let parent = FieldName.number(ToDoSchema.Number.parent)

    /// The to-dos that records show.
    ///
    /// - Complexity: the records above those that are given are read, and no others.
    package func items(_ records: [Record]) throws(StoreFault) -> [ToDoItem] {
        let parts = records.filter { $0[Self.parent] != nil }
        let above = try parents(of: parts)
        return records.map { record in
            var item = ToDoMapping.item(record)
            if item.parent != nil { item.parent = above[record.id]?.value }
            return item
        }
    }

    /// The to-do that a record shows.
    package func item(_ record: Record) throws(StoreFault) -> ToDoItem {
        var item = ToDoMapping.item(record)
        if item.parent != nil { item.parent = try parents(of: [record])[record.id]?.value }
        return item
    }

    /// The parents of records, and the parents of those in turn.
    func parents(of records: [Record]) throws(StoreFault) -> [RecordID: RecordID] {
        // Both ends are to-dos, so that their ids name them.
        var parents: [RecordID: RecordID] = [:]
        for (part, whole) in try store.followed(Self.parent, of: records) {
            parents[part.id] = whole.id
        }
        return parents
    }

    /// The pending to-dos that were made parts of one, also of one that is deleted by now.
    package func openParts(of id: RecordID) throws(StoreFault) -> [Record] {
        let field = FieldPath.field(ToDoSchema.Number.parent)
        return try store.fetch(
            FetchRequest(ToDoSchema.collection, where: .compare(field, .equal, .toDo(id)))
        ).filter { ToDoMapping.item($0).status == .pending }
    }

    /// The records whose to-do a filter takes, and a condition besides.
    func matching(
        _ records: [Record], _ filter: ToDoFilter, and takes: (ToDoItem) -> Bool = { _ in true }
    ) throws(StoreFault) -> [Record] {
        // Parents cost look-ups, and hardly any filter asks for them.
        let items =
            filter.readsParents ? try items(records) : records.map { ToDoMapping.item($0) }
        return zip(records, items).filter {
            filter.matches($0.1, now: now, zone: zone) && takes($0.1)
        }.map(\.0)
    }
}

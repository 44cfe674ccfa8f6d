import Core
import Storage

/// To-dos as they are shown: their parents and what they wait for read by the rule of references.
///
/// `ToDoMapping.item` gives a to-do as its record has it, which is right for edits: they write what differs. Whatever
/// a person or another program gets to see goes through here.
extension ToDoStore {
    private static let parent = FieldName.number(ToDoSchema.Number.parent)

    /// The to-dos that records show.
    ///
    /// - Complexity: the records above those that are given are read, what they wait for, and no others.
    package func items(_ records: [Record]) throws(StoreFault) -> [ToDoItem] {
        var items = records.map { ToDoMapping.item($0) }
        // Few have any: all others are left as they are.
        let parts = records.indices.filter { items[$0].parent != nil }
        if !parts.isEmpty {
            let above = try parents(of: parts.map { records[$0] })
            for index in parts { items[index].parent = above[records[index].id]?.value }
        }
        let waiting = records.indices.filter { !items[$0].depends.isEmpty }
        if !waiting.isEmpty {
            let depends = try followedDependencies(of: waiting.map { records[$0] })
            for index in waiting {
                items[index].setDepends((depends[records[index].id] ?? []).map(\.value))
            }
        }
        return items
    }

    /// The to-do that a record shows.
    package func item(_ record: Record) throws(StoreFault) -> ToDoItem {
        try items([record])[0]
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

    /// The pending parts of to-dos, by the to-do; asked for before one is deleted, which has no parts any more.
    package func openParts(of records: [Record]) throws(StoreFault) -> [RecordID: [Record]] {
        var parts: [RecordID: [Record]] = [:]
        for record in records {
            let found = try list(ToDoFilter([.parent(record.id.value)]), pendingOnly: true)
            if !found.isEmpty { parts[record.id] = found }
        }
        return parts
    }

    /// Whether a filter takes the to-do of a record.
    package func takes(_ record: Record, _ filter: ToDoFilter) throws(StoreFault) -> Bool {
        try !matching([record], try resolved(filter)).isEmpty
    }

    /// The records whose to-do a filter takes, and a condition besides.
    ///
    /// - Parameter filter: one that is `resolved`.
    func matching(
        _ records: [Record], _ filter: ToDoFilter, and takes: (ToDoItem) -> Bool = { _ in true }
    ) throws(StoreFault) -> [Record] {
        func isMeant(_ item: ToDoItem) -> Bool {
            filter.matches(item, now: now, zone: zone) && takes(item)
        }
        // References cost look-ups, and hardly any filter asks for them.
        guard filter.readsReferences else {
            return records.filter { isMeant(ToDoMapping.item($0)) }
        }
        let items = try items(records)
        return records.indices.filter { isMeant(items[$0]) }.map { records[$0] }
    }
}

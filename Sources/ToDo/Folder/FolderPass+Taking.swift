import Core
import Storage

/// What another program wrote into a file, as an edit.
extension FolderPass {
    /// Fields that no program of people sets: a file never changes them here.
    private static let untouched: Set<Field> = [.number(ToDoSchema.Number.created)]

    mutating func take(_ news: News, _ transaction: Transaction) throws(StoreFault) {
        let (name, item) = (news.name, news.document.item)
        guard let identifier = item.identifier else { return }
        if let other = names[identifier], other != name {
            return hold(name, "its UID is that of \(other), which counts")
        }
        let id = RecordID(value: identifier)
        let stored = try transaction.record(id)
        if let stored, stored.collection != ToDoSchema.collection { throw .recordExists }
        guard let stored else { return try make(news, id, transaction) }
        if stored.verdict.isPurged, stored.verdict.isDeleted {
            return hold(name, "its to-do was purged here; delete the file, or give it a new UID")
        }
        guard var entry = entries[name] else {
            if stored.verdict.isDeleted {
                let way = "tandem restore \(UUIDText.text(identifier)) brings it back"
                return hold(name, "its to-do is in the trash here; \(way), or delete the file")
            }
            return try adopt(news, stored, transaction)
        }
        let base = entry.text.flatMap { try? ICalendarDocument.read($0, zone: zone) }
        var new = item
        if let base { new.rejoinTags(of: base.item) }
        let isDone = new.status != .pending && base?.item.status != new.status
        if isDone {
            new.stopWork(at: sync.todos.now)
            if new.completions.isEmpty { new.completed = sync.todos.now }
        }
        let wasPending = ToDoMapping.item(stored).status == .pending
        let isChanged = try transaction.update(
            id, assignments(from: base?.item, to: new), seen: entry.seen,
            bases: bases(base?.item))
        if isChanged {
            report.events.append(FolderEvent(.updated, name, item))
            try sign(id, since: stored.record.clock, transaction)
            if isDone, wasPending, new.status == .completed {
                try sync.todos.makeNext(after: id, at: sync.todos.now, in: transaction)
            }
        }
        if stored.record.clock == entry.seen, let after = try transaction.record(id) {
            entry.seen = after.record.clock
        }
        entry.text = news.bytes
        entry.stamp = news.stamp
        entries[name] = entry
        documents[name] = news.document
    }

    /// A to-do of a new file.
    private mutating func make(
        _ news: News, _ id: RecordID, _ transaction: Transaction
    ) throws(StoreFault) {
        var item = news.document.item
        item.created = item.created ?? sync.todos.now
        if item.project.isEmpty { item.project = sync.project ?? "" }
        try transaction.insert(
            ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection, id: id)
        report.events.append(FolderEvent(.made, news.name, item))
        try remember(news, id, transaction)
    }

    /// A file of a to-do that is here already, and nothing tells what both have in common: what they
    /// differ in becomes a conflict.
    private mutating func adopt(
        _ news: News, _ stored: StoredRecord, _ transaction: Transaction
    ) throws(StoreFault) {
        let changes = assignments(from: nil, to: news.document.item)
        if try transaction.update(stored.id, changes, seen: VersionVector(), bases: [:]) {
            report.events.append(FolderEvent(.updated, news.name, news.document.item))
            try sign(stored.id, since: stored.record.clock, transaction)
        }
        try remember(news, stored.id, transaction)
        // What the file lacks, it is given.
        entries[news.name]?.seen = VersionVector()
    }

    private mutating func remember(
        _ news: News, _ id: RecordID, _ transaction: Transaction
    ) throws(StoreFault) {
        guard let stored = try transaction.record(id) else { return }
        entries[news.name] = FolderEntry(
            identifier: id.value, text: news.bytes, seen: stored.record.clock, stamp: news.stamp)
        documents[news.name] = news.document
        names[id.value] = news.name
    }

    private func assignments(from old: ToDoItem?, to new: ToDoItem) -> [Assignment] {
        ToDoMapping.assignments(from: old, to: new).filter { !Self.untouched.contains($0.field) }
    }

    private func bases(_ item: ToDoItem?) -> [Field: Value] {
        guard let item else { return [:] }
        var bases: [Field: Value] = [:]
        for assignment in ToDoMapping.assignments(from: nil, to: item) {
            bases[assignment.field] = assignment.value
        }
        return bases
    }
}

import Core
import Storage

// A record's id alone, in this module and above it, names a to-do.

extension RecordName {
    /// The to-do of that id.
    package init(toDo id: RecordID) {
        self.init(ToDoSchema.collection, id)
    }
}

extension Value {
    /// A reference to the to-do of that id.
    package static func toDo(_ id: RecordID) -> Value { .reference(RecordName(toDo: id)) }

    /// The id of the to-do to which the reference points; nil if it points elsewhere or this is another value.
    package var toDo: RecordID? {
        guard let name = reference, name.collection == ToDoSchema.collection else { return nil }
        return name.id
    }
}

extension Record {
    /// The id of the copy of what is kept of a purged to-do.
    package var copyID: RecordID { name.copy(of: record).id }
}

extension Store {
    /// The id of the to-do that stands for one: itself, unless that was purged.
    package func standIn(of id: RecordID, ifMade: Bool) throws(StoreFault) -> RecordID {
        try standIn(of: RecordName(toDo: id), ifMade: ifMade).id
    }

    /// Reads a to-do, whatever its state; nil if there is none of that id.
    package func record(_ id: RecordID) throws(StoreFault) -> Record? {
        try record(RecordName(toDo: id))
    }
}

extension Journal {
    /// Reads the entries of a to-do, the latest first.
    package func entries(of id: RecordID, limit: Int? = nil) throws(StoreFault) -> [JournalEntry] {
        try entries(of: RecordName(toDo: id), limit: limit)
    }

    /// The value that a field of a to-do in conflict showed before.
    package func conflictBase(of field: Field, in id: RecordID) throws(StoreFault) -> Value? {
        try conflictBase(of: field, in: RecordName(toDo: id))
    }
}

extension Transaction {
    /// The to-do, with the edits of this transaction.
    package func record(_ id: RecordID) throws(StoreFault) -> Record? {
        try record(RecordName(toDo: id))
    }

    /// Saves fields of a to-do, as a form does.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    package func update(
        _ id: RecordID, _ assignments: [Assignment], resolves: Bool = false
    ) throws(StoreFault) -> Bool {
        try update(RecordName(toDo: id), assignments, resolves: resolves)
    }

    /// Saves fields of a to-do by somebody who had seen the writes in `seen` alone.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    package func update(
        _ id: RecordID, _ assignments: [Assignment], seen: VersionVector, bases: [Field: Value]
    ) throws(StoreFault) -> Bool {
        try update(RecordName(toDo: id), assignments, seen: seen, bases: bases)
    }

    /// Puts a to-do in the trash.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    package func delete(_ id: RecordID) throws(StoreFault) -> Bool {
        try delete(RecordName(toDo: id))
    }

    /// Puts a to-do in the trash for somebody who had seen the writes in `seen` alone.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    package func delete(_ id: RecordID, seen: VersionVector) throws(StoreFault) -> Bool {
        try delete(RecordName(toDo: id), seen: seen)
    }

    /// Copies what was written to a purged to-do into a new one, and lets go of it there.
    @discardableResult
    package func copyFromPurged(_ id: RecordID) throws(StoreFault) -> RecordID? {
        try copyFromPurged(RecordName(toDo: id))?.id
    }

    /// Brings a to-do back whole.
    @discardableResult
    package func restore(_ id: RecordID) throws(StoreFault) -> Bool {
        try restore(RecordName(toDo: id))
    }

    /// Drops a deleted to-do's content for ever, on every device.
    @discardableResult
    package func purge(_ id: RecordID, isForced: Bool = false) throws(StoreFault) -> Bool {
        try purge(RecordName(toDo: id), isForced: isForced)
    }

    /// Ends the conflict of a to-do's field with a value.
    @discardableResult
    package func resolve(
        _ id: RecordID, _ field: Field, with value: Value
    ) throws(StoreFault) -> Bool {
        try resolve(RecordName(toDo: id), field, with: value)
    }
}

import Core
import Storage

// Nearly all records of tests are of collection 1: a record's id alone names such a one.

extension RecordName {
    /// The record of that id in collection 1.
    @_disfavoredOverload
    package init(toDo id: RecordID) {
        self.init(.number(1), id)
    }
}

extension Value {
    /// A reference to the record of that id in collection 1.
    @_disfavoredOverload
    package static func toDo(_ id: RecordID) -> Value { .reference(RecordName(.number(1), id)) }
}

extension Change {
    /// A change of a record in collection 1.
    package init(id: RecordID, clock: VersionVector, body: [UInt8], isDeferred: Bool = false) {
        self.init(RecordName(.number(1), id), clock: clock, body: body, isDeferred: isDeferred)
    }

    /// The id of the record in its collection.
    package var id: RecordID { name.id }
}

extension BodyPart {
    /// A piece of a body of a record in collection 1.
    package init(
        id: RecordID, clock: VersionVector, byteCount: Int, offset: Int, bytes: [UInt8],
        isDeferred: Bool = false
    ) {
        self.init(
            RecordName(.number(1), id), clock: clock, byteCount: byteCount, offset: offset,
            bytes: bytes, isDeferred: isDeferred)
    }
}

extension SipHash {
    /// The summand of a checksum for a record in collection 1.
    package func checksum(_ id: RecordID, _ counter: UInt64) -> UInt128 {
        checksum(RecordName(.number(1), id), counter)
    }
}

extension Store {
    /// Reads a record of collection 1, whatever its state; nil if there is none of that id.
    @_disfavoredOverload
    package func record(_ id: RecordID) throws(StoreFault) -> Record? {
        try record(RecordName(.number(1), id))
    }
}

extension Journal {
    /// Reads the entries of a record of collection 1, the latest first.
    @_disfavoredOverload
    package func entries(of id: RecordID, limit: Int? = nil) throws(StoreFault) -> [JournalEntry] {
        try entries(of: RecordName(.number(1), id), limit: limit)
    }

    /// The value that a field of a record of collection 1 in conflict showed before.
    @_disfavoredOverload
    package func conflictBase(of field: Field, in id: RecordID) throws(StoreFault) -> Value? {
        try conflictBase(of: field, in: RecordName(.number(1), id))
    }
}

extension Transaction {
    /// The record of collection 1, with the edits of this transaction.
    @_disfavoredOverload
    package func record(_ id: RecordID) throws(StoreFault) -> Record? {
        try record(RecordName(.number(1), id))
    }

    /// Saves fields of a record of collection 1, as a form does.
    @_disfavoredOverload @discardableResult
    package func update(
        _ id: RecordID, _ assignments: [Assignment], resolves: Bool = false
    ) throws(StoreFault) -> Bool {
        try update(RecordName(.number(1), id), assignments, resolves: resolves)
    }

    /// Saves fields of a record of collection 1 by somebody who had seen the writes in `seen` alone.
    @_disfavoredOverload @discardableResult
    package func update(
        _ id: RecordID, _ assignments: [Assignment], seen: VersionVector, bases: [Field: Value]
    ) throws(StoreFault) -> Bool {
        try update(RecordName(.number(1), id), assignments, seen: seen, bases: bases)
    }

    /// Puts a record of collection 1 in the trash.
    @_disfavoredOverload @discardableResult
    package func delete(_ id: RecordID) throws(StoreFault) -> Bool {
        try delete(RecordName(.number(1), id))
    }

    /// Brings a record of collection 1 back whole.
    @_disfavoredOverload @discardableResult
    package func restore(_ id: RecordID) throws(StoreFault) -> Bool {
        try restore(RecordName(.number(1), id))
    }

    /// Drops the content of a deleted record of collection 1 for ever.
    @_disfavoredOverload @discardableResult
    package func purge(_ id: RecordID, isForced: Bool = false) throws(StoreFault) -> Bool {
        try purge(RecordName(.number(1), id), isForced: isForced)
    }

    /// Ends the conflict of a field of a record of collection 1 with a value.
    @_disfavoredOverload @discardableResult
    package func resolve(
        _ id: RecordID, _ field: Field, with value: Value
    ) throws(StoreFault) -> Bool {
        try resolve(RecordName(.number(1), id), field, with: value)
    }
}

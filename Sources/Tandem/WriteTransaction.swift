import Core
import Storage

/// A scratchpad of edits: all of them are saved together, or none.
///
/// It is good inside of the closure that ``TandemStore/write(_:)`` was given, and nowhere else.
public final class WriteTransaction {
    private let engine: Transaction
    private let store: TandemStore

    init(_ engine: Transaction, of store: TandemStore) {
        self.engine = engine
        self.store = store
    }

    // MARK: Reading

    /// The records of a request, with the edits of this transaction.
    ///
    /// - Throws: what ``TandemStore/fetch(_:)`` throws.
    public func fetch(_ request: FetchRequest) throws(TandemError) -> [Record] {
        try store.fetch(request)
    }

    /// A record by its name, with the edits of this transaction, also one in the trash.
    ///
    /// - Throws: what ``TandemStore/record(_:)`` throws.
    public func record(_ name: RecordName) throws(TandemError) -> Record? { try store.record(name) }

    // MARK: Editing

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - collection: the name of its collection.
    ///   - values: the values of attributes, by name.
    ///   - sets: the texts of attributes that hold sets, by name.
    ///   - id: its id; by default a new one, which sorts by time.
    /// - Returns: its name.
    /// - Throws: `unknownName`, `wrongKind`, `overLimit`, `recordExists`, `diskFull`.
    @discardableResult
    public func insert(
        into collection: String, _ values: [String: Value], sets: [String: [String]] = [:],
        id: RecordID? = nil
    ) throws(TandemError) -> RecordName {
        let schema = store.schema
        let assignments = try schema.assignments(
            values, sets: sets, in: try schema.required(.text(collection)))
        return try TandemError.mapping { () throws(StoreFault) in
            let id = try engine.insert(assignments, into: .text(collection), id: id)
            return RecordName(.text(collection), id)
        }
    }

    /// Saves values, as a form does: a value that is shown already is not written, and attributes that the form does
    /// not name stay as they are.
    ///
    /// An attribute in conflict stays so if the value that is shown is saved.
    /// - Parameters:
    ///   - name: the record.
    ///   - values: the values of attributes, by name; `nil` clears one.
    ///   - sets: the texts of attributes that hold sets, by name: elements that are not shown are added, others are
    ///     removed.
    /// - Returns: whether anything was written.
    /// - Throws: `recordDeleted` if it is in the trash: an editor that was open while it was deleted brings
    ///   nothing back; `recordPurged` if it was purged; `noSuchRecord`, `unknownName`, `wrongKind`, `overLimit`, `diskFull`.
    @discardableResult
    public func update(
        _ name: RecordName, _ values: [String: Value], sets: [String: [String]] = [:]
    ) throws(TandemError) -> Bool {
        let assignments = try assignments(values, sets: sets, for: name)
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.update(name, assignments)
        }
    }

    private func assignments(
        _ values: [String: Value], sets: [String: [String]], for name: RecordName
    ) throws(TandemError) -> [Assignment] {
        let old = try TandemError.mapping { () throws(StoreFault) in
            guard let old = try engine.record(name) else { throw .noSuchRecord }
            return old
        }
        guard case .text = old.collection else { throw TandemError(StoreFault.noSuchRecord) }
        return try store.schema.assignments(
            values, sets: sets, in: try store.schema.required(old.collection), from: old)
    }

    /// Puts a record in the trash, and those that it owns by a reference with the rule `cascade`.
    ///
    /// Deleted stays deleted, on every device and however long one was away. What another device added to an
    /// owner before it heard of that stays; deleting the owner once more takes that along.
    /// - Returns: whether anything was written.
    /// - Throws: `noSuchRecord`, `diskFull`.
    @discardableResult
    public func delete(_ name: RecordName) throws(TandemError) -> Bool {
        try TandemError.mapping { () throws(StoreFault) in try engine.delete(name) }
    }

    /// Brings a record back from the trash, whole; those that were deleted with it stay there.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: `noSuchRecord`, `recordPurged`, `diskFull`.
    @discardableResult
    public func restore(_ name: RecordName) throws(TandemError) -> Bool {
        try TandemError.mapping { () throws(StoreFault) in try engine.restore(name) }
    }

    /// Drops a deleted record's content for ever, on every device.
    ///
    /// - Parameters:
    ///   - name: the record.
    ///   - isForced: whether to do so although a conflict is open or it is not deleted. This also lets go of what
    ///     another device wrote to a purged record.
    /// - Returns: whether anything was written.
    /// - Throws: `noSuchRecord`, `conflictOpen`, `notDeleted`, `diskFull`.
    @discardableResult
    public func purge(_ name: RecordName, isForced: Bool = false) throws(TandemError) -> Bool {
        try TandemError.mapping { () throws(StoreFault) in
            try engine.purge(name, isForced: isForced)
        }
    }

    /// Copies what another device wrote to a purged record, before it heard of the purge, into a new record, and
    /// lets go of it there.
    ///
    /// Two devices that copy the same make one record.
    /// - Returns: the copy's name; nil if there is nothing to copy.
    /// - Throws: `noSuchRecord`, `diskFull`.
    @discardableResult
    public func copyFromPurged(_ name: RecordName) throws(TandemError) -> RecordName? {
        try TandemError.mapping { () throws(StoreFault) in try engine.copyFromPurged(name) }
    }

    /// Ends an attribute's conflict with a value, on every device.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: what ``update(_:_:sets:)`` throws.
    @discardableResult
    public func resolve(
        _ name: RecordName, _ attribute: String, with value: Value
    ) throws(TandemError) -> Bool {
        let assignments = try assignments([attribute: value], sets: [:], for: name)
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.update(name, assignments, resolves: true)
        }
    }

    // MARK: Importing

    /// Finds or makes records by their unique keys, with one look-up for many.
    ///
    /// Two devices that import the same keys independently have the same records when they meet. What an
    /// item does not name stays as it is; to a set it only adds.
    /// - Parameters:
    ///   - items: what to import; of two items with one key the later one is written over the first.
    ///   - collection: the name of their collection.
    ///   - revives: whether records in the trash are brought back, and purged ones made anew under the next id of
    ///     their key; else they are left so and reported.
    /// - Returns: what became of each, in order.
    /// - Throws: `unknownName`, `wrongKind`, `overLimit`, `diskFull`.
    @discardableResult
    public func upsert(
        _ items: [ImportItem], into collection: String, revives: Bool = false
    ) throws(TandemError) -> [UpsertOutcome] {
        let found = try store.schema.required(.text(collection))
        var upserts: [UpsertItem] = []
        upserts.reserveCapacity(items.count)
        for item in items {
            upserts.append(
                UpsertItem(
                    id: RecordID(key: item.key, in: collection),
                    try store.schema.assignments(item.values, sets: item.sets, in: found)))
        }
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.upsert(upserts, into: .text(collection), revives: revives)
        }
    }
}

/// A record to find or make by a key that is unique in its collection, as the id that some service gave it.
public struct ImportItem: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The values to give the record, by the names of attributes.
    public var values: [String: Value]
    /// The texts to add to its sets, by the names of attributes.
    public var sets: [String: [String]]

    /// A record to find or make.
    public init(key: String, _ values: [String: Value], sets: [String: [String]] = [:]) {
        self.key = key
        self.values = values
        self.sets = sets
    }
}

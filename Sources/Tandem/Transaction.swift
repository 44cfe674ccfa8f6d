import Core
import Storage

/// A scratchpad of edits: all of them are saved together, or none.
///
/// It is good inside of the closure that ``Store/write(_:)`` was given, and nowhere else.
public final class Transaction {
    private let engine: Storage.Transaction
    private let store: Store

    init(_ engine: Storage.Transaction, of store: Store) {
        self.engine = engine
        self.store = store
    }

    // MARK: Reading

    /// The records of a request, with the edits of this transaction.
    ///
    /// - Throws: what ``Store/fetch(_:)`` throws.
    public func fetch(_ request: FetchRequest) throws(TandemError) -> [Record] {
        try store.fetch(request)
    }

    /// A record by its id, with the edits of this transaction, also one in the trash.
    ///
    /// - Throws: what ``Store/record(_:)`` throws.
    public func record(_ id: RecordID) throws(TandemError) -> Record? { try store.record(id) }

    // MARK: Editing

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - collection: the name of its collection.
    ///   - values: what it is given, by the names of attributes.
    ///   - id: its id; by default a new one, which sorts by time.
    /// - Returns: its id.
    /// - Throws: `unknownName`, `wrongKind`, `overLimit`, `recordExists`, `diskFull`.
    @discardableResult
    public func insert(
        into collection: String, _ values: [String: Value], id: RecordID? = nil
    ) throws(TandemError) -> RecordID {
        let schema = store.schema
        let assignments = try schema.assignments(values, in: try schema.required(collection))
        return try TandemError.mapping { () throws(StoreFault) in
            RecordID(
                try engine.insert(assignments, into: .text(collection), id: id?.value))
        }
    }

    /// Saves values, as a form does: what is shown already is not written, and what the form does not
    /// name stays as it is.
    ///
    /// A set becomes just what is given: elements that are not shown are added, others are taken out.
    /// An attribute in conflict stays so if the value that is shown is saved.
    /// - Returns: whether anything was written.
    /// - Throws: `recordDeleted` if it is in the trash: an editor that was open while it was deleted brings
    ///   nothing back; `noSuchRecord`, `unknownName`, `wrongKind`, `overLimit`, `diskFull`.
    @discardableResult
    public func update(
        _ id: RecordID, _ values: [String: Value]
    ) throws(TandemError) -> Bool {
        let assignments = try assignments(values, for: id)
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.update(id.value, assignments)
        }
    }

    private func assignments(
        _ values: [String: Value], for id: RecordID
    ) throws(TandemError) -> [Assignment] {
        let old = try TandemError.mapping { () throws(StoreFault) in
            guard let old = try engine.record(id.value) else { throw .noSuchRecord }
            return old
        }
        guard case .text(let name) = old.collection else {
            throw TandemError(StoreFault.noSuchRecord)
        }
        return try store.schema.assignments(
            values, in: try store.schema.required(name), from: old)
    }

    /// Puts a record in the trash, and those that it owns by a reference with the rule `cascade`.
    ///
    /// Deleted stays deleted, on every device and however long one was away. What another device added to an
    /// owner before it heard of that stays; deleting the owner once more takes that along.
    /// - Returns: whether anything was written.
    /// - Throws: `noSuchRecord`, `diskFull`.
    @discardableResult
    public func delete(_ id: RecordID) throws(TandemError) -> Bool {
        try TandemError.mapping { () throws(StoreFault) in try engine.delete(id.value) }
    }

    /// Brings a record back from the trash, whole; those that were deleted with it stay there.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: `noSuchRecord`, `recordPurged`, `diskFull`.
    @discardableResult
    public func restore(_ id: RecordID) throws(TandemError) -> Bool {
        try TandemError.mapping { () throws(StoreFault) in try engine.restore(id.value) }
    }

    /// Drops a deleted record's content for ever, on every device.
    ///
    /// - Parameters:
    ///   - id: the record.
    ///   - isForced: whether to do so although a conflict is open or it is not deleted.
    /// - Returns: whether anything was written.
    /// - Throws: `noSuchRecord`, `conflictOpen`, `notDeleted`, `diskFull`.
    @discardableResult
    public func purge(_ id: RecordID, isForced: Bool = false) throws(TandemError) -> Bool {
        try TandemError.mapping { () throws(StoreFault) in
            try engine.purge(id.value, isForced: isForced)
        }
    }

    /// Ends an attribute's conflict with a value, on every device.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: what ``update(_:_:)`` throws.
    @discardableResult
    public func resolve(
        _ id: RecordID, _ attribute: String, with value: Value
    ) throws(TandemError) -> Bool {
        let assignments = try assignments([attribute: value], for: id)
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.update(id.value, assignments, resolves: true)
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
    ///   - revives: whether records in the trash are brought back; else they are left there and reported.
    /// - Returns: what became of each, in order.
    /// - Throws: `unknownName`, `wrongKind`, `overLimit`, `diskFull`.
    @discardableResult
    public func upsert(
        _ items: [ImportItem], into collection: String, revives: Bool = false
    ) throws(TandemError) -> [ImportOutcome] {
        let found = try store.schema.required(collection)
        var upserts: [UpsertItem] = []
        upserts.reserveCapacity(items.count)
        for item in items {
            let id = RecordID(key: item.key, in: collection)
            upserts.append(
                UpsertItem(
                    id: id.value, try store.schema.assignments(item.values, in: found)))
        }
        return try TandemError.mapping { () throws(StoreFault) in
            try engine.upsert(upserts, into: .text(collection), revives: revives)
                .map(ImportOutcome.init)
        }
    }

    /// Gives this device another name.
    ///
    /// - Throws: `overLimit`, `diskFull`.
    public func nameDevice(_ name: String) throws(TandemError) {
        try TandemError.mapping { () throws(StoreFault) in try engine.nameDevice(name) }
    }
}

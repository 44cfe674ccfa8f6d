import Core

/// A scratchpad of edits: all of them are saved together, or none.
///
/// Valid inside the closure of `Store.write` alone. All its writes have one reading of the clock.
package final class Transaction {
    let store: Store
    let edit: LocalEdit
    private var dots: LocalEdit.DotSource

    init(_ store: Store) {
        self.store = store
        let knowledge = store.knowledge
        edit = LocalEdit(policy: knowledge.policy, timestamp: knowledge.nextTimestamp())
        dots = LocalEdit.DotSource(replica: knowledge.replica, counter: knowledge.counter)
    }

    /// Takes the dots that were given into the store's state.
    func finish() {
        store.knowledge.setOwnCounter(dots.counter)
    }

    func nextDot() -> Dot { dots.next() }

    /// The record, with the edits of this transaction.
    package func record(_ id: RecordID) throws(StoreFault) -> Record? {
        try store.records.find(id)
    }

    /// Makes a new record.
    ///
    /// - Parameter id: its id; by default a new UUIDv7, which sorts by time.
    /// - Returns: its id.
    @discardableResult
    package func insert(
        _ assignments: [Assignment], into collection: CollectionID, id: RecordID? = nil
    ) throws(StoreFault) -> RecordID {
        if let id, try store.records.isElsewhere(id, than: store.records.index(of: collection)) {
            throw .recordExists
        }
        return try make(id ?? store.records.newRecordID(), assignments, in: collection)
    }

    /// Makes a record whose id is in no other collection.
    private func make(
        _ id: RecordID, _ assignments: [Assignment], in collection: CollectionID
    ) throws(StoreFault) -> RecordID {
        let sorted = assignments.filter { !$0.value.isNull }.sorted { $0.field < $1.field }
        try check(sorted)
        let dot = dots.next()
        let write = Write(dot: dot, timestamp: edit.writeTimestamp, assignments: sorted)
        // A write without assignments says nothing; the clock alone tells that the record was made.
        let record = RecordState(clock: VersionVector(dot), writes: sorted.isEmpty ? [] : [write])
        try save(id, collection, record, replacing: nil)
        return id
    }

    /// Saves fields, as a form does: what is shown already is not written.
    ///
    /// - Parameter resolves: whether the person chose these values to end a conflict.
    /// - Returns: whether anything was written.
    @discardableResult
    package func update(
        _ id: RecordID, _ assignments: [Assignment], resolves: Bool = false
    )
        throws(StoreFault) -> Bool
    {
        guard let old = try store.records.find(id) else { throw .noSuchRecord }
        return try update(old, assignments, resolves: resolves)
    }

    private func update(
        _ old: Record, _ assignments: [Assignment], resolves: Bool
    )
        throws(StoreFault) -> Bool
    {
        let sorted = assignments.sorted { $0.field < $1.field }
        try check(sorted)
        return try change(old) { record, dots throws(LocalEdit.Refusal) in
            try edit.save(sorted, to: record, resolves: resolves, dots: &dots)
        }
    }

    /// Puts a record in the trash, and with it the records that it owns, as far as they are known here.
    ///
    /// Records that another device adds to it meanwhile stay, with a reference that reads as absent.
    /// - Returns: whether anything was written.
    @discardableResult
    package func delete(_ id: RecordID) throws(StoreFault) -> Bool {
        guard let old = try store.records.find(id) else { throw .noSuchRecord }
        var isChanged = try delete(old)
        var owners = [(old.id, old.collection)]
        while let (owner, collection) = owners.popLast() {
            for owned in try store.records.owned(by: owner, in: collection) where try delete(owned)
            {
                isChanged = true
                owners.append((owned.id, owned.collection))
            }
        }
        return isChanged
    }

    private func delete(_ old: Record) throws(StoreFault) -> Bool {
        try change(old) { record, dots throws(LocalEdit.Refusal) in
            try edit.delete(record, dots: &dots)
        }
    }

    /// Brings a record back whole.
    @discardableResult
    package func restore(_ id: RecordID) throws(StoreFault) -> Bool {
        try change(id) { old, dots throws(LocalEdit.Refusal) in
            try edit.restore(old, dots: &dots)
        }
    }

    /// Drops a deleted record's content for ever, on every device.
    @discardableResult
    package func purge(_ id: RecordID, isForced: Bool = false) throws(StoreFault) -> Bool {
        try change(id) { old, dots throws(LocalEdit.Refusal) in
            try edit.purge(old, isForced: isForced, dots: &dots)
        }
    }

    /// Ends a field's conflict with a value.
    @discardableResult
    package func resolve(
        _ id: RecordID, _ field: Field, with value: Value
    ) throws(StoreFault)
        -> Bool
    {
        try update(id, [Assignment(field, value)], resolves: true)
    }

    /// Gives this device its name.
    package func nameDevice(_ name: String) throws(StoreFault) {
        let id = RecordID(value: store.knowledge.replica.value)
        let fields = [Assignment(.number(2), .text(name))]
        if try store.records.find(id, in: 0) == nil {
            try insert(fields, into: .devices, id: id)
        } else {
            try update(id, fields)
        }
        store.knowledge.setDeviceName(name)
    }

    /// The largest arrays of ids that one statement looks up.
    private static let lookupCountMax = 500

    /// Finds or makes records by their unique keys, with one look-up for many.
    ///
    /// - Parameter revives: whether a deleted record is restored and updated; else it is left and reported.
    /// - Returns: what happened to each, in order.
    package func upsert(
        _ items: [UpsertItem], into collection: CollectionID, revives: Bool = false
    )
        throws(StoreFault) -> [UpsertOutcome]
    {
        try upsert(items.map(\.id), into: collection, revives: revives) { index, _ in
            items[index].assignments
        }
    }

    /// Finds or makes records by their unique keys, with one look-up for many, where what is there already
    /// counts for what it is given.
    ///
    /// - Parameters:
    ///   - revives: whether a deleted record is restored and updated; else it is left and reported.
    ///   - assignments: what the record of the id at that index is given, by what it is now.
    /// - Returns: what happened to each, in order.
    package func upsert(
        _ ids: [RecordID], into collection: CollectionID, revives: Bool = false,
        assignments: (Int, Record?) -> [Assignment]
    )
        throws(StoreFault) -> [UpsertOutcome]
    {
        var known: [RecordID: Record] = [:]
        let collectionIndex = store.records.index(of: collection)
        for start in stride(from: 0, to: ids.count, by: Self.lookupCountMax) {
            let ids = Array(ids[start..<min(start + Self.lookupCountMax, ids.count)])
            for found in try store.records.find(ids, in: collectionIndex) {
                known[found.id] = found
            }
            let new = ids.filter { known[$0] == nil }
            if try store.records.isAnyElsewhere(new, than: collectionIndex) { throw .recordExists }
        }
        var outcomes: [UpsertOutcome] = []
        outcomes.reserveCapacity(ids.count)
        // The same key may come twice in one import: what was written here is looked up again.
        var written: Set<RecordID> = []
        for (index, id) in ids.enumerated() {
            let isAgain = !written.insert(id).inserted
            let old = isAgain ? try store.records.find(id, in: collectionIndex) : known[id]
            let item = UpsertItem(id: id, assignments(index, old))
            outcomes.append(try upsert(item, old, into: collection, revives: revives))
        }
        return outcomes
    }

    private func upsert(
        _ item: UpsertItem, _ old: Record?, into collection: CollectionID, revives: Bool
    ) throws(StoreFault) -> UpsertOutcome {
        guard let old else {
            _ = try make(item.id, item.assignments, in: collection)
            return .inserted(item.id)
        }
        if !old.verdict.isDeleted {
            let isChanged = try update(old, item.assignments, resolves: false)
            return isChanged ? .updated(item.id) : .unchanged(item.id)
        }
        guard revives else { return .skippedDeleted(item.id) }
        do throws(StoreFault) {
            try restore(item.id)
        } catch .recordPurged {
            return .skippedDeleted(item.id)
        }
        try update(item.id, item.assignments)
        return .updated(item.id)
    }

    private func change(
        _ id: RecordID,
        _ body: (RecordState, inout LocalEdit.DotSource) throws(LocalEdit.Refusal) -> RecordState?
    ) throws(StoreFault) -> Bool {
        guard let old = try store.records.find(id) else { throw .noSuchRecord }
        return try change(old, body)
    }

    func change(
        _ old: Record,
        _ body: (RecordState, inout LocalEdit.DotSource) throws(LocalEdit.Refusal) -> RecordState?
    ) throws(StoreFault) -> Bool {
        let new: RecordState?
        do throws(LocalEdit.Refusal) {
            new = try body(old.record, &dots)
        } catch {
            throw StoreFault(error)
        }
        guard let new else { return false }
        try save(old.id, old.collection, new, replacing: old)
        return true
    }

    func save(
        _ id: RecordID, _ collection: CollectionID, _ record: RecordState, replacing old: Record?
    ) throws(StoreFault) {
        let assignmentCount = record.writes.reduce(0) { $0 + $1.assignments.count }
        if assignmentCount > RecordLimits.assignmentCountMax {
            throw .overLimit(.recordFields, max: RecordLimits.assignmentCountMax)
        }
        let body = BodyCodec.encode(record, in: collection)
        if body.count > RecordLimits.localBodyByteCountMax {
            throw .overLimit(.recordBytes, max: RecordLimits.localBodyByteCountMax)
        }
        let isPut = try store.records.put(
            id, collection, record, replacing: old, body: body, insertsOnly: old == nil)
        if !isPut { throw .recordExists }
        if let old { try store.journal.note(edit: record, of: old) }
    }

    func check(_ sorted: [Assignment]) throws(StoreFault) {
        for (index, assignment) in sorted.enumerated() {
            if index > 0, sorted[index - 1].field == assignment.field {
                preconditionFailure("one field is assigned twice in one edit")
            }
            try check(assignment.value)
            if case .element(_, let element) = assignment.field { try check(element) }
            if assignment.field <= .purged {
                preconditionFailure("the fields 0 and 1 are reserved")
            }
            if case .text(let name) = assignment.field.name,
                name.utf8.count > RecordLimits.nameByteCountMax || name.isEmpty
            {
                throw .overLimit(.fieldNameBytes, max: RecordLimits.nameByteCountMax)
            }
        }
    }

    private func check(_ value: Value) throws(StoreFault) {
        if value.approximateByteCount > RecordLimits.valueByteCountMax {
            throw .overLimit(.valueBytes, max: RecordLimits.valueByteCountMax)
        }
    }
}

extension StoreFault {
    /// The fault of a refused edit.
    init(_ refusal: LocalEdit.Refusal) {
        self =
            switch refusal {
            case .recordDeleted: .recordDeleted
            case .recordPurged: .recordPurged
            case .conflictOpen: .conflictOpen
            case .notDeleted: .notDeleted
            case .noSuchRecord: .noSuchRecord
            }
    }
}

/// A record to find or make by its id, which was derived from a unique key.
package struct UpsertItem: Hashable, Sendable {
    /// The derived id.
    package let id: RecordID
    /// The values that it is given.
    package let assignments: [Assignment]

    /// A record to find or make.
    package init(id: RecordID, _ assignments: [Assignment]) {
        self.id = id
        self.assignments = assignments
    }
}

/// The outcome for one record that was to be found or made.
public enum UpsertOutcome: Hashable, Sendable {
    /// It was made.
    case inserted(RecordID)
    /// It was there and changed.
    case updated(RecordID)
    /// It was there and shows all that already.
    case unchanged(RecordID)
    /// It is deleted here and was left so.
    case skippedDeleted(RecordID)

    /// The record.
    public var id: RecordID {
        switch self {
        case .inserted(let id), .updated(let id), .unchanged(let id), .skippedDeleted(let id): id
        }
    }
}

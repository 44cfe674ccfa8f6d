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
    package func record(_ name: RecordName) throws(StoreFault) -> Record? {
        try store.records.find(name)
    }

    /// Makes a new record.
    ///
    /// - Parameter id: its id; by default a new UUIDv7, which sorts by time.
    /// - Returns: its id.
    @discardableResult
    package func insert(
        _ assignments: [Assignment], into collection: CollectionID, id: RecordID? = nil
    ) throws(StoreFault) -> RecordID {
        let id = id ?? store.records.newRecordID()
        try make(RecordName(collection, id), assignments)
        return id
    }

    private func make(_ name: RecordName, _ assignments: [Assignment]) throws(StoreFault) {
        let sorted = assignments.filter { !$0.value.isNull }.sorted { $0.field < $1.field }
        try check(sorted)
        let dot = dots.next()
        let write = Write(dot: dot, timestamp: edit.writeTimestamp, assignments: sorted)
        // A write without assignments says nothing; the clock alone tells that the record was made.
        let record = RecordState(clock: VersionVector(dot), writes: sorted.isEmpty ? [] : [write])
        try save(name, record, replacing: nil)
    }

    /// Saves fields, as a form does: what is shown already is not written.
    ///
    /// - Parameters:
    ///   - resolves: whether the person chose these values to end a conflict.
    ///   - companion: a field whose assignment is written beside a change of another one, whatever it shows already.
    /// - Returns: whether anything was written.
    @discardableResult
    package func update(
        _ name: RecordName, _ assignments: [Assignment], resolves: Bool = false,
        companion: Field? = nil
    )
        throws(StoreFault) -> Bool
    {
        guard let old = try store.records.find(name) else { throw .noSuchRecord }
        return try update(old, assignments, resolves: resolves, companion: companion)
    }

    private func update(
        _ old: Record, _ assignments: [Assignment], resolves: Bool, companion: Field? = nil
    )
        throws(StoreFault) -> Bool
    {
        let sorted = assignments.sorted { $0.field < $1.field }
        try check(sorted)
        return try change(old) { record, dots throws(LocalEdit.Refusal) in
            try edit.save(
                sorted, to: record, resolves: resolves, companion: companion, dots: &dots)
        }
    }

    /// Puts a record in the trash, and with it the records that it owns, as far as they are known here.
    ///
    /// Records that another device adds to it meanwhile stay, with a reference that reads as absent.
    /// - Returns: whether anything was written.
    @discardableResult
    package func delete(_ name: RecordName) throws(StoreFault) -> Bool {
        guard let old = try store.records.find(name) else { throw .noSuchRecord }
        var isChanged = try delete(old)
        var owners = [old.name]
        while let owner = owners.popLast() {
            for owned in try store.records.owned(by: owner) where try delete(owned) {
                isChanged = true
                owners.append(owned.name)
            }
        }
        return isChanged
    }

    /// Puts a record in the trash, and none that it owns.
    func deleteAlone(_ name: RecordName) throws(StoreFault) {
        guard let old = try store.records.find(name) else { throw .noSuchRecord }
        _ = try delete(old)
    }

    private func delete(_ old: Record) throws(StoreFault) -> Bool {
        let counter = store.knowledge.counter
        let isChanged = try change(old, limit: .body) {
            record, dots throws(LocalEdit.Refusal) in
            try edit.delete(record, dots: &dots)
        }
        if isChanged { try store.incarnations.noteDelete(counter + 1) }
        return isChanged
    }

    /// Brings a record back whole.
    @discardableResult
    package func restore(_ name: RecordName) throws(StoreFault) -> Bool {
        try change(name, limit: .body) {
            old, dots throws(LocalEdit.Refusal) in
            try edit.restore(old, dots: &dots)
        }
    }

    /// Takes a delete of this replica back that nobody can have heard of: no field is written.
    ///
    /// - Returns: whether the record is alive by that; else nothing was written.
    func takeBackDelete(_ name: RecordName) throws(StoreFault) -> Bool {
        let incarnations = store.incarnations
        return try change(name, limit: .body) {
            old, dots throws(LocalEdit.Refusal) in
            edit.takeBackDelete(old, isUnheard: incarnations.isUnheard, dots: &dots)
        }
    }

    /// Brings a deleted record back; one whose content was purged as it was before.
    func restore(_ name: RecordName, before: RecordState) throws(StoreFault) -> Bool {
        try change(name, limit: .body) { old, dots throws(LocalEdit.Refusal) in
            edit.restore(old, before: before, dots: &dots)
        }
    }

    /// Drops a deleted record's content for ever, on every device.
    @discardableResult
    package func purge(_ name: RecordName, isForced: Bool = false) throws(StoreFault) -> Bool {
        try change(name, limit: .body) {
            old, dots throws(LocalEdit.Refusal) in
            try edit.purge(old, isForced: isForced, dots: &dots)
        }
    }

    /// Copies the values that were written to a purged record while apart from the purge into a record of its own,
    /// and lets go of them by a purge.
    ///
    /// The copy gets the lower arrival number, so that it is sent before the purge; edited later, it is sent with it. It is
    /// left as it is if it is there: another device made it, or it was copied before.
    /// - Returns: the copy's name; nil if there are no such values.
    @discardableResult
    package func copyFromPurged(_ name: RecordName) throws(StoreFault) -> RecordName? {
        guard let old = try store.records.find(name) else { throw .noSuchRecord }
        guard old.standing == .editedAfterPurge else { return nil }
        let copyName = name.copy(of: old.record)
        if try store.records.find(copyName) == nil,
            let copy = edit.copy(of: old.record, dots: &dots)
        {
            try save(copyName, copy, replacing: nil, limit: .body)
        }
        try store.purgedCopies.note(copyName, of: name)
        try purge(name, isForced: true)
        return copyName
    }

    /// Ends a field's conflict with a value.
    @discardableResult
    package func resolve(
        _ name: RecordName, _ field: Field, with value: Value
    ) throws(StoreFault)
        -> Bool
    {
        try update(name, [Assignment(field, value)], resolves: true)
    }

    /// Gives this device its name.
    ///
    /// - Parameter marks: what is written into the device's record with the name.
    package func nameDevice(_ name: String, marks: [Assignment] = []) throws(StoreFault) {
        let record = RecordName(deviceOf: store.knowledge.replica)
        let fields = [Assignment(.number(DeviceFieldNumber.name), .text(name))] + marks
        if try store.records.find(record) == nil {
            try insert(fields, into: .devices, id: record.id)
        } else {
            try updateDevice(store.knowledge.replica, fields)
        }
        store.knowledge.setDeviceName(name)
    }

    /// Saves fields in the record of a device, also if somebody has deleted or purged it: no member puts a device out so, or
    /// keeps one from being put out.
    ///
    /// The record of this device is brought back, and rid of most of what others have filled it with. Any other stays as it is: who
    /// it is of does that.
    /// - Returns: whether anything was written.
    /// - Throws: `noSuchRecord`; `overLimit`, if others have filled the record of another device.
    @discardableResult
    package func updateDevice(
        _ replica: ReplicaID, _ assignments: [Assignment]
    ) throws(StoreFault) -> Bool {
        let sorted = assignments.sorted { $0.field < $1.field }
        try check(sorted)
        guard let old = try store.records.find(RecordName(deviceOf: replica)) else {
            throw .noSuchRecord
        }
        let isOwn = replica == store.knowledge.replica
        func save(to record: RecordState, isWhole: Bool) throws(StoreFault) -> Bool {
            try change(old, limit: .body) {
                _, dots throws(LocalEdit.Refusal) in
                edit.save(
                    sorted, toUndeletable: record, revives: isOwn, isWhole: isWhole, dots: &dots)
            }
        }
        do throws(StoreFault) {
            return try save(to: old.record, isWhole: false)
        } catch .overLimit where isOwn {
            let own = old.record.withRoom(asOwnOf: replica)
            try store.revokedKeys.note(own, replacing: old)
            return try save(to: own, isWhole: true)
        }
    }

    /// The largest arrays of ids that one statement looks up.
    private static let lookupCountMax = 500

    /// Finds or makes records by their unique keys, with one look-up for many.
    ///
    /// - Parameter revives: whether a deleted record is restored and updated, and a purged one made anew under the
    ///   next id of its key; else it is left and reported.
    /// - Returns: what happened to each, in order.
    package func upsert(
        _ items: [UpsertItem], into collection: CollectionID, revives: Bool = false
    )
        throws(StoreFault) -> [UpsertOutcome]
    {
        var outcomes: [UpsertOutcome] = []
        outcomes.reserveCapacity(items.count)
        try upsert(items.map(\.id), into: collection, revives: revives) { index, _ in
            items[index].assignments
        } done: {
            outcomes.append($0.outcome)
        }
        return outcomes
    }

    /// Finds or makes records by their unique keys, with one look-up for many, where what is there already
    /// counts for what it is given.
    ///
    /// - Parameters:
    ///   - revives: whether a deleted record is restored and updated, and a purged one made anew under the next id
    ///     of its key; else it is left and reported.
    ///   - assignments: what the record of the id at that index is given, by what it is now.
    ///   - done: told what happened to each, in order.
    package func upsert(
        _ ids: [RecordID], into collection: CollectionID, revives: Bool = false,
        assignments: (Int, Record?) -> [Assignment],
        done: (UpsertStep) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        var known: [RecordID: Record] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.lookupCountMax) {
            let ids = Array(ids[start..<min(start + Self.lookupCountMax, ids.count)])
            for found in try store.records.find(ids, in: collection) { known[found.id] = found }
        }
        // Ids that stand for purged ones, in references of earlier items as well.
        var standIns: [RecordID: RecordID] = [:]
        // Where references lead that were looked up.
        var targets: [RecordName: RecordName] = [:]
        for id in ids {
            guard let found = known[id], found.wasPurged else { continue }
            let standIn = try store.records.standIn(for: found)
            if standIn.name.id != id, revives || standIn.record != nil {
                standIns[id] = standIn.name.id
                targets[found.name] = standIn.name
            }
        }
        // The same key may come twice in one import: what was written here is looked up again.
        var written: Set<RecordID> = []
        for (index, id) in ids.enumerated() {
            let standIn = standIns[id] ?? id
            let isAgain = standIn != id || !written.insert(id).inserted
            let old = isAgain ? try store.records.find(RecordName(collection, standIn)) : known[id]
            let given = try assignments(index, old).map { assignment throws(StoreFault) in
                try assignment.leading { target throws(StoreFault) in
                    guard target.collection != collection || known[target.id]?.wasPurged != false
                    else { return target }
                    if let standIn = targets[target] { return standIn }
                    let standIn = try store.standIn(of: target, ifMade: true)
                    targets[target] = standIn
                    return standIn
                }
            }
            let item = UpsertItem(id: standIn, given)
            let outcome = try upsert(item, old, into: collection, revives: revives)
            try done(UpsertStep(index: index, before: old, assignments: given, outcome: outcome))
        }
    }

    /// The assignments with references to records that stand here for purged ones, in place of these.
    package func following(_ assignments: [Assignment]) throws(StoreFault) -> [Assignment] {
        try assignments.map { assignment throws(StoreFault) in
            try assignment.leading { target throws(StoreFault) in
                try store.standIn(of: target, ifMade: true)
            }
        }
    }

    private func upsert(
        _ item: UpsertItem, _ old: Record?, into collection: CollectionID, revives: Bool
    ) throws(StoreFault) -> UpsertOutcome {
        let name = RecordName(collection, item.id)
        guard let old else {
            try make(name, item.assignments)
            return .inserted(item.id)
        }
        switch old.standing {
        case .live:
            let isChanged = try update(old, item.assignments, resolves: false)
            return isChanged ? .updated(item.id) : .unchanged(item.id)
        case .trashed:
            guard revives else { return .skippedDeleted(item.id) }
            try restore(name)
            try update(name, item.assignments)
            return .updated(item.id)
        case .purged, .editedAfterPurge: return .skippedPurged(item.id)
        }
    }

    private func change(
        _ name: RecordName, limit: RecordSizeLimit = .localEdit,
        _ body: (RecordState, inout LocalEdit.DotSource) throws(LocalEdit.Refusal) -> RecordState?
    ) throws(StoreFault) -> Bool {
        guard let old = try store.records.find(name) else { throw .noSuchRecord }
        return try change(old, limit: limit, body)
    }

    /// Changes a record.
    ///
    /// - Parameter limit: how large it may be afterwards. What only deletes, restores or purges goes as far as a merge:
    ///   nobody may make a record that cannot be deleted.
    func change(
        _ old: Record, limit: RecordSizeLimit = .localEdit,
        _ body: (RecordState, inout LocalEdit.DotSource) throws(LocalEdit.Refusal) -> RecordState?
    ) throws(StoreFault) -> Bool {
        // Dots of an edit that fails are given again: the transaction may go on without it.
        var dots = dots
        let new: RecordState?
        do throws(LocalEdit.Refusal) {
            new = try body(old.record, &dots)
        } catch {
            throw StoreFault(error)
        }
        guard let new else { return false }
        try save(old.name, new, replacing: old, limit: limit)
        self.dots = dots
        return true
    }

    func save(
        _ name: RecordName, _ record: RecordState, replacing old: Record?,
        limit: RecordSizeLimit = .localEdit
    ) throws(StoreFault) {
        let body = BodyCodec.encode(record, in: name.collection)
        try check(record, body, in: name.collection, replacing: old, limit)
        let isPut = try store.records.put(
            name, record, replacing: old, body: body, insertsOnly: old == nil)
        if !isPut { throw .recordExists }
        if let old {
            try store.journal.note(edit: record, of: old, at: edit.writeTimestamp)
        } else if name.collection != .devices {
            store.journal.noteMade(store.knowledge.sequence, at: edit.writeTimestamp)
        }
    }

    /// Refuses a record over the limit.
    ///
    /// One that others have made larger may be edited all the same, as long as the edit does not make it larger still: a
    /// to-do can always be done.
    private func check(
        _ record: RecordState, _ body: [UInt8], in collection: CollectionID,
        replacing old: Record?, _ limit: RecordSizeLimit
    ) throws(StoreFault) {
        let fits = record.isWithinLimits(
            bodyByteCount: body.count, replacing: old?.record, in: collection)
        guard fits else {
            throw record.isShortEnough(bodyByteCount: body.count)
                ? .overLimit(.recordAssignments, max: RecordLimits.assignmentCountMax)
                : .overLimit(
                    .recordBytes,
                    max: body.count > RecordLimits.mergedBodyByteCountMax
                        ? RecordLimits.mergedBodyByteCountMax : RecordLimits.contentByteCountMax)
        }
        let count = record.freeValueCount
        if count > limit.freeValueCount, count > old?.record.freeValueCount ?? 0 {
            throw .overLimit(.recordValues, max: limit.freeValueCount)
        }
        if body.count > limit.byteCount {
            let before = old.map { BodyCodec.encode($0.record, in: $0.collection).count } ?? 0
            guard body.count <= before + RecordLimits.smallEditByteCountMax else {
                throw .overLimit(.recordBytes, max: limit.byteCount)
            }
        }
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
        if case .clock = value { preconditionFailure("a clock is no value of a field") }
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

extension Assignment {
    /// The assignment with the target of its reference replaced: one that is its value, or an element of a set.
    fileprivate func leading(
        _ target: (RecordName) throws(StoreFault) -> RecordName
    ) throws(StoreFault) -> Assignment {
        if case .reference(let name) = value {
            return Assignment(field, .reference(try target(name)))
        }
        if case .element(let set, .reference(let name)) = field {
            return Assignment(.element(set, .reference(try target(name))), value)
        }
        return self
    }
}

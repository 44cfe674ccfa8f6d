import Core

/// Taking back what a device did, as a whole, by new writes: it works after a sync as an undo does.
///
/// The journal says what stood there before. Values that another device wrote stay, and so does a record of the device
/// to which another one wrote; deletes by the device are undone, and records that it made go to the trash.
extension Store {
    /// Takes back what some replicas did.
    ///
    /// - Parameters:
    ///   - authors: all replicas of one device; this store's own is left out.
    ///   - key: the device's key, for the mark by which the other devices know the deletes of this take-back.
    ///   - since: the time from which on what they did is taken back, by their own clock; milliseconds since 1970-01-01
    ///     UTC, nil for all of it.
    @discardableResult
    package func takeBack(
        _ authors: Set<ReplicaID>, of key: [UInt8], since: Int64? = nil
    ) throws(StoreFault) -> TakenBack {
        try edit { transaction throws(StoreFault) in
            try transaction.takeBack(authors, of: key, since: since)
        }
    }

    /// Counts what a take-back would do, by the code that would do it; nothing is written.
    package func rehearseTakeBack(
        _ authors: Set<ReplicaID>, of key: [UInt8], since: Int64? = nil
    ) throws(StoreFault) -> TakenBack {
        try rehearse { transaction throws(StoreFault) in
            try transaction.takeBack(authors, of: key, since: since)
        }
    }

    /// The plans for all records to which some replicas wrote.
    fileprivate func takeBackPlans(
        _ authors: Set<ReplicaID>, since: Int64?
    ) throws(StoreFault) -> [TakeBackPlan] {
        var plans: [TakeBackPlan] = []
        let isJournalWhole = try since.map { time throws(StoreFault) in
            try journal.reaches(backTo: time, of: authors)
        }
        let doings = Doings(
            authors: authors, since: since, isJournalWhole: isJournalWhole ?? false)
        for index in collections.indices where collections[index].id != .devices {
            try records.forEachRecord(in: index) { stored throws(StoreFault) in
                let isTheirs = stored.record.clock.entries.contains {
                    authors.contains($0.replica)
                }
                if !isTheirs { return }
                let entries = try journal.entries(of: stored.name)
                plans.append(TakeBackPlan(stored, entries, doings))
            }
        }
        return plans
    }
}

extension Transaction {
    /// Takes back what some replicas did, and marks this in the record of this device if it deletes anything.
    fileprivate func takeBack(
        _ authors: Set<ReplicaID>, of key: [UInt8], since: Int64?
    ) throws(StoreFault) -> TakenBack {
        var authors = authors
        authors.remove(store.knowledge.replica)
        let plans = try store.takeBackPlans(authors, since: since)
        // First of all: the mark has the lowest arrival number, so that it is sent before the deletes.
        if plans.contains(where: { $0.undo.isDeleted == true }) {
            try updateDevice(
                store.knowledge.replica,
                [Assignment(TakeBackMarks.field(key, timestamp), .bool(true))])
        }
        var total = TakenBack()
        for plan in plans {
            do throws(StoreFault) {
                try carryOut(plan.undo, deletes: false)
                total.add(plan.counts)
            } catch .overLimit {
                total.losses[.overLimit, default: 0] += 1
            }
        }
        // The deletes last, and of these records alone: what was put under one of them is out again by now.
        for plan in plans where plan.undo.isDeleted == true {
            do throws(StoreFault) {
                try deleteAlone(plan.undo.record)
            } catch .overLimit {
                // One that its author made too large to take a delete keeps nothing else from being taken back.
                total.deletedCount -= plan.counts.deletedCount
                total.losses[.overLimit, default: 0] += 1
            }
        }
        return total
    }
}

/// The counts of a take-back.
public struct TakenBack: Hashable, Sendable {
    /// The causes for which something cannot be taken back; the raw value is the code for programs.
    public enum Loss: String, Hashable, Sendable, CaseIterable {
        /// The device purged the record.
        case purged
        /// The journal does not have what stood there before: it was dropped, or never shown here.
        case notInJournal = "not-in-journal"
        /// The record with its former value is larger than this store takes.
        case overLimit = "over-limit"
    }

    /// Records that the device had deleted and that are back.
    public internal(set) var restoredCount = 0
    /// Records that the device had made, or had restored, and that are in the trash.
    public internal(set) var deletedCount = 0
    /// Fields and elements of sets that have their former value again.
    public internal(set) var fieldCount = 0
    /// Records of the device to which another device wrote, and its values that another device replaced: they stay.
    public internal(set) var keptCount = 0
    /// Records and fields that cannot be taken back, by cause.
    public internal(set) var losses: [Loss: Int] = [:]

    /// Whether nothing is written.
    public var isEmpty: Bool { restoredCount == 0 && deletedCount == 0 && fieldCount == 0 }

    fileprivate mutating func add(_ other: TakenBack) {
        addUndone(other)
        keptCount += other.keptCount
        losses.merge(other.losses, uniquingKeysWith: +)
    }

    private mutating func addUndone(_ other: TakenBack) {
        restoredCount += other.restoredCount
        deletedCount += other.deletedCount
        fieldCount += other.fieldCount
    }

    /// Adds what a later take-back of the same did: for that, the values that this one gave back are edits by others.
    package mutating func add(later: TakenBack) {
        let more = max(0, later.keptCount - keptCount - fieldCount)
        addUndone(later)
        keptCount += more
        losses.merge(later.losses, uniquingKeysWith: max)
    }
}

/// The writes of a device that are taken back.
private struct Doings {
    /// The replicas of the device.
    let authors: Set<ReplicaID>
    /// The earliest time of them; milliseconds since 1970-01-01 UTC, nil for all.
    let since: Int64?
    /// Whether the journal has every entry for a write of the device since then.
    let isJournalWhole: Bool

    func isTheirs(_ author: ReplicaID, _ timestamp: HybridTimestamp) -> Bool {
        authors.contains(author) && since.map { timestamp.milliseconds >= $0 } ?? true
    }

    /// Whether the device made a record, and did so since then.
    func isMade(_ stored: Record, _ entries: [JournalEntry]) -> Bool {
        let made = entries.first { $0.kind == .made }
        if let made { return isTheirs(made.author, made.timestamp) }
        guard stored.record.clock.entries.allSatisfy({ authors.contains($0.replica) }) else {
            return false
        }
        guard let since else { return true }
        // Its id tells when it was made, unless it is derived from a key.
        let first =
            stored.id.milliseconds ?? stored.record.writes.map(\.timestamp.milliseconds).min()
        return first.map { $0 >= since } ?? false
    }
}

/// The writes that take back what a device did to one record.
private struct TakeBackPlan {
    /// The writes.
    private(set) var undo: UndoPlan
    /// The counts for this record.
    private(set) var counts = TakenBack()
    private let record: RecordState
    private let entries: [JournalEntry]
    private let doings: Doings

    /// - Parameters:
    ///   - stored: the record as it is now.
    ///   - entries: its entries in the journal, the latest first.
    ///   - doings: the writes of the device.
    init(_ stored: Record, _ entries: [JournalEntry], _ doings: Doings) {
        undo = UndoPlan(stored.name)
        record = stored.record
        self.entries = entries
        self.doings = doings
        let isMadeByDevice = doings.isMade(stored, entries)
        if stored.standing == .purged || stored.standing == .editedAfterPurge {
            let marks = record.survivors(of: .purged).filter { !$0.value.isNull }
            if !isMadeByDevice, marks.allSatisfy({ isOfDevice($0.write) }) {
                counts.losses[.purged] = 1
            }
        } else if isMadeByDevice {
            unmake(stored)
        } else {
            revert(stored)
        }
    }

    private func isOfDevice(_ write: Write) -> Bool {
        doings.isTheirs(write.dot.replica, write.timestamp)
    }

    private func isOfDevice(_ entry: JournalEntry) -> Bool {
        doings.isTheirs(entry.author, entry.timestamp)
    }

    /// Whether a surviving value is one that the device gave.
    ///
    /// A restore writes every field again, with the values that are there: these are no edits.
    /// - Parameter shown: the entries of that field which changed what it showed, the latest first.
    private func isGiven(
        _ survivor: (write: Write, value: Value), _ shown: [JournalEntry]
    ) -> Bool {
        if isOfDevice(survivor.write) { return true }
        guard let first = survivor.write.assignments.first, first.field == .deleted,
            first.value.isNull, let last = shown.first
        else { return false }
        return isOfDevice(last) && last.after ?? .null == survivor.value
    }

    private mutating func unmake(_ stored: Record) {
        if stored.verdict.isDeleted { return }
        let isEditedByOthers = record.writes.contains { write in
            !isOfDevice(write) && write.assignments.contains { $0.field > .purged }
        }
        if isEditedByOthers {
            counts.keptCount = 1
        } else {
            undo.isDeleted = true
            counts.deletedCount = 1
        }
    }

    private mutating func revert(_ stored: Record) {
        revertDeletion(stored)
        // The fields of what stays in the trash are left as they are.
        if undo.isDeleted ?? stored.verdict.isDeleted { return }
        var shown: [Field: [JournalEntry]] = [:]
        var overwritten: Set<Field> = []
        for entry in entries {
            if entry.kind.changesShown { shown[entry.field, default: []].append(entry) }
            if isOfDevice(entry), entry.field > .purged { overwritten.insert(entry.field) }
        }
        var reverted: [(field: Field, survivors: [(write: Write, value: Value)])] = []
        record.forEachRegister { field, survivors in
            let entries = shown[field] ?? []
            guard field > .purged, survivors.contains(where: { isGiven($0, entries) }) else {
                return
            }
            reverted.append((field, survivors))
        }
        for (field, survivors) in reverted {
            revert(field, survivors, shown[field] ?? [])
            overwritten.remove(field)
        }
        counts.keptCount += overwritten.count
    }

    /// The value that a field had before the device wrote it last; nil if the journal does not say.
    ///
    /// - Parameter shown: the entries of that field which changed what it showed, the latest first.
    private func before(_ shown: [JournalEntry]) -> Value?? {
        var oldest: JournalEntry?
        for entry in shown {
            if !isOfDevice(entry) { return .some(entry.after) }
            let isFirst = entry.previous.map { !doings.authors.contains($0) } ?? true
            if isFirst { return .some(entry.before) }
            oldest = entry
        }
        // The device wrote that value as well: before the time from which on its doings are taken back, as the journal
        // has all that it did since.
        guard doings.isJournalWhole, let oldest else { return nil }
        return .some(oldest.before)
    }

    private mutating func revertDeletion(_ stored: Record) {
        let deletes = record.survivors(of: .deleted)
        guard !deletes.isEmpty, deletes.allSatisfy({ isOfDevice($0.write) }) else { return }
        let isMarked = deletes.contains { !$0.value.isNull }
        // A delete that came with the record was never shown here: the record was alive before it.
        let shown = entries.filter { $0.field == .deleted && $0.kind.changesShown }
        let wasDeleted = (before(shown) ?? .bool(false)) == .bool(true)
        if isMarked, !wasDeleted {
            undo.isDeleted = false
            counts.restoredCount = 1
        } else if !isMarked, wasDeleted {
            undo.isDeleted = true
            counts.deletedCount = 1
        }
    }

    /// Takes back what the device gave to a field.
    ///
    /// - Parameters:
    ///   - survivors: its surviving values, one of the device among them.
    ///   - entries: the entries of that field which changed what it showed, the latest first.
    private mutating func revert(
        _ field: Field, _ survivors: [(write: Write, value: Value)], _ entries: [JournalEntry]
    ) {
        guard let shown = survivors.last else { return }
        let values = Set(survivors.map(\.value))
        let others = RecordState.candidates(survivors.filter { !isGiven($0, entries) })
            .map(\.value)
        if others.count > 1, !field.isElement {
            // The conflict of the others stays.
            if others.count == values.count { return }
            undo.conflicts.append((field, others))
        } else {
            guard let target = others.first ?? before(entries).map({ $0 ?? .null }) else {
                return noteLoss(of: field)
            }
            if values.count == 1, shown.value == target { return }
            undo.assignments.append(Assignment(field, target))
        }
        counts.fieldCount += 1
    }

    private mutating func noteLoss(of field: Field) {
        // A restore by the device wrote every field again, with the values that were there.
        let isRestored = entries.contains {
            $0.field == .deleted && $0.after == .bool(false) && isOfDevice($0)
        }
        if isRestored { return }
        counts.losses[.notInJournal, default: 0] += 1
    }
}

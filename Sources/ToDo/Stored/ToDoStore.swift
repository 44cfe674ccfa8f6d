import Core
import Storage

/// A store of to-dos: what people do with them.
package struct ToDoStore {
    /// The store.
    package let store: Store
    /// The wall clock; milliseconds since 1970-01-01 UTC.
    package let now: Int64
    /// The time zone in which days begin.
    package let zone: LocalTimeZone

    /// To-dos in a store, seen from one place and time.
    package init(store: Store, now: Int64, zone: LocalTimeZone) {
        self.store = store
        self.now = now
        self.zone = zone
    }

    /// The order of lists: the most urgent first, those without a date last.
    package static let order = [
        FetchRequest.SortDescriptor(.field(ToDoSchema.Number.due))
    ]

    /// A to-do by its id, deleted ones too.
    package func stored(_ id: RecordID) throws(StoreFault) -> Record? {
        guard let found = try store.record(id), found.collection == ToDoSchema.collection else {
            return nil
        }
        return found
    }

    /// The titles of the to-dos among these records, deleted ones too, as lines of a screen have them.
    package func shownTitles(of names: [RecordName]) throws(StoreFault) -> [String] {
        var titles: [String] = []
        for name in names where name.collection == ToDoSchema.collection {
            if let found = try stored(name.id) { titles.append(found.shownTitle) }
        }
        return titles
    }

    /// The to-dos whose id begins with these hexadecimal digits, deleted ones too.
    package func stored(idPrefix digits: String, limit: Int) throws(StoreFault) -> [Record] {
        try store.fetch(
            FetchRequest(
                ToDoSchema.collection, scope: .all, where: .idPrefix(digits), limit: limit))
    }

    /// The fewest records that are read at once where only the to-dos themselves can tell.
    static let pageCountMin = 200

    /// The to-dos that a filter takes, in the order of lists.
    ///
    /// Where the store can tell, no more is read than is given.
    /// - Parameters:
    ///   - pendingOnly: whether finished ones are left out.
    ///   - limit: the most to give; nil for all.
    package func list(
        _ filter: ToDoFilter, pendingOnly: Bool, limit: Int? = nil
    ) throws(StoreFault) -> [Record] {
        let (filter, predicate, isExact) = try question(filter, pendingOnly: pendingOnly)
        let request = FetchRequest(
            ToDoSchema.collection, where: predicate, sort: Self.order, limit: limit)
        if isExact { return try store.fetch(request) }
        guard let limit else { return try matching(try store.fetch(request), filter) }
        return try pages(predicate, Self.order, limit: limit) { page throws(StoreFault) in
            try matching(page, filter)
        }
    }

    /// Returns a filter resolved, the store's predicate for it, and whether its results need no further check.
    func question(
        _ filter: ToDoFilter, pendingOnly: Bool
    ) throws(StoreFault) -> (filter: ToDoFilter, predicate: FetchPredicate, isExact: Bool) {
        let filter = try resolved(filter)
        let compiled = ToDoPredicate(filter, now: now, zone: zone)
        guard pendingOnly else { return (filter, compiled.predicate, compiled.isExact) }
        return (filter, .and([Self.pending, compiled.predicate]), compiled.isExact)
    }

    /// How many to-dos are pending, and how many to-dos and views have an open conflict.
    package func counts() throws(StoreFault) -> (pending: Int, conflicted: Int) {
        let pending = try store.count(
            FetchRequest(ToDoSchema.collection, where: Self.pending))
        return (pending, try openConflictCount())
    }

    /// How many to-dos and views have an open conflict, purged ones to which somebody wrote among them: as the status has it.
    package func openConflictCount() throws(StoreFault) -> Int {
        try conflictedCount() + viewConflictCount()
    }

    /// How many to-dos have an open conflict.
    package func conflictedCount() throws(StoreFault) -> Int {
        try store.count(FetchRequest(ToDoSchema.collection, scope: .conflicted))
    }

    /// The to-dos in the trash, the latest deleted first, then by id, and their number in all.
    ///
    /// Which of them are left out beyond the limit goes by when they arrived here: no index holds the times of deletes.
    package func trash(limit: Int?) throws(StoreFault) -> (shown: [Record], count: Int) {
        let latest = FetchRequest.SortDescriptor(.sequence, isAscending: false)
        let shown = try store.fetch(
            FetchRequest(ToDoSchema.collection, scope: .trash, sort: [latest], limit: limit))
        let count = try store.count(FetchRequest(ToDoSchema.collection, scope: .trash))
        let times = shown.map { Self.delete(of: $0)?.timestamp.milliseconds ?? 0 }
        let order = shown.indices.sorted {
            times[$0] == times[$1] ? shown[$0].id < shown[$1].id : times[$0] > times[$1]
        }
        return (order.map { shown[$0] }, count)
    }

    /// How many to-dos in the trash a filter takes; no more than `limit` are looked at.
    package func trashedCount(_ filter: ToDoFilter, limit: Int) throws(StoreFault) -> Int {
        let (filter, predicate, isExact) = try question(filter, pendingOnly: false)
        let request = FetchRequest(
            ToDoSchema.collection, scope: .trash, where: predicate, limit: limit)
        let found = try store.fetch(request)
        if isExact { return found.count }
        return try matching(found, filter).count
    }

    /// The device that deleted a to-do, and the time by its clock; nil if it was not deleted.
    package func deletion(
        of stored: Record
    )
        throws(StoreFault) -> (device: String, time: Int64)?
    {
        guard let last = Self.delete(of: stored) else { return nil }
        return (try deviceName(last.dot.replica), last.timestamp.milliseconds)
    }

    /// The latest write that deleted a to-do; nil if none did.
    private static func delete(of stored: Record) -> Write? {
        stored.record.survivors(of: .deleted).last { !$0.value.isNull }?.write
    }

    /// The name of a device, or the beginning of its id.
    package func deviceName(_ replica: ReplicaID) throws(StoreFault) -> String {
        try store.deviceName(of: replica) ?? "device \(replica.uuidText.prefix(8))"
    }
}

/// The words that were typed for a to-do.
extension ToDoStore {
    /// Whether a to-do can be a part of another: not of itself, nor of one of its parts.
    package func canBePart(
        _ identifier: UInt128?, of parent: RecordID
    ) throws(StoreFault) -> Bool {
        guard let identifier, let stored = try stored(parent) else { return true }
        let above = try parents(of: [stored])
        var next: RecordID? = parent
        // References that are followed have no cycle.
        while let id = next {
            if id.value == identifier { return false }
            next = above[id]
        }
        return true
    }

    /// Changes an item as words say; other to-dos are found before, as their words may be numbers of a list.
    ///
    /// - Parameters:
    ///   - parent: the to-do that it becomes a part of, nil for none; nil at all leaves it as it is.
    ///   - depends: the to-dos that it waits for from now on; nil leaves them as they are.
    /// - Throws: `missingDate` if a date is counted from one that is not set.
    package func apply(
        _ words: ToDoWords, to item: inout ToDoItem, parent: UInt128??, depends: [UInt128]? = nil
    ) throws(ToDoWordsError) {
        let (old, before) = (item, item.repeats)
        try words.change(&item, now: now, zone: zone)
        item.moveReminders(since: old, in: zone)
        if let parent { item.parent = parent }
        if let depends { item.setDepends(depends) }
        if item.repeats != before, let rule = item.repetition {
            item.repeats = placed(rule, of: item).text
        }
        let isRepeated = words.assignments.contains {
            if case .repeats = $0 { true } else { false }
        }
        if words.isDueAtMonthEnd, isRepeated { item.repeatAtMonthEnds(in: zone) }
    }

    /// The doubts about dates, reminders and days that are left out, as far as a change made them so.
    ///
    /// - Parameter old: the to-do before the change; nil if it is new.
    package func hints(_ item: ToDoItem, before old: ToDoItem?) -> [ToDoWordHint] {
        item.pastHints(before: old, now: now, zone: zone)
            + item.reminderHints(before: old, now: now, zone: zone)
            + item.orderHints(before: old, now: now, zone: zone)
            + item.exceptionHints(before: old, zone: zone, named: Self.zone(named:))
    }

    /// Whether an item may be saved: it has a title, or had none before, as another program left it.
    package static func isComplete(_ item: ToDoItem, before: ToDoItem?) -> Bool {
        if let before, !before.hasTitle, before.title == item.title { return true }
        return item.hasTitle
    }
}

/// Edits; each is saved whole or not at all.
extension ToDoStore {
    /// Makes a to-do.
    ///
    /// - Throws: `recordExists` if the item has the id of another.
    package func add(_ item: ToDoItem) throws(StoreFault) -> RecordID {
        var item = item
        item.created = item.created ?? now
        let assignments = ToDoMapping.assignments(from: nil, to: item)
        return try store.edit { transaction throws(StoreFault) in
            try transaction.insert(
                assignments, into: ToDoSchema.collection,
                id: item.identifier.map { RecordID(value: $0) })
        }
    }

    /// Makes to-dos, all of them or none.
    ///
    /// - Returns: their ids, in order.
    package func add(_ items: [ToDoItem]) throws(StoreFault) -> [RecordID] {
        try store.edit { transaction throws(StoreFault) in
            var ids: [RecordID] = []
            for var item in items {
                item.created = item.created ?? now
                ids.append(
                    try transaction.insert(
                        ToDoMapping.assignments(from: nil, to: item),
                        into: ToDoSchema.collection,
                        id: item.identifier.map { RecordID(value: $0) }))
            }
            return ids
        }
    }

    /// Changes several to-dos from what they showed, all of them or none.
    ///
    /// - Returns: those that were written.
    package func edit(
        _ edits: [(id: RecordID, old: ToDoItem, new: ToDoItem)]
    ) throws(StoreFault) -> Set<RecordID> {
        try store.edit { transaction throws(StoreFault) in
            var changed: Set<RecordID> = []
            for edit in edits {
                if try write(edit.id, from: edit.old, to: edit.new, in: transaction) {
                    changed.insert(edit.id)
                }
            }
            return changed
        }
    }

    /// Changes a to-do from what it showed to something else; what others changed meanwhile stays.
    ///
    /// Of one that comes again and is completed by it the next occurrence is made, as by `setStatus`.
    /// - Returns: whether anything was written.
    /// - Throws: `recordDeleted` if it is in the trash, `recordPurged` if it was purged.
    package func edit(
        _ id: RecordID, from old: ToDoItem, to new: ToDoItem
    ) throws(StoreFault)
        -> Bool
    {
        try store.edit { transaction throws(StoreFault) in
            try write(id, from: old, to: new, in: transaction)
        }
    }

    private func write(
        _ id: RecordID, from old: ToDoItem, to new: ToDoItem, in transaction: Transaction
    ) throws(StoreFault) -> Bool {
        var new = new
        let isFinished = old.status == .pending && new.status != .pending
        if isFinished { new.stopWork(at: new.completed ?? now) }
        let changes = ToDoMapping.assignments(from: old, to: new)
        guard try update(id, changes, in: transaction) else { return false }
        try follow(id, from: old, to: new, in: transaction)
        return true
    }

    /// Puts to-dos in the trash.
    ///
    /// - Returns: those that were not there, or were but not by every device's word.
    package func delete(_ ids: [RecordID]) throws(StoreFault) -> Set<RecordID> {
        try change(ids) { transaction, id throws(StoreFault) in try transaction.delete(id) }
    }

    /// Brings to-dos back from the trash, whole.
    ///
    /// - Returns: those that were there.
    /// - Throws: `recordPurged` if nothing is left to bring back.
    package func restore(_ ids: [RecordID]) throws(StoreFault) -> Set<RecordID> {
        try change(ids) { transaction, id throws(StoreFault) in try transaction.restore(id) }
    }

    /// Drops the content of deleted to-dos for ever.
    ///
    /// - Parameter isForced: whether to do so although a conflict is open or one is not deleted; what was written
    ///   to a purged to-do is let go of only if it is the only one.
    /// - Returns: those that still had any.
    package func purge(
        _ ids: [RecordID], isForced: Bool = false
    ) throws(StoreFault)
        -> Set<RecordID>
    {
        try change(ids) { transaction, id throws(StoreFault) in
            if ids.count > 1, try transaction.record(id)?.standing == .editedAfterPurge {
                throw .conflictOpen
            }
            return try transaction.purge(id, isForced: isForced)
        }
    }

    private func change(
        _ ids: [RecordID], _ body: (Transaction, RecordID) throws(StoreFault) -> Bool
    ) throws(StoreFault) -> Set<RecordID> {
        try store.edit { transaction throws(StoreFault) in
            var changed: Set<RecordID> = []
            for id in ids where try body(transaction, id) { changed.insert(id) }
            return changed
        }
    }
}

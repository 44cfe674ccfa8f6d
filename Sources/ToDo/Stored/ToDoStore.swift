import Causality
import Merge
import Records
import Storage
import Wire

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

    // MARK: Finding

    /// A to-do by its id, deleted ones too.
    package func stored(_ id: RecordID) throws(StoreFault) -> StoredRecord? {
        guard let found = try store.record(id), found.collection == ToDoSchema.collection else {
            return nil
        }
        return found
    }

    /// The to-dos whose id begins with these hexadecimal digits, deleted ones too.
    package func stored(idPrefix digits: String, limit: Int) throws(StoreFault) -> [StoredRecord] {
        try store.fetch(
            FetchRequest(
                ToDoSchema.collection, scope: .all, where: .idPrefix(digits), limit: limit))
    }

    /// The order of lists: the most urgent first, those without a date last.
    package static let order = [
        FetchRequest.SortDescriptor(.field(ToDoSchema.Number.due))
    ]

    /// The to-dos that a filter takes, in the order of lists.
    ///
    /// - Parameters:
    ///   - limit: the most to give; nil for all.
    ///   - pendingOnly: whether finished ones are left out.
    package func list(
        _ filter: ToDoFilter, pendingOnly: Bool, limit: Int? = nil,
        scope: FetchRequest.Scope = .live
    ) throws(StoreFault) -> [StoredRecord] {
        let compiled = filter.conditions.map(ToDoPredicate.init)
        let isExact = compiled.allSatisfy(\.isExact)
        var parts = compiled.map(\.predicate)
        if pendingOnly { parts.append(.absent(.field(ToDoSchema.Number.status))) }
        let found = try store.fetch(
            FetchRequest(
                ToDoSchema.collection, scope: scope, where: .and(parts), sort: Self.order,
                limit: isExact ? limit : nil))
        if isExact { return found }
        let matching = found.filter {
            filter.matches(ToDoMapping.item($0), now: now, zone: zone)
        }
        return limit.map { Array(matching.prefix($0)) } ?? matching
    }

    /// How many to-dos are pending, and how many have an open conflict.
    package func counts() throws(StoreFault) -> (pending: Int, conflicted: Int) {
        let pending = try store.count(
            FetchRequest(
                ToDoSchema.collection, where: .absent(.field(ToDoSchema.Number.status))))
        let conflicted = try store.count(
            FetchRequest(ToDoSchema.collection, scope: .conflicted))
        return (pending, conflicted)
    }

    // MARK: Editing

    /// Makes a to-do.
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

    /// Changes a to-do from what it showed to something else.
    ///
    /// - Returns: whether anything was written.
    package func edit(
        _ id: RecordID, from old: ToDoItem, to new: ToDoItem
    ) throws(StoreFault)
        -> Bool
    {
        let assignments = ToDoMapping.assignments(from: old, to: new)
        return try store.edit { transaction throws(StoreFault) in
            try transaction.update(id, assignments)
        }
    }

    /// Gives a to-do another status.
    package func setStatus(_ status: ToDoStatus, of ids: [RecordID]) throws(StoreFault) -> Int {
        try store.edit { transaction throws(StoreFault) in
            var count = 0
            for id in ids {
                guard let stored = try transaction.record(id) else { throw .noSuchRecord }
                let old = ToDoMapping.item(stored)
                var new = old
                new.apply(.status(status), now: now)
                let assignments = ToDoMapping.assignments(from: old, to: new)
                if try transaction.update(id, assignments) { count += 1 }
            }
            return count
        }
    }

    // MARK: Conflicts

    /// What devices disagree on, all of it or of one to-do.
    package func conflicts(of id: RecordID? = nil) throws(StoreFault) -> [ToDoConflict] {
        let predicate = id.map { Predicate.oneOf([$0]) } ?? .all
        let found = try store.fetch(
            FetchRequest(ToDoSchema.collection, scope: .conflicted, where: predicate))
        let own = try store.summary().replica
        var conflicts: [ToDoConflict] = []
        for stored in found {
            let title = ToDoMapping.item(stored).title
            func add(_ kind: ToDoConflict.Kind) {
                conflicts.append(
                    ToDoConflict(
                        id: stored.id, title: title, isDeleted: stored.verdict.isDeleted,
                        kind: kind))
            }
            if stored.verdict.isContested { add(.wasDeleted) }
            if stored.verdict.isDeleted { continue }
            for conflict in stored.record.fieldConflicts {
                var candidates: [ToDoConflict.Candidate] = []
                for candidate in conflict.candidates {
                    let replica = candidate.dot.replica
                    let name =
                        try store.deviceName(of: replica) ?? "device \(replica.uuidText.prefix(8))"
                    candidates.append(
                        ToDoConflict.Candidate(
                            value: candidate.value, device: name, isMine: replica == own,
                            time: candidate.timestamp.milliseconds))
                }
                add(.field(conflict.field, candidates))
            }
        }
        return conflicts
    }

    // MARK: In and out

    /// Finds or makes to-dos by their ids; what was imported before is updated, never doubled.
    ///
    /// - Parameter revives: whether those in the trash are brought back.
    package func importItems(
        _ items: [ToDoItem], revives: Bool = false
    ) throws(StoreFault)
        -> [UpsertOutcome]
    {
        try store.edit { transaction throws(StoreFault) in
            var outcomes: [UpsertOutcome] = []
            let upserts = items.map { item in
                UpsertItem(
                    id: RecordID(value: item.identifier ?? 0),
                    ToDoMapping.assignments(from: nil, to: item))
            }
            outcomes = try transaction.upsert(
                upserts, into: ToDoSchema.collection, revives: revives)
            return outcomes
        }
    }

    /// All to-dos that a filter takes, by id: the same bytes on every device that is in sync.
    package func export(_ filter: ToDoFilter) throws(StoreFault) -> [ToDoItem] {
        try store.fetch(FetchRequest(ToDoSchema.collection)).map(ToDoMapping.item)
            .filter { filter.matches($0, now: now, zone: zone) }
    }

    /// 128 well mixed bits of a foreign item's content, for an id that stays the same for ever.
    package static func contentHash(_ bytes: [UInt8]) -> UInt128 {
        SipHash(key0: 0x696d_706f_7274, key1: 2).hash128(bytes)
    }
}

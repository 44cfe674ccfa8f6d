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
    ) throws(StoreFault) -> [StoredRecord] {
        let (predicate, isExact) = question(filter, pendingOnly: pendingOnly)
        var request = FetchRequest(
            ToDoSchema.collection, where: predicate, sort: Self.order, limit: limit)
        if isExact { return try store.fetch(request) }
        func isMatch(_ stored: StoredRecord) -> Bool {
            filter.matches(ToDoMapping.item(stored), now: now, zone: zone)
        }
        guard let limit else { return try store.fetch(request).filter(isMatch) }
        var matching: [StoredRecord] = []
        var pageCount = max(limit, Self.pageCountMin)
        while true {
            request.limit = pageCount
            let page = try store.fetch(request)
            matching.append(contentsOf: page.filter(isMatch))
            if matching.count >= limit || page.count < pageCount {
                return Array(matching.prefix(limit))
            }
            request.offset += pageCount
            // Each page costs a walk to its beginning: pages grow, so that there are few.
            pageCount *= 4
        }
    }

    /// What a filter asks of the store, and whether nothing else is to be asked of what it gives.
    func question(
        _ filter: ToDoFilter, pendingOnly: Bool
    ) -> (predicate: Predicate, isExact: Bool) {
        let compiled = ToDoPredicate(filter, now: now, zone: zone)
        guard pendingOnly else { return (compiled.predicate, compiled.isExact) }
        return (.and([Self.pending, compiled.predicate]), compiled.isExact)
    }

    /// How many to-dos are pending, and how many have an open conflict.
    package func counts() throws(StoreFault) -> (pending: Int, conflicted: Int) {
        let pending = try store.count(
            lacking: ToDoSchema.Number.status, in: ToDoSchema.collection)
        return (pending, try conflictedCount())
    }

    /// How many to-dos have an open conflict.
    package func conflictedCount() throws(StoreFault) -> Int {
        try store.count(FetchRequest(ToDoSchema.collection, scope: .conflicted))
    }

    /// What is in the trash, the latest first, and how much that is in all.
    package func trash(limit: Int?) throws(StoreFault) -> (shown: [StoredRecord], count: Int) {
        let latest = FetchRequest.SortDescriptor(.sequence, isAscending: false)
        let shown = try store.fetch(
            FetchRequest(ToDoSchema.collection, scope: .trash, sort: [latest], limit: limit))
        let count = try store.count(FetchRequest(ToDoSchema.collection, scope: .trash))
        return (shown, count)
    }

    /// How many to-dos in the trash a filter takes; no more than `limit` are looked at.
    package func trashedCount(_ filter: ToDoFilter, limit: Int) throws(StoreFault) -> Int {
        let (predicate, isExact) = question(filter, pendingOnly: false)
        let request = FetchRequest(
            ToDoSchema.collection, scope: .trash, where: predicate, limit: limit)
        let found = try store.fetch(request)
        if isExact { return found.count }
        return found.count { filter.matches(ToDoMapping.item($0), now: now, zone: zone) }
    }

    /// Who deleted a to-do, and when by that device's clock; nil if it was not deleted.
    package func deletion(
        of stored: StoredRecord
    )
        throws(StoreFault) -> (device: String, time: Int64)?
    {
        let deletes = stored.record.survivors(of: .deleted).filter { !$0.value.isNull }
        guard let last = deletes.last else { return nil }
        return (try deviceName(last.write.dot.replica), last.write.timestamp.milliseconds)
    }

    /// The name of a device, or the beginning of its id.
    package func deviceName(_ replica: ReplicaID) throws(StoreFault) -> String {
        try store.deviceName(of: replica) ?? "device \(replica.uuidText.prefix(8))"
    }

    /// All live to-dos that a filter takes, by id: the same bytes on every device that is in sync.
    package func export(_ filter: ToDoFilter) throws(StoreFault) -> [ToDoItem] {
        let compiled = ToDoPredicate(filter, now: now, zone: zone)
        let items = try store.fetch(
            FetchRequest(ToDoSchema.collection, where: compiled.predicate)
        ).map(ToDoMapping.item)
        if compiled.isExact { return items }
        return items.filter { filter.matches($0, now: now, zone: zone) }
    }
}

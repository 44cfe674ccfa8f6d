import Core
import Storage

/// The order that the user chose.
extension ToDoStore {
    /// Where a to-do is moved to.
    package enum Target: Sendable, Equatable {
        case top
        case bottom
        case before(RecordID)
        case after(RecordID)
    }

    /// All pending to-dos in the user's order.
    package func ordered() throws(StoreFault) -> [(id: RecordID, item: ToDoItem)] {
        var items: [RecordID: ToDoItem] = [:]
        for stored in try store.fetch(FetchRequest(ToDoSchema.collection, where: Self.pending)) {
            items[stored.id] = ToDoMapping.item(stored)
        }
        return try places(where: Self.pending).compactMap { place in
            items[place.id].map { (place.id, $0) }
        }
    }

    static let pending = Predicate.absent(.field(ToDoSchema.Number.status))

    /// The places of to-dos in the user's order; of each no more is read than that needs.
    ///
    /// Those that nobody moved stand by the time they were made.
    package func places(where predicate: Predicate) throws(StoreFault) -> [ToDoOrderPlace] {
        let rows = try store.texts(
            of: [ToDoSchema.Number.created, ToDoSchema.Number.position],
            in: FetchRequest(ToDoSchema.collection, where: predicate))
        var found: [ToDoOrderPlace] = []
        found.reserveCapacity(rows.count)
        for row in rows {
            found.append(ToDoOrderPlace(row.id, created: row.texts[0], row.texts[1]))
        }
        return ToDoOrderPlace.sorted(found)
    }

    /// Moves a to-do.
    ///
    /// Where there is no room between two others all pending to-dos are numbered anew.
    /// - Returns: false if it is there already.
    package func move(_ id: RecordID, to target: Target) throws(StoreFault) -> Bool {
        guard let (left, right) = try neighbors(of: id, movedTo: target) else {
            return try moveAmongAll(id, to: target)
        }
        if let own = try? pendingPlace(of: id),
            left.map({ ToDoOrderPlace.precedes($0, own) }) ?? true,
            right.map({ ToDoOrderPlace.precedes(own, $0) }) ?? true
        {
            return false
        }
        let tag = PositionKey.tag(of: store.replica.value)
        guard let key = PositionKey.between(left?.key, right?.key, tag: tag) else {
            return try moveAmongAll(id, to: target)
        }
        return try store.edit { transaction throws(StoreFault) in
            try put(key, to: id, in: transaction)
        }
    }

    /// The same, with all that is pending read.
    private func moveAmongAll(_ id: RecordID, to target: Target) throws(StoreFault) -> Bool {
        let all = try places(where: Self.pending)
        let others = all.filter { $0.id != id }
        let place: Int
        switch target {
        case .top: place = 0
        case .bottom: place = others.count
        case .before(let other):
            guard let found = others.firstIndex(where: { $0.id == other }) else {
                throw .noSuchRecord
            }
            place = found
        case .after(let other):
            guard let found = others.firstIndex(where: { $0.id == other }) else {
                throw .noSuchRecord
            }
            place = found + 1
        }
        if all.firstIndex(where: { $0.id == id }) == place { return false }
        let left = place > 0 ? others[place - 1].key : nil
        let right = place < others.count ? others[place].key : nil
        let tag = PositionKey.tag(of: store.replica.value)
        let key = PositionKey.between(left, right, tag: tag)
        return try store.edit { transaction throws(StoreFault) in
            if let key { return try put(key, to: id, in: transaction) }
            var order = others.map(\.id)
            order.insert(id, at: place)
            for (other, key) in zip(order, PositionKey.spread(order.count, tag: tag)) {
                _ = try put(key, to: other, in: transaction)
            }
            return true
        }
    }

    private func put(
        _ key: PositionKey, to id: RecordID, in transaction: Transaction
    ) throws(StoreFault) -> Bool {
        guard let stored = try transaction.record(id) else { throw .noSuchRecord }
        let old = ToDoMapping.item(stored)
        var new = old
        new.positions = [key]
        return try transaction.update(id, ToDoMapping.assignments(from: old, to: new))
    }
}

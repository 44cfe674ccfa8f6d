import Causality
import Records
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
        let pending = try store.fetch(
            FetchRequest(
                ToDoSchema.collection, where: .absent(.field(ToDoSchema.Number.status))))
        return Self.inOrder(pending.map { ($0.id, ToDoMapping.item($0)) })
    }

    /// To-dos in the user's order; those that nobody moved stand by the time they were made.
    package static func inOrder(
        _ items: [(id: RecordID, item: ToDoItem)]
    ) -> [(id: RecordID, item: ToDoItem)] {
        let keyed = items.map { (key: $0.item.position, row: $0) }
        let sorted = keyed.sorted { left, right in
            left.key == right.key ? left.row.id < right.row.id : left.key < right.key
        }
        return sorted.map(\.row)
    }

    /// Moves a to-do.
    ///
    /// Where there is no room between two others all pending to-dos are numbered anew.
    /// - Returns: false if it is there already.
    package func move(_ id: RecordID, to target: Target) throws(StoreFault) -> Bool {
        let all = try ordered()
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
        let left = place > 0 ? others[place - 1].item.position : nil
        let right = place < others.count ? others[place].item.position : nil
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

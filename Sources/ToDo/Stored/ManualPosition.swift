import Core
import Storage

/// Where a to-do stands in the user's order, as far as comparing needs it.
package struct ManualPosition: Sendable {
    /// Which to-do.
    package let id: RecordID
    /// When it was made; milliseconds since 1970, nil if nobody knows.
    let created: Int64?
    /// Where it was moved to; nil if nobody has moved it.
    private let moved: PositionKey?

    /// A to-do's position, from the columns in which it is kept.
    init(_ id: RecordID, created: String?, _ positions: String?) {
        self.id = id
        self.created = Self.time(created.flatMap(MomentText.value))
        moved = positions.flatMap(JSONText.strings)?.compactMap { PositionKey(text: $0) }.max()
    }

    /// A to-do's position.
    init(_ stored: Record) {
        id = stored.id
        created = Self.time(stored[ToDoSchema.Number.created])
        moved = ToDoMapping.item(stored).positions.max()
    }

    /// The time at which something was made; nil if there is none, or none that a column can hold.
    private static func time(_ value: Value?) -> Int64? {
        switch value {
        case .instant(let time)?: MomentText.holds(instant: time) ? time : nil
        case .day(let day)?: MomentText.text(day: day) == nil ? nil : Int64(day) * 86_400_000
        default: nil
        }
    }

    /// Whether somebody has moved it.
    var isMoved: Bool { moved != nil }

    /// The position.
    package var key: PositionKey { moved ?? PositionKey(created: created, id: id.value) }

    /// In the user's order.
    ///
    /// - Complexity: O(n log n) comparisons of numbers, and O(m log n) of keys, m the moved ones.
    static func sorted(_ positions: [ManualPosition]) -> [ManualPosition] {
        let still = sortedByTime(positions.filter { $0.moved == nil })
        let moved = positions.filter { $0.moved != nil }.sorted(by: precedes)
        if moved.isEmpty { return still }
        var result: [ManualPosition] = []
        result.reserveCapacity(positions.count)
        var start = 0
        for position in moved {
            var (low, high) = (start, still.count)
            while low < high {
                let middle = (low + high) / 2
                if precedes(still[middle], position) { low = middle + 1 } else { high = middle }
            }
            result.append(contentsOf: still[start..<low])
            result.append(position)
            start = low
        }
        result.append(contentsOf: still[start...])
        return result
    }

    /// The to-dos that nobody moved.
    private static func sortedByTime(_ positions: [ManualPosition]) -> [ManualPosition] {
        positions.sorted { left, right in
            left.created == right.created
                ? left.id < right.id : left.created ?? .min < right.created ?? .min
        }
    }

    /// Whether the left one stands before the right one.
    static func precedes(_ left: ManualPosition, _ right: ManualPosition) -> Bool {
        let (one, other) = (left.key, right.key)
        return one == other ? left.id < right.id : one < other
    }
}

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
        return try positions(where: Self.pending).compactMap { position in
            items[position.id].map { (position.id, $0) }
        }
    }

    static let pending = FetchPredicate.absent(.field(ToDoSchema.Number.status))

    /// The positions of to-dos in the user's order; of each no more is read than that needs.
    ///
    /// To-dos that nobody moved are ordered by the time they were made.
    package func positions(where predicate: FetchPredicate) throws(StoreFault) -> [ManualPosition] {
        let rows = try store.texts(
            of: [ToDoSchema.Number.created, ToDoSchema.Number.position],
            in: FetchRequest(ToDoSchema.collection, where: predicate))
        var found: [ManualPosition] = []
        found.reserveCapacity(rows.count)
        for row in rows {
            found.append(ManualPosition(row.id, created: row.texts[0], row.texts[1]))
        }
        return ManualPosition.sorted(found)
    }

    /// Moves to-dos, so that they stand one behind another in the order in which they are given, in one edit.
    ///
    /// Where there is no room between two others all pending to-dos are numbered anew.
    /// - Parameter ids: pending to-dos, none twice, and not the one that the target names.
    /// - Returns: false if all are there already.
    package func move(_ ids: [RecordID], to target: Target) throws(StoreFault) -> Bool {
        if ids.isEmpty { return false }
        guard let (left, right) = try neighbors(of: Set(ids), movedTo: target) else {
            return try moveAmongAll(ids, to: target)
        }
        let own = try? ids.map { id throws(StoreFault) in try pendingPosition(of: id) }
        if let own {
            let run = [left].compactMap(\.self) + own + [right].compactMap(\.self)
            if zip(run, run.dropFirst()).allSatisfy(ManualPosition.precedes) { return false }
        }
        guard let keys = keys(ids.count, between: left?.key, right?.key) else {
            return try moveAmongAll(ids, to: target)
        }
        return try store.edit { transaction throws(StoreFault) in
            try put(keys, to: ids, in: transaction)
        }
    }

    /// The same, with all that is pending read.
    private func moveAmongAll(_ ids: [RecordID], to target: Target) throws(StoreFault) -> Bool {
        let all = try positions(where: Self.pending)
        let moved = Set(ids)
        let others = all.filter { !moved.contains($0.id) }
        let position: Int
        switch target {
        case .top: position = 0
        case .bottom: position = others.count
        case .before(let other):
            guard let found = others.firstIndex(where: { $0.id == other }) else {
                throw .noSuchRecord
            }
            position = found
        case .after(let other):
            guard let found = others.firstIndex(where: { $0.id == other }) else {
                throw .noSuchRecord
            }
            position = found + 1
        }
        var order = others.map(\.id)
        order.insert(contentsOf: ids, at: position)
        if order == all.map(\.id) { return false }
        let left = position > 0 ? others[position - 1].key : nil
        let right = position < others.count ? others[position].key : nil
        let found = keys(ids.count, between: left, right)
        let tag = PositionKey.tag(of: store.replica.value)
        return try store.edit { transaction throws(StoreFault) in
            if let found { return try put(found, to: ids, in: transaction) }
            _ = try put(PositionKey.spread(order.count, tag: tag), to: order, in: transaction)
            return true
        }
    }

    /// Keys between two others, in their order; nil if there is no room.
    private func keys(
        _ count: Int, between left: PositionKey?, _ right: PositionKey?
    ) -> [PositionKey]? {
        let tag = PositionKey.tag(of: store.replica.value)
        var keys: [PositionKey] = []
        for _ in 0..<count {
            guard let key = PositionKey.between(keys.last ?? left, right, tag: tag) else {
                return nil
            }
            keys.append(key)
        }
        return keys
    }

    /// Writes keys; false if nothing was changed by that.
    private func put(
        _ keys: [PositionKey], to ids: [RecordID], in transaction: Transaction
    ) throws(StoreFault) -> Bool {
        var isChanged = false
        for (id, key) in zip(ids, keys) {
            if try put(key, to: id, in: transaction) { isChanged = true }
        }
        return isChanged
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

/// Parts of the user's order, read without the rest: what nobody moved stands in an index by time and id, and
/// what was moved is little.
extension ToDoStore {
    /// So many moved to-dos are looked through; if there are more, all to-dos are.
    private static let movedCountMax = 4000

    private static let created = FieldPath.field(ToDoSchema.Number.created)
    private static let position = FieldPath.field(ToDoSchema.Number.position)

    /// The to-dos that a filter takes, in the user's order.
    ///
    /// Where the store can tell, no to-do is read that is not given.
    /// - Parameters:
    ///   - pendingOnly: whether finished ones are left out.
    ///   - limit: the most to give; nil for all.
    package func listInOrder(
        _ filter: ToDoFilter, pendingOnly: Bool, limit: Int? = nil
    ) throws(StoreFault) -> [Record] {
        // In one transaction: by itself each record that is looked up would begin and end one.
        try store.reading { () throws(StoreFault) in
            try inOrder(filter, pendingOnly: pendingOnly, limit: limit)
        }
    }

    private func inOrder(
        _ filter: ToDoFilter, pendingOnly: Bool, limit: Int?
    ) throws(StoreFault) -> [Record] {
        let (filter, predicate, isExact) = try question(filter, pendingOnly: pendingOnly)
        var found: [Record] = []
        /// Whether there is room for more after this one.
        func collect(_ position: ManualPosition) throws(StoreFault) -> Bool {
            guard let stored = try store.record(position.id) else { return true }
            if isExact {
                found.append(stored)
            } else {
                found += try matching([stored], filter)
            }
            return limit.map { found.count < $0 } ?? true
        }
        if limit == 0 { return [] }
        guard let limit, pendingOnly, let moved = try movedPositions(where: predicate) else {
            for position in try positions(where: predicate) where try !collect(position) { break }
            return found
        }
        var rest = moved[...]
        var start: UnmovedBound?
        var pageCount = max(limit, Self.pageCountMin)
        while true {
            let page = try unmoved(where: predicate, from: start, limit: pageCount)
            for position in page {
                while let first = rest.first, ManualPosition.precedes(first, position) {
                    rest.removeFirst()
                    if try !collect(first) { return found }
                }
                if try !collect(position) { return found }
            }
            guard page.count == pageCount, let last = page.last, last.id.value < .max else { break }
            start = UnmovedBound(created: last.created, id: last.id.value + 1)
            pageCount *= 4
        }
        for position in rest where try !collect(position) { break }
        return found
    }

    /// Returns the positions right before and right after the target of a move, those that are moved left out; nil if too
    /// many to-dos were moved to tell them quickly.
    ///
    /// - Throws: `noSuchRecord` if the other one has no place in the order.
    func neighbors(
        of ids: Set<RecordID>, movedTo target: Target
    ) throws(StoreFault) -> (left: ManualPosition?, right: ManualPosition?)? {
        guard let moved = try movedPositions(where: Self.pending) else { return nil }
        let others = moved.filter { !ids.contains($0.id) }
        switch target {
        case .top:
            let still = try unmoved(where: Self.pending, from: nil, limit: ids.count + 1)
            return (nil, Self.first(of: still.first { !ids.contains($0.id) }, others.first))
        case .bottom:
            let still = try unmovedBefore(nil, limit: ids.count + 1)
            return (Self.last(of: still.first { !ids.contains($0.id) }, others.last), nil)
        case .before(let other):
            let right = try pendingPosition(of: other)
            let still = try unmovedBefore(UnmovedBound(right.key), limit: ids.count + 1)
            return (
                Self.last(
                    of: still.first { !ids.contains($0.id) },
                    others.last { ManualPosition.precedes($0, right) }), right
            )
        case .after(let other):
            let left = try pendingPosition(of: other)
            let still = try unmoved(
                where: Self.pending, from: UnmovedBound(left.key), limit: ids.count + 2)
            return (
                left,
                Self.first(
                    of: still.first { !ids.contains($0.id) && ManualPosition.precedes(left, $0) },
                    others.first { ManualPosition.precedes(left, $0) })
            )
        }
    }

    /// The position of a pending to-do.
    func pendingPosition(of id: RecordID) throws(StoreFault) -> ManualPosition {
        guard let stored = try stored(id), !stored.verdict.isDeleted,
            ToDoMapping.item(stored).status == .pending
        else { throw .noSuchRecord }
        return ManualPosition(stored)
    }

    private static func first(
        of one: ManualPosition?, _ other: ManualPosition?
    ) -> ManualPosition? {
        guard let one, let other else { return one ?? other }
        return ManualPosition.precedes(one, other) ? one : other
    }

    private static func last(
        of one: ManualPosition?, _ other: ManualPosition?
    ) -> ManualPosition? {
        guard let one, let other else { return one ?? other }
        return ManualPosition.precedes(one, other) ? other : one
    }

    // MARK: Reading

    /// The to-dos that somebody moved, in the user's order; nil if they are too many.
    private func movedPositions(
        where predicate: FetchPredicate
    ) throws(StoreFault) -> [ManualPosition]? {
        let positions = try read(
            FetchRequest(
                ToDoSchema.collection, where: .and([predicate, .not(.absent(Self.position))]),
                limit: Self.movedCountMax + 1))
        if positions.count > Self.movedCountMax { return nil }
        return ManualPosition.sorted(positions)
    }

    private func read(_ request: FetchRequest) throws(StoreFault) -> [ManualPosition] {
        let rows = try store.texts(
            of: [ToDoSchema.Number.created, ToDoSchema.Number.position], in: request)
        return rows.map { ManualPosition($0.id, created: $0.texts[0], $0.texts[1]) }
    }

    /// The to-dos that nobody moved and that are not before a bound, in order.
    private func unmoved(
        where predicate: FetchPredicate, from bound: UnmovedBound?, limit: Int
    ) throws(StoreFault) -> [ManualPosition] {
        var parts: [FetchPredicate] = []
        if bound?.created == nil {
            let id = FetchPredicate.compare(
                .id, .greaterOrEqual, .toDo(RecordID(value: bound?.id ?? 0)))
            parts = [.and([.absent(Self.created), id]), .not(.absent(Self.created))]
        } else if let bound, let time = bound.time {
            let id = FetchPredicate.compare(
                .id, .greaterOrEqual, .toDo(RecordID(value: bound.id)))
            parts = [
                .and([.compare(Self.created, .equal, time), id]),
                .compare(Self.created, .greater, time),
            ]
        }
        return try read(parts, where: predicate, isAscending: true, limit: limit)
    }

    /// Pending ones that nobody moved and that stand before a bound, the last of all without one; backwards.
    private func unmovedBefore(
        _ bound: UnmovedBound?, limit: Int
    ) throws(StoreFault) -> [ManualPosition] {
        var parts: [FetchPredicate] = [.absent(Self.created)]
        if let bound {
            let id = FetchPredicate.compare(.id, .less, .toDo(RecordID(value: bound.id)))
            if bound.created == nil {
                parts = [.and([.absent(Self.created), id])]
            } else if let time = bound.time {
                parts =
                    [
                        .and([.compare(Self.created, .equal, time), id]),
                        .compare(Self.created, .less, time),
                    ] + parts
            } else {
                parts.insert(.not(.absent(Self.created)), at: 0)
            }
        } else {
            parts.insert(.not(.absent(Self.created)), at: 0)
        }
        return try read(parts, where: Self.pending, isAscending: false, limit: limit)
    }

    /// One part behind the other, each by time and id.
    private func read(
        _ parts: [FetchPredicate], where predicate: FetchPredicate, isAscending: Bool, limit: Int
    ) throws(StoreFault) -> [ManualPosition] {
        var found: [ManualPosition] = []
        for part in parts where found.count < limit {
            let request = FetchRequest(
                ToDoSchema.collection,
                where: .and([predicate, .absent(Self.position), part]),
                sort: [
                    FetchRequest.SortDescriptor(Self.created, isAscending: isAscending),
                    FetchRequest.SortDescriptor(.id, isAscending: isAscending),
                ], limit: limit - found.count)
            found += try read(request)
        }
        return found
    }
}

import Core
import Storage

/// Where a to-do stands in the user's order, as far as comparing needs it.
package struct ToDoOrderPlace: Sendable {
    /// Which to-do.
    package let id: RecordID
    /// When it was made; milliseconds since 1970, nil if nobody knows.
    let created: Int64?
    /// Where it was moved to; nil if nobody has moved it.
    private let moved: PositionKey?

    /// A to-do's place, from the columns in which it is kept.
    init(_ id: RecordID, created: String?, _ positions: String?) {
        self.id = id
        self.created = Self.time(created.flatMap(MomentText.value))
        moved = positions.flatMap(JSONText.strings)?.compactMap { PositionKey(text: $0) }.max()
    }

    /// A to-do's place.
    init(_ stored: StoredRecord) {
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

    /// The place.
    package var key: PositionKey { moved ?? PositionKey(created: created, id: id.value) }

    /// In the user's order.
    ///
    /// - Complexity: O(n log n) comparisons of numbers, and O(m log n) of keys, m the moved ones.
    static func sorted(_ places: [ToDoOrderPlace]) -> [ToDoOrderPlace] {
        let still = sortedByTime(places.filter { $0.moved == nil })
        let moved = places.filter { $0.moved != nil }.sorted(by: precedes)
        if moved.isEmpty { return still }
        var result: [ToDoOrderPlace] = []
        result.reserveCapacity(places.count)
        var start = 0
        for place in moved {
            var (low, high) = (start, still.count)
            while low < high {
                let middle = (low + high) / 2
                if precedes(still[middle], place) { low = middle + 1 } else { high = middle }
            }
            result.append(contentsOf: still[start..<low])
            result.append(place)
            start = low
        }
        result.append(contentsOf: still[start...])
        return result
    }

    /// The to-dos that nobody moved.
    private static func sortedByTime(_ places: [ToDoOrderPlace]) -> [ToDoOrderPlace] {
        places.sorted { left, right in
            left.created == right.created
                ? left.id < right.id : left.created ?? .min < right.created ?? .min
        }
    }

    /// Whether the left one stands before the right one.
    static func precedes(_ left: ToDoOrderPlace, _ right: ToDoOrderPlace) -> Bool {
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
        return try places(where: Self.pending).compactMap { place in
            items[place.id].map { (place.id, $0) }
        }
    }

    static let pending = Predicate.absent(.field(ToDoSchema.Number.status))

    /// The places of to-dos in the user's order; of each no more is read than that needs.
    ///
    /// To-dos that nobody moved are ordered by the time they were made.
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
    ) throws(StoreFault) -> [StoredRecord] {
        let (predicate, isExact) = question(filter, pendingOnly: pendingOnly)
        var found: [StoredRecord] = []
        /// Whether there is room for more after this one.
        func take(_ place: ToDoOrderPlace) throws(StoreFault) -> Bool {
            guard let stored = try store.record(place.id) else { return true }
            let isMatch =
                isExact || filter.matches(ToDoMapping.item(stored), now: now, zone: zone)
            if isMatch { found.append(stored) }
            return limit.map { found.count < $0 } ?? true
        }
        if limit == 0 { return [] }
        guard let limit, pendingOnly, let moved = try movedPlaces(where: predicate) else {
            for place in try places(where: predicate) where try !take(place) { break }
            return found
        }
        var rest = moved[...]
        var start: UnmovedBound?
        var pageCount = max(limit, Self.pageCountMin)
        while true {
            let page = try unmoved(where: predicate, from: start, limit: pageCount)
            for place in page {
                while let first = rest.first, ToDoOrderPlace.precedes(first, place) {
                    rest.removeFirst()
                    if try !take(first) { return found }
                }
                if try !take(place) { return found }
            }
            guard page.count == pageCount, let last = page.last, last.id.value < .max else { break }
            start = UnmovedBound(created: last.created, id: last.id.value + 1)
            pageCount *= 4
        }
        for place in rest where try !take(place) { break }
        return found
    }

    /// Returns the positions right before and right after the target of a move; nil if too many
    /// to-dos were moved to tell them quickly.
    ///
    /// - Throws: `noSuchRecord` if the other one has no place in the order.
    func neighbors(
        of id: RecordID, movedTo target: Target
    ) throws(StoreFault) -> (left: ToDoOrderPlace?, right: ToDoOrderPlace?)? {
        guard let moved = try movedPlaces(where: Self.pending) else { return nil }
        let others = moved.filter { $0.id != id }
        switch target {
        case .top:
            let still = try unmoved(where: Self.pending, from: nil, limit: 2)
            return (nil, Self.first(of: still.first { $0.id != id }, others.first))
        case .bottom:
            let still = try unmovedBefore(nil, limit: 2)
            return (Self.last(of: still.first { $0.id != id }, others.last), nil)
        case .before(let other):
            let right = try pendingPlace(of: other)
            let still = try unmovedBefore(UnmovedBound(right.key), limit: 2)
            return (
                Self.last(
                    of: still.first { $0.id != id },
                    others.last { ToDoOrderPlace.precedes($0, right) }), right
            )
        case .after(let other):
            let left = try pendingPlace(of: other)
            let still = try unmoved(
                where: Self.pending, from: UnmovedBound(left.key), limit: 3)
            return (
                left,
                Self.first(
                    of: still.first { $0.id != id && ToDoOrderPlace.precedes(left, $0) },
                    others.first { ToDoOrderPlace.precedes(left, $0) })
            )
        }
    }

    /// The place of a pending to-do.
    func pendingPlace(of id: RecordID) throws(StoreFault) -> ToDoOrderPlace {
        guard let stored = try stored(id), !stored.verdict.isDeleted,
            stored[ToDoSchema.Number.status] ?? .null == .null
        else { throw .noSuchRecord }
        return ToDoOrderPlace(stored)
    }

    private static func first(
        of one: ToDoOrderPlace?, _ other: ToDoOrderPlace?
    ) -> ToDoOrderPlace? {
        guard let one, let other else { return one ?? other }
        return ToDoOrderPlace.precedes(one, other) ? one : other
    }

    private static func last(
        of one: ToDoOrderPlace?, _ other: ToDoOrderPlace?
    ) -> ToDoOrderPlace? {
        guard let one, let other else { return one ?? other }
        return ToDoOrderPlace.precedes(one, other) ? other : one
    }

    // MARK: Reading

    /// The to-dos that somebody moved, in the user's order; nil if they are too many.
    private func movedPlaces(where predicate: Predicate) throws(StoreFault) -> [ToDoOrderPlace]? {
        let places = try read(
            FetchRequest(
                ToDoSchema.collection, where: .and([predicate, .not(.absent(Self.position))]),
                limit: Self.movedCountMax + 1))
        if places.count > Self.movedCountMax { return nil }
        return ToDoOrderPlace.sorted(places)
    }

    private func read(_ request: FetchRequest) throws(StoreFault) -> [ToDoOrderPlace] {
        let rows = try store.texts(
            of: [ToDoSchema.Number.created, ToDoSchema.Number.position], in: request)
        return rows.map { ToDoOrderPlace($0.id, created: $0.texts[0], $0.texts[1]) }
    }

    /// The to-dos that nobody moved and that are not before a bound, in order.
    private func unmoved(
        where predicate: Predicate, from bound: UnmovedBound?, limit: Int
    ) throws(StoreFault) -> [ToDoOrderPlace] {
        var parts: [Predicate] = []
        if bound?.created == nil {
            let id = Predicate.compare(
                .id, .greaterOrEqual, .reference(RecordID(value: bound?.id ?? 0)))
            parts = [.and([.absent(Self.created), id]), .not(.absent(Self.created))]
        } else if let bound, let time = bound.time {
            let id = Predicate.compare(.id, .greaterOrEqual, .reference(RecordID(value: bound.id)))
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
    ) throws(StoreFault) -> [ToDoOrderPlace] {
        var parts: [Predicate] = [.absent(Self.created)]
        if let bound {
            let id = Predicate.compare(.id, .less, .reference(RecordID(value: bound.id)))
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
        _ parts: [Predicate], where predicate: Predicate, isAscending: Bool, limit: Int
    ) throws(StoreFault) -> [ToDoOrderPlace] {
        var found: [ToDoOrderPlace] = []
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

import Core
import Storage

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

    /// What is right before and right behind the place to which a to-do is moved; nil if too many were moved
    /// to tell it quickly.
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

    /// Those that somebody moved, in the user's order; nil if they are too many.
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

    /// Those that nobody moved and that do not stand before a bound, in order.
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

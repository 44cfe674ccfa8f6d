import Causality
import Records
import Storage

/// Where a to-do stands in the user's order, as far as comparing needs it.
package struct ToDoOrderPlace: Sendable {
    /// Which to-do.
    package let id: RecordID
    /// When it was made; milliseconds since 1970.
    private let created: Int64
    /// Where it was moved to; nil if nobody has moved it.
    private let moved: PositionKey?

    /// A to-do's place, from the columns in which it is kept.
    init(_ id: RecordID, created: String?, _ positions: String?) {
        self.id = id
        if case .instant(let time)? = created.flatMap(ColumnText.moment) {
            self.created = time
        } else {
            self.created = 0
        }
        moved = positions.flatMap(JSONText.strings)?.compactMap { PositionKey(text: $0) }.max()
    }

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

    /// Those that nobody moved.
    ///
    /// What was imported at once has one time: there the tags of the ids decide.
    private static func sortedByTime(_ places: [ToDoOrderPlace]) -> [ToDoOrderPlace] {
        var sorted = places.sorted { $0.created < $1.created }
        var start = 0
        while start < sorted.count {
            var end = start + 1
            while end < sorted.count, sorted[end].created == sorted[start].created { end += 1 }
            if end - start > 1 {
                let run = sorted[start..<end].map { (tag: PositionKey.order(of: $0.id.value), $0) }
                let ordered = run.sorted { left, right in
                    left.tag == right.tag ? left.1.id < right.1.id : left.tag < right.tag
                }
                sorted.replaceSubrange(start..<end, with: ordered.map(\.1))
            }
            start = end
        }
        return sorted
    }

    private static func precedes(_ left: ToDoOrderPlace, _ right: ToDoOrderPlace) -> Bool {
        let (one, other) = (left.key, right.key)
        return one == other ? left.id < right.id : one < other
    }
}

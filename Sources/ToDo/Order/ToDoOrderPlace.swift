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
        self.created = Self.time(created.flatMap(ColumnText.moment))
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
        case .instant(let time)?: ColumnText.holds(instant: time) ? time : nil
        case .day(let day)?: ColumnText.text(day: day) == nil ? nil : Int64(day) * 86_400_000
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

    /// Those that nobody moved.
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

import Core
import Storage

/// A point in the order of those to-dos that nobody moved: by the time they were made, then by id.
struct UnmovedBound {
    /// When; milliseconds since 1970, nil for those of unknown time, which come first.
    let created: Int64?
    let id: UInt128

    /// The point of that time and id.
    init(created: Int64?, id: UInt128) {
        self.created = created
        self.id = id
    }

    /// Where a place in the user's order lies among those that nobody moved.
    init(_ key: PositionKey) {
        (created, id) = key.firstUnmoved
    }

    /// The time as a value; nil if it is unknown, or later than anything can have been made.
    var time: Value? {
        guard let created, ColumnText.holds(instant: created) else { return nil }
        return .instant(created)
    }
}

import Core
import Storage
import ToDo

/// A to-do as a list shows it.
struct ToDoRow {
    let id: RecordID
    let item: ToDoItem
    /// Whether devices disagree on it.
    let isInConflict: Bool
    /// How many of those that it is a part of stand above it.
    var depth = 0
    /// Whether it is a part of something that stands elsewhere in the list.
    var isApart = false

    init(_ stored: StoredRecord) {
        id = stored.id
        item = ToDoMapping.item(stored)
        isInConflict = stored.verdict.isContested || !stored.record.fieldConflicts.isEmpty
    }

    init(_ item: ToDoItem) {
        id = RecordID(value: item.identifier ?? 0)
        self.item = item
        isInConflict = false
    }

    /// The marks before the title.
    var mark: String {
        let conflict = isInConflict ? "? " : ""
        let part = isApart ? "\u{21b3} " : ""
        let state =
            switch item.status {
            case .completed: "x "
            case .cancelled: "- "
            case .pending: item.isActive ? "> " : item.priority == .high ? "! " : ""
            }
        return part + conflict + state
    }

    /// Rows with parts beneath what they are a part of; all else keeps its order.
    static func nested(_ rows: [ToDoRow]) -> [ToDoRow] {
        if rows.allSatisfy({ $0.item.parent == nil }) { return rows }
        var parts: [UInt128: [Int]] = [:]
        let present = Set(rows.map(\.id.value))
        var roots: [Int] = []
        for (place, row) in rows.enumerated() {
            if let parent = row.item.parent, parent != row.id.value, present.contains(parent) {
                parts[parent, default: []].append(place)
            } else {
                roots.append(place)
            }
        }
        if parts.isEmpty { return rows }
        var result: [ToDoRow] = []
        var seen = Array(repeating: false, count: rows.count)
        // A cycle of parts has no first to-do: each may be it.
        for root in roots + rows.indices {
            var open = [(place: root, depth: 0)]
            while let (place, depth) = open.popLast() {
                if seen[place] { continue }
                seen[place] = true
                var row = rows[place]
                row.depth = depth
                result.append(row)
                let below = parts[row.id.value] ?? []
                open += below.reversed().map { (place: $0, depth: depth + 1) }
            }
        }
        return result
    }

    /// Rows in their order, where a part whose whole is among them says that it is one.
    static func marked(_ rows: [ToDoRow]) -> [ToDoRow] {
        if rows.allSatisfy({ $0.item.parent == nil }) { return rows }
        let present = Set(rows.map(\.id.value))
        return rows.map { row in
            var row = row
            row.isApart = row.item.parent.map(present.contains) ?? false
            return row
        }
    }
}

import Tandem
import Testing

/// The contents of a list view, built only from the steps that it receives.
struct ShownList: Equatable {
    private var sections: [Value?] = []
    private var rows: [[Record]] = []

    init() {}

    init(_ live: LiveResults) {
        var next = 0
        for section in live.sections {
            sections.append(section.value)
            rows.append(Array(live.rows[next..<next + section.rowCount]))
            next += section.rowCount
        }
    }

    /// The rows, sections disregarded.
    var all: [Record] { rows.flatMap(\.self) }

    /// Applies steps, each to what the one before it left.
    mutating func apply(_ changes: [LiveChange]) throws {
        for change in changes {
            switch change {
            case .deleteRow(let position):
                try #require(has(position))
                rows[position.section].remove(at: position.row)
            case .insertRow(let record, let position): try insert(record, at: position)
            case .moveRow(let from, let to):
                try #require(has(from))
                try insert(rows[from.section].remove(at: from.row), at: to)
            case .updateRow(let record, let position):
                try #require(has(position))
                try #require(rows[position.section][position.row].id == record.id)
                rows[position.section][position.row] = record
            case .insertSection(let value, let position):
                try #require(position <= sections.count)
                sections.insert(value, at: position)
                rows.insert([], at: position)
            case .deleteSection(let position):
                try #require(rows.indices.contains(position) && rows[position].isEmpty)
                sections.remove(at: position)
                rows.remove(at: position)
            }
        }
    }

    private func has(_ position: RowPosition) -> Bool {
        rows.indices.contains(position.section)
            && rows[position.section].indices.contains(position.row)
    }

    private mutating func insert(_ record: Record, at position: RowPosition) throws {
        try #require(rows.indices.contains(position.section))
        try #require(position.row <= rows[position.section].count)
        rows[position.section].insert(record, at: position.row)
    }
}

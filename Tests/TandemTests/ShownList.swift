import Tandem
import Testing

/// The contents of a list view, built only from the steps that it receives.
struct ShownList: Equatable {
    private var sections: [Value] = []
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
            case .deleteRow(let place):
                try #require(has(place))
                rows[place.section].remove(at: place.row)
            case .insertRow(let record, let place): try insert(record, at: place)
            case .moveRow(let from, let to):
                try #require(has(from))
                try insert(rows[from.section].remove(at: from.row), at: to)
            case .updateRow(let record, let place):
                try #require(has(place))
                try #require(rows[place.section][place.row].id == record.id)
                rows[place.section][place.row] = record
            case .insertSection(let value, let place):
                try #require(place <= sections.count)
                sections.insert(value, at: place)
                rows.insert([], at: place)
            case .deleteSection(let place):
                try #require(rows.indices.contains(place) && rows[place].isEmpty)
                sections.remove(at: place)
                rows.remove(at: place)
            }
        }
    }

    private func has(_ place: RowPlace) -> Bool {
        rows.indices.contains(place.section) && rows[place.section].indices.contains(place.row)
    }

    private mutating func insert(_ record: Record, at place: RowPlace) throws {
        try #require(rows.indices.contains(place.section))
        try #require(place.row <= rows[place.section].count)
        rows[place.section].insert(record, at: place.row)
    }
}

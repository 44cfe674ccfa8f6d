import Core
import Storage
import Testing

/// What a list view shows: it only ever hears of steps.
struct ShownList: Equatable {
    private var sections: [Value?] = []
    private var rows: [[StoredRecord]] = []

    init(_ list: LiveResults) {
        var next = 0
        for section in list.sections {
            sections.append(section.value)
            rows.append(Array(list.rows[next..<next + section.rowCount]))
            next += section.rowCount
        }
    }

    /// Applies steps, each to what the one before it left.
    mutating func apply(_ changes: [LiveChange]) throws {
        for change in changes {
            switch change {
            case .deleteRow(let place):
                try #require(rows[place.section].indices.contains(place.row))
                rows[place.section].remove(at: place.row)
            case .insertRow(let record, let place):
                try #require(place.row <= rows[place.section].count)
                rows[place.section].insert(record, at: place.row)
            case .moveRow(let from, let to):
                try #require(rows[from.section].indices.contains(from.row))
                let record = rows[from.section].remove(at: from.row)
                try #require(place(to, isWithin: rows))
                rows[to.section].insert(record, at: to.row)
            case .updateRow(let record, let place):
                try #require(rows[place.section][place.row].id == record.id)
                rows[place.section][place.row] = record
            case .insertSection(let value, let place):
                sections.insert(value, at: place)
                rows.insert([], at: place)
            case .deleteSection(let place):
                try #require(rows[place].isEmpty)
                sections.remove(at: place)
                rows.remove(at: place)
            }
        }
    }

    private func place(_ place: LivePlace, isWithin rows: [[StoredRecord]]) -> Bool {
        rows.indices.contains(place.section) && place.row <= rows[place.section].count
    }
}

import Storage

/// A query that is kept up with a store, to be compared with one that is made afresh.
struct WatchedQuery {
    let request: FetchRequest
    private let results: LiveResults

    /// Fetches the first rows.
    init(_ store: Store, _ request: FetchRequest) throws(StoreFault) {
        self.request = request
        results = try LiveResults(store, request)
    }

    /// Brings the rows up to date; what is wrong with them or with the steps that led there, or nil.
    func fault(in store: Store) throws(StoreFault) -> String? {
        let before = Self.shown(results)
        let steps = try results.refresh()
        let fresh = try store.fetch(request)
        if results.rows != fresh {
            return "its \(results.rows.count) rows are not the \(fresh.count) of a fresh fetch"
        }
        guard let stepped = Self.applied(steps, to: before) else {
            return "a step of \(steps.count) leads beyond the rows"
        }
        return stepped == Self.shown(results)
            ? nil : "its \(steps.count) steps do not lead to its rows"
    }

    /// The rows by sections.
    private static func shown(_ results: LiveResults) -> [[StoredRecord]] {
        var rest = results.rows[...]
        return results.sections.map { section in
            defer { rest = rest.dropFirst(section.rowCount) }
            return Array(rest.prefix(section.rowCount))
        }
    }

    /// The rows after some steps; nil if one of them cannot be taken.
    private static func applied(
        _ steps: [LiveChange], to rows: [[StoredRecord]]
    ) -> [[StoredRecord]]? {
        var rows = rows
        func has(_ place: LivePlace) -> Bool {
            rows.indices.contains(place.section)
                && rows[place.section].indices.contains(place.row)
        }
        func insert(_ row: StoredRecord, at place: LivePlace) -> Bool {
            guard rows.indices.contains(place.section),
                (0...rows[place.section].count).contains(place.row)
            else { return false }
            rows[place.section].insert(row, at: place.row)
            return true
        }
        for step in steps {
            switch step {
            case .deleteRow(let place):
                guard has(place) else { return nil }
                rows[place.section].remove(at: place.row)
            case .insertRow(let row, let place):
                guard insert(row, at: place) else { return nil }
            case .moveRow(let from, let to):
                guard has(from), insert(rows[from.section].remove(at: from.row), at: to) else {
                    return nil
                }
            case .updateRow(let row, let place):
                guard has(place) else { return nil }
                rows[place.section][place.row] = row
            case .insertSection(_, let place):
                guard (0...rows.count).contains(place) else { return nil }
                rows.insert([], at: place)
            case .deleteSection(let place):
                guard rows.indices.contains(place), rows[place].isEmpty else { return nil }
                rows.remove(at: place)
            }
        }
        return rows
    }
}

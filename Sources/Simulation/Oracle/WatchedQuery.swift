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
        let before = results.rows
        let steps = try results.refresh()
        let fresh = try store.fetch(request)
        if results.rows != fresh {
            return "its \(results.rows.count) rows are not the \(fresh.count) of a fresh fetch"
        }
        guard let stepped = Self.applied(steps, to: before) else {
            return "a step of \(steps.count) leads beyond the rows"
        }
        return stepped == fresh ? nil : "its \(steps.count) steps do not lead to its rows"
    }

    /// The rows after some steps; nil if one of them cannot be taken.
    private static func applied(
        _ steps: [LiveChange], to rows: [StoredRecord]
    ) -> [StoredRecord]? {
        var rows = rows
        for step in steps {
            switch step {
            case .delete(let place):
                guard rows.indices.contains(place) else { return nil }
                rows.remove(at: place)
            case .insert(let row, let place):
                guard place >= 0, place <= rows.count else { return nil }
                rows.insert(row, at: place)
            case .move(let from, let to):
                guard rows.indices.contains(from), rows.indices.contains(to) else { return nil }
                rows.insert(rows.remove(at: from), at: to)
            case .update(let row, let place):
                guard rows.indices.contains(place) else { return nil }
                rows[place] = row
            }
        }
        return rows
    }
}

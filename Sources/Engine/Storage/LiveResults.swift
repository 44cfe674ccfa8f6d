import Records

/// The rows of a request, kept up with the store: with edits made here, with what peers send, and with
/// what other processes write.
package final class LiveResults {
    /// The rows as of the last refresh.
    package private(set) var rows: [StoredRecord]

    private let store: Store
    private let request: FetchRequest
    /// The tables on which the rows depend, and how far they were when the rows were fetched.
    private let places: [Int]
    private var sequences: [UInt64]

    /// Fetches the first rows.
    package init(_ store: Store, _ request: FetchRequest) throws(StoreFault) {
        self.store = store
        self.request = request
        places = store.places(of: request)
        (rows, sequences) = ([], [])
        (rows, sequences) = try fetch()
    }

    private func fetch() throws(StoreFault) -> ([StoredRecord], [UInt64]) {
        try store.reading { () throws(StoreFault) in
            (try store.fetch(request), try store.newestSequences(of: places))
        }
    }

    /// Fetches the rows again if a table on which they depend has changed.
    ///
    /// - Returns: the steps from the rows before to the rows now.
    /// - Complexity: O(n log n) in the rows if something changed, else a look at the newest row.
    package func refresh() throws(StoreFault) -> [LiveChange] {
        let newest = try store.reading { () throws(StoreFault) in
            try store.newestSequences(of: places)
        }
        if newest == sequences { return [] }
        let old = rows
        (rows, sequences) = try fetch()
        return LiveDifference(from: old, to: rows).changes
    }
}

extension Store {
    /// The tables that a request reads: the collection's own, and those that its references lead to.
    func places(of request: FetchRequest) -> [Int] {
        let own = place(of: request.collection)
        let references = request.sort.compactMap(\.path.reference) + request.predicate.references
        var places = [own]
        for number in references {
            guard case .reference(let target)? = collections[own].field(number)?.kind else {
                continue
            }
            let place = place(of: target)
            if !places.contains(place) { places.append(place) }
        }
        return places
    }

    /// The arrival number of each table's newest record; it grows with every change of the table.
    func newestSequences(of places: [Int]) throws(StoreFault) -> [UInt64] {
        var found: [UInt64] = []
        for place in places {
            let row = try connection.statement(
                "SELECT max(sequence) FROM \(collections[place].table)")
            defer { row.reset() }
            found.append(try row.step() ? row.unsigned(0) : 0)
        }
        return found
    }
}

extension Predicate {
    /// The references that are followed.
    var references: [UInt32] {
        switch self {
        case .compare(let path, _, _), .absent(let path), .contains(let path, _),
            .hasPrefix(let path, _):
            path.reference.map { [$0] } ?? []
        case .and(let parts), .or(let parts): parts.flatMap(\.references)
        case .not(let part): part.references
        case .all, .has, .idPrefix, .oneOf: []
        }
    }
}

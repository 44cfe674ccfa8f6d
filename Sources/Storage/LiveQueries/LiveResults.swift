import Core

/// The rows of a request, kept up with the store: with edits made here, with what peers send, and with
/// what other processes write.
///
/// It may be made before there is a store; it has no rows until one is attached.
package final class LiveResults {
    /// The request.
    package let request: FetchRequest
    /// How often everything was fetched anew, because what changed could not be told row by row.
    package private(set) var fullFetchCount = 0

    private var store: Store?
    private var list: LiveList
    /// The tables on which the rows depend, and how far they were when the rows were fetched.
    private var dependencies = LiveDependencies()
    private var sequences: [UInt64] = []

    /// Rows to come.
    package init(_ request: FetchRequest) {
        self.request = request
        list = LiveList(request) { _ in nil }
    }

    /// Fetches the first rows.
    package convenience init(_ store: Store, _ request: FetchRequest) throws(StoreFault) {
        self.init(request)
        _ = try attach(store)
    }

    /// The rows as of the last refresh.
    package var rows: [StoredRecord] { list.rows.map(\.record) }

    /// How many rows there are.
    package var rowCount: Int { list.rows.count }

    /// The row of that number, sections disregarded.
    package subscript(number: Int) -> StoredRecord { list.rows[number].record }

    /// The sections as of the last refresh; just one if the request asks for none.
    package var sections: [LiveSection] { list.sections }

    /// Fetches the first rows.
    ///
    /// - Returns: the steps from no rows to these.
    package func attach(_ store: Store) throws(StoreFault) -> [LiveChange] {
        self.store = store
        return try store.database.reading { () throws(StoreFault) in
            dependencies = try LiveDependencies(request, in: store)
            return try fetchAll(store, try store.queries.newestSequences(of: dependencies.places))
        }
    }

    /// Looks at what has changed in the tables on which the rows depend.
    ///
    /// - Returns: the steps from the rows before to the rows now.
    /// - Complexity: O(k log n) for k changes in n rows; a fetch and O(n log n) if many records changed
    ///   at once, if rows behind a limit come into sight, or if the request looks at a record both from the
    ///   other side of a reference and through another one. Without changes a look at the newest row of
    ///   each table.
    package func refresh() throws(StoreFault) -> [LiveChange] {
        guard let store else { return [] }
        return try store.database.reading { () throws(StoreFault) in
            let newest = try store.queries.newestSequences(of: dependencies.places)
            if newest == sequences { return [] }
            let changes = try dependencies.changes(
                in: store, from: sequences, to: newest, countMax: max(64, list.rows.count / 4))
            var steps: [LiveChange]
            if let ids = changes.ids, let followed = try follow(ids, store) {
                (steps, sequences) = (followed, newest)
            } else {
                steps = try fetchAll(store, newest)
            }
            dependencies.take(changes)
            return steps
        }
    }

    private func fetchAll(
        _ store: Store, _ newest: [UInt64]
    ) throws(StoreFault) -> [LiveChange] {
        fullFetchCount += 1
        let kind = store.queries.kind(of: request.section?.path, in: request.collection)
        let new = LiveList(request, rows: try store.queries.liveRows(request)) { cell in
            RecordQueries.value(of: cell, kind)
        }
        let steps = LiveDifference(from: list, to: new).changes
        (list, sequences) = (new, newest)
        return steps
    }

    /// Brings the rows of these records up to date; nil if rows are needed that were not read so far.
    private func follow(
        _ ids: [RecordID], _ store: Store
    ) throws(StoreFault) -> [LiveChange]? {
        if request.offset > 0 { return nil }
        var request = request
        request.limit = nil
        let present = try store.queries.liveRows(request, only: ids)
        let matching = Set(present.map(\.record.id))
        let gone = ids.filter { !matching.contains($0) && list.row(of: $0) != nil }
        guard let limit = self.request.limit else {
            return list.apply(gone: gone, present: present)
        }
        if limit == 0 { return [] }
        if gone.isEmpty, present.isEmpty { return [] }
        // As many rows as the limit: there may be more, all of them behind the last one.
        let last = list.rows.count == limit ? list.rows.last : nil
        var next = list
        var steps = next.apply(gone: gone, present: present)
        if let last {
            let known = next.rows.prefix(limit)
            guard known.count == limit, let end = known.last, !next.isBefore(last, end) else {
                return nil
            }
        }
        steps += next.cut(to: limit)
        list = next
        return steps
    }
}

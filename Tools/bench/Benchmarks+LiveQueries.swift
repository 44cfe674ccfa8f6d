import Core
import Storage

/// The cost of updating a list after single edits, against the size of the list.
extension Benchmarks {
    func liveQueries() throws {
        for count in size.listCounts { try liveQuery(rowCount: count) }
    }

    private func liveQuery(rowCount: Int) throws {
        let store = try create("list-\(rowCount)")
        defer { store.close() }
        let items = (0..<rowCount).map(SampleToDo.init)
        try store.write { transaction in
            for item in items {
                try transaction.insert(item.assignments, into: Self.todo, id: item.id)
            }
        }
        let request = FetchRequest(Self.todo, section: .init(.field(4)), sort: [.init(.field(2))])
        var limited = request
        limited.limit = 50
        let fetch = try Cost.measure { _ = try LiveResults(store, request) }
        let (all, first) = (try LiveResults(store, request), try LiveResults(store, limited))
        let editCount = 200
        var (edits, refreshes, limitedRefreshes) = (0.0, 0.0, 0.0)
        var stepCount = 0
        for number in 0..<editCount {
            let item = items[number &* 7919 % items.count]
            edits += try Cost.measure {
                try store.write { transaction in
                    let title = Value.text("title \(number &* 104_729 % 1000)")
                    _ = try transaction.update(item.id, [Assignment(.number(2), title)])
                }
            }.wall
            refreshes += try Cost.measure { stepCount += try all.refresh().count }.wall
            limitedRefreshes += try Cost.measure { _ = try first.refresh() }.wall
        }
        guard all.fullFetchCount == 1, stepCount >= editCount else {
            throw BenchError.failed("the list was fetched again, or missed an edit")
        }
        let each = 1_000_000 / Double(editCount)
        note(
            "live_query_\(rowCount)",
            [
                ("rows", Double(rowCount)), ("first_fetch_ms", fetch.wall * 1000),
                ("edit_us", edits * each), ("refresh_us", refreshes * each),
                ("refresh_limit_50_us", limitedRefreshes * each),
                ("fetch_ratio", fetch.wall * 1_000_000 / (refreshes * each)),
            ])
    }
}

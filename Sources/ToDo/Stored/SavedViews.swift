import Core
import Storage

/// The views of people's own, which sync.
extension ToDoStore {
    private typealias Number = ToDoSchema.ViewNumber

    /// The most views that are listed.
    package static let savedViewCountMax = 1_000

    /// The views, by name.
    package func savedViews() throws(StoreFault) -> [SavedView] {
        let request = FetchRequest(
            ToDoSchema.views, sort: [FetchRequest.SortDescriptor(.field(Number.name))],
            limit: Self.savedViewCountMax)
        var views: [SavedView] = []
        // A record that another program made under an id of its own may have the name of a view.
        for record in try store.fetch(request) {
            guard let view = view(record), views.last?.name != view.name else { continue }
            views.append(view)
        }
        return views
    }

    /// The view of a name, in any case of letters; nil if there is none.
    package func savedView(named name: String) throws(StoreFault) -> SavedView? {
        try record(ofView: SavedView.key(name)).flatMap(view)
    }

    /// The name of the view that a record is, deleted ones too; nil if it is none.
    package func viewName(of record: RecordName) throws(StoreFault) -> String? {
        guard record.collection == ToDoSchema.views else { return nil }
        return try store.record(record)?[Number.name]?.text
    }

    private func record(ofView name: String) throws(StoreFault) -> Record? {
        guard SavedView.isName(name) else { return nil }
        return try store.fetch(
            FetchRequest(
                ToDoSchema.views, where: .compare(.field(Number.name), .equal, .text(name)),
                sort: [FetchRequest.SortDescriptor(.field(Number.name))], limit: 1)
        ).first
    }

    func view(_ record: Record) -> SavedView? {
        guard let name = record[Number.name]?.text, SavedView.isName(name) else { return nil }
        return view(record, named: name)
    }

    func view(_ record: Record, named name: String) -> SavedView {
        func text(_ number: UInt32) -> String? { record[.number(number)]?.text }
        let words = SavedView.words(text(Number.words))
        let others = record.record.survivors(of: .number(Number.words))
            .map { SavedView.words($0.value.text) }.filter { $0 != words }
        return SavedView(
            name: name, words: words, columns: SavedView.list(text(Number.columns)),
            sort: SavedView.list(text(Number.sort)),
            grouping: text(Number.grouping).flatMap { $0.isEmpty ? nil : $0 },
            otherFilters: others, isInConflict: record.isInConflict,
            isContested: record.verdict.isContested)
    }

    /// Makes or changes a view; parts of it that are not named stay.
    ///
    /// A conflict in a named part ends with it. One that was removed on one device while another changed it stays, on
    /// every device. Values that are kept of a purged one of that name are let go where the change names all their
    /// fields, or none: what is saved is in their place. Two devices that make a view of one name make one record, of which
    /// each field merges by itself.
    package func save(
        view name: String, _ change: SavedViewChange
    ) throws(SavedViewSavingFault) -> SavedView {
        let name = SavedView.key(name)
        guard SavedView.isName(name) else { throw .view(.badName(name)) }
        func value(_ text: String?) -> Value {
            text.flatMap { $0.isEmpty ? nil : .text($0) } ?? .null
        }
        var given: [Assignment] = [Assignment(.number(Number.name), .text(name))]
        if let words = change.words {
            given.append(Assignment(.number(Number.words), value(SavedView.text(words))))
        }
        if let columns = change.columns {
            let text = columns.map(\.word).joined(separator: ",")
            given.append(Assignment(.number(Number.columns), value(text)))
        }
        if let sort = change.sort {
            let text = sort.map(\.word).joined(separator: ",")
            given.append(Assignment(.number(Number.sort), value(text)))
        }
        if let grouping = change.grouping {
            given.append(Assignment(.number(Number.grouping), value(grouping?.rawValue)))
        }
        do throws(StoreFault) {
            let contested = try contestedViews(named: name)
            let known = try record(ofView: name) ?? contested.first
            let decided = try keptViews(named: name)
                .filter { change.decides(on: $0.record.heldValues) }
            let id = Store.derivedID(ToDoSchema.views, key: name)
            try store.edit { transaction throws(StoreFault) in
                // After the view that takes their place, so that it is sent before.
                func letGo() throws(StoreFault) {
                    for record in decided { try transaction.purge(record.name, isForced: true) }
                }
                for record in contested { try transaction.restore(record.name) }
                if let known {
                    // With the name: of an edit apart from a purge nothing else would tell it.
                    try transaction.update(
                        known.name, given, resolves: true, companion: .number(Number.name))
                    try letGo()
                    return
                }
                // One that was removed comes back with what is said now, and nothing of what it was.
                let numbers = [Number.words, Number.columns, Number.sort, Number.grouping]
                let all =
                    given
                    + numbers.map { .number($0) }
                    .filter { field in !given.contains { $0.field == field } }
                    .map { Assignment($0, .null) }
                _ = try transaction.upsert(
                    [UpsertItem(id: id, all)], into: ToDoSchema.views, revives: true)
                try letGo()
            }
            guard let view = try savedView(named: name) else { throw .noSuchRecord }
            return view
        } catch {
            throw .store(error)
        }
    }

    /// Removes a view from every device, also one that another device changed meanwhile.
    ///
    /// - Returns: whether there was one.
    package func removeView(named name: String) throws(StoreFault) -> Bool {
        let key = SavedView.key(name)
        let known = try record(ofView: key)
        let all = try [known].compactMap { $0 } + contestedViews(named: key)
        if all.isEmpty { return false }
        return try store.edit { transaction throws(StoreFault) in
            var isChanged = false
            for record in all where try transaction.delete(record.name) { isChanged = true }
            return isChanged
        }
    }

    /// The to-dos that a filter takes, in an order.
    ///
    /// Without one this is `list`; with one all of them are read before the first `limit` are known.
    package func list(
        _ filter: ToDoFilter, pendingOnly: Bool, sort: [ToDoSort], limit: Int? = nil
    ) throws(StoreFault) -> [Record] {
        if sort.isEmpty { return try list(filter, pendingOnly: pendingOnly, limit: limit) }
        let found = try list(filter, pendingOnly: pendingOnly)
        let order = ToDoSort.order(try items(found), by: sort, zone: zone)
        return order.prefix(limit ?? order.count).map { found[$0] }
    }
}

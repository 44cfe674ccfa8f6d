import Core

/// The rows of a request, kept up with the store: with edits made here, with what peers send, and with
/// what other processes write.
///
/// It may be made before there is a store; it has no rows until one is attached.
package final class LiveQuery {
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
    package var rows: [Record] { list.rows.map(\.record) }

    /// How many rows there are.
    package var rowCount: Int { list.rows.count }

    /// The row of that number, sections disregarded.
    package subscript(number: Int) -> Record { list.rows[number].record }

    /// The sections as of the last refresh; just one if the request asks for none.
    package var sections: [LiveSection] { list.sections }

    /// Fetches the first rows.
    ///
    /// - Returns: the steps from no rows to these.
    package func attach(_ store: Store) throws(StoreFault) -> [LiveChange] {
        self.store = store
        return try store.database.reading { () throws(StoreFault) in
            dependencies = try LiveDependencies(request, in: store)
            return try fetchAll(store, try store.queries.newestSequences(of: dependencies.indexes))
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
            let newest = try store.queries.newestSequences(of: dependencies.indexes)
            if newest == sequences { return [] }
            let changes = try dependencies.changes(
                in: store, from: sequences, to: newest, countMax: max(64, list.rows.count / 4))
            var steps: [LiveChange]
            if let ids = changes.ids, let followed = try follow(ids, store) {
                (steps, sequences) = (followed, newest)
            } else {
                steps = try fetchAll(store, newest)
            }
            dependencies.record(changes)
            return steps
        }
    }

    private func fetchAll(
        _ store: Store, _ newest: [UInt64]
    ) throws(StoreFault) -> [LiveChange] {
        fullFetchCount += 1
        let kind = store.queries.kind(of: request.section?.path, in: request.collection)
        let new = LiveList(request, rows: try store.queries.liveRows(request)) { cell in
            ColumnKind.value(of: cell, kind)
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

/// On which tables the rows of a request depend, and which rows a change of each can touch.
struct LiveDependencies {
    /// The tables, the request's own first.
    private(set) var indexes = [0]
    /// The chains of references that lead to another table, as SQL for the own records that a change
    /// there touches; by the table's index in `indexes`.
    private var chains: [(table: Int, sql: String)] = []
    /// The tables of records that refer to the own ones.
    private var backward: [Backward] = []
    /// Tables whose changes may touch any row, by their place in `indexes`: they are looked at from the other
    /// side of a reference, and at the end of another one.
    private var wide: Set<Int> = []

    /// A table that is looked at from the other side of a reference.
    private struct Backward {
        /// Its index in `indexes`.
        let table: Int
        /// SQL for its records and to what they refer.
        let sql: String
        /// To what each record referred when its table was last looked at: a change touches that, too.
        var targets: [RecordID: RecordID] = [:]
    }

    /// The changes since a look.
    struct Changes {
        /// The own records whose rows may have changed; nil if that cannot be told or they are too many.
        fileprivate(set) var ids: [RecordID]?
        /// For each table that is looked at backward what its changed records refer to now.
        fileprivate var targets: [[RecordID: RecordID?]] = []
    }

    init() {}

    init(_ request: FetchRequest, in store: Store) throws(StoreFault) {
        indexes = [store.records.index(of: request.collection)]
        for path in request.paths { add(path, from: indexes[0], isWide: false, store) }
        let table = store.collections[indexes[0]].table
        chains.append((0, "SELECT id FROM \(table) WHERE sequence > ?"))
        let changes = try backwardChanges(in: store, from: indexes.map { _ in 0 })
        record(Changes(targets: changes))
    }

    private mutating func add(_ path: FieldPath, from start: Int, isWide: Bool, _ store: Store) {
        var index = start
        // The SQL in front of the ids of a table's changed records, and the brackets behind.
        var (incarnation, closing) = ("", "")
        for reference in path.references {
            let schema = store.collections[index]
            guard let field = schema.field(reference), case .reference(let target) = field.kind
            else { return }
            incarnation += "SELECT id FROM \(schema.table) WHERE \(field.quoted) IN ("
            closing += ")"
            index = store.records.index(of: target)
            let table = tableNumber(index)
            if isWide {
                wide.insert(table)
            } else {
                let changed =
                    "SELECT id FROM \(store.collections[index].table) WHERE sequence > ?"
                chains.append((table, incarnation + changed + closing))
            }
        }
        switch path.target {
        case .field, .id, .sequence: break
        case .count(let related), .greatest(_, let related), .least(_, let related):
            add(related, isWide: isWide || !path.references.isEmpty, store)
        }
    }

    private mutating func add(_ related: Related, isWide: Bool, _ store: Store) {
        let index = store.records.index(of: related.collection)
        let table = tableNumber(index)
        let schema = store.collections[index]
        if isWide {
            wide.insert(table)
        } else if let field = schema.field(related.reference) {
            let sql = "SELECT id, \(field.quoted) FROM \(schema.table) WHERE sequence > ?"
            if !backward.contains(where: { $0.sql == sql }) {
                backward.append(Backward(table: table, sql: sql))
            }
        }
        for path in related.predicate.paths { add(path, from: index, isWide: true, store) }
    }

    private mutating func tableNumber(_ index: Int) -> Int {
        if let known = indexes.firstIndex(of: index) { return known }
        indexes.append(index)
        return indexes.count - 1
    }

    /// Finds the changes since the tables had the arrival numbers `old`.
    func changes(
        in store: Store, from old: [UInt64], to new: [UInt64], countMax: Int
    ) throws(StoreFault) -> Changes {
        var changes = Changes(targets: try backwardChanges(in: store, from: old))
        for table in wide where old[table] != new[table] { return changes }
        var found: Set<RecordID> = []
        for (table, targets) in zip(backward, changes.targets) {
            for (id, target) in targets {
                if let before = table.targets[id] { found.insert(before) }
                if let target { found.insert(target) }
            }
        }
        for chain in chains where old[chain.table] != new[chain.table] {
            let rows = try store.database.connection.statement("\(chain.sql) LIMIT ?")
            defer { rows.reset() }
            rows.bind(1, old[chain.table])
            rows.bind(2, Int64(countMax + 1))
            while try rows.step() {
                if let id = rows.identifier(0) { found.insert(RecordID(value: id)) }
            }
            if found.count > countMax { return changes }
        }
        if found.count <= countMax { changes.ids = found.sorted() }
        return changes
    }

    private func backwardChanges(
        in store: Store, from old: [UInt64]
    ) throws(StoreFault) -> [[RecordID: RecordID?]] {
        var found: [[RecordID: RecordID?]] = []
        for table in backward {
            let rows = try store.database.connection.statement(table.sql)
            defer { rows.reset() }
            rows.bind(1, old[table.table])
            var targets: [RecordID: RecordID?] = [:]
            while try rows.step() {
                guard let id = rows.identifier(0) else { continue }
                let target = rows.identifier(1).map { RecordID(value: $0) }
                targets.updateValue(target, forKey: RecordID(value: id))
            }
            found.append(targets)
        }
        return found
    }

    /// Remembers to what records refer now, once the rows are up to date.
    mutating func record(_ changes: Changes) {
        for (number, targets) in changes.targets.enumerated() {
            for (id, target) in targets { backward[number].targets[id] = target }
        }
    }
}

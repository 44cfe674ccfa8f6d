import Core

/// On which tables the rows of a request depend, and which rows a change of each can touch.
struct LiveDependencies {
    /// The tables, the request's own first.
    private(set) var places = [0]
    /// The chains of references that lead to another table, as SQL for the own records that a change
    /// there touches; by the table's place in `places`.
    private var chains: [(table: Int, sql: String)] = []
    /// The tables of records that refer to the own ones.
    private var backward: [Backward] = []
    /// Tables whose changes may touch any row, by their place in `places`: they are looked at from the other
    /// side of a reference, and at the end of another one.
    private var wide: Set<Int> = []

    /// A table that is looked at from the other side of a reference.
    private struct Backward {
        /// Its place in `places`.
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
        places = [store.records.place(of: request.collection)]
        for path in request.paths { add(path, from: places[0], isWide: false, store) }
        let table = store.collections[places[0]].table
        chains.append((0, "SELECT id FROM \(table) WHERE sequence > ?"))
        let changes = try backwardChanges(in: store, from: places.map { _ in 0 })
        take(Changes(targets: changes))
    }

    private mutating func add(_ path: FieldPath, from start: Int, isWide: Bool, _ store: Store) {
        var place = start
        // The SQL in front of the ids of a table's changed records, and the brackets behind.
        var (incarnation, closing) = ("", "")
        for reference in path.references {
            let schema = store.collections[place]
            guard let field = schema.field(reference), case .reference(let target) = field.kind
            else { return }
            incarnation += "SELECT id FROM \(schema.table) WHERE \(field.quoted) IN ("
            closing += ")"
            place = store.records.place(of: target)
            let table = tableNumber(place)
            if isWide {
                wide.insert(table)
            } else {
                let changed =
                    "SELECT id FROM \(store.collections[place].table) WHERE sequence > ?"
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
        let place = store.records.place(of: related.collection)
        let table = tableNumber(place)
        let schema = store.collections[place]
        if isWide {
            wide.insert(table)
        } else if let field = schema.field(related.reference) {
            let sql = "SELECT id, \(field.quoted) FROM \(schema.table) WHERE sequence > ?"
            if !backward.contains(where: { $0.sql == sql }) {
                backward.append(Backward(table: table, sql: sql))
            }
        }
        for path in related.predicate.paths { add(path, from: place, isWide: true, store) }
    }

    private mutating func tableNumber(_ place: Int) -> Int {
        if let known = places.firstIndex(of: place) { return known }
        places.append(place)
        return places.count - 1
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
    mutating func take(_ changes: Changes) {
        for (number, targets) in changes.targets.enumerated() {
            for (id, target) in targets { backward[number].targets[id] = target }
        }
    }
}

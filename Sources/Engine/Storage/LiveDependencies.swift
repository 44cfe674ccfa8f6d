import Records

/// On which tables the rows of a request depend, and which rows a change of each can touch.
struct LiveDependencies {
    /// The tables, the request's own first.
    private(set) var places = [0]
    /// The chains of references that lead to another table, as SQL for the own records that a change
    /// there touches; by the table's place in `places`.
    private var chains: [(table: Int, sql: String)] = []
    /// Tables that are looked at from the other side of a reference, by their place in `places`: to whom
    /// their records referred before a change, nobody remembers.
    private var wide: Set<Int> = []

    init() {}

    init(_ request: FetchRequest, in store: Store) {
        places = [store.place(of: request.collection)]
        for path in request.paths { add(path, from: places[0], isWide: false, store) }
        let table = store.collections[places[0]].table
        chains.append((0, "SELECT id FROM \(table) WHERE sequence > ?"))
    }

    private mutating func add(_ path: FieldPath, from start: Int, isWide: Bool, _ store: Store) {
        var place = start
        // What stands in front of the ids of a table's changed records, and the brackets behind.
        var (opening, closing) = ("", "")
        for reference in path.references {
            let schema = store.collections[place]
            guard let field = schema.field(reference), case .reference(let target) = field.kind
            else { return }
            opening += "SELECT id FROM \(schema.table) WHERE \(field.quoted) IN ("
            closing += ")"
            place = store.place(of: target)
            let table = tableNumber(place)
            if isWide {
                wide.insert(table)
            } else {
                let changed =
                    "SELECT id FROM \(store.collections[place].table) WHERE sequence > ?"
                chains.append((table, opening + changed + closing))
            }
        }
        switch path.target {
        case .field, .id, .sequence: break
        case .count(let related): add(related, store)
        case .greatest(let name, let related), .least(let name, let related):
            add(related, store)
            add(
                FieldPath(target: .field(name)), from: store.place(of: related.collection),
                isWide: true, store)
        }
    }

    private mutating func add(_ related: Related, _ store: Store) {
        let place = store.place(of: related.collection)
        wide.insert(tableNumber(place))
        for path in related.predicate.paths { add(path, from: place, isWide: true, store) }
    }

    private mutating func tableNumber(_ place: Int) -> Int {
        if let known = places.firstIndex(of: place) { return known }
        places.append(place)
        return places.count - 1
    }

    /// The records whose rows may have changed since the tables had the arrival numbers `old`; nil if that
    /// cannot be told or they are too many.
    func changedIDs(
        in store: Store, from old: [UInt64], to new: [UInt64], countMax: Int
    ) throws(StoreFault) -> [RecordID]? {
        for table in wide where old[table] != new[table] { return nil }
        var found: Set<RecordID> = []
        for chain in chains where old[chain.table] != new[chain.table] {
            let rows = try store.connection.statement("\(chain.sql) LIMIT ?")
            defer { rows.reset() }
            rows.bind(1, old[chain.table])
            rows.bind(2, Int64(countMax + 1))
            while try rows.step() {
                if let id = rows.identifier(0) { found.insert(RecordID(value: id)) }
            }
            if found.count > countMax { return nil }
        }
        return found.sorted()
    }
}

import Core
import Storage
import TestSupport
import Testing

@Suite("References that are followed")
struct ReferenceTests {
    private static let parent = FieldName.number(9)

    private func link(_ source: RecordID, to target: RecordID?, in store: Store) throws {
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(
                source, [Assignment(.number(9), target.map { .toDo($0) } ?? .null)])
        }
    }

    private func make(_ count: Int, in store: Store) throws -> [RecordID] {
        try store.edit { transaction throws(StoreFault) in
            var ids: [RecordID] = []
            for index in 0..<count {
                ids.append(
                    try transaction.insert(
                        [Assignment(.number(2), .text("\(index)"))], into: StoreWorld.todo,
                        id: RecordID(value: UInt128(index + 1))))
            }
            return ids
        }
    }

    private func followed(_ ids: [RecordID], in store: Store) throws -> [RecordID: RecordID] {
        let records = try ids.compactMap { try store.record($0) }
        var followed: [RecordID: RecordID] = [:]
        for (source, target) in try store.followed(Self.parent, of: records) {
            followed[source.id] = target.id
        }
        return followed
    }

    @Test("of a cycle the edge assigned last is absent, whichever record is asked for")
    func cycle() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let ids = try make(4, in: store)
        for index in 0..<3 { try link(ids[index], to: ids[(index + 1) % 3], in: store) }
        try link(ids[3], to: ids[0], in: store)
        let expected = [ids[1], ids[2], nil, ids[0]]
        for (id, target) in zip(ids, expected) {
            #expect(try followed([id], in: store)[id] == target)
        }
        #expect(try followed(ids, in: store).count == 3)
        try link(ids[0], to: nil, in: store)
        #expect(try followed([ids[2]], in: store)[ids[2]] == ids[0])
    }

    @Test(
        "a reference to itself, to nothing, to a deleted record and to no record of its kind is absent"
    )
    func absent() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let ids = try make(4, in: store)
        try link(ids[0], to: ids[0], in: store)
        try link(ids[1], to: RecordID(value: 99), in: store)
        try link(ids[2], to: ids[3], in: store)
        try store.edit { transaction throws(StoreFault) in
            try transaction.delete(ids[3])
        }
        #expect(try followed(ids, in: store).isEmpty)
        try store.edit { transaction throws(StoreFault) in try transaction.restore(ids[3]) }
        #expect(try followed(ids, in: store) == [ids[2]: ids[3]])
        let title = try #require(try store.record(ids[2]))
        #expect(try store.followed(.number(2), of: [title]).isEmpty)
    }

    @Test("look-ups grow with the records above those shown, not with the store")
    func cost() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let ids = try make(600, in: store)
        // Half of them are parts of the first, which is a part of the second; the third begins a long way up.
        for id in ids[10..<300] { try link(id, to: ids[0], in: store) }
        try link(ids[0], to: ids[1], in: store)
        for index in 2..<9 { try link(ids[index], to: ids[index + 1], in: store) }
        func lookups(_ shown: [RecordID]) throws -> Int {
            let records = try shown.compactMap { try store.record($0) }
            let before = store.lookupCount
            _ = try store.followed(Self.parent, of: records)
            return store.lookupCount - before
        }
        #expect(try lookups(Array(ids[300...])) == 0)
        #expect(try lookups(Array(ids[10..<300])) == 2)
        #expect(try lookups([ids[2]]) == 7)
        #expect(try lookups(ids) == 0)
    }

    @Test(
        "a fetch takes references as they were assigned, in a cycle too, but leads to no deleted record"
    )
    func fetched() throws {
        let store = try StoreWorld().create("a")
        let ids = try make(3, in: store)
        try link(ids[0], to: ids[1], in: store)
        try link(ids[1], to: ids[0], in: store)
        try link(ids[2], to: ids[0], in: store)
        #expect(try followed(ids, in: store) == [ids[0]: ids[1], ids[2]: ids[0]])
        let title = FieldPath.through(9, 2)
        func found(_ predicate: FetchPredicate) throws -> [RecordID] {
            try store.fetch(FetchRequest(StoreWorld.todo, where: predicate)).map(\.id)
        }
        #expect(try found(.compare(title, .equal, .text("0"))) == [ids[1], ids[2]])
        let children = FieldPath(target: .count(Related(StoreWorld.todo, by: Self.parent)))
        #expect(try found(.compare(children, .equal, .int(2))) == [ids[0]])
        #expect(try found(.any(Related(StoreWorld.todo, by: Self.parent))) == [ids[0], ids[1]])
        try store.edit { transaction throws(StoreFault) in try transaction.delete(ids[0]) }
        #expect(try found(.absent(.field(9))) == [])
        #expect(try found(.absent(title)) == [ids[1], ids[2]])
    }

    @Test(
        "references in a set are followed with those that they lead to, and stand in the column as the view has ids"
    )
    func sets() throws {
        let store = try StoreWorld().create("a")
        let ids = try make(5, in: store)
        func link(_ source: RecordID, _ targets: [Value], isIn: Bool = true) throws {
            try store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    source,
                    targets.map { Assignment(.element(.number(8), $0), isIn ? .bool(true) : .null) }
                        .sorted { $0.field < $1.field })
            }
        }
        func followed(_ id: RecordID) throws -> [RecordID: [RecordID]] {
            let record = try #require(try store.record(id))
            return try store.followedSets(.number(8), of: [record]).targets
        }
        try link(ids[0], [.toDo(ids[1]), .toDo(ids[2]), .text("home"), .toDo(ids[0])])
        try link(ids[1], [.toDo(ids[3])])
        try link(ids[3], [.toDo(ids[0]), .toDo(ids[4])])
        #expect(
            try followed(ids[0])
                == [ids[0]: [ids[1], ids[2]], ids[1]: [ids[3]], ids[3]: [ids[4]]])
        #expect(try followed(ids[4]) == [:])
        try link(ids[0], [.toDo(ids[1])], isIn: false)
        try store.edit { transaction throws(StoreFault) in try transaction.delete(ids[2]) }
        #expect(try followed(ids[3]) == [ids[3]: [ids[0], ids[4]]])
        let rows = try store.texts(
            of: [8], in: FetchRequest(StoreWorld.todo, where: .has(8, ids[4].hexadecimal)))
        #expect(rows.map(\.id) == [ids[3]])
        #expect(rows[0].texts[0]?.contains(ids[0].hexadecimal) == true)
        // Of columns and bytes the record comes back as it was.
        let first = try #require(try store.record(ids[0]))
        #expect(
            Set(first.record.elements(of: .number(8)))
                == [.toDo(ids[2]), .text("home"), .toDo(ids[0])])
    }
}

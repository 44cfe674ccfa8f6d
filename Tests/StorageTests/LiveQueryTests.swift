import Core
import Storage
import TestSupport
import Testing

@Suite("Live results")
struct LiveQueryTests {
    private static let requests: [FetchRequest] = [
        FetchRequest(StoreWorld.todo),
        FetchRequest(StoreWorld.todo, sort: [.init(.field(2))]),
        FetchRequest(StoreWorld.todo, sort: [.init(.field(7), isAscending: false)], limit: 5),
        FetchRequest(
            StoreWorld.todo, where: .compare(.field(7), .less, .int(6)), sort: [.init(.field(7))],
            limit: 7, offset: 2),
        FetchRequest(StoreWorld.todo, sort: [.init(.through(9, 7)), .init(.sequence)]),
        FetchRequest(StoreWorld.todo, scope: .trash, sort: [.init(.field(2), isAscending: false)]),
        FetchRequest(StoreWorld.todo, section: .init(.field(7)), sort: [.init(.field(2))]),
        FetchRequest(
            StoreWorld.todo, section: .init(.through(9, 7), isAscending: false),
            sort: [.init(.field(2), isAscending: false)]),
        FetchRequest(
            StoreWorld.todo, where: .compare(.through(9, 7), .greater, .int(2)),
            section: .init(.field(7)), limit: 8),
        FetchRequest(
            StoreWorld.todo,
            sort: [.init(FieldPath(through: [.number(9), .number(9)], target: .field(.number(2))))]
        ),
        FetchRequest(
            StoreWorld.todo, where: .any(Related(StoreWorld.todo, by: .number(9))),
            section: .init(FieldPath(target: .count(Related(StoreWorld.todo, by: .number(9))))),
            sort: [
                .init(
                    FieldPath(
                        target: .greatest(.number(7), Related(StoreWorld.todo, by: .number(9)))))
            ]),
    ]

    @Test(
        "the steps lead from the old rows to the new ones, wherever the change comes from",
        arguments: 1...6)
    func property(seed: UInt64) throws {
        let world = StoreWorld(seed: seed)
        let (here, peer) = (try world.create("a"), try world.create("b"))
        let other = try world.open("a")
        let lists = try Self.requests.map { try LiveQuery(here, $0) }
        var shown = lists.map { ShownList($0) }
        var chance = RecordMaker(seed: seed)
        var ids: [RecordID] = []
        for _ in 0..<40 {
            let store = chance.pick([here, here, other, peer])
            for _ in 0...chance.below(6) {
                let fields = [
                    Assignment(.number(2), .text(String(chance.below(20)))),
                    Assignment(.number(7), .int(Int64(chance.below(10)))),
                    Assignment(
                        .number(9), ids.isEmpty ? .null : .toDo(chance.pick(ids))),
                ]
                let id = ids.isEmpty || chance.once(in: 3) ? nil : chance.pick(ids)
                let kind = chance.below(6)
                do {
                    try store.write { transaction in
                        if let id {
                            switch kind {
                            case 0: _ = try transaction.delete(id)
                            case 1: _ = try transaction.restore(id)
                            default:
                                _ = try transaction.update(id, Array(fields.prefix(1 + kind % 3)))
                            }
                        } else {
                            ids.append(try transaction.insert(fields, into: StoreWorld.todo))
                        }
                    }
                } catch StoreFault.recordDeleted, StoreFault.noSuchRecord { continue }
            }
            if chance.once(in: 3) {
                try StoreWorld.pull(peer, from: here)
                try StoreWorld.pull(here, from: peer)
            }
            for (index, list) in lists.enumerated() {
                let changes = try list.refresh()
                try shown[index].apply(changes)
                #expect(shown[index] == ShownList(list))
                #expect(try list.rows == here.fetch(Self.requests[index]))
                #expect(try list.sections == LiveQuery(here, Self.requests[index]).sections)
                #expect(try list.refresh() == [])
            }
        }
    }

    @Test("a row that moves is one step, and the others stay")
    func fewSteps() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        var ids: [RecordID] = []
        for number in 0..<50 {
            ids.append(
                try store.write {
                    try $0.insert(
                        [Assignment(.number(7), .int(Int64(number)))], into: StoreWorld.todo)
                })
        }
        let list = try LiveQuery(store, FetchRequest(StoreWorld.todo, sort: [.init(.field(7))]))
        try store.write { _ = try $0.update(ids[0], [Assignment(.number(7), .int(100))]) }
        let changes = try list.refresh()
        let last = RowPosition(row: 49)
        #expect(
            changes == [
                .moveRow(from: RowPosition(row: 0), to: last), .updateRow(list.rows[49], at: last),
            ])
        try store.write { transaction in
            try transaction.update(ids[0], [Assignment(.number(7), .int(10))])
            try transaction.delete(ids[5])
        }
        #expect(
            try list.refresh() == [
                .deleteRow(at: RowPosition(row: 4)),
                .moveRow(from: RowPosition(row: 48), to: RowPosition(row: 8)),
                .updateRow(list.rows[8], at: RowPosition(row: 8)),
            ])
        #expect(list.fullFetchCount == 1)
    }

    @Test("a change of other collections fetches nothing")
    func others() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("x", to: store)
        let list = try LiveQuery(store, FetchRequest(StoreWorld.todo))
        try store.write { _ = try $0.insert([], into: .text("other")) }
        #expect(try list.refresh() == [])
        try StoreWorld.add("y", to: store)
        #expect(try list.refresh().count == 1)
    }

    @Test("a whole list turned round is found quickly and rightly")
    func reversed() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let ids = try store.write { transaction in
            try (0..<3000).map {
                try transaction.insert(
                    [Assignment(.number(7), .int(Int64($0)))], into: StoreWorld.todo)
            }
        }
        let list = try LiveQuery(store, FetchRequest(StoreWorld.todo, sort: [.init(.field(7))]))
        var shown = ShownList(list)
        try store.write { transaction in
            for (number, id) in ids.enumerated() {
                try transaction.update(id, [Assignment(.number(7), .int(Int64(-number - 1)))])
            }
        }
        try shown.apply(list.refresh())
        #expect(shown == ShownList(list))
    }

    @Test("sections come before their rows, and go after them")
    func sections() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        func add(_ project: String) throws -> RecordID {
            try store.write {
                try $0.insert([Assignment(.number(4), .text(project))], into: StoreWorld.todo)
            }
        }
        let request = FetchRequest(StoreWorld.todo, section: .init(.field(4)))
        let list = try LiveQuery(store, request)
        #expect(list.sections.isEmpty)
        let garden = try add("garden")
        let first = try list.refresh()
        let position = RowPosition(row: 0)
        #expect(
            first == [
                .insertSection(.text("garden"), at: 0), .insertRow(list.rows[0], at: position),
            ])
        _ = try add("house")
        _ = try list.refresh()
        try store.write { _ = try $0.update(garden, [Assignment(.number(4), .text("attic"))]) }
        #expect(
            try list.refresh() == [
                .insertSection(.text("attic"), at: 0),
                .moveRow(from: RowPosition(section: 1, row: 0), to: position),
                .updateRow(list.rows[0], at: position), .deleteSection(at: 1),
            ])
        #expect(list.sections.map(\.value) == [.text("attic"), .text("house")])
        try store.write { _ = try $0.delete(garden) }
        #expect(try list.refresh() == [.deleteRow(at: position), .deleteSection(at: 0)])
    }

    @Test("a row that is sorted through a reference moves when the other record changes")
    func throughReference() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let parents = try ["b", "c"].map { try StoreWorld.add($0, to: store) }
        for parent in parents {
            try store.write { transaction in
                try transaction.insert(
                    [Assignment(.number(9), .toDo(parent))], into: StoreWorld.todo)
            }
        }
        let children = FetchPredicate.not(.absent(.field(9)))
        let list = try LiveQuery(
            store,
            FetchRequest(StoreWorld.todo, where: children, sort: [.init(.through(9, 2))]))
        try StoreWorld.rename(parents[0], "d", in: store)
        let (first, second) = (RowPosition(row: 0), RowPosition(row: 1))
        #expect(
            try list.refresh() == [
                .moveRow(from: first, to: second), .updateRow(list.rows[1], at: second),
            ])
        #expect(list.fullFetchCount == 1)
    }

    @Test("a list made before the store opens has its rows when it is attached")
    func beforeOpening() throws {
        let world = StoreWorld()
        let list = LiveQuery(FetchRequest(StoreWorld.todo, section: .init(.field(2))))
        #expect(try list.refresh() == [])
        var shown = ShownList(list)
        let store = try world.create("a")
        for title in ["a", "b", "a"] { try StoreWorld.add(title, to: store) }
        try shown.apply(list.attach(store))
        #expect(shown == ShownList(list))
        #expect(list.sections.map(\.rowCount) == [2, 1])
    }

    @Test(
        "a list that counts who refers follows a reference that moves, without a fetch of everything"
    )
    func backward() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let parents = try ["a", "b", "c"].map { try StoreWorld.add($0, to: store) }
        func add(to parent: RecordID) throws -> RecordID {
            try store.write { transaction in
                try transaction.insert(
                    [Assignment(.number(9), .toDo(parent))], into: StoreWorld.todo)
            }
        }
        let child = try add(to: parents[0])
        _ = try add(to: parents[1])
        let children = Related(StoreWorld.todo, by: .number(9))
        let list = try LiveQuery(
            store,
            FetchRequest(
                StoreWorld.todo, where: .any(children),
                sort: [.init(FieldPath(target: .count(children)), isAscending: false)]))
        #expect(list.rows.map(\.id) == [parents[0], parents[1]])
        try store.write { transaction in
            _ = try transaction.update(child, [Assignment(.number(9), .toDo(parents[1]))])
        }
        #expect(
            try list.refresh() == [
                .deleteRow(at: RowPosition(row: 0)),
                .updateRow(list.rows[0], at: RowPosition(row: 0)),
            ])
        try store.write { transaction in
            _ = try transaction.update(child, [Assignment(.number(9), .toDo(parents[2]))])
        }
        _ = try list.refresh()
        #expect(list.rows.map(\.id) == [parents[1], parents[2]])
        try store.write { _ = try $0.delete(child) }
        _ = try list.refresh()
        #expect(list.rows.map(\.id) == [parents[1]])
        #expect(list.fullFetchCount == 1)
    }
}

/// The contents of a list view, built only from the steps that it receives.
struct ShownList: Equatable {
    private var sections: [Value?] = []
    private var rows: [[Record]] = []

    init(_ list: LiveQuery) {
        var next = 0
        for section in list.sections {
            sections.append(section.value)
            rows.append(Array(list.rows[next..<next + section.rowCount]))
            next += section.rowCount
        }
    }

    /// Applies steps, each to what the one before it left.
    mutating func apply(_ changes: [LiveChange]) throws {
        for change in changes {
            switch change {
            case .deleteRow(let position):
                try #require(rows[position.section].indices.contains(position.row))
                rows[position.section].remove(at: position.row)
            case .insertRow(let record, let position):
                try #require(position.row <= rows[position.section].count)
                rows[position.section].insert(record, at: position.row)
            case .moveRow(let from, let to):
                try #require(rows[from.section].indices.contains(from.row))
                let record = rows[from.section].remove(at: from.row)
                try #require(position(to, isWithin: rows))
                rows[to.section].insert(record, at: to.row)
            case .updateRow(let record, let position):
                try #require(rows[position.section][position.row].id == record.id)
                rows[position.section][position.row] = record
            case .insertSection(let value, let position):
                sections.insert(value, at: position)
                rows.insert([], at: position)
            case .deleteSection(let position):
                try #require(rows[position].isEmpty)
                sections.remove(at: position)
                rows.remove(at: position)
            }
        }
    }

    private func position(_ position: RowPosition, isWithin rows: [[Record]]) -> Bool {
        rows.indices.contains(position.section) && position.row <= rows[position.section].count
    }
}

import Causality
import Records
import Storage
import Testing

@Suite("Live results")
struct LiveResultsTests {
    /// What a list view makes of the steps.
    private static func applied(_ changes: [LiveChange], to rows: [StoredRecord]) -> [StoredRecord]
    {
        var rows = rows
        for change in changes {
            switch change {
            case .delete(let place): rows.remove(at: place)
            case .insert(let record, let place): rows.insert(record, at: place)
            case .move(let from, let to): rows.insert(rows.remove(at: from), at: to)
            case .update(let record, let place): rows[place] = record
            }
        }
        return rows
    }

    private static let requests: [FetchRequest] = [
        FetchRequest(StoreWorld.todo),
        FetchRequest(StoreWorld.todo, sort: [.init(.field(2))]),
        FetchRequest(StoreWorld.todo, sort: [.init(.field(7), isAscending: false)], limit: 5),
        FetchRequest(
            StoreWorld.todo, where: .compare(.field(7), .less, .int(6)), sort: [.init(.field(7))],
            limit: 7, offset: 2),
        FetchRequest(StoreWorld.todo, sort: [.init(.through(9, 7)), .init(.sequence)]),
        FetchRequest(StoreWorld.todo, scope: .trash, sort: [.init(.field(2), isAscending: false)]),
    ]

    @Test(
        "the steps lead from the old rows to the new ones, wherever the change comes from",
        arguments: 1...6)
    func property(seed: UInt64) throws {
        let world = StoreWorld(seed: seed)
        let (here, peer) = (try world.create("a"), try world.create("b"))
        let other = try world.open("a")
        let lists = try Self.requests.map { try LiveResults(here, $0) }
        var shown = lists.map(\.rows)
        var chance = RecordMaker(seed: seed)
        var ids: [RecordID] = []
        for _ in 0..<40 {
            let store = chance.pick([here, here, other, peer])
            for _ in 0...chance.below(6) {
                let fields = [
                    Assignment(.number(2), .text(String(chance.below(20)))),
                    Assignment(.number(7), .int(Int64(chance.below(10)))),
                    Assignment(
                        .number(9), ids.isEmpty ? .null : .reference(chance.pick(ids))),
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
                shown[index] = Self.applied(changes, to: shown[index])
                #expect(shown[index] == list.rows)
                #expect(try list.rows == here.fetch(Self.requests[index]))
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
        let list = try LiveResults(store, FetchRequest(StoreWorld.todo, sort: [.init(.field(7))]))
        try store.write { _ = try $0.update(ids[0], [Assignment(.number(7), .int(100))]) }
        let changes = try list.refresh()
        #expect(changes == [.move(from: 0, to: 49), .update(list.rows[49], at: 49)])
        try store.write { transaction in
            try transaction.update(ids[0], [Assignment(.number(7), .int(10))])
            try transaction.delete(ids[5])
        }
        #expect(
            try list.refresh() == [
                .delete(at: 4), .move(from: 48, to: 8), .update(list.rows[8], at: 8),
            ])
    }

    @Test("a change of other collections fetches nothing")
    func others() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("x", to: store)
        let list = try LiveResults(store, FetchRequest(StoreWorld.todo))
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
        let list = try LiveResults(store, FetchRequest(StoreWorld.todo, sort: [.init(.field(7))]))
        let before = list.rows
        try store.write { transaction in
            for (number, id) in ids.enumerated() {
                try transaction.update(id, [Assignment(.number(7), .int(Int64(-number - 1)))])
            }
        }
        #expect(try Self.applied(list.refresh(), to: before) == list.rows)
    }
}

import Core
import Storage
import TestSupport
import Testing

@Suite("Counts kept with the records")
struct CountingTests {
    private static let requests: [FetchRequest] = [
        FetchRequest(StoreWorld.todo), FetchRequest(StoreWorld.todo, scope: .trash),
        FetchRequest(StoreWorld.todo, scope: .conflicted),
        FetchRequest(StoreWorld.todo, scope: .all),
        FetchRequest(StoreWorld.todo, where: .absent(.field(7))),
        FetchRequest(StoreWorld.todo, scope: .trash, where: .absent(.field(7))),
        FetchRequest(StoreWorld.todo, where: .absent(.field(3))),
    ]

    /// Expects that each count is that of the records one by one, and that a check finds nothing.
    private func expectCounts(_ stores: [Store], _ step: String) throws {
        for store in stores {
            for request in Self.requests {
                #expect(
                    try store.count(request) == store.fetch(request).count, "\(step): \(request)")
            }
            #expect(try store.examine() == [], "\(step)")
        }
    }

    @Test(
        "after every kind of edit, merge and undo, in either policy, the counts are those of the records",
        arguments: [DeletePolicy.deletesWin, .editsWin])
    func counts(policy: DeletePolicy) throws {
        let world = StoreWorld()
        let a = try world.create("a", policy: policy)
        let b = try world.create("b", policy: policy)
        let rank = Field.number(7)
        let ids = try (0..<8).map { try StoreWorld.add("\($0)", to: a) }
        try expectCounts([a], "made")
        try a.write { _ = try $0.update(ids[0], [Assignment(rank, .int(1))]) }
        // A value that its column cannot hold is none there.
        try a.write { _ = try $0.update(ids[1], [Assignment(rank, .text("high"))]) }
        #expect(try a.count(FetchRequest(StoreWorld.todo, where: .absent(.field(7)))) == 7)
        try a.write { _ = try $0.delete(ids[2]) }
        try a.write { _ = try $0.delete(ids[0]) }
        try expectCounts([a], "deleted")
        try StoreWorld.mingle([a, b])
        try expectCounts([a, b], "merged")
        try b.write { _ = try $0.restore(ids[0]) }
        try b.write { _ = try $0.purge(ids[2]) }
        try StoreWorld.rename(ids[3], "left", in: a)
        try StoreWorld.rename(ids[3], "right", in: b)
        try a.write { _ = try $0.delete(ids[4]) }
        try StoreWorld.rename(ids[4], "edited", in: b)
        try StoreWorld.mingle([a, b])
        #expect(try a.count(FetchRequest(StoreWorld.todo, scope: .conflicted)) == 2)
        try expectCounts([a, b], "in conflict")
        try a.write { _ = try $0.resolve(ids[3], .number(2), with: .text("left")) }
        try a.write { _ = try $0.restore(ids[4]) }
        _ = try a.undo(try #require(try a.nextToUndo().change).timestamp)
        try expectCounts([a], "undone")
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try a.write { transaction in
                try transaction.insert([Assignment(.number(2), .text("x"))], into: StoreWorld.todo)
                #expect(try a.count(FetchRequest(StoreWorld.todo, scope: .all)) == 9)
                throw Refused()
            }
        }
        try expectCounts([a], "rolled back")
        a.close()
        try expectCounts([try world.open("a")], "opened again")
    }

    @Test("what another process wrote is counted")
    func otherProcess() throws {
        let world = StoreWorld()
        let (one, other) = (try world.create("a"), try world.open("a"))
        try StoreWorld.add("one", to: one)
        try StoreWorld.add("two", to: other)
        try expectCounts([one, other], "both")
        #expect(try one.count(FetchRequest(StoreWorld.todo)) == 2)
    }

    @Test("counts that do not fit are found by a check and counted anew by a repair")
    func damage() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("one", to: store)
        let sql = "UPDATE record_count SET live = 7 WHERE name = 'todo'"
        #expect(world.run("sqlite3", world.path("a/store.db"), sql).status == 0)
        #expect(try store.examine() == [.counts(collection: "todo")])
        #expect(StoreFinding.counts(collection: "todo").repair == .sums)
        try store.recount()
        try expectCounts([store], "repaired")
    }

    @Test("other columns, and another column to count, are counted when the store is opened")
    func adopted() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("one", to: store)
        try StoreWorld.add("two", to: store)
        try store.write { _ = try $0.update(id, [Assignment(.number(3), .text("n"))]) }
        store.close()
        let schema = [
            CollectionSchema(
                StoreWorld.todo, "todo",
                fields: [FieldSchema(2, "title", .text), FieldSchema(3, "notes", .text)],
                counted: "notes")
        ]
        let opened = try world.open("a", schema: schema)
        #expect(try opened.count(FetchRequest(StoreWorld.todo, where: .absent(.field(3)))) == 1)
        #expect(try opened.examine() == [])
    }
}

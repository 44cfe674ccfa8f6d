import Core
import Storage
import TestSupport
import Testing

@Suite("Importing by unique keys")
struct UpsertTests {
    private func item(_ key: String, _ title: String) -> UpsertItem {
        UpsertItem(
            id: Store.derivedID(StoreWorld.todo, key: key), [Assignment(.number(2), .text(title))])
    }

    @Test("many items are found or made, in order, and the same ones again change nothing")
    func bulk() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let items = (0..<1300).map { item("key \($0)", "to-do \($0)") }
        let first = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        #expect(first == items.map { .inserted($0.id) })
        let before = try store.summary()
        let again = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        #expect(again == items.map { .unchanged($0.id) })
        #expect(try store.summary() == before)
        let changed = try store.write {
            try $0.upsert([item("key 7", "other"), item("new", "new")], into: StoreWorld.todo)
        }
        #expect(changed == [.updated(items[7].id), .inserted(item("new", "").id)])
        #expect(try store.examine() == [])
    }

    @Test("1,300 keys are looked up with three statements, not one by one")
    func lookups() throws {
        let world = StoreWorld()
        let other = CollectionID.text("other")
        try world.create("a").close()
        let store = try world.open(
            "a", schema: StoreWorld.schema + [CollectionSchema(other, "other", fields: [])])
        let items = (0..<1300).map { item("key \($0)", "to-do \($0)") }
        var before = store.lookupCount
        _ = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        #expect(store.lookupCount - before == 3)
        before = store.lookupCount
        _ = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        #expect(store.lookupCount - before == 3)
        // One of an id that is in use in another collection is another record.
        let twin = UpsertItem(id: try store.write { try $0.insert([], into: other) }, [])
        _ = try store.write { try $0.upsert([item("new", "new"), twin], into: StoreWorld.todo) }
        #expect(try store.count(FetchRequest(StoreWorld.todo)) == 1302)
        #expect(try store.count(FetchRequest(other)) == 1)
    }

    @Test("a key that comes twice in one import is one record, with the last values")
    func twice() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let items = [item("k", "1"), item("k", "1"), item("k", "2"), item("k", "2")]
        let id = items[0].id
        let outcomes = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        #expect(outcomes == [.inserted(id), .unchanged(id), .updated(id), .unchanged(id)])
        #expect(try StoreWorld.titles(store) == ["2"])
    }

    @Test("what was deleted is left and reported, or brought back whole if that was asked for")
    func deleted() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = item("k", "").id
        let notes = Assignment(.number(3), .text("notes"))
        try store.write { transaction in
            _ = try transaction.upsert([item("k", "1"), item("p", "1")], into: StoreWorld.todo)
            try transaction.update(id, [notes])
            try transaction.delete(id)
            try transaction.delete(item("p", "").id)
            try transaction.purge(item("p", "").id)
        }
        let items = [item("k", "2"), item("p", "2"), item("k", "3")]
        let skipped = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        #expect(
            skipped == [.skippedDeleted(id), .skippedPurged(items[1].id), .skippedDeleted(id)])
        let revived = try store.write { try $0.upsert(items, into: StoreWorld.todo, revives: true) }
        let anew = RecordName(StoreWorld.todo, items[1].id).successor(1).id
        #expect(revived == [.updated(id), .inserted(anew), .updated(id)])
        let record = try #require(try store.record(id))
        #expect(record[2] == .text("3"))
        #expect(record[3] == .text("notes"))
        #expect(!record.verdict.isDeleted)
        #expect(try store.examine() == [])
    }

    @Test("two devices that import the same list have one record for each, without a conflict")
    func twoDevices() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        for store in [a, b] {
            let items = (0..<50).map { item("key \($0)", "to-do \($0)") }
            _ = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        }
        try StoreWorld.mingle([a, b])
        try StoreWorld.expectEqual([a, b])
        #expect(try StoreWorld.titles(a).count == 50)
        #expect(try a.count(FetchRequest(StoreWorld.todo, scope: .conflicted)) == 0)
        // The same list again on both changes nothing any more.
        let before = try a.summary()
        let items = (0..<50).map { item("key \($0)", "to-do \($0)") }
        _ = try a.write { try $0.upsert(items, into: StoreWorld.todo) }
        #expect(try a.summary() == before)
    }

    @Test("keys name different ids in different collections")
    func keys() {
        let ids = [
            Store.derivedID(.number(1), key: "k"), Store.derivedID(.number(2), key: "k"),
            Store.derivedID(.text("1"), key: "k"), Store.derivedID(.number(1), key: "K"),
        ]
        #expect(Set(ids).count == 4)
        #expect(ids[0] == Store.derivedID(.number(1), key: "k"))
    }
}

import Core
import Storage
import Testing

@Suite("One id in two collections")
struct TwoCollectionsTests {
    private static let shared = RecordID(value: 0x0192_0000_0000_7000_8000_0000_0000_0001)
    private static let lists = CollectionID.text("lists")

    private static func title(_ text: String) -> [Assignment] {
        [Assignment(.number(2), .text(text))]
    }

    @Test("two stores that make the same id in two collections hold both records after a sync")
    func bothAreKept() throws {
        let world = StoreWorld()
        let stores = try [world.create("a"), world.create("b"), world.create("c")]
        try stores[0].write {
            _ = try $0.insert(Self.title("milk"), into: StoreWorld.todo, id: Self.shared)
        }
        try stores[1].write {
            _ = try $0.insert(Self.title("groceries"), into: Self.lists, id: Self.shared)
        }
        try StoreWorld.mingle(stores)
        try StoreWorld.expectEqual(stores)
        for store in stores {
            #expect(try store.allDeferred().isEmpty)
            #expect(try StoreWorld.titles(store) == ["milk"])
            #expect(try store.record(Self.names[1])?[2] == .text("groceries"))
            #expect(try store.summary().digest == stores[0].summary().digest)
        }
    }

    private static let names = [
        RecordName(StoreWorld.todo, shared), RecordName(lists, shared),
    ]

    /// A store with both records.
    private func filled(_ world: StoreWorld, _ name: String) throws -> Store {
        let store = try world.create(name)
        for (name, title) in zip(Self.names, ["milk", "groceries"]) {
            try store.write {
                _ = try $0.insert(Self.title(title), into: name.collection, id: name.id)
            }
        }
        return store
    }

    @Test("an edit, a delete and a purge of one leave the other, on the next device too")
    func apart() throws {
        let world = StoreWorld()
        let stores = try [filled(world, "a"), world.create("b")]
        try StoreWorld.mingle(stores)
        try stores[1].write { _ = try $0.update(Self.names[0], Self.title("oat milk")) }
        try stores[0].write { _ = try $0.delete(Self.names[1]) }
        try StoreWorld.mingle(stores)
        for store in stores {
            #expect(try store.record(Self.names[0])?[2] == .text("oat milk"))
            #expect(try store.record(Self.names[0])?.verdict.isDeleted == false)
            #expect(try store.record(Self.names[1])?.verdict.isDeleted == true)
        }
        try stores[1].write { _ = try $0.purge(Self.names[1]) }
        try StoreWorld.mingle(stores)
        for store in stores {
            #expect(try store.record(Self.names[1])?.verdict.isPurged == true)
            #expect(try store.record(Self.names[0])?.verdict.isPurged == false)
        }
        try StoreWorld.expectEqual(stores)
    }

    @Test("the journal, undo and the base of a conflict know the two apart")
    func journal() throws {
        let world = StoreWorld()
        let (a, b) = (try filled(world, "a"), try world.create("b"))
        try StoreWorld.mingle([a, b])
        for name in Self.names {
            try a.write { _ = try $0.update(name, Self.title("a \(name.collection)")) }
            try b.write { _ = try $0.update(name, Self.title("b \(name.collection)")) }
        }
        try StoreWorld.mingle([a, b])
        for (name, title) in zip(Self.names, ["milk", "groceries"]) {
            #expect(try a.journal.conflictBase(of: .number(2), in: name) == .text(title))
            #expect(try a.journal.entries(of: name).allSatisfy { $0.record == name })
            #expect(try !a.journal.entries(of: name).isEmpty)
        }
        try a.write { _ = try $0.resolve(Self.names[1], .number(2), with: .text("both")) }
        #expect(try a.journal.conflictBase(of: .number(2), in: Self.names[0]) == .text("milk"))
        let change = try #require(try a.localChanges(limit: 1).first)
        #expect(try a.undo(change.timestamp) == .done([Self.names[1]]))
        #expect(try a.record(Self.names[0])?.record.fieldConflicts.count == 1)
        try StoreWorld.mingle([a, b])
        try StoreWorld.expectEqual([a, b])
    }

    @Test("an unreadable change of one defers nothing of the other, and both are counted")
    func deferred() throws {
        let world = StoreWorld()
        let stores = try [filled(world, "a"), world.create("b")]
        let author = ReplicaID(value: 1 << 100)
        let clock = VersionVector(Dot(replica: author, counter: 1))
        let changes = Self.names.map { Change($0, clock: clock, body: [0xff]) }
        #expect(
            try stores[0].integrate(changes, from: author, checkpoint: nil).deferredCount == 2)
        #expect(Set(try stores[0].allDeferred().map(\.change.name)) == Set(Self.names))
        try StoreWorld.mingle(stores)
        for store in stores {
            #expect(Set(try store.allDeferred().map(\.change)) == Set(changes))
            #expect(try store.examine() == [])
        }
    }

    @Test("a reference names the collection: one to the other collection is kept beside its column")
    func references() throws {
        let world = StoreWorld()
        let stores = try [filled(world, "a"), world.create("b")]
        let made = try Self.names.map { target in
            try stores[0].write {
                try $0.insert([Assignment(.number(9), .reference(target))], into: StoreWorld.todo)
            }
        }
        try StoreWorld.mingle(stores)
        let parent = FieldPath.field(9)
        for store in stores {
            for (id, target) in zip(made, Self.names) {
                #expect(try store.record(RecordName(StoreWorld.todo, id))?[9] == .reference(target))
            }
            for (target, expected) in [(Self.names[0], [made[0]]), (Self.names[1], [])] {
                let request = FetchRequest(
                    StoreWorld.todo, where: .compare(parent, .equal, .reference(target)))
                #expect(try store.fetch(request).map(\.id) == expected)
            }
        }
    }

    @Test(
        "a reference to the same id in the other collection closes no circle, on any device; one back to the record does"
    )
    func circle() throws {
        let world = StoreWorld()
        let stores = try [filled(world, "a"), world.create("b")]
        let parent = FieldName.number(9)
        func refer(_ source: RecordName, to target: RecordName, in store: Store) throws {
            try store.write {
                _ = try $0.update(source, [Assignment(.number(9), .reference(target))])
            }
        }
        let part = try stores[0].write {
            try $0.insert(Self.title("part"), into: StoreWorld.todo)
        }
        let partName = RecordName(StoreWorld.todo, part)
        try refer(partName, to: Self.names[0], in: stores[0])
        try StoreWorld.mingle(stores)
        // The twin is below the part: two collections, and by ids alone a circle.
        try refer(Self.names[1], to: partName, in: stores[1])
        try StoreWorld.mingle(stores)
        func followed(_ store: Store) throws -> [RecordName: RecordName] {
            let shown = try ([partName, Self.names[0]]).compactMap { try store.record($0) }
            #expect(shown.count == 2)
            return try store.followed(parent, of: shown)
        }
        for store in stores { #expect(try followed(store) == [partName: Self.names[0]]) }
        // The one that is above the part leads to the twin: by ids alone to itself.
        try refer(Self.names[0], to: Self.names[1], in: stores[1])
        try StoreWorld.mingle(stores)
        for store in stores { #expect(try followed(store) == [partName: Self.names[0]]) }
        try refer(Self.names[0], to: partName, in: stores[1])
        try StoreWorld.mingle(stores)
        for store in stores {
            #expect(try followed(store) == [partName: Self.names[0]])
            #expect(try store.record(Self.names[0])?[9] == .reference(partName))
        }
    }
}

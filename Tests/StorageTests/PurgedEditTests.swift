import Core
import Storage
import TestSupport
import Testing

@Suite("Edits made while apart from a purge")
struct PurgedEditTests {
    /// Two stores: the first purged a record that the second gave a title and a tag meanwhile.
    private struct Fixture {
        let world = StoreWorld()
        let (one, two): (Store, Store)
        let id: RecordID

        init() throws {
            one = try world.create("one")
            two = try world.create("two")
            id = try StoreWorld.add("milk", to: one)
            try StoreWorld.mingle([one, two])
            let id = id
            try one.write {
                try $0.delete(id)
                try $0.purge(id)
            }
            try two.write {
                try $0.update(
                    id,
                    [
                        Assignment(.number(2), .text("oat milk")),
                        Assignment(.element(.number(8), text: "shop"), .bool(true)),
                    ])
            }
            try StoreWorld.mingle([one, two])
        }
    }

    private func conflicts(_ store: Store) throws -> [RecordID] {
        try store.fetch(FetchRequest(StoreWorld.todo, scope: .conflicted)).map(\.id)
    }

    @Test("they are listed as a conflict, in neither the list nor the trash")
    func listed() throws {
        let fixture = try Fixture()
        for store in [fixture.one, fixture.two] {
            #expect(try store.record(fixture.id)?.standing == .editedAfterPurge)
            #expect(try conflicts(store) == [fixture.id])
            #expect(try store.count(FetchRequest(StoreWorld.todo, scope: .trash)) == 0)
            #expect(try store.count(FetchRequest(StoreWorld.todo)) == 0)
            #expect(try store.examine() == [])
        }
    }

    @Test("a save says that the record was purged, and a purge is refused unless it is forced")
    func refusals() throws {
        let fixture = try Fixture()
        let (store, id) = (fixture.two, fixture.id)
        #expect(throws: StoreFault.recordPurged) { try StoreWorld.rename(id, "x", in: store) }
        #expect(throws: StoreFault.recordPurged) { try store.write { _ = try $0.restore(id) } }
        #expect(throws: StoreFault.conflictOpen) { try store.write { _ = try $0.purge(id) } }
        try store.write { _ = try $0.purge(id, isForced: true) }
        #expect(try store.record(id)?.standing == .purged)
        try StoreWorld.mingle([fixture.one, store])
        #expect(try conflicts(fixture.one) == [])
        try StoreWorld.expectEqual([fixture.one, store])
    }

    @Test(
        "a copy has the values and arrives before the purge that lets go; a second copy makes nothing"
    )
    func copied() throws {
        let fixture = try Fixture()
        let (store, id) = (fixture.two, fixture.id)
        let copy = try #require(
            try store.write { try $0.copyFromPurged(RecordName(StoreWorld.todo, id))?.id })
        let (new, old) = (try store.record(copy), try store.record(id))
        #expect(new?[2] == .text("oat milk"))
        #expect(new?.texts(in: 8) == ["shop"])
        #expect(old?.standing == .purged)
        #expect((new?.sequence ?? .max) < (old?.sequence ?? 0))
        #expect(
            try store.write { try $0.copyFromPurged(RecordName(StoreWorld.todo, id))?.id } == nil)
        #expect(try conflicts(store) == [])
        try StoreWorld.mingle([fixture.one, store])
        #expect(try StoreWorld.titles(fixture.one) == ["oat milk"])
        try StoreWorld.expectEqual([fixture.one, store])
    }

    @Test(
        "whoever has the purge that lets go has the copy, though that was edited later and the link breaks"
    )
    func copiedAndEdited() throws {
        for isOther in [false, true] {
            let fixture = try Fixture()
            let (one, two, id) = (fixture.one, fixture.two, fixture.id)
            let copy = try #require(
                try two.write { try $0.copyFromPurged(RecordName(StoreWorld.todo, id))?.id })
            try StoreWorld.mingle([one, two])
            // The device that copied passes it on, or the one that had the values as well.
            let sender = isOther ? one : two
            try StoreWorld.rename(copy, "soy milk", in: sender)
            let late = try fixture.world.create("late")
            var start: UInt64 = 0
            var hasPurge = false
            while !hasPurge {
                let reading = try sender.read(
                    from: .sequence(start), peerHas: PeerHoldings(), byteCountMax: 1)
                try #require(!reading.changes.isEmpty)
                _ = try late.integrate(
                    reading.changes, from: sender.replica, checkpoint: reading.through)
                start = reading.through.sequence
                hasPurge = try late.record(id)?.standing == .purged
            }
            #expect(try StoreWorld.titles(late) == ["soy milk"])
        }
    }

    @Test("two devices that copy make one record without a conflict")
    func twoCopies() throws {
        let fixture = try Fixture()
        let (stores, id) = ([fixture.one, fixture.two], fixture.id)
        let copies = try stores.map {
            try $0.write { try $0.copyFromPurged(RecordName(StoreWorld.todo, id))?.id }
        }
        #expect(Set(copies).count == 1)
        try StoreWorld.mingle(stores)
        try StoreWorld.expectEqual(stores)
        for store in stores {
            #expect(try StoreWorld.titles(store) == ["oat milk"])
            #expect(try conflicts(store) == [])
        }
    }

    @Test("a copy that another device made and changed or deleted is left as it is")
    func copyIsThere() throws {
        for isDeleted in [true, false] {
            let fixture = try Fixture()
            let (one, two, id) = (fixture.one, fixture.two, fixture.id)
            let copy = try #require(
                try one.write { try $0.copyFromPurged(RecordName(StoreWorld.todo, id))?.id })
            if isDeleted {
                try one.write { _ = try $0.delete(copy) }
            } else {
                try StoreWorld.rename(copy, "soy milk", in: one)
            }
            // The purge, which was sent last, has not come over.
            let record = try #require(try one.record(copy)).record
            let stranger = try fixture.world.create("stranger")
            try StoreWorld.mingle([stranger, two])
            try StoreWorld.mingle([one, stranger])
            #expect(record.clock == (try stranger.record(copy)?.record.clock))
            #expect(
                try two.write { try $0.copyFromPurged(RecordName(StoreWorld.todo, id))?.id } == copy
            )
            try StoreWorld.mingle([one, two, stranger])
            try StoreWorld.expectEqual([one, two, stranger])
            #expect(try one.record(id)?.standing == .purged)
        }
    }

    @Test("what is made under a key that is purged elsewhere is kept as a conflict")
    func madeUnderPurgedKey() throws {
        let world = StoreWorld()
        let (one, two) = (try world.create("one"), try world.create("two"))
        let id = Store.derivedID(StoreWorld.todo, key: "k")
        for store in [one, two] {
            let item = UpsertItem(id: id, [Assignment(.number(2), .text("new"))])
            _ = try store.write { try $0.upsert([item], into: StoreWorld.todo) }
        }
        try one.write { _ = try $0.purge(id, isForced: true) }
        try StoreWorld.mingle([one, two])
        #expect(try conflicts(one) == [id])
        #expect(try conflicts(two) == [id])
    }

    @Test("the automatic purge leaves a record on which devices disagree")
    func automatic() throws {
        let fixture = try Fixture()
        let (world, store) = (fixture.world, fixture.one)
        var purged = 0
        for _ in 0..<200 {
            world.now += 86_400_000
            purged += try store.purgeOldTrash()
        }
        #expect(purged == 0)
        #expect(try store.record(fixture.id)?.standing == .editedAfterPurge)
    }
}

@Suite("Keys of purged records")
struct PurgedKeyTests {
    private let first = Store.derivedID(StoreWorld.todo, key: "k")

    private func upsert(
        _ title: String, _ store: Store, revives: Bool = false
    ) throws -> UpsertOutcome {
        let item = UpsertItem(id: first, [Assignment(.number(2), .text(title))])
        return try store.write {
            try $0.upsert([item], into: StoreWorld.todo, revives: revives)
        }[0]
    }

    private func id(_ number: Int) -> RecordID {
        RecordName(StoreWorld.todo, first).successor(number).id
    }

    @Test("a key gets the least number that is not purged, and keeps it")
    func least() throws {
        let store = try StoreWorld().create("a")
        for number in 0..<3 {
            #expect(try upsert("new", store, revives: true) == .inserted(id(number)))
            #expect(try upsert("again", store) == .updated(id(number)))
            try store.write { _ = try $0.purge(id(number), isForced: true) }
            #expect(try upsert("new", store) == .skippedPurged(first))
        }
        #expect(try store.examine() == [])
    }

    @Test("a successor in the trash is left there, or restored if that was asked for")
    func trashedSuccessor() throws {
        let store = try StoreWorld().create("a")
        _ = try upsert("new", store)
        try store.write { _ = try $0.purge(first, isForced: true) }
        _ = try upsert("new", store, revives: true)
        try store.write { _ = try $0.delete(id(1)) }
        #expect(try upsert("x", store) == .skippedDeleted(id(1)))
        #expect(try upsert("x", store, revives: true) == .updated(id(1)))
    }

    @Test("of several live records the one with the greatest number is the key's")
    func greatest() throws {
        let world = StoreWorld()
        let one = try world.create("one", policy: .editsWin)
        let two = try world.create("two", policy: .editsWin)
        _ = try upsert("new", one)
        try one.write { _ = try $0.delete(first) }
        try StoreWorld.mingle([one, two])
        // One purges and makes the key's record anew, the other restores it meanwhile.
        try one.write { _ = try $0.purge(first) }
        _ = try upsert("anew", one, revives: true)
        try two.write { _ = try $0.restore(first) }
        try StoreWorld.mingle([one, two])
        for store in [one, two] {
            #expect(try store.record(first)?.standing == .live)
            #expect(try store.record(id(1))?.standing == .live)
            #expect(try upsert("last", store) == .updated(id(1)))
        }
    }

    @Test("a reference to a purged record of the same import leads to its successor")
    func references() throws {
        let store = try StoreWorld().create("a")
        _ = try upsert("parent", store)
        try store.write { _ = try $0.purge(first, isForced: true) }
        let child = Store.derivedID(StoreWorld.todo, key: "child")
        let items = [
            UpsertItem(
                id: child, [Assignment(.number(9), .reference(RecordName(StoreWorld.todo, first)))]),
            UpsertItem(id: first, [Assignment(.number(2), .text("parent"))]),
        ]
        _ = try store.write { try $0.upsert(items, into: StoreWorld.todo, revives: true) }
        #expect(try store.record(child)?[9] == .reference(RecordName(StoreWorld.todo, id(1))))
    }

    @Test("a reference to a purged record of an earlier import leads to its successor")
    func laterReferences() throws {
        let store = try StoreWorld().create("a")
        _ = try upsert("parent", store)
        try store.write { _ = try $0.purge(first, isForced: true) }
        let reference = Assignment(.number(9), .reference(RecordName(StoreWorld.todo, first)))
        let items = ["early", "late"].map {
            UpsertItem(id: Store.derivedID(StoreWorld.todo, key: $0), [reference])
        }
        // As long as nothing stands for it, the reference stays as it is.
        _ = try store.write { try $0.upsert([items[0]], into: StoreWorld.todo) }
        #expect(try store.record(items[0].id)?[9] == .reference(RecordName(StoreWorld.todo, first)))
        _ = try upsert("anew", store, revives: true)
        _ = try store.write { try $0.upsert(items, into: StoreWorld.todo) }
        for item in items {
            #expect(try store.record(item.id)?[9] == .reference(RecordName(StoreWorld.todo, id(1))))
        }
    }

    @Test(
        "a record that was purged and made anew 1,000 times is found; after that the key stays purged"
    )
    func limit() throws {
        #expect(Store.standInCountMax == 1000)
        let store = try StoreWorld().create("a")
        _ = try upsert("new", store)
        // Without making and purging each: the successors are purged as they come from elsewhere.
        try store.write { transaction in
            _ = try transaction.purge(first, isForced: true)
            for number in 1..<Store.standInCountMax {
                try transaction.insert([], into: StoreWorld.todo, id: id(number))
                _ = try transaction.purge(id(number), isForced: true)
            }
        }
        let last = id(Store.standInCountMax)
        #expect(try upsert("last", store, revives: true) == .inserted(last))
        try store.write { _ = try $0.purge(last, isForced: true) }
        #expect(try upsert("none", store, revives: true) == .skippedPurged(last))
        #expect(try store.record(last)?.standing == .purged)
    }
}

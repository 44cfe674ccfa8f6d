import Core
import Storage
import TestSupport
import Testing

@Suite("What a copy has, brought back by new writes")
struct RestoringTests {
    private static func copy(_ path: String, _ world: StoreWorld) throws -> Store {
        try Store.openCopy(
            of: world.path(path), in: world.path("scratch"), schema: StoreWorld.schema,
            environment: world.environment)
    }

    /// A store with a backup, and everything that may have happened since.
    private struct Fixture {
        let world = StoreWorld()
        let store: Store
        let gone: RecordID
        let purged: RecordID
        let changed: RecordID
        let same: RecordID
        let part: RecordID
        let later: RecordID

        init() throws {
            store = try world.create("a")
            gone = try StoreWorld.add("gone", to: store)
            purged = try StoreWorld.add("purged", to: store)
            changed = try StoreWorld.add("before", to: store)
            same = try StoreWorld.add("same", to: store)
            let (target, id, tags) = (purged, changed, gone)
            part = try store.write {
                try $0.insert(
                    [
                        Assignment(.number(2), .text("part")),
                        Assignment(.number(9), .toDo(target)),
                    ], into: StoreWorld.todo)
            }
            try store.write {
                _ = try $0.update(tags, [Assignment(.element(.number(8), text: "x"), .bool(true))])
            }
            try store.backup(to: world.path("backup"))
            let children = part
            try store.write {
                _ = try $0.update(
                    id,
                    [Assignment(.number(2), .text("after")), Assignment(.number(3), .text("n"))])
                _ = try $0.update(tags, [Assignment(.element(.number(8), text: "x"), .null)])
                _ = try $0.delete(children)
                _ = try $0.delete(tags)
                try $0.purge(target, isForced: true)
            }
            later = try StoreWorld.add("later", to: store)
        }
    }

    @Test("everything that was is here again, what came later stays, and nothing is rewound")
    func restores() throws {
        let fixture = try Fixture()
        let (world, store) = (fixture.world, fixture.store)
        let before = try store.summary()
        let copy = try Self.copy("backup", world)
        let difference = try store.difference(from: copy)
        #expect(difference.deleted.map(\.id).sorted() == [fixture.gone, fixture.part].sorted())
        #expect(difference.purged == [RecordName(toDo: fixture.purged)])
        #expect(difference.changed == [RecordName(toDo: fixture.changed)])
        #expect(difference.later == [RecordName(toDo: fixture.later)])
        #expect(difference.equalCount == 1)
        try store.restore(difference, from: copy)
        #expect(
            try StoreWorld.titles(store)
                == ["before", "gone", "later", "part", "purged", "same"])
        #expect(try store.record(fixture.gone)?.texts(in: 8) == ["x"])
        #expect(try store.record(fixture.changed)?[3] == nil)
        let new = try store.standIn(of: RecordName(toDo: fixture.purged)).id
        #expect(new != fixture.purged)
        #expect(try store.record(fixture.part)?[9] == .toDo(new))
        #expect(try store.summary().replica == before.replica)
        #expect(try store.summary().counter > before.counter)
        #expect(try store.examine() == [])
        // A second restore has nothing left to bring back: a purged record is not made twice.
        let again = try store.difference(from: copy)
        #expect(again.isNothingMissing)
        #expect(again.equalCount == 5)
        #expect(again.later == [RecordName(toDo: fixture.later)])
    }

    @Test("two devices that bring the same back make it once, and no conflict")
    func twice() throws {
        let fixture = try Fixture()
        let (world, store) = (fixture.world, fixture.store)
        let other = try world.create("b")
        try StoreWorld.mingle([store, other])
        for each in [store, other] {
            let copy = try Store.openCopy(
                of: world.path("backup"), in: world.path("scratch of \(each.replica)"),
                schema: StoreWorld.schema, environment: world.environment)
            try each.restore(each.difference(from: copy), from: copy)
        }
        try StoreWorld.mingle([store, other])
        try StoreWorld.expectEqual([store, other])
        #expect(
            try StoreWorld.titles(store) == ["before", "gone", "later", "part", "purged", "same"])
        #expect(try store.count(FetchRequest(StoreWorld.todo, scope: .conflicted)) == 0)
    }

    @Test("it syncs like any edit, and can be undone")
    func syncs() throws {
        let fixture = try Fixture()
        let (world, store) = (fixture.world, fixture.store)
        let other = try world.create("b")
        try StoreWorld.mingle([store, other])
        let before = try StoreWorld.titles(store)
        let copy = try Self.copy("backup", world)
        try store.restore(store.difference(from: copy), from: copy)
        try StoreWorld.mingle([store, other])
        try StoreWorld.expectEqual([store, other])
        #expect(try StoreWorld.titles(other).contains("gone"))
        let change = try #require(try store.localChanges(limit: 1).first)
        _ = try store.undo(change.timestamp)
        #expect(try StoreWorld.titles(store) == before)
    }

    @Test("exactly as it was: what came later goes to the trash")
    func exact() throws {
        let fixture = try Fixture()
        let copy = try Self.copy("backup", fixture.world)
        let difference = try fixture.store.difference(from: copy)
        try fixture.store.restore(difference, from: copy, deletesLater: true)
        #expect(
            try StoreWorld.titles(fixture.store) == ["before", "gone", "part", "purged", "same"])
    }

    @Test("a store that never knew the records makes them under their own ids")
    func elsewhere() throws {
        let fixture = try Fixture()
        let other = try fixture.world.create("b")
        let copy = try Self.copy("backup", fixture.world)
        let difference = try other.difference(from: copy)
        #expect(difference.missing.count == 5)
        try other.restore(difference, from: copy)
        #expect(try other.record(fixture.same)?[2] == .text("same"))
        try StoreWorld.mingle([fixture.store, other])
        try StoreWorld.expectEqual([fixture.store, other])
        #expect(try fixture.store.record(fixture.same)?.record.fieldConflicts.isEmpty == true)
    }

    @Test("part of a copy, by what the records are")
    func part() throws {
        let fixture = try Fixture()
        let copy = try Self.copy("backup", fixture.world)
        let difference = try fixture.store.difference(from: copy) { record, _ in
            record[2] == .text("gone")
        }
        try fixture.store.restore(difference, from: copy)
        #expect(try StoreWorld.titles(fixture.store) == ["after", "gone", "later", "same"])
    }

    @Test("the copy is not touched, and opened again it is as it was")
    func untouched() throws {
        let fixture = try Fixture()
        let world = fixture.world
        let sum = world.run("sha256sum", world.path("backup/store.db")).output
        let names = world.run("ls", "-a", world.path("backup")).output
        do {
            let copy = try Self.copy("backup", world)
            try fixture.store.restore(fixture.store.difference(from: copy), from: copy)
        }
        #expect(world.run("sha256sum", world.path("backup/store.db")).output == sum)
        #expect(world.run("ls", "-a", world.path("backup")).output == names)
    }

    @Test("damaged, foreign and missing copies are told apart", arguments: [1, 2, 3, 4, 5])
    func bad(_ kind: Int) throws {
        let fixture = try Fixture()
        let world = fixture.world
        let file = world.path("backup/store.db")
        var path = "backup"
        switch kind {
        case 1: path = "nowhere"
        case 2: world.put("not a store", in: "backup/store.db")
        case 3: world.run("truncate", "-s", "20000", file)
        case 4: world.run("sqlite3", file, "update todo_record set title = 'forged' where 1")
        default: world.run("sqlite3", file, "delete from todo_record where sequence = 3")
        }
        do {
            _ = try Self.copy(path, world)
            Issue.record("\(kind) was opened")
        } catch let fault as StoreFault {
            switch (kind, fault) {
            case (1, .noStore), (2, .notAStore), (3, .corrupt), (3, .notAStore), (4, .corrupt),
                (5, .corrupt):
                break
            default: Issue.record("\(kind): \(fault)")
            }
        }
    }
}

import Core
import Storage
import TestSupport
import Testing

@Suite("What can be read of a damaged store is rescued")
struct RescueTests {
    private static let longNote = String(repeating: "a long note ", count: 40)
    /// So many to-dos that the table has inner pages.
    private static let oldCount = 60
    private static let newCount = 40

    /// A store that met another one; since then it has to-dos of its own, edits and deletes.
    private struct Fixture {
        let world: StoreWorld
        let other: Store
        let replica: ReplicaID
        /// Deleted before the last meeting, and after it.
        let deleted: [String]
        /// Alive, with the last title of each.
        let alive: Set<String>

        init(hasSnapshot: Bool, policy: DeletePolicy = .deletesWin) throws {
            world = StoreWorld()
            let store = try world.create("a", policy: policy)
            other = try world.create("b", policy: policy)
            var ids: [RecordID] = []
            for number in 0..<oldCount {
                ids.append(try Self.add("old \(number)", to: store))
            }
            try StoreWorld.mingle([store, other])
            try store.write { for id in ids[0..<3] { try $0.delete(id) } }
            try StoreWorld.mingle([store, other])
            if hasSnapshot { try store.takeSnapshot() }
            for number in 0..<newCount { ids.append(try Self.add("new \(number)", to: store)) }
            try StoreWorld.rename(ids[10], "renamed 10", in: store)
            try store.write { for id in ids[20..<25] { try $0.delete(id) } }
            try store.write { try $0.delete(ids[oldCount]) }
            deleted =
                [0, 1, 2, 20, 21, 22, 23, 24].map { "old \($0)" } + ["new 0"]
            alive = Set(try StoreWorld.titles(store))
            replica = store.replica
            store.close()
        }

        private static func add(_ title: String, to store: Store) throws -> RecordID {
            try store.write {
                try $0.insert(
                    [
                        Assignment(.number(2), .text(title)),
                        Assignment(.number(3), .text(RescueTests.longNote)),
                        Assignment(.number(10), .double(2)),
                        Assignment(.element(.number(8), .text("tag")), .bool(true)),
                    ], into: StoreWorld.todo)
            }
        }

        /// Opens what was rescued, writes in it, meets the other store, and compares.
        func expectConverged(_ expected: Set<String>, _ position: String = "") throws {
            let store = try world.open("a")
            #expect(try store.examine() == [], "\(position)")
            let titles = Set(try StoreWorld.titles(store))
            #expect(expected.isSubset(of: titles), "\(position): \(expected.subtracting(titles))")
            for number in 0..<5 { try StoreWorld.add("anew \(number)", to: store) }
            try StoreWorld.mingle([store, other])
            try StoreWorld.mingle([store, other])
            try StoreWorld.expectEqual([store, other])
            let after = Set(try StoreWorld.titles(store))
            #expect(expected.isSubset(of: after), "\(position)")
            #expect(after.isDisjoint(with: deleted[..<3]), "\(position)")
            for number in 0..<5 { #expect(after.contains("anew \(number)"), "\(position)") }
            let conflicts = try store.fetch(
                FetchRequest(StoreWorld.todo, scope: .all)
            ).filter { !$0.record.fieldConflicts.isEmpty }
            #expect(conflicts.isEmpty, "\(position)")
            store.close()
            let again = try world.open("a")
            #expect(again.suspicion == nil, "\(position)")
        }
    }

    /// The damage and its manner; it decides how many to-dos are lost at most.
    enum Damage: String, CaseIterable {
        case index, leaf, inner, header, schema, replicas, state, collections, journal
        case cutOff, zeroedLog, columnIndex

        fileprivate func apply(to world: StoreWorld) throws {
            let database = "a/store.db"
            func flip(_ name: String, _ kind: String, at position: Int = 0) throws {
                let pages = world.pages(of: name, kind, in: database)
                world.flip(page: try #require(pages.dropFirst(position).first), of: database)
            }
            switch self {
            case .index: try flip("sqlite_autoindex_todo_record_1", "leaf")
            case .columnIndex: try flip("todo_index_0", "leaf")
            case .leaf: try flip("todo_record", "leaf", at: 4)
            case .inner: try flip("todo_record", "internal")
            case .header: world.flip(page: 1, of: database)
            case .schema: try flip("sqlite_schema", "leaf", at: 1)
            case .replicas: try flip("replica", "leaf")
            case .state: try flip("state", "leaf")
            case .collections: try flip("collection", "leaf")
            case .journal: try flip("journal", "leaf")
            case .cutOff:
                let size = try #require(
                    Int(world.run("stat", "-c", "%s", world.path(database)).output.dropLast()))
                world.run("truncate", "-s", "\(size * 7 / 8)", world.path(database))
            case .zeroedLog:
                world.run(
                    "dd", "if=/dev/zero", "of=\(world.path(database))-wal", "bs=4096", "count=3")
            }
        }
    }

    // Goal: what plain SQLite could read before is there afterwards, and more where only the way to it is gone.
    // Method: one page is turned around; then the store meets one that has the older half, and both are compared.
    @Test("one damaged page", arguments: Damage.allCases, [false, true])
    func damaged(_ damage: Damage, hasSnapshot: Bool) throws {
        let fixture = try Fixture(hasSnapshot: hasSnapshot)
        let world = fixture.world
        try damage.apply(to: world)
        let before = world.run("sha256sum", world.path("a/store.db")).output.prefix(64)
        let looked = try world.rescue("a", space: SpaceID(value: 7), isDry: true)
        #expect(world.run("sha256sum", world.path("a/store.db")).output.prefix(64) == before)
        #expect(looked.aside == nil)
        let readable = world.titlesReadable(in: "a/store.db").intersection(fixture.alive)
        let report = try world.rescue("a", space: SpaceID(value: 7))
        let aside = try #require(report.aside)
        #expect(world.run("sha256sum", aside + "/store.db").output.prefix(64) == before)
        #expect(report.readCount == looked.readCount && report.lostCount == looked.lostCount)
        let store = try world.open("a")
        #expect(report.isWhole == [.index, .columnIndex, .zeroedLog].contains(damage), "\(report)")
        // Turning the page around changed the file's modification time: that raises a clone
        // suspicion.
        #expect(report.keepsIdentity == (damage == .zeroedLog))
        #expect((store.replica == fixture.replica) == (damage == .zeroedLog))
        #expect(store.suspicion == nil, "the identity file speaks for what was put in place")
        let changes = try store.identityChanges()
        // Without that row the store's replica id is unknown.
        let isUnknown = damage == .zeroedLog || damage == .state && !hasSnapshot
        #expect(changes.contains { $0.old == fixture.replica } != isUnknown)
        #expect(changes.count <= 1)
        let titles = Set(try StoreWorld.titles(store))
        store.close()
        #expect(readable.isSubset(of: titles), "\(readable.subtracting(titles))")
        switch damage {
        case .leaf, .cutOff:
            #expect(report.lostCount > 0)
            #expect(fixture.alive.subtracting(titles).count <= report.lostCount)
            #expect(hasSnapshot == (report.snapshot != nil))
        default:
            #expect(report.lostCount == 0, "\(report)")
            #expect(titles == fixture.alive)
        }
        try fixture.expectConverged(titles, "\(damage)")
    }

    // Goal: a device with damage in indexes alone keeps its replica id, as none of its sent writes
    // is lost.
    // Method: the program is killed, so that the time of change of the file says nothing, and a page turned around.
    @Test("a store whose indexes alone are damaged keeps its replica id, and uses no dot twice")
    func sameIdentity() throws {
        let fixture = try Fixture(hasSnapshot: false)
        let world = fixture.world
        let page = try #require(
            world.pages(of: "todo_index_0", "leaf", in: "a/store.db").first)
        let store = try world.open("a")
        try StoreWorld.add("last", to: store)
        let before = try store.summary()
        store.abandon()
        world.flip(page: page, of: "a/store.db")
        world.run("rm", "-f", world.path("a/store.db-shm"))
        let report = try world.rescue("a")
        #expect(report.isWhole && report.keepsIdentity, "\(report)")
        let again = try world.open("a")
        #expect(again.suspicion == nil)
        #expect(try again.summary().replica == before.replica)
        #expect(try again.summary().counter == before.counter)
        #expect(try again.summary().knowledge == before.knowledge)
        #expect(try again.summary().digest == before.digest)
        again.close()
        try fixture.expectConverged(fixture.alive.union(["last"]))
    }

    // Goal: a store that vouched for all it had does so again if all of it was rescued, and not if not.
    @Test("what the tallies prove to be there is vouched for, and nothing else")
    func knowledge() throws {
        for damage in [Damage.journal, .leaf] {
            let fixture = try Fixture(hasSnapshot: false)
            let world = fixture.world
            let store = try world.open("a")
            let before = try store.summary().knowledge
            store.close()
            try damage.apply(to: world)
            let report = try world.rescue("a")
            let after = try world.open("a").summary().knowledge
            if damage == .journal {
                #expect(report.lostCount == 0)
                #expect(after.covers(before))
            } else {
                #expect(report.lostCount > 0)
                #expect(after.counter(of: fixture.replica) == 0)
            }
        }
    }

    @Test(
        "an edit that only the damaged store has revives nothing, in either policy",
        arguments: DeletePolicy.allCases)
    func tombstones(policy: DeletePolicy) throws {
        for hasSnapshot in [false, true] {
            let fixture = try Fixture(hasSnapshot: hasSnapshot, policy: policy)
            // To-dos that are in the snapshot, but were deleted since, stay deleted.
            try Damage.inner.apply(to: fixture.world)
            _ = try fixture.world.rescue("a", space: SpaceID(value: 7))
            let store = try fixture.world.open("a")
            #expect(Set(try StoreWorld.titles(store)) == fixture.alive)
            store.close()
            try fixture.expectConverged(fixture.alive)
            #expect(
                Set(try StoreWorld.titles(fixture.other)).isDisjoint(with: fixture.deleted))
        }
    }

    @Test("without the row that says so the rule is told by the records, and the space by who asks")
    func stateLost() throws {
        for policy in DeletePolicy.allCases {
            let fixture = try Fixture(hasSnapshot: false, policy: policy)
            let world = fixture.world
            // A delete that an edit of another device had not seen: the rules differ in what they make of it.
            let store = try world.open("a")
            let id = try StoreWorld.add("both", to: store)
            try StoreWorld.mingle([store, fixture.other])
            try StoreWorld.rename(id, "edited", in: fixture.other)
            try store.write { try $0.delete(id) }
            try StoreWorld.pull(store, from: fixture.other)
            let alive = Set(try StoreWorld.titles(store))
            #expect(alive.contains("edited") == (policy == .editsWin))
            store.close()
            try Damage.state.apply(to: world)
            #expect {
                try world.rescue("a")
            } throws: { error in
                if case StoreFault.corrupt = error { true } else { false }
            }
            let report = try world.rescue("a", space: SpaceID(value: 7))
            #expect(report.isPolicyGuessed)
            let again = try world.open("a")
            #expect(try again.summary().policy == policy)
            #expect(Set(try StoreWorld.titles(again)) == alive)
        }
    }

    @Test("nothing is changed where nothing can be read, or somebody has the store open")
    func refused() throws {
        let fixture = try Fixture(hasSnapshot: false)
        let world = fixture.world
        let store = try world.open("a")
        #expect {
            try world.rescue("a")
        } throws: { error in
            if case StoreFault.inUse = error { true } else { false }
        }
        store.close()
        for text in ["", "no database at all", String(repeating: "garbage ", count: 9000)] {
            world.put(text, in: "a/store.db")
            #expect {
                try world.rescue("a", space: SpaceID(value: 7))
            } throws: { error in
                if case StoreFault.corrupt = error { true } else { false }
            }
            #expect(world.text(of: "a/store.db") == text)
        }
        world.run("rm", world.path("a/store.db"))
        #expect(throws: StoreFault.noStore(folder: world.path("a"))) { try world.rescue("a") }
        #expect(!world.run("ls", world.path("a")).output.contains("damaged"))
    }

    @Test("a file over the limit is refused, not read", .timeLimit(.minutes(30)))
    func tooLong() throws {
        let fixture = try Fixture(hasSnapshot: false)
        let world = fixture.world
        world.run("truncate", "-s", "\(Store.rescueByteCountMax + 4096)", world.path("a/store.db"))
        #expect(
            throws: StoreFault.overLimit(.damagedDatabaseBytes, max: Store.rescueByteCountMax)
        ) { try world.rescue("a") }
    }

    @Test("a row that says to be longer than any takes no other one along")
    func longRow() throws {
        let fixture = try Fixture(hasSnapshot: false)
        let world = fixture.world
        let page = try #require(
            world.pages(of: "todo_record", "leaf", in: "a/store.db").dropFirst(2).first)
        var bytes: [UInt8] = []
        world.change(page: page, of: "a/store.db") { byte in
            bytes.append(byte)
            return byte
        }
        let last = Int(bytes[5]) << 8 | Int(bytes[6])
        var position = 0
        world.change(page: page, of: "a/store.db") { byte in
            defer { position += 1 }
            return (last..<(last + 4)).contains(position)
                ? (position == last + 3 ? 0x7f : 0xff) : byte
        }
        let report = try world.rescue("a")
        #expect(report.lostCount == 1, "\(report)")
        let store = try world.open("a")
        #expect(
            fixture.alive.subtracting(try StoreWorld.titles(store)).count <= 1)
    }

    // Goal: no claim leaves the damaged file that nobody made: a counter over that of the protocol would end every
    //   session, one over what the store had seen would hide writes.
    // Method: clocks are written anew; 0 is the store's own small number, 1 the other one's.
    @Test(
        "a clock that cannot be right is not believed",
        arguments: ["00ffffffffffffffffff01", "01ff7f", "7f01", "0001ff", "", "0000", "00010001"])
    func clocks(bytes: String) throws {
        let fixture = try Fixture(hasSnapshot: false)
        let world = fixture.world
        _ = world.ask(
            "a/store.db",
            "UPDATE todo_record SET clock = x'\(bytes)' WHERE title = 'new 5'")
        try Damage.journal.apply(to: world)
        let report = try world.rescue("a")
        #expect(report.lostCount == 1, "\(report)")
        try fixture.expectConverged(fixture.alive.subtracting(["new 5"]))
    }

    @Test("a page that is its own child ends the way there, and no row is lost")
    func loop() throws {
        let fixture = try Fixture(hasSnapshot: false)
        let world = fixture.world
        let page = try #require(
            world.pages(of: "todo_record", "internal", in: "a/store.db").first)
        var position = 0
        world.change(page: page, of: "a/store.db") { byte in
            defer { position += 1 }
            return (8..<12).contains(position) ? UInt8(page >> (8 * (11 - position)) & 0xff) : byte
        }
        let report = try world.rescue("a")
        #expect(report.lostCount == 0 && !report.isWhole, "\(report)")
        try fixture.expectConverged(fixture.alive)
    }

    // Goal: reading any file ends, and the store put in its place is whole.
    // Method: bytes are changed by chance, in places where lengths, counts and addresses stand.
    @Test("changed bytes anywhere", arguments: 0..<12)
    func changedBytes(seed: Int) throws {
        let fixture = try Fixture(hasSnapshot: seed % 2 == 0)
        let world = fixture.world
        var chance = SplitMix64(seed: UInt64(seed))
        let count = try #require(Int(world.ask("a/store.db", "PRAGMA page_count").first ?? ""))
        for _ in 0..<(1 + seed) {
            let page = Int(chance.next() % UInt64(count)) + 1
            var position = 0
            // The first bytes of a page say where everything is in it.
            let end = seed % 3 == 0 ? 4096 : 64
            world.change(page: page, of: "a/store.db") { byte in
                defer { position += 1 }
                return position < end && chance.next() % 16 == 0
                    ? UInt8(truncatingIfNeeded: chance.next()) : byte
            }
        }
        guard let report = try? world.rescue("a", space: SpaceID(value: 7)) else { return }
        let store = try world.open("a")
        #expect(try store.examine() == [])
        let titles = Set(try StoreWorld.titles(store))
        // Where the index is damaged as well nobody knows how many are lost, and the report says so.
        let isTold = report.lostCount > 0 || !report.isLostCountExact
        #expect(titles.isDisjoint(with: fixture.deleted) || isTold, "\(report)")
    }

    // Goal: no page is such that a rescue loses what could be read, or fails.
    @Test("each page of a small store in turn", arguments: [false, true])
    func eachPage(hasSnapshot: Bool) throws {
        let fixture = try Fixture(hasSnapshot: hasSnapshot)
        let world = fixture.world
        let count = try #require(Int(world.ask("a/store.db", "PRAGMA page_count").first ?? ""))
        #expect(count < 200)
        world.run("cp", "-a", world.path("a"), world.path("kept"))
        for page in 1...count {
            world.run("rm", "-rf", world.path("a"))
            world.run("cp", "-a", world.path("kept"), world.path("a"))
            world.flip(page: page, of: "a/store.db")
            let readable = world.titlesReadable(in: "a/store.db").intersection(fixture.alive)
            let report = try world.rescue("a", space: SpaceID(value: 7))
            let store = try world.open("a")
            #expect(try store.examine() == [], "page \(page)")
            let titles = Set(try StoreWorld.titles(store))
            store.close()
            #expect(
                readable.isSubset(of: titles), "page \(page): \(readable.subtracting(titles))")
            let missing = fixture.alive.subtracting(titles).count
            #expect(missing <= report.lostCount || !report.isLostCountExact, "page \(page)")
            #expect(missing <= 12, "page \(page) takes more than its own rows along")
        }
    }
}

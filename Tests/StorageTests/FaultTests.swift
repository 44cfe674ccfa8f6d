import Core
import Glibc
import Storage
import TestSupport
import Testing

@Suite("A store's faults")
struct FaultTests {
    @Test("a newer store is refused, with what to do")
    func newer() throws {
        let world = StoreWorld()
        try world.create("a").close()
        world.run("sqlite3", world.path("a/store.db"), "pragma user_version = 99")
        let fault = #expect(throws: StoreFault.self) { try world.open("a") }
        #expect(fault == .newerStore(found: 99, supported: Store.formatMax))
        #expect(fault?.tellsOfDamage == false)
    }

    @Test("another program's database is refused and left as it was", arguments: [true, false])
    func foreign(creates: Bool) throws {
        let world = StoreWorld()
        world.run("mkdir", world.path("a"))
        let file = world.path("a/store.db")
        world.run("sqlite3", file, "create table mine(x); insert into mine values (1)")
        let before = world.run("sh", "-c", "sha256sum \(file); stat -c %z \(file)").output
        if creates {
            #expect(throws: StoreFault.storeExists(folder: world.path("a"))) {
                try world.create("a")
            }
        } else {
            #expect(throws: StoreFault.notAStore(path: file)) { try world.open("a") }
        }
        #expect(world.run("sh", "-c", "sha256sum \(file); stat -c %z \(file)").output == before)
        #expect(world.run("ls", world.path("a")).output.contains("wal") == false)
    }

    @Test("a file of garbage is no store, and an empty one is a store whose making was cut short")
    func garbage() throws {
        let world = StoreWorld()
        world.run("mkdir", world.path("a"), world.path("b"))
        world.put(String(repeating: "garbage ", count: 2000), in: "a/store.db")
        #expect(throws: StoreFault.notAStore(path: world.path("a/store.db"))) {
            try world.open("a")
        }
        #expect(throws: StoreFault.storeExists(folder: world.path("a"))) { try world.create("a") }
        world.put("", in: "b/store.db")
        let store = try world.create("b")
        #expect(try store.examine() == [])
        #expect(throws: StoreFault.storeExists(folder: world.path("b"))) { try world.create("b") }
        #expect(throws: StoreFault.noStore(folder: world.path("c"))) { try world.open("c") }
    }

    @Test("damaged pages are told of, and nothing crashes", arguments: 1...12)
    func damage(page: Int) throws {
        let world = StoreWorld()
        var store = try world.create("a")
        try store.write { transaction in
            for number in 0..<300 {
                try transaction.insert(
                    [Assignment(.number(2), .text("to-do number \(number)"))],
                    into: StoreWorld.todo)
            }
        }
        store.close()
        // A copy, so that the opening looks at every page; then the same without a doubt.
        world.run("cp", "-a", world.path("a"), world.path("b"))
        for name in ["a", "b"] {
            let file = world.path(name + "/store.db")
            world.run(
                "dd", "if=/dev/urandom", "of=\(file)", "bs=1024", "count=3", "conv=notrunc",
                "seek=\(page * 4 * 3 + 1)")
        }
        do {
            store = try world.open("b")
            #expect(try store.examine() == [])
        } catch let fault as StoreFault {
            guard case .corrupt = fault else { throw fault }
        }
    }

    @Test("a busy store waits, then says who holds it")
    func busy() throws {
        let world = StoreWorld()
        var options = StoreOptions()
        options.busyMilliseconds = 50
        let store = try world.create("a", options: options)
        let script = """
            import sqlite3, sys, time
            c = sqlite3.connect("\(store.paths.database)", isolation_level=None)
            c.execute("BEGIN IMMEDIATE")
            print("held", flush=True)
            time.sleep(20)
            """
        world.put(script, in: "hold.py")
        world.run(
            "sh", "-c",
            "python3 \(world.path("hold.py")) > \(world.path("held")) 2>&1 & echo $! > \(world.path("pid"))"
        )
        for _ in 0..<400 where !world.text(of: "held").contains("held") { usleep(10_000) }
        let holder = world.text(of: "pid").dropLast()
        defer { world.run("sh", "-c", "kill -9 \(holder)") }
        let fault = #expect(throws: StoreFault.self) { try StoreWorld.add("x", to: store) }
        guard case .busy(let who, 50)? = fault else {
            Issue.record("not busy: \(String(describing: fault))")
            return
        }
        #expect(who.contains(" \(holder) ("))
        #expect(try StoreWorld.titles(store) == [])
        world.run("sh", "-c", "kill -9 \(holder)")
        for _ in 0..<400 {
            do {
                try StoreWorld.add("x", to: store)
                break
            } catch { usleep(10_000) }
        }
        #expect(try StoreWorld.titles(store) == ["x"])
    }

    @Test("a full disk leaves everything as it was, and the store usable", arguments: [60, 62, 68])
    func full(pageCount: Int) throws {
        let world = StoreWorld()
        let store = try world.create("a", options: world.tiny(pageCount))
        let id = try StoreWorld.add("first", to: store)
        var before = try store.summary()
        var failures = 0
        for number in 0..<600 where failures < 3 {
            do {
                try StoreWorld.add("\(number) " + String(repeating: "x", count: 500), to: store)
                before = try store.summary()
            } catch StoreFault.diskFull {
                failures += 1
                #expect(try store.summary() == before)
                #expect(try store.examine() == [])
            }
        }
        #expect(failures == 3)
        try StoreWorld.rename(id, "again", in: store)
        #expect(try store.record(id)?[2] == .text("again"))
        store.close()
        let again = try world.open("a")
        #expect(again.suspicion == nil)
        #expect(try again.examine() == [])
        try StoreWorld.add("more", to: again)
    }

    @Test("a folder that cannot be written is told of")
    func readOnly() throws {
        // The superuser may write everywhere but where the kernel lets nobody.
        let folder = getuid() == 0 ? "/proc/self/fd" : "/"
        #expect(throws: StoreFault.self) {
            _ = try Store.create(
                folder: folder + "/tandem-store", schema: StoreWorld.schema, deviceName: "x",
                environment: StoreWorld().environment)
        }
        if getuid() == 0 { return }
        let world = StoreWorld()
        try world.create("a").close()
        world.run("chmod", "-R", "a-w", world.path("a"))
        defer { world.run("chmod", "-R", "u+w", world.path("a")) }
        #expect(throws: StoreFault.readOnly(path: world.path("a/lock"))) { try world.open("a") }
    }

    @Test("an error inside of an edit undoes all of it, the counter too")
    func rollBack() throws {
        struct Stop: Error {}
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("x", to: store)
        let (before, stateSummary) = (try store.summary(), try store.greeting(to: nil).stateSummary)
        var changes = 0
        store.onChange = { changes += 1 }
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.insert([Assignment(.number(2), .text("y"))], into: StoreWorld.todo)
                try transaction.update(id, [Assignment(.number(2), .text("z"))])
                try transaction.delete(id)
                throw Stop()
            }
        }
        #expect(changes == 0)
        #expect(try store.summary() == before)
        #expect(try store.greeting(to: nil).stateSummary == stateSummary)
        #expect(try StoreWorld.titles(store) == ["x"])
        try StoreWorld.add("y", to: store)
        #expect(changes == 1)
        #expect(try store.summary().counter == before.counter + 1)
        #expect(try store.examine() == [])
    }

    @Test("an edit inside of an edit is refused, and harms neither")
    func nested() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try store.write { transaction in
            try transaction.insert([Assignment(.number(2), .text("outer"))], into: StoreWorld.todo)
            #expect(throws: StoreFault.nestedTransaction) { try StoreWorld.add("inner", to: store) }
            #expect(try store.fetch(FetchRequest(StoreWorld.todo)).count == 1)
        }
        #expect(try StoreWorld.titles(store) == ["outer"])
        #expect(try store.examine() == [])
    }

    @Test("a stale save on a deleted record, and a purge with an open conflict, are refused")
    func refusals() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("x", to: a)
        try StoreWorld.mingle([a, b])
        #expect(throws: StoreFault.notDeleted) { try a.write { _ = try $0.purge(id) } }
        try StoreWorld.rename(id, "from a", in: a)
        try a.write { _ = try $0.delete(id) }
        try StoreWorld.rename(id, "from b", in: b)
        #expect(throws: StoreFault.recordDeleted) { try StoreWorld.rename(id, "late", in: a) }
        try StoreWorld.mingle([a, b])
        #expect(throws: StoreFault.conflictOpen) { try a.write { _ = try $0.purge(id) } }
        #expect(throws: StoreFault.noSuchRecord) {
            try a.write { _ = try $0.delete(RecordID(value: 1)) }
        }
        try a.write { _ = try $0.purge(id, isForced: true) }
        #expect(throws: StoreFault.recordPurged) { try a.write { _ = try $0.restore(id) } }
        #expect(throws: StoreFault.recordExists) {
            try a.write { _ = try $0.insert([], into: StoreWorld.todo, id: id) }
        }
        try StoreWorld.mingle([a, b])
        try StoreWorld.expectEqual([a, b])
    }

    @Test("values, names, elements and records over their limits are refused")
    func limits() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("x", to: store)
        let before = try store.summary()
        let long = String(repeating: "x", count: RecordLimits.valueByteCountMax + 1)
        let name = String(repeating: "n", count: RecordLimits.nameByteCountMax + 1)
        let wrong: [[Assignment]] = [
            [Assignment(.number(2), .text(long))],
            [Assignment(.number(2), .bytes(Array(long.utf8)))],
            [Assignment(.custom(name), .int(1))], [Assignment(.custom(""), .int(1))],
            [Assignment(.element(.number(8), text: long), .bool(true))],
            (0...RecordLimits.localFreeValueCountMax).map {
                Assignment(.element(.number(8), text: "\($0)"), .bool(true))
            },
            (0...RecordLimits.assignmentCountMax).map {
                Assignment(.number(UInt32(100 + $0)), .int(1))
            },
            (0..<20).map {
                Assignment(.number(UInt32(100 + $0)), .text(String(long.dropLast(20))))
            },
        ]
        for assignments in wrong {
            for isNew in [true, false] {
                let fault = #expect(throws: StoreFault.self) {
                    try store.write { transaction in
                        if isNew {
                            try transaction.insert(assignments, into: StoreWorld.todo)
                        } else {
                            try transaction.update(id, assignments)
                        }
                    }
                }
                guard case .overLimit? = fault else {
                    Issue.record("\(String(describing: fault))")
                    continue
                }
            }
        }
        // Two halves that are over the limit together.
        for half in 0..<2 {
            let fields = (0..<2100).map {
                Assignment(.custom("n\(half * 3000 + $0)"), .int(1))
            }
            if half == 0 {
                try store.write { _ = try $0.update(id, fields) }
            } else {
                #expect(throws: StoreFault.self) {
                    try store.write { _ = try $0.update(id, fields) }
                }
            }
        }
        #expect(try store.summary().counter == before.counter + 1)
        #expect(try store.examine() == [])
    }

    @Test("a closed store says so")
    func closed() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        store.close()
        store.close()
        #expect(throws: StoreFault.closed) { try StoreWorld.add("x", to: store) }
        #expect(throws: StoreFault.closed) { try store.fetch(FetchRequest(StoreWorld.todo)) }
    }
}

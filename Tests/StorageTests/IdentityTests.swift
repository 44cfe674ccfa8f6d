import CSQLite
import Core
import Glibc
import Storage
import TestSupport
import Testing

@Suite("A store's identity")
struct IdentityTests {
    private func kept(_ world: StoreWorld, _ name: String, _ replica: ReplicaID) throws -> Bool {
        let store = try world.open(name)
        return try store.suspicion == nil && store.summary().replica == replica
    }

    @Test("a closed store that is copied and used in both places loses nothing on either side")
    func copy() throws {
        let world = StoreWorld()
        var original = try world.create("a")
        let id = try original.summary().replica
        try StoreWorld.add("before", to: original)
        original.close()
        world.run("cp", "-a", world.path("a"), world.path("b"))
        original = try world.open("a")
        let copy = try world.open("b")
        #expect(original.suspicion == nil)
        #expect(copy.suspicion == .otherFile)
        #expect(try original.summary().replica == id)
        #expect(try copy.summary().replica != id)
        #expect(try copy.summary().knowledge.counter(of: id) == original.summary().counter)
        try StoreWorld.add("here", to: original)
        try StoreWorld.add("there", to: copy)
        let third = try world.create("c")
        try StoreWorld.mingle([original, copy, third])
        try StoreWorld.expectEqual([original, copy, third])
        #expect(try StoreWorld.titles(third) == ["before", "here", "there"])
    }

    @Test("a copy that is to keep its replica id shows the state of the original under that id")
    func copyToLookAt() throws {
        let world = StoreWorld()
        let original = try world.create("a")
        try StoreWorld.add("before", to: original)
        let state = try original.summary()
        original.close()
        world.run("mkdir", world.path("b"))
        world.run("cp", "-a", world.path("a") + "/store.db", world.path("b"))
        var options = StoreOptions()
        options.keepsReplica = true
        let copy = try world.open("b", options: options)
        #expect(copy.suspicion == nil)
        #expect(try copy.identityChanges().isEmpty)
        let shown = try copy.summary()
        #expect(shown.replica == state.replica)
        #expect(shown.counter == state.counter)
        #expect(shown.digest == state.digest)
        #expect(try StoreWorld.titles(copy) == ["before"])
    }

    @Test(
        "yesterday's copy restored over today's store takes a new id, and a third device gets both lines",
        arguments: ["replaced", "in place"], [true, false])
    func restore(way: String, isClosed: Bool) throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let third = try world.create("c")
        try StoreWorld.add("yesterday", to: store)
        store.close()
        world.run("cp", "-a", world.path("a"), world.path("backup"))
        store = try world.open("a")
        let id = try store.summary().replica
        try StoreWorld.add("today, told", to: store)
        try StoreWorld.pull(third, from: store)
        let untold = try StoreWorld.add("today, untold", to: store)
        #expect(try third.record(untold) == nil)
        if isClosed {
            store.close()
        } else {
            store.abandon()
        }
        switch way {
        case "replaced":
            world.run("rm", "-rf", world.path("a"))
            world.run("cp", "-a", world.path("backup"), world.path("a"))
        default:
            world.run("cp", "-r", world.path("backup") + "/.", world.path("a") + "/")
        }
        let restored = try world.open("a")
        #expect(restored.suspicion != nil)
        #expect(try restored.summary().replica != id)
        try StoreWorld.add("after", to: restored)
        try StoreWorld.mingle([restored, third])
        try StoreWorld.expectEqual([restored, third])
        // A log that the copy left in place has today's writes: then the restore took nothing back.
        let hasLog = way == "in place" && !isClosed
        let expected = ["after", "today, told"] + (hasLog ? ["today, untold"] : []) + ["yesterday"]
        #expect(try StoreWorld.titles(third) == expected)
    }

    @Test("a copy of an open store, taken while it is used, takes a new id and has a whole state")
    func copyOfOpen() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        for number in 0..<50 { try StoreWorld.add("\(number)", to: store) }
        world.run("cp", "-a", world.path("a"), world.path("b"))
        let copy = try world.open("b")
        #expect(copy.suspicion == .otherFile)
        #expect(try StoreWorld.titles(copy).count == 50)
        #expect(try copy.examine() == [])
    }

    @Test("only the file restored in place, under the identity file of today, is noticed")
    func restoreOfFileAlone() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        store.close()
        world.run("cp", world.path("a/store.db"), world.path("backup.db"))
        store = try world.open("a")
        try StoreWorld.add("today", to: store)
        store.close()
        world.run("cp", world.path("backup.db"), world.path("a/store.db"))
        #expect(try world.open("a").suspicion == .changedWhileClosed)
    }

    @Test("a power cut while the store is open takes a new id, one while it is closed does not")
    func powerCut() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try store.summary().replica
        try StoreWorld.add("x", to: store)
        store.close()
        world.boot = "boot-2"
        #expect(try kept(world, "a", id))
        let open = try world.open("a")
        try StoreWorld.add("y", to: open)
        open.abandon()
        world.boot = "boot-3"
        let after = try world.open("a")
        #expect(after.suspicion == .powerCut)
        #expect(try after.summary().replica != id)
        #expect(try StoreWorld.titles(after) == ["x", "y"])
    }

    @Test("an opening that fails while in doubt leaves the doubt to the next one")
    func failedIncarnation() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try store.summary().replica
        try StoreWorld.add("x", to: store)
        store.abandon()
        world.boot = "boot-2"
        var other: OpaquePointer?
        #expect(sqlite3_open(world.path("a/store.db"), &other) == SQLITE_OK)
        #expect(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        var options = StoreOptions()
        options.busyMilliseconds = 1
        #expect(throws: StoreFault.self) { try world.open("a", options: options) }
        sqlite3_close(other)
        let after = try world.open("a")
        #expect(after.suspicion == .powerCut)
        #expect(try after.summary().replica != id)
    }

    @Test(
        "a program that reads an older state while the store is closed, and ends later, costs no id"
    )
    func foreignReader() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try store.summary().replica
        store.close()
        var reader: OpaquePointer?
        #expect(sqlite3_open(world.path("a/store.db"), &reader) == SQLITE_OK)
        #expect(
            sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM todo", nil, nil, nil) == SQLITE_OK)
        let open = try world.open("a")
        try StoreWorld.add("x", to: open)
        open.close()
        // The last to close, it brings into the file what it kept others from bringing there.
        #expect(sqlite3_close(reader) == SQLITE_OK)
        let after = try world.open("a")
        #expect(after.suspicion == nil)
        #expect(try after.summary().replica == id)
        #expect(try StoreWorld.titles(after) == ["x"])
        after.close()
        #expect(world.text(of: "a/identity").contains("sealed 1"))
    }

    @Test("an opening that fails beside a log writes nothing into the file")
    func failedBesideLog() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        store.close()
        // A log behind a sealed identity file, as another program leaves it when it is killed.
        var other: OpaquePointer?
        #expect(sqlite3_open(world.path("a/store.db"), &other) == SQLITE_OK)
        #expect(tandem_sqlite_keep_log(other, 1) == SQLITE_OK)
        #expect(sqlite3_exec(other, "PRAGMA user_version = 999", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(other)
        #expect(store.disk.byteCount(of: world.path("a/store.db-wal")) > 0)
        let before = try store.disk.identify(world.path("a/store.db"))
        #expect(throws: StoreFault.self) { try world.open("a") }
        #expect(try store.disk.identify(world.path("a/store.db")) == before)
    }

    @Test("a killed process keeps the id, and its last writes")
    func kill() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try store.summary().replica
        try StoreWorld.add("x", to: store)
        store.abandon()
        let after = try world.open("a")
        #expect(after.suspicion == nil)
        #expect(try after.summary().replica == id)
        #expect(try StoreWorld.titles(after) == ["x"])
    }

    @Test("another machine, a missing, a damaged and another identity file raise a suspicion")
    func otherSuspicions() throws {
        let world = StoreWorld()
        try world.create("a").close()
        world.machine = "machine-2"
        #expect(try world.open("a").suspicion == .otherMachine)
        world.run("rm", world.path("a/identity"))
        #expect(try world.open("a").suspicion == .noIdentityFile)
        world.put("tandem-identity 1\nreplica x\n", in: "a/identity")
        #expect(try world.open("a").suspicion == .noIdentityFile)
        world.run("cp", world.path("a/identity"), world.path("identity"))
        world.run("cp", world.path("identity"), world.path("a/identity"))
        #expect(try world.open("a").suspicion == .identityFileReplaced)
        #expect(try world.open("a").suspicion == nil)
    }

    @Test("two openings at once keep the id and share the epoch, in any order of closing")
    func twoIncarnations() throws {
        for order in 0..<4 {
            let world = StoreWorld()
            let first = try world.create("a")
            let id = try first.summary().replica
            let second = try world.open("a")
            #expect(second.suspicion == nil)
            try StoreWorld.add("1", to: second)
            try StoreWorld.add("2", to: first)
            let epochs = try [first, second].map { try $0.greeting(to: nil).incarnation.epoch }
            #expect(epochs[0] == epochs[1])
            try StoreWorld.add("3", to: second)
            let closing = order % 2 == 0 ? [first, second] : [second, first]
            closing[0].close()
            if order > 1 { try StoreWorld.add("4", to: closing[1]) }
            closing[1].close()
            world.boot = "boot-2"
            #expect(try kept(world, "a", id))
        }
    }

    @Test("a second opening that begins an epoch after the first one read is no doubt later")
    func staleReader() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        _ = try store.greeting(to: nil)
        let id = try store.summary().replica
        store.close()
        let reader = try world.open("a")
        store = try world.open("a")
        try StoreWorld.add("1", to: store)
        try StoreWorld.add("2", to: reader)
        store.abandon()
        reader.abandon()
        #expect(try kept(world, "a", id))
    }

    @Test("a crash between the identity file and the commit that it announces raises no suspicion")
    func crashAfterIdentityFile() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let id = try store.summary().replica
        _ = try store.greeting(to: nil)
        store.close()
        world.run("cp", "-p", world.path("a/store.db"), world.path("before.db"))
        // The identity file of an opening that never committed: its transaction fails after the identity file.
        store = try world.open("a", options: world.tiny())
        let long = String(repeating: "x", count: 200_000)
        #expect(throws: StoreFault.self) { try StoreWorld.add(long, to: store) }
        #expect(!world.text(of: "a/identity").contains("sealed 1"))
        store.abandon()
        #expect(try kept(world, "a", id))
    }

    @Test("a process killed while it puts an identity file in place raises no doubt")
    func crashInIdentityFile() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try store.summary().replica
        store.close()
        let lockFile = world.text(of: "a/lock").split(separator: "\n")[0]
        // The old identity file is still there.
        world.put("\(lockFile)\nplacing 0123456789abcdef open\n", in: "a/lock")
        #expect(try kept(world, "a", id))
        // The new one is there, and its change time is not noted yet.
        let mark = world.text(of: "a/identity").split(separator: "\n")[9].split(separator: " ")[1]
        world.put("placed 1.1\nplacing \(mark)\n", in: "a/lock")
        #expect(try kept(world, "a", id))
    }

    @Test("ten openings that write between two syncs are one epoch")
    func unnamedEpoch() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let first = try store.greeting(to: nil).incarnation
        store.close()
        for number in 0..<10 {
            store = try world.open("a")
            try StoreWorld.add("\(number)", to: store)
            store.close()
        }
        store = try world.open("a")
        let second = try store.greeting(to: nil).incarnation
        #expect(second.epoch != first.epoch)
        #expect(second.counter == first.counter + 1)
    }

    @Test("openings that only read or greet leave the identity file sealed and use up no epoch")
    func reading() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        try StoreWorld.add("x", to: store)
        let incarnation = try store.greeting(to: nil).incarnation
        store.close()
        let identityFile = world.text(of: "a/identity")
        for boot in 0..<3 {
            world.boot = "boot \(boot)"
            store = try world.open("a")
            #expect(store.suspicion == nil)
            #expect(try StoreWorld.titles(store) == ["x"])
            #expect(try store.greeting(to: nil).incarnation == incarnation)
            #expect(world.text(of: "a/identity") == identityFile)
            store.close()
            #expect(world.text(of: "a/identity") == identityFile)
            world.run("sqlite3", world.path("a/store.db"), "select title from todo")
        }
    }

    @Test("the last 256 epochs are remembered, and an older one is no doubt")
    func manyEpochs() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let oldest = try store.greeting(to: nil).incarnation
        for number in 0..<(Store.epochCountMax + 3) {
            store.close()
            store = try world.open("a")
            try StoreWorld.add("\(number)", to: store)
            _ = try store.greeting(to: nil)
            if number == 10 { #expect(try !store.isSuspicious(counter: 1, epoch: oldest.epoch)) }
        }
        let count = world.run(
            "sqlite3", world.path("a/store.db"), "select count(*) from epoch"
        ).output
        #expect(count == "\(Store.epochCountMax)\n")
        #expect(try !store.isSuspicious(counter: 1, epoch: oldest.epoch))
        #expect(try store.isSuspicious(counter: 1_000_000, epoch: nil))
    }

    @Test("a folder that is moved keeps its id")
    func move() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try store.summary().replica
        store.close()
        world.run("mv", world.path("a"), world.path("b"))
        #expect(try kept(world, "b", id))
    }

    @Test("a database that is set back alone, beside the identity file of its opening, is noticed")
    func databaseSetBackAlone() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        try StoreWorld.add("kept", to: store)
        world.run("sqlite3", world.path("a/store.db"), ".backup \(world.path("old"))")
        try StoreWorld.add("lost here, known to a peer", to: store)
        let replica = try store.summary().replica
        store.abandon()
        world.run("rm", "-f", world.path("a/store.db-wal"), world.path("a/store.db-shm"))
        world.run("sh", "-c", "cat \(world.path("old")) > \(world.path("a/store.db"))")
        let again = try world.open("a")
        #expect(again.suspicion == .historyDiffers)
        #expect(try again.summary().replica != replica)
    }
}

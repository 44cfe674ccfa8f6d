import Core
import Storage
import Testing

@Suite("A damaged store that begins anew from a copy")
struct StartingOverTests {
    private static func startOver(_ world: StoreWorld, from path: String) throws -> String {
        try Store.startOver(
            folder: world.path("a"), from: path, environment: world.environment)
    }

    /// A store that met a second one, with a snapshot, and more of its own since; closed.
    private static func used(
        _ world: StoreWorld
    ) throws -> (other: Store, replica: ReplicaID, snapshot: String) {
        let (store, other) = (try world.create("a"), try world.create("b"))
        for number in 0..<20 { try StoreWorld.add("old \(number)", to: store) }
        try StoreWorld.mingle([store, other])
        let snapshot = store.paths.snapshots + "/" + (try store.takeSnapshot())
        for number in 0..<5 { try StoreWorld.add("new \(number)", to: store) }
        try StoreWorld.pull(other, from: store)
        let replica = store.replica
        store.close()
        return (other, replica, snapshot)
    }

    private static func overwrite(_ world: StoreWorld, _ damage: String) {
        let path = world.path("a/store.db")
        switch damage {
        case "garbage": world.put(String(repeating: "garbage ", count: 5_000), in: "a/store.db")
        case "empty": world.put("", in: "a/store.db")
        case "zeros in the middle":
            world.run(
                "dd", "if=/dev/zero", "of=\(path)", "bs=4096", "seek=1", "count=6", "conv=notrunc")
        case "cut off": world.run("truncate", "-s", "5000", path)
        case "log of another":
            world.run("sqlite3", world.path("x.db"), "create table x(y)")
            world.run("cp", world.path("x.db"), path + "-wal")
            world.put("garbage", in: "a/store.db")
        default: world.run("rm", path)
        }
    }

    // Goal: no dot is used twice, and what others had comes back.
    // Method: the writes since the snapshot are at a second device alone; the store writes anew, then both meet.
    @Test(
        "it takes a new id, loses nothing that others have, and the old file is still there",
        arguments: [
            "garbage", "empty", "zeros in the middle", "cut off", "log of another", "gone",
        ])
    func anew(damage: String) throws {
        let world = StoreWorld()
        let (other, replica, snapshot) = try Self.used(world)
        Self.overwrite(world, damage)
        let aside = try Self.startOver(world, from: snapshot)
        let store = try world.open("a")
        #expect(store.suspicion == .noIdentityFile)
        #expect(store.replica != replica)
        #expect(try StoreWorld.titles(store).count == 20)
        for number in 0..<7 { try StoreWorld.add("anew \(number)", to: store) }
        try StoreWorld.mingle([store, other])
        #expect(try StoreWorld.titles(store).count == 32)
        try StoreWorld.expectEqual([store, other])
        if damage != "gone" {
            #expect(world.run("ls", aside).output.contains("store.db"))
        }
        #expect(store.snapshots().count == 1)
        store.close()
        #expect(try world.open("a").suspicion == nil)
    }

    @Test("one new id is enough, however often it is opened before anything is written")
    func once() throws {
        let world = StoreWorld()
        let (_, _, snapshot) = try Self.used(world)
        Self.overwrite(world, "garbage")
        _ = try Self.startOver(world, from: snapshot)
        for incarnation in 0..<4 {
            let store = try world.open("a")
            #expect((store.suspicion == nil) == (incarnation > 0), "opening \(incarnation)")
            #expect(try store.identityChanges().count == 1, "opening \(incarnation)")
            store.close()
        }
    }

    @Test("a file that is named like the last of all snapshots is none")
    func lastNumber() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        world.run("mkdir", "-p", store.paths.snapshots)
        world.put("", in: "a/snapshots/\(Int.max)-1.db")
        #expect(store.snapshots().isEmpty)
        #expect(try store.takeSnapshot().hasPrefix("1-"))
    }

    @Test("a store that somebody has open is left alone")
    func inUse() throws {
        let world = StoreWorld()
        let (_, _, snapshot) = try Self.used(world)
        let store = try world.open("a")
        #expect(throws: StoreFault.inUse(by: .processes([]))) {
            try Self.startOver(world, from: snapshot)
        }
        #expect(try StoreWorld.titles(store).count == 25)
        try StoreWorld.add("still", to: store)
        #expect(try store.examine() == [])
    }

    @Test(
        "what is no copy is refused, and nothing is moved",
        arguments: ["/etc", "/nowhere", "/dev/null", "text", "half"])
    func noCopy(word: String) throws {
        let world = StoreWorld()
        let (_, _, snapshot) = try Self.used(world)
        Self.overwrite(world, "garbage")
        world.put("no database at all", in: "text")
        world.run("cp", snapshot, world.path("half"))
        world.run("truncate", "-s", "9000", world.path("half"))
        let path = word.hasPrefix("/") ? word : world.path(word)
        #expect {
            try Self.startOver(world, from: path)
        } throws: { error in
            switch error {
            case StoreFault.noStore, StoreFault.notAStore, StoreFault.corrupt: true
            default: false
            }
        }
        #expect(world.text(of: "a/store.db").hasPrefix("garbage"))
        #expect(!world.run("ls", world.path("a")).output.contains("damaged"))
        #expect(!world.run("ls", world.path("a")).output.contains(".new"))
    }

    @Test("snapshots are listed without a store")
    func listed() throws {
        let world = StoreWorld()
        let (_, _, snapshot) = try Self.used(world)
        Self.overwrite(world, "garbage")
        let paths = StorePaths(folder: world.path("a"))
        let found = Store.snapshots(of: paths, on: world.environment)
        #expect(found.map { paths.path(of: $0) } == [snapshot])
        #expect(
            Store.snapshots(
                of: StorePaths(folder: "/nowhere"), on: world.environment
            ).isEmpty)
    }
}

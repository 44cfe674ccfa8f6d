import Core
import Glibc
import Storage
import TestSupport
import Testing

/// A store of every format, kept as the SQL that makes it: what was once written is opened ever after.
///
/// With `TANDEM_WRITE_VECTORS=1` in the environment the one of the present format is written, if there is none.
@Suite("Stores of earlier formats")
struct FormatFixtureTests {
    private static let folder =
        #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/StoreFormats"

    private func path(_ format: Int) -> String { "\(Self.folder)/\(format).sql" }

    @Test(
        "every format has a store that opens, passes a check, keeps what it held, and can be copied"
    )
    func kept() throws {
        let world = StoreWorld()
        if TestSettings.number("TANDEM_WRITE_VECTORS") == 1 { try writeMissing(world) }
        for format in 1...Store.formatMax {
            try #require(access(path(format), R_OK) == 0, "format \(format) has no store")
            let name = "format-\(format)"
            mkdir(world.path(name), 0o700)
            let file = world.path(name + "/store.db")
            #expect(world.run("sqlite3", file, ".read \(path(format))").status == 0)
            #expect(chmod(file, 0o600) == 0)
            let store = try world.open(name)
            #expect(try store.examine() == [])
            #expect(try StoreWorld.titles(store) == ["bread", "milk of the phone", "tea"])
            #expect(try store.fetch(FetchRequest(StoreWorld.todo, scope: .trash)).count == 1)
            #expect(try store.fetch(FetchRequest(StoreWorld.todo, scope: .conflicted)).count == 1)
            try StoreWorld.add("jam", to: store)
            let change = try #require(try store.localChanges(limit: 9).first)
            guard case .done = try store.undo(change.timestamp, isForced: false) else {
                Issue.record("what was just made cannot be undone")
                return
            }
            try store.backup(to: world.path(name + "-backup"))
            store.close()
            let backup = try world.open(name + "-backup")
            #expect(try StoreWorld.titles(backup) == ["bread", "milk of the phone", "tea"])
            backup.close()
            #expect(world.run("cp", "-r", world.path(name), world.path(name + "-copy")).status == 0)
            let copy = try world.open(name + "-copy")
            #expect(try StoreWorld.titles(copy) == ["bread", "milk of the phone", "tea"])
            // What it holds goes to others, and theirs comes in.
            let other = try world.create(name + "-other")
            try StoreWorld.add("salt", to: other)
            try StoreWorld.mingle([copy, other])
            #expect(try StoreWorld.titles(copy) == StoreWorld.titles(other))
            #expect(try StoreWorld.titles(other).count == 4)
            copy.close()
            other.close()
        }
    }

    @Test(
        "a damaged store of the first format keeps the change that it could not read, under its table's name of now"
    )
    func rescued() throws {
        let world = StoreWorld()
        // Another world drew the same ids when it made the store: they are used up here.
        for name in ["b", "c"] { try world.create(name).close() }
        mkdir(world.path("a"), 0o700)
        let file = world.path("a/store.db")
        #expect(world.run("sqlite3", file, ".read \(path(1))").status == 0)
        #expect(chmod(file, 0o600) == 0)
        world.run(
            "sqlite3", file,
            """
            INSERT INTO parked SELECT 1000, x'00112233445566778899aabbccddeeff', clock, x'ff', 'unreadable', x'01'
                FROM todo_record WHERE title = 'bread'
            """)
        // So that the rows have to be read one by one.
        world.flip(
            page: try #require(world.pages(of: "collection", "leaf", in: "a/store.db").first),
            of: "a/store.db")
        let report = try world.rescue("a", space: SpaceID(value: 7))
        #expect(!report.isWhole)
        let store = try world.open("a")
        defer { store.close() }
        #expect(try store.summary().deferredCount == 1)
        #expect(try store.examine() == [])
    }

    /// Writes a store with a conflict, a to-do in the trash, a purged one, a journal, and a peer that was met.
    private func writeMissing(_ world: StoreWorld) throws {
        if access(path(Store.formatMax), R_OK) == 0 { return }
        let (laptop, phone) = (try world.create("laptop"), try world.create("phone"))
        let milk = try StoreWorld.add("milk", to: laptop)
        let trashed = try StoreWorld.add("old", to: laptop)
        let purged = try StoreWorld.add("older", to: laptop)
        try StoreWorld.add("tea", to: laptop)
        try StoreWorld.add("bread", to: phone)
        try StoreWorld.mingle([laptop, phone])
        try StoreWorld.rename(milk, "milk of the laptop", in: laptop)
        try StoreWorld.rename(milk, "milk of the phone", in: phone)
        _ = try laptop.write { try $0.delete(trashed) }
        _ = try laptop.write { try $0.delete(purged) }
        _ = try laptop.write { try $0.purge(purged) }
        try StoreWorld.mingle([laptop, phone])
        laptop.close()
        phone.close()
        let file = world.path("laptop/store.db")
        let pragmas = ["application_id", "user_version"].map { name in
            let value = world.run("sqlite3", file, "PRAGMA \(name)").output.filter(\.isNumber)
            return "PRAGMA \(name) = \(value);\n"
        }.joined()
        let dump = world.run("sqlite3", file, ".dump").output
        mkdir(Self.folder, 0o755)
        let output = try #require(fopen(path(Store.formatMax), "w"))
        defer { fclose(output) }
        fputs(pragmas + dump, output)
    }
}

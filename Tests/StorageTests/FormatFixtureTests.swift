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
            if format == Store.formatMax { #expect(emptyTables(of: file, in: world) == []) }
            let store = try world.open(name)
            #expect(try store.examine() == [])
            if format == Store.formatMax { try expectPresent(store) }
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

    /// The tables of a database without a row.
    private func emptyTables(of file: String, in world: StoreWorld) -> [String] {
        let names = world.run(
            "sqlite3", file,
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        let tables = names.output.split(separator: "\n").map(String.init)
        #expect(names.status == 0 && tables.count > 30)
        let counts = tables.map { "SELECT '\($0)' WHERE NOT EXISTS (SELECT 1 FROM \"\($0)\")" }
        let empty = world.run("sqlite3", file, counts.joined(separator: "; "))
        return empty.output.split(separator: "\n").map(String.init)
    }

    /// Expects what `FormatFixtureMaker` has put into the store of the present format, and has the refused delete undone.
    private func expectPresent(_ store: Store) throws {
        typealias Maker = FormatFixtureMaker
        #expect(try store.heldDeletes().map(\.deletedCount) == [Maker.heldDeleteCount])
        #expect(try store.heldDeletes().map(\.peer) == [Maker.relay])
        #expect(try store.allDeferred().count == 1)
        #expect(try store.unopened(at: Maker.relay).count == 1)
        #expect(try store.lostRevocations() == [Maker.revokedKey])
        #expect(try store.identityChanges().count > 0)
        #expect(try store.knownAddresses().map(\.address) == ["phone.example.org:7717"])
        #expect(try store.localMetadata(in: "fixture") == ["name": [1, 2]])
        #expect(try store.refusedRecords().count == 1)
        #expect(try store.bringBackRefused())
        #expect(try store.refusedRecords().isEmpty)
        #expect(try store.unrestoredCount() == 0)
        #expect(try store.examine() == [])
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

    /// Makes a closed store one of the first format, as a program of then would have left it: sealed.
    private func setBack(_ name: String, in world: StoreWorld) throws {
        let file = world.path(name + "/store.db")
        let done = world.run(
            "sqlite3", file,
            """
            DROP TABLE revoked_key; DROP INDEX deferred_change_id;
            ALTER TABLE deferred_change RENAME TO parked; CREATE INDEX parked_id ON parked(id);
            ALTER TABLE held_change RENAME TO set_aside;
            ALTER TABLE mass_delete_count RENAME TO brake_count;
            ALTER TABLE local_metadata RENAME COLUMN namespace TO drawer;
            ALTER TABLE local_metadata RENAME TO memo_note;
            ALTER TABLE state RENAME COLUMN checksum_key TO tally_key;
            ALTER TABLE replica RENAME COLUMN checksum TO tally;
            ALTER TABLE journal RENAME COLUMN timestamp TO stamp;
            ALTER TABLE making RENAME COLUMN timestamp TO stamp;
            ALTER TABLE undo RENAME COLUMN timestamp TO stamp; PRAGMA user_version = 1;
            """)
        #expect(done.status == 0, "\(done.output)")
        let identity = name + "/identity"
        let changed = try world.environment.disk.identify(file).changed
        let lines = world.text(of: identity).split(separator: "\n").map { line in
            line.hasPrefix("sealed ") ? "sealed \(changed)" : String(line)
        }
        let mark = try #require(lines.first { $0.hasPrefix("mark ") }).dropFirst(5)
        try world.environment.disk.replace(
            world.path(identity), with: Array((lines.joined(separator: "\n") + "\n").utf8))
        // Said before it is in place, as of every identity file.
        let lock = try #require(fopen(world.path(name + "/lock"), "r+"))
        fputs("placed nothing\nplacing \(mark)\n\n", lock)
        fclose(lock)
    }

    @Test("an upgrade costs no id, though the first programs after it only read, or are killed")
    func upgraded() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let own = store.replica
        try StoreWorld.add("tea", to: store)
        store.close()
        try setBack("a", in: world)
        for isKilled in [false, true, false, false] {
            let reader = try world.open("a")
            #expect(reader.suspicion == nil && reader.replica == own)
            #expect(try StoreWorld.titles(reader) == ["tea"])
            if isKilled { reader.abandon() } else { reader.close() }
        }
        let writer = try world.open("a")
        try StoreWorld.add("milk", to: writer)
        writer.close()
        let last = try world.open("a")
        #expect(last.suspicion == nil && last.replica == own)
        #expect(try StoreWorld.titles(last) == ["milk", "tea"])
        last.close()
        #expect(access(world.path("a/store.db-wal"), F_OK) != 0)
    }

    /// Writes the store of the present format, if there is none.
    private func writeMissing(_ world: StoreWorld) throws {
        if access(path(Store.formatMax), R_OK) == 0 { return }
        let file = try FormatFixtureMaker(world).make()
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

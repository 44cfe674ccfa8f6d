import Core
import Storage
import TestSupport
import Testing

@Suite("A changed schema")
struct SchemaTests {
    private static func schema(
        _ fields: [FieldSchema], indexes: [[String]] = []
    ) -> [CollectionSchema] {
        [CollectionSchema(.number(1), "todo", fields: fields, indexes: indexes)]
    }
    private let title = FieldSchema(2, "title", .text)

    @Test("an app may call its collections as the program might call its tables")
    func names() throws {
        let world = StoreWorld()
        let schema =
            StoreWorld.schema
            + ["memo", "relay", "brake", "snapshot"].map {
                CollectionSchema(.text($0), $0, fields: [])
            }
        try world.create("a").close()
        try world.open("a", schema: schema).close()
        let again = try world.open("a", schema: schema)
        #expect(try again.fetch(FetchRequest(.text("memo"))).isEmpty)
    }

    @Test("a table that is described in other words is sound, one of another meaning is damage")
    func respelled() throws {
        let world = StoreWorld()
        try world.create("a").close()
        let file = world.path("a/store.db")
        func describe(_ old: String, _ new: String) {
            world.run(
                "sqlite3", file,
                """
                pragma writable_schema = on;
                update sqlite_schema set sql = replace(sql, '\(old)', '\(new)')
                  where name = 'address';
                """)
        }
        describe("CREATE TABLE", "create  table /* x */")
        describe("replica", "\"replica\"")
        let text = world.run(
            "sqlite3", file, "select sql from sqlite_schema where name = 'address'")
        #expect(text.output.contains("\"replica\"") && text.output.contains("create  table"))
        let store = try world.open("a")
        #expect(try store.examine() == [])
        try StoreWorld.add("milk", to: store)
        store.close()
        // Its copy is one, and as sound.
        #expect(world.run("cp", "-r", world.path("a"), world.path("copy")).status == 0)
        let copy = try world.open("copy")
        #expect(copy.suspicion != nil)
        #expect(copy.replica != store.replica)
        #expect(try copy.examine() == [])
        #expect(try StoreWorld.titles(copy) == ["milk"])
        copy.close()
        describe("INTEGER", "ANY")
        #expect(throws: StoreFault.self) { try world.open("a").close() }
    }

    @Test("a new column takes what came before it was known, and nothing gets a new arrival number")
    func added() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let id = try store.write {
            try $0.insert(
                [
                    Assignment(.number(2), .text("x")), Assignment(.number(100), .int(7)),
                    Assignment(.number(101), .text("wrong kind")),
                ], into: StoreWorld.todo)
        }
        let (before, record) = (try store.summary(), try store.record(id)?.record)
        store.close()
        let fields =
            StoreWorld.schema[0].fields + [
                FieldSchema(100, "points", .int), FieldSchema(101, "size", .int),
            ]
        store = try world.open("a", schema: Self.schema(fields, indexes: [["points"]]))
        #expect(store.suspicion == nil)
        #expect(try store.summary() == before)
        #expect(try store.record(id)?.record == record)
        #expect(try store.examine() == [])
        let found = try store.fetch(
            FetchRequest(StoreWorld.todo, where: .compare(.field(100), .equal, .int(7))))
        #expect(found.map(\.id) == [id])
        let shell = world.run(
            "sqlite3", store.paths.database, "select points, size is null from todo")
        #expect(shell.output == "7|1\n")
        store.close()
        #expect(
            try world.open("a", schema: Self.schema(fields, indexes: [["points"]])).suspicion == nil
        )
    }

    @Test("a column that is gone keeps its data, and has it again when it comes back")
    func removed() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let id = try store.write {
            try $0.insert(
                [
                    Assignment(.number(2), .text("x")), Assignment(.number(5), .day(20_000)),
                    Assignment(.element(.number(8), text: "tag"), .bool(true)),
                ], into: StoreWorld.todo)
        }
        let (before, record) = (try store.summary(), try store.record(id)?.record)
        store.close()
        for fields in [
            [title], [title, FieldSchema(5, "deadline", .text)], StoreWorld.schema[0].fields,
        ] {
            store = try world.open("a", schema: Self.schema(fields))
            #expect(store.suspicion == nil)
            #expect(try store.record(id)?.record == record)
            #expect(try store.summary() == before)
            #expect(try store.examine() == [])
            store.close()
        }
        store = try world.open("a")
        let due = FetchPredicate.compare(.field(5), .equal, .day(20_000))
        #expect(try store.fetch(FetchRequest(StoreWorld.todo, where: due)).count == 1)
    }

    @Test(
        "a new collection takes its records out of the unknown ones, one that is gone puts them there"
    )
    func collections() throws {
        let world = StoreWorld()
        var store = try world.create("a")
        let id = try store.write {
            try $0.insert([Assignment(.number(2), .text("x"))], into: .text("list"))
        }
        try StoreWorld.add("to-do", to: store)
        let before = try store.summary()
        store.close()
        let list = CollectionSchema(.text("list"), "list", fields: [title])
        for schema in [
            StoreWorld.schema + [list], [list], StoreWorld.schema, [], StoreWorld.schema,
        ] {
            store = try world.open("a", schema: schema)
            #expect(try store.summary() == before)
            #expect(try store.examine() == [])
            #expect(try store.record(RecordName(.text("list"), id))?[2] == .text("x"))
            if schema.contains(list) {
                #expect(try store.fetch(FetchRequest(.text("list"))).map(\.id) == [id])
            }
            store.close()
        }
        store = try world.open("a")
        #expect(try StoreWorld.titles(store) == ["to-do"])
    }

    @Test("a column's name that one wrong bit made into none is damage, in the store's own words")
    func damagedName() throws {
        let world = StoreWorld()
        try world.create("a").close()
        let file = world.path("a/store.db")
        let title = "replace(note, ' title ', ' 4itle ')"
        world.run("sqlite3", file, "update collection set note = \(title) where name = 'todo'")
        let error = #expect(throws: StoreFault.self) {
            try world.open("a", schema: Self.schema([FieldSchema(3, "notes", .text)]))
        }
        guard case .corrupt(_, let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("todo"))
    }

    @Test("a program that has the store open notices that another one changed the columns")
    func whileOpen() throws {
        let world = StoreWorld()
        let old = try world.create("a")
        let id = try StoreWorld.add("x", to: old)
        let new = try world.open("a", schema: Self.schema([title, FieldSchema(3, "notes", .text)]))
        try StoreWorld.rename(id, "y", in: new)
        #expect(throws: StoreFault.schemaChanged) { try StoreWorld.rename(id, "z", in: old) }
        #expect(throws: StoreFault.schemaChanged) { try old.fetch(FetchRequest(StoreWorld.todo)) }
        #expect(try new.record(id)?[2] == .text("y"))
    }
}

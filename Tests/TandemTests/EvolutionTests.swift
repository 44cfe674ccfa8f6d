import Tandem
import Testing

@Suite("A schema that grows")
struct EvolutionTests {
    private static let old = Schema(.collection("notes", Attribute("title", .text)))
    private static let new = Schema(
        .collection("folders", Attribute("name", .text)),
        .collection(
            "notes", Attribute("title", .text), Attribute("stars", .int, isIndexed: true),
            Attribute("tags", .set),
            .reference("folder", to: "folders")))

    private let folder = TestFolder()

    @Test(
        "new attributes and collections take nothing away, and an older app keeps what it does not know"
    )
    func sameStore() throws {
        var store = try folder.store("a", Self.old)
        let first = try store.write { edit in try edit.insert(into: "notes", ["title": "old"]) }
        store.close()
        store = try folder.store("a", Self.new)
        #expect(try store.record(first)?["title"].text == "old")
        try store.write { edit in
            let folder = try edit.insert(into: "folders", ["name": "home"])
            try edit.update(
                first, ["stars": 5, "folder": .reference(folder)], sets: ["tags": ["x"]])
        }
        store.close()
        store = try folder.store("a", Self.old)
        let record = try #require(try store.record(first))
        #expect(record.attributeNames == ["folder", "stars", "tags", "title"])
        #expect(record["stars"].int == 5)
        try store.write { edit in try edit.update(first, ["title": "edited by the older app"]) }
        store.close()
        store = try folder.store("a", Self.new)
        let request = FetchRequest(
            "notes",
            where: .equals("folder.name", "home") && .equals("stars", 5) && .hasElement("tags", "x")
        )
        #expect(try store.fetch(request).map { $0["title"].text } == ["edited by the older app"])
    }

    @Test(
        "an old and a new app sync, and what the old one passes on is whole",
        .timeLimit(.minutes(30)))
    func overTheWire() async throws {
        let new = try folder.store("new", Self.new)
        let host = SyncService(for: new, listening: "127.0.0.1:0")
        try await host.start()
        let address = try #require(await host.listening())
        let old = try folder.join(new, at: address, "old", schema: Self.old)
        let note = try new.write { edit in
            let folder = try edit.insert(into: "folders", ["name": "home"])
            return try edit.insert(
                into: "notes",
                ["title": "a", "stars": 3, "folder": .reference(folder)],
                sets: ["tags": ["x"]])
        }
        try old.meet()
        #expect(try old.record(note)?["title"].text == "a")
        try old.write { edit in try edit.update(note, ["title": "b"]) }
        try old.meet()
        let here = try #require(try new.record(note))
        #expect(here["title"].text == "b")
        #expect(here["stars"].int == 3)
        #expect(try new.target(of: here, "folder")?["name"].text == "home")
        await host.stop()
        // The old app alone hands on to a third device everything that it never knew.
        let relay = SyncService(for: old, listening: "127.0.0.1:0")
        try await relay.start()
        let third = try folder.join(
            old, at: try #require(await relay.listening()), "third", schema: Self.new)
        await relay.stop()
        let request = FetchRequest(
            "notes", where: .equals("folder.name", "home") && .hasElement("tags", "x"))
        #expect(try third.fetch(request).map { $0["stars"].int } == [3])
        // The old app is upgraded: the values that it has kept move into their columns.
        old.close()
        let upgraded = try folder.store("old", Self.new)
        #expect(try upgraded.fetch(request).map { $0["stars"].int } == [3])
    }
}

import Tandem
import Testing

@Suite("An app's store")
struct StoreTests {
    private static let schema = Schema(
        .collection("people", Attribute("name", .text), Attribute("order", .int, isIndexed: true)),
        .collection(
            "pets", Attribute("name", .text), Attribute("weight", .double),
            Attribute("group", .bool), Attribute("state", .bytes),
            Attribute("born", .moment), Attribute("tags", .set),
            .reference("owner", to: "people", onDelete: .cascade),
            .reference("mother", to: "pets"),
            indexes: [["group", "name"]]))

    private let folder = TestFolder()

    private func store(_ name: String = "a") throws -> TandemStore {
        try folder.store(name, Self.schema)
    }

    @Test("every kind of value comes back as it was written, also from attributes called like SQL")
    func kinds() throws {
        let store = try store()
        let values: [String: Value] = [
            "name": "Rex", "weight": 3, "group": true, "state": .bytes([1, 2]),
            "born": .day(7000),
        ]
        let id = try store.write { edit in
            try edit.insert(into: "pets", values, sets: ["tags": ["a", "b"]])
        }
        let record = try #require(try store.record(id))
        for (name, value) in values where name != "weight" { #expect(record[name] == value) }
        #expect(record["weight"].double == 3)
        #expect(record.texts("tags") == ["a", "b"])
        #expect(record.attributeNames == (values.keys + ["tags"]).sorted())
        #expect(record["owner"] == nil)
        try store.write { edit in
            try edit.update(id, ["name": nil, "state": nil], sets: ["tags": ["b", "c"]])
        }
        let after = try #require(try store.record(id))
        #expect(after.texts("tags") == ["b", "c"])
        #expect(after["name"] == nil)
        #expect(
            try store.fetch(
                FetchRequest("pets", where: .hasElement("tags", "c") && .equals("state", nil)))
                == [after])
    }

    @Test("the columns have the attributes' names for whoever looks with sqlite3")
    func columns() throws {
        let store = try store()
        try store.write { edit in try edit.insert(into: "people", ["name": "Ann", "order": 3]) }
        let path = "\(store.folder)/store.db"
        let query = "select 1/count(*) from people where name = 'Ann' and \"order\" = 3"
        #expect(folder.run("sqlite3", "-bail", path, query) == 0)
        #expect(folder.run("sqlite3", "-bail", path, "select colour from people") != 0)
    }

    @Test(
        "a transaction is a scratchpad: it is saved whole, or not at all, and not if nothing changed"
    )
    func transactions() throws {
        let store = try store()
        let live = try store.live(FetchRequest("people"))
        struct Cancelled: Error {}
        #expect(throws: Cancelled.self) {
            try store.write { edit in
                try edit.insert(into: "people", ["name": "Ann"])
                #expect(try edit.fetch(FetchRequest("people")).count == 1)
                throw Cancelled()
            }
        }
        #expect(try live.refresh() == [])
        let id = try store.write { edit in try edit.insert(into: "people", ["name": "Ann"]) }
        #expect(try live.refresh().count == 1)
        #expect(try store.write { edit in try edit.update(id, ["name": "Ann"]) } == false)
        #expect(try live.refresh() == [])
        #expect(
            try code { try store.write { _ in try store.write { _ in } } } == .nestedTransaction)
    }

    @Test("an editor that was open while the record was deleted brings nothing back")
    func wasDeleted() throws {
        let store = try store()
        let id = try store.write { edit in try edit.insert(into: "people", ["name": "Ann"]) }
        try store.write { edit in try edit.delete(id) }
        #expect(try code { try store.write { try $0.update(id, ["name": ""]) } } == .recordDeleted)
        #expect(try store.record(id)?.isDeleted == true)
        try store.write { edit in try edit.restore(id) }
        #expect(try store.record(id)?["name"].text == "Ann")
    }

    @Test("deleting an owner deletes what it owns; other references to it read as absent")
    func deleteRules() throws {
        let store = try store()
        let (ann, rex, kit, pup) = try store.write { edit in
            let ann = try edit.insert(into: "people", ["name": "Ann"])
            let rex = try edit.insert(into: "pets", ["owner": .reference(ann)])
            let kit = try edit.insert(into: "pets", ["owner": .reference(ann)])
            let pup = try edit.insert(into: "pets", ["name": "Pup", "mother": .reference(rex)])
            return (ann, rex, kit, pup)
        }
        try store.write { edit in try edit.delete(ann) }
        #expect(try store.record(rex)?.isDeleted == true)
        #expect(try store.record(kit)?.isDeleted == true)
        let orphan = try #require(try store.record(pup))
        #expect(orphan["mother"].reference == rex)
        #expect(try store.target(of: orphan, "mother") == nil)
        #expect(
            try store.fetch(FetchRequest("pets", where: .absent("mother.name"))) == [orphan])
        try store.write { edit in try edit.restore(rex) }
        #expect(try store.target(of: orphan, "mother")?.name == rex)
        #expect(try store.record(ann)?.isDeleted == true)
    }

    @Test("of references in a circle the one that was made last leads nowhere")
    func cycle() throws {
        let store = try store()
        let ids = try store.write { edit in
            try ["a", "b", "c"].map { try edit.insert(into: "pets", ["name": .text($0)]) }
        }
        for (child, mother) in [(0, 1), (1, 2), (2, 0)] {
            try store.write { edit in
                try edit.update(ids[child], ["mother": .reference(ids[mother])])
            }
        }
        let records = try ids.map { try #require(try store.record($0)) }
        #expect(try store.target(of: records[0], "mother")?.name == ids[1])
        #expect(try store.target(of: records[1], "mother")?.name == ids[2])
        #expect(try store.target(of: records[2], "mother") == nil)
        // From the other side as well.
        let related = try records.map { try store.related(to: $0, in: "pets", by: "mother") }
        #expect(related.map { $0.map(\.name) } == [[], [ids[0]], [ids[1]]])
        #expect(try store.relatedCount(to: records[0], in: "pets", by: "mother") == 0)
        #expect(try store.relatedCount(to: records[1], in: "pets", by: "mother") == 1)
    }

    @Test("a fetch looks through references and at the other side of them")
    func paths() throws {
        let store = try store()
        try store.write { edit in
            let ann = try edit.insert(into: "people", ["name": "Ann", "order": 2])
            let bob = try edit.insert(into: "people", ["name": "Bob", "order": 1])
            _ = try edit.insert(into: "people", ["name": "Cyd"])
            let old = try edit.insert(
                into: "pets", ["name": "Old", "owner": .reference(ann), "weight": 9])
            try edit.insert(
                into: "pets", ["name": "Kit", "owner": .reference(bob), "mother": .reference(old)])
            try edit.insert(
                into: "pets", ["name": "Rex", "owner": .reference(ann), "weight": 5])
        }
        func names(_ request: FetchRequest) throws -> [String] {
            try store.fetch(request).compactMap { $0["name"].text }
        }
        #expect(
            try names(
                FetchRequest(
                    "pets", sort: [.ascending("owner.order"), .descending("weight")]))
                == ["Kit", "Old", "Rex"])
        #expect(
            try names(FetchRequest("pets", where: .equals("mother.owner.name", "Ann"))) == ["Kit"])
        let pets = Related("pets", by: "owner")
        let byCount: FetchRequest.SortDescriptor = .descending(.count(pets))
        #expect(
            try names(FetchRequest("people", sort: [byCount, .ascending("name")]))
                == ["Ann", "Bob", "Cyd"])
        #expect(
            try names(
                FetchRequest(
                    "people",
                    where: .any(Related("pets", by: "owner", where: .less("weight", 6))),
                    sort: [.ascending(.least("weight", pets))])) == ["Ann"])
        #expect(try store.count(FetchRequest("people", where: !.any(pets), limit: 0)) == 1)
        #expect(
            try names(FetchRequest("people", sort: [.ascending("name")], limit: 1, offset: 1))
                == ["Bob"])
    }

    @Test("names and values that do not fit are told, with what would")
    func refusals() throws {
        let store = try store()
        func insert(_ collection: String, _ values: [String: Value]) throws -> TandemError.Code? {
            try code { try store.write { try $0.insert(into: collection, values) } }
        }
        #expect(try insert("cars", [:]) == .unknownName)
        #expect(try insert("pets", ["colour": "red"]) == .unknownName)
        #expect(try insert("pets", ["weight": "heavy"]) == .wrongKind)
        #expect(try insert("pets", ["tags": "a"]) == .wrongKind)
        #expect(try insert("pets", ["name": .unknown([0])]) == .wrongKind)
        #expect(
            try code { try store.write { try $0.insert(into: "pets", [:], sets: ["name": []]) } }
                == .wrongKind)
        #expect(
            try insert("pets", ["name": .text(String(repeating: "x", count: 300_000))])
                == .overLimit)
        let wrong: [FetchRequest] = [
            FetchRequest("cars"), FetchRequest("pets", where: .equals("colour", 1)),
            FetchRequest("pets", sort: [.ascending("name.owner")]),
            FetchRequest("people", sort: [.ascending(.count(Related("cars", by: "owner")))]),
            FetchRequest("people", where: .any(Related("pets", by: "mother"))),
            FetchRequest("people", where: .any(Related("pets", by: "name"))),
        ]
        for request in wrong {
            #expect(try code { try store.fetch(request) } == .unknownName)
        }
        let error = #expect(throws: TandemError.self) {
            try store.fetch(FetchRequest("pets", where: .equals("colour", 1)))
        }
        #expect(error?.side == .app)
        #expect(error?.next.contains("weight") == true)
        #expect(try store.count(FetchRequest("pets")) == 0)
    }

    @Test(
        "a schema that contradicts itself is refused before anything is made",
        arguments: [
            Schema(.collection("a b")), Schema(.collection("a"), .collection("A")),
            Schema(.collection("a", Attribute("x", .text), Attribute("X", .int))),
            Schema(.collection("a", Attribute("x_", .text))),
            Schema(.collection("a", .reference("b", to: "c"))),
            Schema(.collection("a", Attribute("x", .text), .reference("x", to: "a"))),
            Schema(.collection("a", Attribute("x", .text), indexes: [["y"]])),
        ])
    func badSchema(_ schema: Schema) throws {
        #expect(try code { try folder.store("bad", schema) } == .badSchema)
        #expect(try code { try folder.store("bad", Schema(.collection("state"))) } == nil)
    }

    @Test("a collection may be called like a table of the store itself")
    func tableNames() throws {
        let names = [
            "state", "replica", "epoch", "checkpoint", "collection", "address", "journal", "undo",
            "making", "unopened", "device", "unknown",
        ]
        let schema = Schema(names.map { .collection($0, Attribute("name", .text)) })
        let store = try folder.store("tables", schema)
        try store.write { edit in
            for name in names { try edit.insert(into: name, ["name": .text(name)]) }
        }
        for name in names {
            #expect(try store.fetch(FetchRequest(name)).map { $0["name"] } == [.text(name)])
        }
    }

    @Test("a store that is not there, not open or closed says so")
    func states() throws {
        let store = TandemStore(at: "\(folder.path)/none", schema: Self.schema)
        #expect(try code { try store.open() } == .noStore)
        #expect(try code { try store.fetch(FetchRequest("pets")) } == .notOpen)
        try store.open(deviceName: "desk")
        #expect(try store.deviceName() == "desk")
        store.close()
        #expect(try code { try store.fetch(FetchRequest("pets")) } == .notOpen)
        #expect(try code { try store.open() } == .notOpen)
    }

    private func code<T>(_ body: () throws -> T) throws -> TandemError.Code? {
        do {
            _ = try body()
            return nil
        } catch let error as TandemError {
            #expect(!error.what.isEmpty && !error.next.isEmpty)
            return error.code
        }
    }
}

import Core
import Glibc
import Storage
import TestSupport
import Testing

@Suite("The index of words through purges, damage, kills and copies")
struct SearchIndexUpkeepTests: SearchIndexTesting {
    // MARK: Purges and damage

    /// The bytes of every file of a store; call it when the store is closed.
    private func bytes(of world: StoreWorld, _ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for file in ["store.db", "store.db-wal"] {
            guard let stream = fopen(world.path(name) + "/" + file, "r") else { continue }
            defer { fclose(stream) }
            var part = [UInt8](repeating: 0, count: 1 << 20)
            while case let count = fread(&part, 1, part.count, stream), count > 0 {
                bytes += part[..<count]
            }
        }
        return bytes
    }

    private func occurs(_ text: String, in bytes: [UInt8]) -> Bool {
        let part = Array(text.utf8)
        return bytes.indices.dropLast(part.count - 1).contains {
            bytes[$0] == part[0] && Array(bytes[$0..<$0 + part.count]) == part
        }
    }

    @Test(
        "a purge leaves neither a word nor a part of one in the files, also on a device that merges it"
    )
    func purge() throws {
        let world = StoreWorld()
        let stores = try ["a", "b"].map { try world.create($0, options: Self.always) }
        for number in 0..<40 { try StoreWorld.add("other text \(number)", to: stores[0]) }
        let id = try StoreWorld.add("Zqxjkvw", to: stores[0])
        try StoreWorld.mingle(stores)
        for store in stores { #expect(try titles("qxjk", in: store) == ["Zqxjkvw"]) }
        // Changed before the purge: what it was is in an older part of the index.
        try stores[0].write {
            _ = try $0.update(id, [Assignment(.number(3), .text("Jwvkzx"))])
            _ = try $0.update(id, [Assignment(.number(2), .text("Vjzqkx"))])
        }
        let parts = ["zqx", "xjk", "jwv", "kzx", "vjz"]
        stores[0].close()
        let before = bytes(of: world, "a")
        for part in ["zqx", "xjk", "vjz"] { #expect(occurs(part, in: before), "\(part)") }
        let a = try world.open("a", options: Self.always)
        let b = stores[1]
        try a.write {
            _ = try $0.delete(id)
            _ = try $0.purge(id)
        }
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            #expect(try store.examine() == [])
            #expect(try titles("other", in: store).count == 40)
            store.close()
        }
        for name in ["a", "b"] {
            let after = bytes(of: world, name)
            for part in parts + ["Zqxjkvw", "Jwvkzx", "Vjzqkx"] {
                #expect(!occurs(part, in: after), "\(part) in \(name)")
            }
            #expect(occurs("oth", in: after))
        }
    }

    @Test("an index that does not fit the records is found and made anew")
    func damage() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        let id = try StoreWorld.add("one", to: store)
        try StoreWorld.add("two", to: store)
        #expect(try titles("one", in: store) == ["one"])
        try StoreWorld.rename(id, "eleven", in: store)
        for damage in [
            "UPDATE todo_words_moved SET number = number + 50",
            "INSERT INTO todo_words(rowid, grams) VALUES (99, 'xyz')",
            "INSERT INTO todo_words(todo_words) VALUES ('delete-all')",
            "UPDATE todo_words_data SET block = x'00' WHERE id > 10",
        ] {
            try execute(damage, in: store)
            #expect(try store.examine() == [.search(collection: "todo")], "\(damage)")
            #expect(StoreFinding.search(collection: "todo").repair == .indexes)
            try store.rebuildIndexes()
            #expect(try store.examine() == [])
            #expect(try titles("lev", in: store) == ["eleven"])
        }
        // A trigger that is gone, or another one: nothing is found by half an index.
        try execute("DROP TRIGGER todo_words_insert", in: store)
        try StoreWorld.add("three", to: store)
        #expect(try titles("hre", in: store) == ["three"])
        #expect(try parts(store).contains("todo_words_insert"))
        #expect(try store.examine() == [])
    }

    @Test("what was not committed is not in the index, and what was is, after a kill")
    func kill() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        try StoreWorld.add("one", to: store)
        #expect(try titles("one", in: store) == ["one"])
        try StoreWorld.add("two", to: store)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.write { transaction in
                _ = try transaction.insert(
                    [Assignment(.number(2), .text("three"))], into: StoreWorld.todo)
                throw Stop()
            }
        }
        store.abandon()
        let again = try world.open("a", options: Self.always)
        #expect(try titles("two", in: again) == ["two"])
        #expect(try titles("three", in: again) == [])
        #expect(try asksIndex(again))
        #expect(try again.examine() == [])
    }

    @Test("a copy of a store has its index, and what is brought back from there is found")
    func copies() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        let id = try StoreWorld.add("one", to: store)
        try StoreWorld.add("two", to: store)
        #expect(try titles("one", in: store) == ["one"])
        try store.backup(to: world.path("backup"))
        try StoreWorld.rename(id, "changed", in: store)
        let copy = try Store.openCopy(
            of: world.path("backup"), in: world.path("scratch"), schema: StoreWorld.schema,
            environment: world.environment)
        #expect(try titles("one", in: copy) == ["one"])
        let difference = try store.difference(from: copy)
        #expect(difference.changed == [RecordName(toDo: id)] && difference.equalCount == 1)
        try store.restore(difference, from: copy)
        #expect(try titles("one", in: store) == ["one"])
        #expect(try titles("changed", in: store) == [])
        #expect(try store.examine() == [])
        copy.close()
    }

    // MARK: Costs

    @Test(
        "rows are gone through in order where the index would offer too many",
        arguments: [
            (100_000, nil, 33_333), (100_000, 501, 4_086), (100_000, 0, 0), (2_000, 501, 577),
            (2_000, 5_000, 666), (300, -7, 100),
            (300, .min, 100), (300, .max, 100), (0, nil, 0),
        ])
    func candidateCount(count: Int, wanted: Int?, most: Int) {
        #expect(SearchLimits.candidateCountMax(of: count, wanted: wanted) == most)
    }

    @Test("an edit that leaves the texts alone leaves the words alone")
    func edits() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        let id = try StoreWorld.add("one", to: store)
        #expect(try titles("one", in: store) == ["one"])
        func blocks() throws -> Int64 {
            let connection = try Self.connection(store)
            defer { connection.close() }
            return try connection.number(
                "SELECT sum(length(block)) + count(*) FROM todo_words_data")
        }
        let before = try blocks()
        for rank in 0..<5 {
            try store.write { _ = try $0.update(id, [Assignment(.number(7), .int(Int64(rank)))]) }
        }
        #expect(try blocks() == before)
        #expect(try titles("one", in: store) == ["one"])
        try StoreWorld.rename(id, "two", in: store)
        #expect(try blocks() > before)
    }
}

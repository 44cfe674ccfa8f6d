import Core
import Storage
import TestSupport
import Testing

@Suite("The journal of what became visible")
struct JournalTests {
    private let title = Field.number(2)
    private let notes = Field.number(3)

    private func set(_ id: RecordID, _ field: Field, _ value: Value, in store: Store) throws {
        try store.write { _ = try $0.update(id, [Assignment(field, value)]) }
    }

    @Test("an edit tells field, values, author and time; what a record was made with tells itself")
    func edits() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("one", to: store)
        #expect(try store.journal.entries(of: id).isEmpty)
        try StoreWorld.rename(id, "two", in: store)
        try store.write { _ = try $0.update(id, [Assignment(title, .text("two"))]) }
        let entries = try store.journal.entries(of: id)
        #expect(entries.map(\.kind) == [.local, .made])
        #expect(entries[0].before == .text("one") && entries[0].after == .text("two"))
        #expect(entries[0].author == store.replica && entries[0].field == title)
        #expect(entries[0].timestamp > entries[1].timestamp)
        try store.write { _ = try $0.delete(id) }
        let last = try #require(try store.journal.entries(of: id, limit: 1).first)
        #expect(last.field == .deleted && last.before == .bool(false) && last.after == .bool(true))
    }

    @Test("what arrives is told with its true author, and only where something visible changed")
    func merges() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.mingle([a, b])
        #expect(try b.journal.entries(of: id).isEmpty)
        try set(id, notes, .text("n"), in: b)
        try StoreWorld.mingle([a, b])
        let entry = try #require(try a.journal.entries(of: id).first)
        #expect(entry.kind == .merged && entry.author == b.replica && entry.field == notes)
        #expect(entry.before == nil && entry.after == .text("n"))
        let count = try a.journal.entries(of: id).count
        try StoreWorld.mingle([a, b])
        #expect(try a.journal.entries(of: id).count == count)
        // Both at once the same: nothing visible changes at either.
        try set(id, notes, .text("same"), in: a)
        try set(id, notes, .text("same"), in: b)
        let before = try a.journal.entries(of: id).count
        try StoreWorld.mingle([a, b])
        #expect(try a.journal.entries(of: id).count == before)
    }

    @Test("values given without having seen each other are told as such, whichever is shown")
    func concurrent() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("base", to: a)
        try StoreWorld.mingle([a, b])
        try set(id, title, .text("of a"), in: a)
        try set(id, title, .text("of b"), in: b)
        try StoreWorld.mingle([a, b])
        let (atA, atB) = (
            try #require(try a.journal.entries(of: id).first),
            try #require(try b.journal.entries(of: id).first)
        )
        #expect(atA.kind == .above && atA.author == b.replica)
        #expect(atA.before == .text("of a") && atA.after == .text("of b"))
        #expect(atB.kind == .beside && atB.author == a.replica)
        #expect(atB.before == .text("of b") && atB.after == .text("of a"))
        // What a device writes that has seen both comes after both.
        try set(id, title, .text("of both"), in: b)
        try StoreWorld.mingle([a, b])
        let last = try #require(try a.journal.entries(of: id).first)
        #expect(last.kind == .merged && last.before == .text("of b"))
        // The first edit here is undone only against what is shown since, as after any other edit.
        let own = try #require(try a.localChanges(limit: 9).first)
        guard case .refused(let obstacles) = try a.undo(own.timestamp) else {
            Issue.record("undone")
            return
        }
        #expect(obstacles.map(\.field) == [title])
    }

    @Test("a conflict knows what stood there before the two went apart, on every device")
    func bases() throws {
        let world = StoreWorld()
        let (a, b, c) = (try world.create("a"), try world.create("b"), try world.create("c"))
        let id = try StoreWorld.add("base", to: a)
        try StoreWorld.mingle([a, b, c])
        // Twice on one side: the base is what both had, not the value in between.
        try StoreWorld.rename(id, "a1", in: a)
        try StoreWorld.rename(id, "a2", in: a)
        try StoreWorld.rename(id, "b1", in: b)
        #expect(try a.journal.conflictBase(of: title, in: id) == nil)
        try StoreWorld.mingle([a, b, c])
        for store in [a, b, c] {
            #expect(try store.journal.conflictBase(of: title, in: id) == .text("base"))
        }
        #expect(try a.journal.entries(of: id).contains { $0.kind == .beside || $0.kind == .above })
        try b.write { _ = try $0.resolve(id, title, with: .text("b1")) }
        try StoreWorld.mingle([a, b, c])
        for store in [a, b, c] { #expect(try store.journal.conflictBase(of: title, in: id) == nil) }
        // A field that nobody had set: nothing stood there.
        try set(id, notes, .text("x"), in: a)
        try set(id, notes, .text("y"), in: c)
        try StoreWorld.mingle([a, c])
        #expect(try a.journal.conflictBase(of: notes, in: id) == .null)
    }

    @Test("a base outlives the journal's bounds")
    func baseOutlives() throws {
        let world = StoreWorld()
        var options = StoreOptions()
        options.journalEntryCountMax = 10
        let a = try world.create("a", options: options)
        let b = try world.create("b")
        let id = try StoreWorld.add("base", to: a)
        try StoreWorld.mingle([a, b])
        try StoreWorld.rename(id, "x", in: a)
        try StoreWorld.rename(id, "y", in: b)
        try StoreWorld.mingle([a, b])
        let other = try StoreWorld.add("other", to: a)
        for number in 0..<200 { try StoreWorld.rename(other, "\(number)", in: a) }
        #expect(try a.journal.entries(of: id).isEmpty)
        #expect(try a.journal.conflictBase(of: title, in: id) == .text("base"))
    }

    @Test("the journal keeps to its bounds, by number and by bytes, and says since when it tells")
    func bounds() throws {
        let world = StoreWorld()
        var options = StoreOptions()
        options.journalEntryCountMax = 100
        options.journalByteCountMax = 20_000
        let store = try world.create("a", options: options)
        let id = try StoreWorld.add("start", to: store)
        #expect(try store.journal.start() == nil)
        for number in 0..<400 { try StoreWorld.rename(id, "\(number)", in: store) }
        // Looked at every 64 entries.
        #expect(try store.journal.entries(of: id).count < 100 + 64)
        #expect(try store.journal.start() != nil)
        for _ in 0..<40 {
            for mark in ["a", "b"] {
                try StoreWorld.rename(id, String(repeating: mark, count: 1000), in: store)
            }
        }
        #expect(try store.journal.entries(of: id).count < 10 + 64)
        let numbers = try store.journal.entries(of: id).map(\.number)
        #expect(numbers == Array((numbers.last ?? 0)...(numbers.first ?? 0)).reversed())
        #expect(try store.examine() == [])
    }

    @Test("an edit that fails leaves no entry")
    func rollback() throws {
        let world = StoreWorld()
        let store = try world.create("a")
        let id = try StoreWorld.add("one", to: store)
        try StoreWorld.rename(id, "two", in: store)
        let count = try store.journal.entries(of: id).count
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.write { transaction throws -> Void in
                try transaction.update(id, [Assignment(title, .text("three"))])
                throw Stop()
            }
        }
        #expect(try store.journal.entries(of: id).count == count)
        try StoreWorld.rename(id, "four", in: store)
        #expect(try store.journal.entries(of: id).count == count + 1)
    }

    @Test("a purge takes the values out of every device's journal")
    func purges() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("secret one", to: a)
        try StoreWorld.rename(id, "secret two", in: a)
        try StoreWorld.mingle([a, b])
        try StoreWorld.rename(id, "secret three", in: b)
        try StoreWorld.mingle([a, b])
        try a.write {
            _ = try $0.delete(id)
            _ = try $0.purge(id)
        }
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            let entries = try store.journal.entries(of: id)
            #expect(!entries.isEmpty)
            #expect(
                entries.allSatisfy { $0.kind == .erased && $0.before == nil && $0.after == nil })
        }
    }
}

@Suite("What the journal leaves alone")
struct JournalCostTests {
    @Test("records that are made or arrive for the first time leave no entry, however many")
    func firstInserts() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        try a.write { transaction in
            for number in 0..<500 {
                try transaction.insert(
                    [Assignment(.number(2), .text("\(number)"))], into: StoreWorld.todo)
            }
        }
        try StoreWorld.mingle([a, b])
        #expect(try a.journal.lastNumber() == 0 && b.journal.lastNumber() == 0)
    }

    @Test("a save that changes nothing, a repeated sync and names of devices leave no entry")
    func nothing() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = try StoreWorld.add("one", to: a)
        try StoreWorld.rename(id, "one", in: a)
        try StoreWorld.mingle([a, b])
        try StoreWorld.mingle([a, b])
        try a.edit { transaction throws(StoreFault) in try transaction.nameDevice("other") }
        try StoreWorld.mingle([a, b])
        #expect(try a.journal.lastNumber() == 0 && b.journal.lastNumber() == 0)
    }
}

import Core
import Glibc
import Storage
import TestSupport
import Testing

@Suite("Searches by an index of words")
struct SearchIndexTests: SearchIndexTesting {
    // MARK: Texts

    @Test(
        "a part of a word is found, whatever the case, accents and writing",
        arguments: [
            ("Fahrradschloss", "schloss"), ("Fahrradschloss", "FAHR"), ("Fahrradschloss", "ss"),
            ("Café crème", "cafe"), ("cafe creme", "CAFÉ"), ("e\u{301}te\u{301}", "été"),
            ("ÄPFEL", "apfel"), ("Müller", "müll"), ("Muller", "mü"), ("İstanbul", "istanbul"),
            ("ΟΔΟΣ", "οδός"), ("Йод", "йод"), ("Ёлка", "елка"), ("東京で会議", "会議"),
            ("東京で会議", "京"), ("東京で会議", "東京で会議"), ("한국어", "국어"), ("สวัสดี", "วัส"),
            ("🎉 party 👩‍👩‍👧", "🎉"), ("🎉 party 👩‍👩‍👧", "👩‍👩‍👧"), ("a 🎉", "a 🎉"), ("C++ and C#", "c++"),
            ("C++ and C#", "C#"), ("50% off_now", "% off"), ("mail@host.example", "@host"),
            ("buy milk", "y m"), ("buy milk", "uy milk"), ("line\nbreak", "e\nb"), ("x", "x"),
            ("nul\u{0}nul", "l\u{0}n"), ("it's \"so\"", "\"so\""), ("ǅ ß ﬁ", "ß"),
            ("\u{301}", "\u{301}"),
        ])
    func finds(text: String, part: String) throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        try StoreWorld.add("other words", to: store)
        let id = try StoreWorld.add(text, to: store)
        #expect(try store.fetch(Self.request(part)).map(\.id) == [id])
        #expect(try store.examine() == [])
        // It is looked for in the same way where no column is asked.
        #expect(text.contains(folded: part.foldedForSearch))
    }

    @Test(
        "what a text does not contain is not found, though it has all parts of its words",
        arguments: [("abcd bcde", "abcde"), ("xaby abz", "ab x"), ("각", "가"), ("milk", "milks")])
    func misses(text: String, part: String) throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        try StoreWorld.add(text, to: store)
        #expect(try store.fetch(Self.request(part)) == [])
    }

    @Test("texts that occur nowhere and everywhere, signs alone and nothing at all are answered")
    func extremes() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        for text in RecordMaker.texts { try StoreWorld.add(text, to: store) }
        for part in RecordMaker.texts + ["\"", "\"*", "a AND", "NEAR(", "-", ")", "*", "^", ":"] {
            for scope in [FetchRequest.Scope.live, .all] {
                let request = Self.request(part, scope: scope)
                #expect(
                    try store.fetch(request).map(\.id) == Self.scan(part, request, store),
                    "\(part.debugDescription)")
            }
        }
        #expect(try asksIndex(store))
        #expect(try store.examine() == [])
    }

    // MARK: Any course of events

    private static let words = [
        "Bicycle", "bike", "bíke", "Kitchen", "KITCHENS", "会議", "議事", "🎉", "x", "ab", "abc", "c++",
    ]

    /// Three stores with an index, and edits of all kinds.
    private struct Program {
        let world: StoreWorld
        let stores: [Store]
        var chance: RecordMaker
        var names: [RecordName] = []

        init(seed: UInt64) throws {
            world = StoreWorld(seed: seed)
            stores = try ["a", "b", "c"].map { [world] in
                try world.create($0, options: SearchIndexTests.always)
            }
            chance = RecordMaker(seed: seed)
        }

        mutating func text() -> Value {
            let words = (0...chance.below(4)).map { _ in chance.pick(SearchIndexTests.words) }
            return chance.once(in: 8) ? .null : .text(words.joined(separator: " "))
        }

        mutating func step() throws {
            let store = chance.pick(stores)
            switch chance.below(14) {
            case 0...3:
                let id = try store.write {
                    try $0.insert(
                        [
                            Assignment(.number(2), text()), Assignment(.number(3), text()),
                            Assignment(.number(7), .int(1)),
                        ].filter { !$0.value.isNull }, into: StoreWorld.todo)
                }
                names.append(RecordName(toDo: id))
            case 4...8: try touch(store)
            case 9:
                let changes = try store.localChanges(limit: 20)
                if !changes.isEmpty { _ = try store.undo(chance.pick(changes).timestamp) }
            case 10:
                if chance.once(in: 4) {
                    let thief = chance.pick(stores)
                    if thief !== store {
                        _ = try store.takeBack(
                            [thief.replica], of: [UInt8](repeating: 7, count: 32))
                    }
                }
            case 11:
                // Nothing of what is decided against stays.
                let name = names.first
                struct Never: Error {}
                #expect(throws: Never.self) {
                    try store.write { transaction in
                        if let name {
                            _ = try? transaction.update(
                                name, [Assignment(.number(2), .text("never"))])
                        }
                        throw Never()
                    }
                }
            default:
                let other = chance.pick(stores)
                if other !== store { try StoreWorld.pull(store, from: other) }
            }
        }

        private mutating func touch(_ store: Store) throws {
            if names.isEmpty { return }
            for _ in 0...chance.below(3) {
                let name = chance.pick(names)
                let (kind, isForced) = (chance.below(8), chance.once(in: 2))
                let assignments = [
                    chance.once(in: 3)
                        ? Assignment(.number(7), .int(Int64(chance.below(9))))
                        : Assignment(.number(chance.once(in: 2) ? 2 : 3), text())
                ]
                do {
                    try store.write { transaction in
                        switch kind {
                        case 0: try transaction.delete(name)
                        case 1: try transaction.restore(name)
                        case 2: try transaction.purge(name, isForced: isForced)
                        default: try transaction.update(name, assignments)
                        }
                    }
                } catch StoreFault.noSuchRecord, StoreFault.recordDeleted, StoreFault.recordPurged,
                    StoreFault.conflictOpen, StoreFault.notDeleted
                {
                    continue
                }
            }
        }

        /// Expects that every search gives what all records give that are looked through.
        mutating func judge() throws {
            for store in stores {
                let part =
                    chance.once(in: 3) ? chance.pick(["bi", "itch", "never"]) : chance.pick(words)
                for scope in [FetchRequest.Scope.live, .trash, .all, .conflicted] {
                    let limit = chance.once(in: 2) ? nil : chance.below(4)
                    let request = SearchIndexTests.request(part, scope: scope, limit: limit)
                    let expected = try SearchIndexTests.scan(part, request, store)
                    #expect(try store.fetch(request).map(\.id) == expected, "\(part) in \(scope)")
                    var unlimited = request
                    unlimited.limit = nil
                    #expect(
                        try store.count(unlimited)
                            == SearchIndexTests.scan(part, unlimited, store).count)
                }
            }
        }

        private let words = SearchIndexTests.words
    }

    @Test(
        "whatever happens to three stores, a search finds what a look at every record finds",
        arguments: 1...8)
    func random(seed: UInt64) throws {
        var program = try Program(seed: seed)
        for number in 0..<90 {
            try program.step()
            if number % 3 == 0 { try program.judge() }
            if number % 10 == 0 {
                for store in program.stores { #expect(try store.examine() == []) }
            }
        }
        try StoreWorld.mingle(program.stores)
        try program.judge()
        for store in program.stores {
            #expect(try store.examine() == [])
            #expect(try asksIndex(store))
            store.close()
        }
        for name in ["a", "b", "c"] {
            let store = try program.world.open(name, options: Self.always)
            #expect(try store.examine() == [])
        }
    }

    @Test("what a search finds by the index is what conditions around it say")
    func conditions() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        for title in ["red bike", "green bike", "red car", "train"] {
            try StoreWorld.add(title, to: store)
        }
        func found(_ predicate: FetchPredicate) throws -> [String] {
            try store.fetch(FetchRequest(StoreWorld.todo, where: predicate))
                .compactMap { Self.text($0, 2) }.sorted()
        }
        let (bike, red) = (Self.holding("bike"), Self.holding("red"))
        #expect(try found(.and([bike, red])) == ["red bike"])
        #expect(try found(.or([bike, red])) == ["green bike", "red bike", "red car"])
        #expect(try found(.and([bike, .not(red)])) == ["green bike"])
        #expect(try found(.not(bike)) == ["red car", "train"])
        #expect(try found(.or([bike, .contains(Self.title, "t")])).count == 3)
        #expect(try found(.or([bike, .compare(Self.title, .equal, .text("train"))])).count == 3)
        #expect(try found(.and([bike, .idPrefix("f")])).isEmpty)
        // More words than are looked up at once.
        let many = (0..<80).map { Self.holding("nothing \($0)") }
        #expect(try found(.or(many + [bike])).count == 2)
        #expect(
            try found(.and([Self.holding("red bike and a word of a hundred characters"), bike]))
                .isEmpty)
    }

    // MARK: When there is an index

    @Test("the index is made by the first search among enough records, and by nothing else")
    func laziness() throws {
        let world = StoreWorld()
        var options = StoreOptions()
        options.searchedRecordCountMin = 3
        let store = try world.create("a", options: options)
        try StoreWorld.add("one", to: store)
        try StoreWorld.add("two", to: store)
        #expect(try titles("one", in: store) == ["one"])
        #expect(try parts(store) == [])
        try StoreWorld.add("three", to: store)
        _ = try store.fetch(FetchRequest(StoreWorld.todo))
        _ = try store.fetch(FetchRequest(StoreWorld.todo, where: .contains(.field(4), "one")))
        _ = try store.fetch(FetchRequest(StoreWorld.todo, where: .contains(Self.title, "e")))
        _ = try store.fetch(FetchRequest(StoreWorld.todo, where: .not(Self.holding("one"))))
        try store.reading { () throws(StoreFault) in _ = try store.fetch(Self.request("one")) }
        #expect(try parts(store) == [])
        #expect(try titles("hre", in: store) == ["three"])
        #expect(
            try parts(store).filter { $0.hasPrefix("todo_words_") }.contains("todo_words_update"))
        #expect(try asksIndex(store))
        // Kept from then on, by a program that makes none as well.
        store.close()
        let again = try world.open("a")
        try StoreWorld.add("four", to: again)
        #expect(try titles("our", in: again) == ["four"])
        #expect(try asksIndex(again))
        #expect(StoreOptions().searchedRecordCountMin == 2_000)
    }

    @Test("an index that a process makes which writes nothing else raises no doubt about the file")
    func noDoubt() throws {
        let world = StoreWorld()
        let first = try world.create("a")
        for title in ["one", "two", "three"] { try StoreWorld.add(title, to: first) }
        let replica = try first.summary().replica
        first.close()
        for round in 0..<3 {
            let store = try world.open("a", options: Self.always)
            #expect(store.suspicion == nil, "round \(round)")
            #expect(try titles("hre", in: store) == ["three"])
            #expect(try store.examine() == [])
            #expect(try store.summary().replica == replica)
            store.close()
        }
    }

    @Test("while another process writes, a search waits for nobody and finds without an index")
    func busy() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        try StoreWorld.add("one", to: store)
        let other = try Self.connection(store)
        try other.execute("BEGIN IMMEDIATE")
        #expect(try titles("on", in: store) == ["one"])
        #expect(try titles("one", in: store) == ["one"])
        try other.execute("ROLLBACK")
        other.close()
        #expect(try parts(store) == [])
        #expect(try titles("one", in: store) == ["one"])
        #expect(try parts(store) != [])
    }

    @Test("on a full disk a search finds without an index, and the store stays whole")
    func fullDisk() throws {
        let world = StoreWorld()
        let made = try world.create("a")
        try made.write { transaction in
            for number in 0..<300 {
                _ = try transaction.insert(
                    [Assignment(.number(2), .text("word\(number &* 7_919) other\(number)"))],
                    into: StoreWorld.todo)
            }
        }
        made.close()
        var options = Self.always
        let reading = try world.open("a")
        let connection = try Self.connection(reading)
        options.pageCountMax = Int(try connection.number("PRAGMA page_count")) + 2
        connection.close()
        reading.close()
        let store = try world.open("a", options: options)
        #expect(try titles("other299", in: store).count == 1)
        #expect(try parts(store) == [])
        #expect(try store.examine() == [])
    }

    @Test("a search in a transaction sees what the transaction wrote")
    func inTransaction() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        let id = try StoreWorld.add("one", to: store)
        #expect(try titles("one", in: store) == ["one"])
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(RecordName(toDo: id), [Assignment(.number(2), .text("changed"))])
            let found = try store.fetch(Self.request("hang"))
            #expect(found.map(\.id) == [id])
            #expect(try store.fetch(Self.request("one")) == [])
        }
    }

    @Test("another schema takes the index away, and the next search makes it anew")
    func anotherSchema() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        for title in ["one", "other", "more", "most"] { try StoreWorld.add(title, to: store) }
        #expect(try titles("one", in: store) == ["one"])
        store.close()
        let other = [
            CollectionSchema(
                .number(1), "todo",
                fields: [FieldSchema(2, "title", .text), FieldSchema(3, "text", .text)],
                searched: ["text"])
        ]
        let changed = try world.open("a", schema: other, options: Self.always)
        #expect(try parts(changed) == [])
        try changed.write {
            _ = try $0.insert([Assignment(.number(3), .text("two"))], into: StoreWorld.todo)
        }
        let text = FetchPredicate.contains(Self.notes, "two")
        #expect(try changed.fetch(FetchRequest(StoreWorld.todo, where: text)).count == 1)
        #expect(try asksIndex(changed))
        #expect(try changed.examine() == [])
        changed.close()
        let back = try world.open("a", options: Self.always)
        #expect(try titles("one", in: back) == ["one"])
        #expect(try asksIndex(back))
        #expect(try back.examine() == [])
    }

    @Test("other columns alone make the index anew, without a rewriting of rows")
    func otherColumns() throws {
        let world = StoreWorld()
        let store = try world.create("a", options: Self.always)
        for title in ["one", "other", "more", "most"] { try StoreWorld.add(title, to: store) }
        #expect(try titles("one", in: store) == ["one"])
        store.close()
        let known = StoreWorld.schema[0]
        let other = [
            CollectionSchema(
                known.id, known.name, fields: known.fields, indexes: known.indexes, counted: "rank",
                searched: ["title"])
        ]
        let changed = try world.open("a", schema: other, options: Self.always)
        let request = FetchRequest(StoreWorld.todo, where: .contains(Self.title, "one"))
        #expect(try changed.fetch(request).count == 1)
        #expect(try asksIndex(changed))
        #expect(try changed.examine() == [])
    }
}

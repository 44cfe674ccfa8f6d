import Core
import Storage
import TestSupport
import Testing

@Suite("Fetching")
struct FetchTests {
    private let world = StoreWorld()
    private let store: Store

    init() throws {
        store = try world.create("a")
    }

    @discardableResult
    private func make(_ title: String, _ others: [Assignment] = []) throws -> RecordID {
        try store.write {
            try $0.insert([Assignment(.number(2), .text(title))] + others, into: StoreWorld.todo)
        }
    }

    private func titles(
        _ predicate: FetchPredicate, scope: FetchRequest.Scope = .live,
        sort: [FetchRequest.SortDescriptor] = [], limit: Int? = nil, offset: Int = 0
    ) throws -> [String] {
        let request = FetchRequest(
            StoreWorld.todo, scope: scope, where: predicate, sort: sort, limit: limit,
            offset: offset)
        let found = try store.fetch(request).compactMap { record in
            if case .text(let title)? = record[2] { title } else { nil }
        }
        if limit == nil, offset == 0 { #expect(try store.count(request) == found.count) }
        return sort.isEmpty ? found.sorted() : found
    }

    @Test("fields are compared, and an absent one is different from everything")
    func compare() throws {
        try make("a", [Assignment(.number(7), .int(1)), Assignment(.number(5), .day(20_000))])
        try make("b", [Assignment(.number(7), .int(2)), Assignment(.number(6), .bool(true))])
        try make("c", [Assignment(.number(5), .instant(1_728_000_000_001))])
        let (rank, due, done) = (FieldPath.field(7), FieldPath.field(5), FieldPath.field(6))
        #expect(try titles(.compare(rank, .equal, .int(1))) == ["a"])
        #expect(try titles(.compare(rank, .notEqual, .int(1))) == ["b", "c"])
        #expect(try titles(.compare(rank, .less, .int(2))) == ["a"])
        #expect(try titles(.compare(rank, .lessOrEqual, .int(2))) == ["a", "b"])
        #expect(try titles(.compare(rank, .greater, .int(1))) == ["b"])
        #expect(try titles(.compare(rank, .greaterOrEqual, .int(1))) == ["a", "b"])
        #expect(try titles(.absent(rank)) == ["c"])
        #expect(try titles(.not(.compare(rank, .equal, .int(1)))) == ["b", "c"])
        #expect(try titles(.compare(done, .equal, .bool(true))) == ["b"])
        #expect(try titles(.compare(done, .notEqual, .bool(true))) == ["a", "c"])
        #expect(try titles(.compare(due, .equal, .day(20_000))) == ["a"])
        #expect(try titles(.compare(due, .less, .day(20_001))) == ["a", "c"])
        #expect(try titles(.compare(due, .greater, .day(20_000))) == ["c"])
        #expect(try titles(.and([.absent(done), .absent(due)])) == [])
        #expect(
            try titles(.or([.absent(rank), .compare(done, .equal, .bool(true))])) == ["b", "c"])
        #expect(try titles(.and([])) == ["a", "b", "c"])
        #expect(try titles(.or([])) == [])
        #expect(try titles(.compare(.field(4711), .equal, .int(1))) == [])
    }

    @Test("texts are found whatever the case of letters and the form of accents")
    func contains() throws {
        try make("Äpfel KAUFEN")
        try make("cafe\u{301}")
        try make("50% off_now")
        let title = FieldPath.field(2)
        #expect(try titles(.contains(title, "äPFEL")) == ["Äpfel KAUFEN"])
        #expect(try titles(.contains(title, "kaufen")) == ["Äpfel KAUFEN"])
        #expect(try titles(.contains(title, "CAFÉ")).count == 1)
        #expect(try titles(.contains(title, "%")) == ["50% off_now"])
        #expect(try titles(.contains(title, "0_off")) == [])
        #expect(try titles(.contains(title, "")).count == 3)
        #expect(try titles(.hasPrefix(title, "Äpf")) == ["Äpfel KAUFEN"])
        #expect(try titles(.hasPrefix(title, "äpf")) == [])
        #expect(try titles(.hasPrefix(title, "%")) == [])
    }

    @Test("texts that look like SQL are texts, as values, names and tags")
    func injection() throws {
        let evil = [
            "'; drop table todo_record; --", "\" or 1=1 --", "a\"b", "\\", "$.x", "x') or ('1'='1",
            "[0]", "a.b", "*", "é\"", "tab\t", "#-1",
        ]
        for text in evil {
            try make(
                text,
                [
                    Assignment(.custom(text), .text(text)),
                    Assignment(.element(.number(8), text: text), .bool(true)),
                ])
        }
        for text in evil {
            #expect(try titles(.compare(.field(2), .equal, .text(text))) == [text])
            #expect(try titles(.compare(.custom(text), .equal, .text(text))) == [text])
            #expect(try titles(.has(8, text)) == [text])
            #expect(try titles(.contains(.field(2), text)).contains(text))
            #expect(try titles(.contains(.custom(text), text)) == [text])
            let sorted = try titles(
                .all, sort: [FetchRequest.SortDescriptor(.custom(text))], limit: 1)
            #expect(sorted == [text])
        }
        #expect(try store.examine() == [])
    }

    @Test("a tag is found whole, and only where it is")
    func tags() throws {
        func tagged(_ title: String, _ tags: String...) throws {
            try make(title, tags.map { Assignment(.element(.number(8), text: $0), .bool(true)) })
        }
        try tagged("1", "a\"b", "x")
        try tagged("2", "b", "a")
        try tagged("3", "a,", "c")
        try tagged("4", "\\")
        try tagged("5", "")
        #expect(try titles(.has(8, "a\"b")) == ["1"])
        #expect(try titles(.has(8, "b")) == ["2"])
        #expect(try titles(.has(8, "a")) == ["2"])
        #expect(try titles(.has(8, ",")) == [])
        #expect(try titles(.has(8, "a,")) == ["3"])
        #expect(try titles(.has(8, "\\")) == ["4"])
        #expect(try titles(.has(8, "")) == ["5"])
        #expect(try titles(.not(.has(8, "a"))) == ["1", "3", "4", "5"])
        #expect(try titles(.has(2, "1")) == [])
    }

    @Test("custom fields of every kind are compared and sorted by")
    func custom() throws {
        try make(
            "a", [Assignment(.custom("size"), .int(10)), Assignment(.custom("ok"), .bool(true))])
        try make("b", [Assignment(.custom("size"), .double(2.5))])
        try make("c", [Assignment(.custom("when"), .day(20_000))])
        let size = FieldPath.custom("size")
        #expect(try titles(.compare(size, .greater, .int(2))) == ["a", "b"])
        #expect(try titles(.compare(size, .equal, .int(10))) == ["a"])
        #expect(try titles(.absent(size)) == ["c"])
        #expect(try titles(.compare(.custom("ok"), .equal, .bool(true))) == ["a"])
        #expect(try titles(.compare(.custom("when"), .equal, .day(20_000))) == ["c"])
        #expect(try titles(.all, sort: [.init(size)]) == ["b", "a", "c"])
        #expect(try titles(.all, sort: [.init(size, isAscending: false)]) == ["a", "b", "c"])
        #expect(try titles(.compare(size, .greater, .int(2)), sort: [.init(size)]) == ["b", "a"])
    }

    @Test("records without a value come last in either order, also through a reference")
    func sort() throws {
        let parent = try make("p1", [Assignment(.number(7), .int(1))])
        let other = try make("p2", [Assignment(.number(7), .int(2))])
        let gone = try make("p3", [Assignment(.number(7), .int(0))])
        try make("c", [Assignment(.number(9), .toDo(other))])
        try make("b", [Assignment(.number(9), .toDo(parent))])
        try make("a", [Assignment(.number(9), .toDo(gone))])
        try make("d", [Assignment(.number(9), .toDo(RecordID(value: 99)))])
        try store.write { _ = try $0.delete(gone) }
        let rank = FetchRequest.SortDescriptor(.field(7))
        let title = FetchRequest.SortDescriptor(.field(2))
        let through = FieldPath.through(9, 7)
        #expect(try titles(.all, sort: [rank, title]) == ["p1", "p2", "a", "b", "c", "d"])
        let down = FetchRequest.SortDescriptor(.field(7), isAscending: false)
        #expect(try titles(.all, sort: [down, title]) == ["p2", "p1", "a", "b", "c", "d"])
        #expect(
            try titles(.all, sort: [.init(through), title]) == ["b", "c", "a", "d", "p1", "p2"])
        #expect(
            try titles(.all, sort: [.init(through, isAscending: false), title])
                == ["c", "b", "a", "d", "p1", "p2"])
        #expect(try titles(.compare(through, .equal, .int(2))) == ["c"])
        #expect(try titles(.contains(.through(9, 2), "P1")) == ["b"])
        #expect(try titles(.all, sort: [title], limit: 2, offset: 1) == ["b", "c"])
        #expect(try titles(.all, sort: [title], limit: 0) == [])
        #expect(try titles(.all, sort: [title], offset: 5) == ["p2"])
    }

    @Test("ids are found by their beginning and by lists of any length")
    func ids() throws {
        var all: [RecordID] = []
        for number in 0..<10 { all.append(try make("\(number)")) }
        let text = all[3].uuidText
        #expect(try titles(.idPrefix(text)) == ["3"])
        #expect(try titles(.idPrefix(text.uppercased().filter { $0 != "-" })) == ["3"])
        #expect(try titles(.idPrefix(String(text.dropLast(1)))).contains("3"))
        #expect(try titles(.idPrefix(String(text.prefix(3)))).count == 10)
        #expect(try titles(.idPrefix("")).count == 10)
        #expect(try titles(.idPrefix("zz")) == [])
        #expect(try titles(.idPrefix("%")) == [])
        #expect(try titles(.idPrefix(text + "0")) == [])
        #expect(try titles(.idPrefix(String(repeating: "f", count: 32))) == [])
        let digits = text.filter { $0 != "-" }
        for count in [4, 8, 9, 12, 32] {
            #expect(try titles(.idSuffix(String(digits.suffix(count)))).contains("3"))
        }
        #expect(try titles(.idSuffix(String(digits.suffix(12)))) == ["3"])
        for none in ["zzzzzzzz", "+1234567", "0" + digits, "%"] {
            #expect(try titles(.idSuffix(none)) == [])
        }
        #expect(try titles(.oneOf([all[1], all[8], RecordID(value: 1)])) == ["1", "8"])
        #expect(try titles(.oneOf([])) == [])
        let many = (0..<50_000).map { RecordID(value: UInt128($0)) } + [all[5]]
        #expect(try titles(.oneOf(many)) == ["5"])
        #expect(try titles(.not(.oneOf([all[0]]))).count == 9)
    }

    @Test("the trash, the conflicts and all records are scopes of their own")
    func scopes() throws {
        let peer = try world.create("b")
        let ids = try ["live", "trash", "purged", "conflict"].map { try make($0) }
        try StoreWorld.mingle([store, peer])
        try store.write { transaction in
            try transaction.delete(ids[1])
            try transaction.delete(ids[2])
            try transaction.purge(ids[2])
            try transaction.update(ids[3], [Assignment(.number(2), .text("mine"))])
        }
        try StoreWorld.rename(ids[3], "theirs", in: peer)
        try StoreWorld.mingle([store, peer])
        #expect(try titles(.all).count == 2)
        #expect(try titles(.all, scope: .trash) == ["trash"])
        #expect(try titles(.all, scope: .conflicted).count == 1)
        #expect(try store.fetch(FetchRequest(StoreWorld.todo, scope: .all)).count == 4)
        try store.write { _ = try $0.resolve(ids[3], .number(2), with: .text("both")) }
        try StoreWorld.mingle([store, peer])
        #expect(try titles(.all, scope: .conflicted) == [])
        #expect(try peer.fetch(FetchRequest(StoreWorld.todo, scope: .conflicted)).isEmpty)
        try StoreWorld.expectEqual([store, peer])
    }

    @Test("the sqlite3 shell reads the view with its real columns, without what is deleted")
    func shell() throws {
        try make(
            "milk",
            [
                Assignment(.number(5), .day(20_000)), Assignment(.number(6), .bool(false)),
                Assignment(.element(.number(8), text: "shop"), .bool(true)),
                Assignment(.custom("aisle"), .int(4)),
            ])
        let gone = try make("gone")
        try store.write { _ = try $0.delete(gone) }
        let answer = world.run(
            "sqlite3", "-json", store.paths.database,
            "select title, due, done, tags, custom from todo where due < '2030'")
        #expect(answer.status == 0)
        #expect(
            answer.output.contains(
                #"{"title":"milk","due":"2024-10-04","done":0,"tags":"[\"shop\"]","custom":"{\"aisle\":4}"}"#
            ))
        let count = world.run("sqlite3", store.paths.database, "select count(*) from todo").output
        #expect(count == "1\n")
    }
}

import Core
import Glibc
import Storage
import TestSupport
import Testing
import ToDo

@Suite("Numbers of to-dos")
struct NumberTests: NumberedToDos {
    let world: ToDoWorld
    let store: Store
    private let day: Int64 = 86_400_000

    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        store = try world.store("laptop")
    }

    @Test("a pending to-do keeps its number, whoever lists what")
    func kept() throws {
        let (milk, bread, tea) = (try add("milk"), try add("bread"), try add("tea"))
        #expect(naming("a").show([milk, bread, tea]) == [1, 2, 3])
        #expect(naming("bar").show([tea, bread]) == [3, 2])
        try finish(milk)
        #expect(naming("a").show([try add("jam"), bread]) == [4, 2])
        #expect(try found(["2"], by: "a") == ["bread"])
        #expect(try found(["1"], by: "a") == ["milk"])
    }

    @Test(
        "a number rests for a day after its to-do was seen finished, and is not given while somebody has it before them"
    )
    func rests() throws {
        let milk = try add("milk")
        #expect(naming("a").show([milk]) == [1])
        try finish(milk)
        // Giving a number looks at the owners of others: here the one that is finished is seen.
        #expect(naming("b").show([try add("bread")]) == [2])
        world.now += day - 2
        #expect(naming("b").show([try add("tea")]) == [3])
        world.now += day
        // It stands on the screen of `a` still.
        #expect(naming("b").show([try add("jam")]) == [4])
        let many = try (0..<ToDoNumbers.shownCountMax).map { try add("\($0)") }
        #expect(naming("a").show(many).first == 5)
        world.now += day
        #expect(naming("b").show([try add("salt")]) == [1])
    }

    @Test("a finished to-do that is shown has a number, and keeps it when it is pending again")
    func finished() throws {
        let milk = try add("milk")
        try finish(milk)
        #expect(naming("a").show([try again(milk)]) == [1])
        _ = try world.todos(store).setStatus(.pending, of: [milk.id])
        #expect(naming("a").show([try again(milk)]) == [1])
        world.now += 3 * day
        #expect(naming("b").show([try add("bread")]) == [2])
    }

    @Test("where a number stands for another to-do than this terminal was shown, it names none")
    func changed() throws {
        let (milk, bread) = (try add("milk"), try add("bread"))
        _ = naming("a").show([milk, bread])
        // As it may be after the file came back from a copy.
        let connection = try Connection(
            path: ToDoNumbers.path(in: store.paths.folder), on: store.disk, creates: false,
            busyMilliseconds: 0)
        try connection.execute("UPDATE number SET number = 9 WHERE number = 2")
        try connection.execute("UPDATE number SET number = 2 WHERE number = 1")
        connection.close()
        do {
            _ = try naming("a").find(["2"], in: .alive)
            Issue.record("a number that changed hands named a to-do")
        } catch {
            guard case .changed(2, let shown, let now) = error else { throw error }
            #expect(shown?.id == bread.id && now?.id == milk.id)
        }
        // A reader who was shown nothing has nothing to mistake.
        #expect(try found(["2"], by: "b") == ["milk"])
    }

    @Test("a damaged file gives numbers that nobody was shown before")
    func damaged() throws {
        let milk = try add("milk")
        _ = naming("a").show([milk])
        let path = ToDoNumbers.path(in: store.paths.folder)
        for file in StorePaths.files(ofDatabase: path) { store.disk.remove(file) }
        let file = try #require(fopen(path, "w"))
        fputs("not a database, but some text of a file", file)
        fclose(file)
        #expect(naming("a").show([milk]) == [1001])
    }

    @Test(
        "there is no number above the greatest, and to-dos without one are named by the ends of their ids"
    )
    func greatest() throws {
        let (milk, bread) = (try add("milk"), try add("bread"))
        _ = naming("a").show([milk])
        let connection = try Connection(
            path: ToDoNumbers.path(in: store.paths.folder), on: store.disk, creates: false,
            busyMilliseconds: 0)
        try connection.execute("UPDATE number SET number = \(ToDoNumbers.numberMax)")
        connection.close()
        #expect(naming("a").show([milk, bread]) == [ToDoNumbers.numberMax, nil])
        let name = naming("a").name(of: bread)
        #expect(name == bread.id.tail && name.count == 8)
        #expect(try found([name], by: "a") == ["bread"])
    }

    @Test("the end of an id is shown with as many digits as it takes to name no other to-do")
    func ends() throws {
        let ids: [UInt128] = [
            0x0190_0000_0000_7000_8000_0001_aabb_ccdd,
            0x0190_0000_0000_7000_8000_0012_aabb_ccdd,
            // Begins as both end, and as the second ends with one digit more.
            0xaabb_ccdd_0000_7000_8000_0000_0000_0003,
            0x2aab_bccd_d000_7000_8000_0000_0000_0004,
            0x0190_0000_0000_7000_8000_0000_1234_5678,
        ]
        let todos = world.todos(store)
        for (index, id) in ids.enumerated() {
            var item = ToDoItem(title: "\(index)")
            item.identifier = id
            _ = try todos.add(item)
        }
        // One in the trash is named by its end as well.
        _ = try todos.delete([RecordID(value: ids[1])])
        let names = todos.ends(of: ids.map { RecordID(value: $0) })
        #expect(names == ["1aabbccdd", "12aabbccdd", "00000003", "00000004", "12345678"])
        let records = try ids.map { try #require(try todos.stored(RecordID(value: $0))) }
        let unnumbered = ToDoNaming(todos, reader: "a", keepsNumbers: false)
        #expect(unnumbered.names(of: records) == names)
        for (index, name) in names.enumerated() {
            #expect(try unnumbered.find([name], in: .any).map(\.id.value) == [ids[index]])
        }
        do {
            _ = try unnumbered.find(["aabbccdd"], in: .any)
            Issue.record("digits that may be those of three to-dos named one")
        } catch {
            guard case .several(_, let found, hasMore: false) = error else { throw error }
            #expect(Set(found.map(\.id.value)) == Set(ids[..<3]))
        }
        #expect(todos.end(of: RecordID(value: 1)) == "00000001")
    }

    @Test("of more readers than are remembered the one that was not here for longest is forgotten")
    func readers() throws {
        let milk = try add("milk")
        _ = naming("first").show([milk])
        naming("first").setLatest(milk.id)
        for number in 0..<NumberReaders.readerCountMax {
            world.now += 1
            _ = naming("\(number)").show([milk])
        }
        #expect(throws: ToDoNameFault.self) { try naming("first").find(["last"], in: .alive) }
    }

    @Test("scripts without a terminal, however many, make no terminal's list forgotten")
    func scripts() throws {
        let milk = try add("milk")
        _ = naming("34816:77:1234").show([milk])
        naming("34816:77:1234").setLatest(milk.id)
        for number in 0..<NumberReaders.readerCountMax + 9 {
            world.now += 1
            _ = naming("0:\(number):99").show([milk])
        }
        #expect(try found(["last"], by: "34816:77:1234") == ["milk"])
    }

    @Test("the log of the numbers stays short, as each command reads all of it")
    func log() throws {
        let path = ToDoNumbers.path(in: store.paths.folder) + "-wal"
        var longest = 0
        for number in 0..<150 {
            #expect(naming("a").show([try add("\(number)")]) == [number + 1])
            longest = max(longest, store.disk.byteCount(of: path))
        }
        #expect(longest > ToDoNumbers.logByteCountMax / 2)
        #expect(longest <= ToDoNumbers.logByteCountMax)
    }

    @Test(
        "a to-do that is added by itself is noted in few pages, however many the terminal was shown"
    )
    func few() throws {
        let many = try (0..<ToDoNumbers.shownCountMax).map { try add("\($0)") }
        _ = naming("a").show(many)
        let path = ToDoNumbers.path(in: store.paths.folder) + "-wal"
        _ = naming("a").show([try add("first")])
        var pageCounts: [Int] = []
        for number in 0..<20 {
            let todo = try add("\(number)")
            let before = store.disk.byteCount(of: path)
            _ = naming("a").show([todo])
            let grown = store.disk.byteCount(of: path) - before
            // Where the log was emptied it tells nothing.
            if grown > 0 { pageCounts.append(grown / 4096) }
        }
        #expect(pageCounts.count >= 10)
        #expect(pageCounts.allSatisfy { $0 <= 7 }, "\(pageCounts)")
    }

    @Test(
        "single to-dos join the list that a terminal was shown, and none of the last thousand is mistaken"
    )
    func joined() throws {
        let many = try (0..<ToDoNumbers.shownCountMax).map { try add("\($0)") }
        _ = naming("a").show(many)
        let count = NumberReaders.recentCountMax + 3
        for number in 0..<count { _ = naming("a").show([try add("single \(number)")]) }
        let connection = try Connection(
            path: ToDoNumbers.path(in: store.paths.folder), on: store.disk, creates: false,
            busyMilliseconds: 0)
        // Everything belongs to another to-do than was shown: what was shown last is known still.
        try connection.execute("UPDATE number SET id = randomblob(16)")
        connection.close()
        let numbers = try ToDoNumbers(
            folder: store.paths.folder, on: store.disk, boot: store.boot)
        let last = ToDoNumbers.shownCountMax + count
        #expect(try numbers.shown(in: 1...last, to: "a") == Array(count + 1...last))
        for number in [count + 1, ToDoNumbers.shownCountMax, last - 3, last] {
            guard case .changed = try numbers.owner(of: number, for: "a") else {
                Issue.record("\(number) is not known as another one's")
                continue
            }
        }
    }

    @Test(
        "to-dos that were finished elsewhere free their numbers though single ones are added alone"
    )
    func freed() throws {
        let gone = try (0..<40).map { try add("gone \($0)") }
        _ = naming("a").show(gone)
        for todo in gone { try finish(todo) }
        for number in 0..<2 * NumberReaders.recentCountMax {
            _ = naming("a").show([try add("\(number)")])
        }
        world.now += day
        let many = try (0..<ToDoNumbers.shownCountMax).map { try add("other \($0)") }
        _ = naming("a").show(many)
        #expect(naming("a").show([try add("last")]) == [1])
    }

    @Test("after other numbers a reader has to be shown one before it means anything")
    func replaced() throws {
        let (milk, bread) = (try add("milk"), try add("bread"))
        func numbers() throws -> ToDoNumbers {
            try ToDoNumbers(
                folder: store.paths.folder, on: store.disk, boot: store.boot,
                mayReplace: { () throws(StoreFault) in true })
        }
        let first = try numbers()
        let shown = [milk, bread].map { ToDoNumbers.Shown($0.id, isPending: true) }
        _ = try first.show(shown, to: "a", at: world.now) { _ throws(StoreFault) in true }
        #expect(try numbers().owner(of: 2, for: "a") == .todo(bread.id))
        #expect(try numbers().owner(of: 2, for: "b") == .changed(shown: nil, now: bread.id))
        #expect(try numbers().owner(of: 3, for: "b") == .nobody)
    }

    @Test("the first to open the numbers after a start looks whether they are whole")
    func powerCut() throws {
        let (milk, bread) = (try add("milk"), try add("bread"))
        #expect(naming("a").show([milk, bread]) == [1, 2])
        let path = ToDoNumbers.path(in: store.paths.folder)
        func owner(_ number: Int, _ boot: String) throws -> ToDoNumbers.Owner {
            try ToDoNumbers(folder: store.paths.folder, on: store.disk, boot: boot)
                .owner(of: number, for: "a")
        }
        func change(_ sql: String) throws {
            let connection = try Connection(
                path: path, on: store.disk, creates: false, busyMilliseconds: 0)
            defer { connection.close() }
            try connection.execute("PRAGMA writable_schema = ON; " + sql)
        }
        #expect(try owner(2, "next") == .todo(bread.id), "a whole file stays what it is")
        // An index that is older than its rows: while they change it is one of other rows.
        func index(of rows: String, insteadOf others: String) throws {
            try change(
                "UPDATE sqlite_master SET sql = replace(sql, '\(others)', '\(rows)') WHERE name = 'number_checked'"
            )
        }
        try index(of: "freed = -5", insteadOf: "freed IS NULL")
        try change("UPDATE number SET checked = checked + 1000")
        try index(of: "freed IS NULL", insteadOf: "freed = -5")
        #expect(try owner(2, "next") == .todo(bread.id), "within one start nobody looks again")
        #expect(try owner(2, "third") == .nobody)
        #expect(naming("a").show([milk]) == [1_001])
    }

    @Test("numbers of the first form are taken over, with what each terminal was shown")
    func firstForm() throws {
        let (milk, bread) = (try add("milk"), try add("bread"))
        let path = ToDoNumbers.path(in: store.paths.folder)
        let connection = try Connection(
            path: path, on: store.disk, creates: true, busyMilliseconds: 0)
        func hex(_ value: UInt128) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 32 - digits.count) + digits
        }
        try connection.execute(
            """
            CREATE TABLE number (
                number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, freed INTEGER, checked INTEGER NOT NULL);
            CREATE INDEX number_freed ON number (freed) WHERE freed IS NOT NULL;
            CREATE INDEX number_checked ON number (checked) WHERE freed IS NULL;
            CREATE TABLE reader (
                name BLOB PRIMARY KEY, time INTEGER NOT NULL, shown BLOB NOT NULL, latest BLOB) WITHOUT ROWID;
            INSERT INTO number VALUES (7, x'\(hex(milk.id.value))', NULL, 1);
            INSERT INTO reader VALUES (
                CAST('a' AS BLOB), 5, x'00000007\(hex(bread.id.value))', x'\(hex(milk.id.value))');
            PRAGMA user_version = 1;
            """)
        connection.close()
        #expect(try found(["last"], by: "a") == ["milk"])
        #expect(try found(["7"], by: "b") == ["milk"])
        #expect(throws: ToDoNameFault.self) { try naming("a").find(["7"], in: .alive) }
        #expect(naming("a").show([bread]) == [8])
        #expect(naming("a").showChanges(try world.todos(store).localChanges(limit: 1)))
        #expect(try naming("a").shownChanges()?.changes.count == 1)
    }

    @Test("numbers of the second form are taken over")
    func secondForm() throws {
        let milk = try add("milk")
        #expect(naming("a").show([milk]) == [1])
        let path = ToDoNumbers.path(in: store.paths.folder)
        let connection = try Connection(
            path: path, on: store.disk, creates: true, busyMilliseconds: 0)
        try connection.execute(
            "DROP TABLE former; DROP TABLE listed; PRAGMA user_version = 2;")
        connection.close()
        #expect(try naming("a").shownChanges() == nil)
        #expect(naming("a").showChanges(try world.todos(store).localChanges(limit: 1)))
        #expect(try naming("a").shownChanges()?.changes.count == 1)
        #expect(try found(["1"], by: "a") == ["milk"])
    }

    @Test("the last one made or changed is each terminal's own")
    func latest() throws {
        let (milk, bread) = (try add("milk"), try add("bread"))
        naming("a").setLatest(milk.id)
        naming("b").setLatest(bread.id)
        #expect(try found(["last"], by: "a") == ["milk"])
        #expect(try found(["LAST"], by: "b") == ["bread"])
        #expect(throws: ToDoNameFault.self) { try naming("c").find(["last"], in: .alive) }
    }

    @Test("a number alone behind last may be a count, and names nothing")
    func countOfLatest() throws {
        let (milk, bread) = (try add("milk"), try add("bread"))
        #expect(naming("a").show([milk, bread]) == [1, 2])
        naming("a").setLatest(milk.id)
        for words in [["last", "2"], ["Last", "2", "1"], ["1", "last", "2"]] {
            let fault = #expect(throws: ToDoNameFault.self) { try found(words, by: "a") }
            guard case .latestOrCount(2)? = fault else {
                Issue.record("\(words): \(String(describing: fault))")
                continue
            }
        }
        #expect(try found(["2", "last"], by: "a") == ["bread", "milk"])
        for words in [
            ["last", "1-2"], ["last", ",", "2"], ["last", "2", ",", "1"], ["last", "2-2"],
        ] {
            #expect(try found(words, by: "a") == ["milk", "bread"], "\(words)")
        }
        // Beside another word they are words of one title.
        let fault = #expect(throws: ToDoNameFault.self) {
            try found(["last", "week", "2"], by: "a")
        }
        guard case .mixed? = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect(try found(["last", "1,2"], by: "a") == ["milk", "bread"])
    }

    @Test("changes keep the numbers with which each terminal was shown them")
    func changes() throws {
        let milk = try add("milk")
        #expect(naming("a").show([milk]) == [1])
        #expect(try naming("a").shownChanges() == nil)
        let first = try world.todos(store).localChanges(limit: 20)
        #expect(naming("a").showChanges(first))
        _ = try add("bread")
        let second = try world.todos(store).localChanges(limit: 20)
        #expect(naming("b").showChanges(second))
        #expect(try naming("a").shownChanges()?.changes == first.map(\.timestamp))
        #expect(try naming("b").shownChanges()?.changes == second.map(\.timestamp))
        #expect(second.count == 2 && second[1].timestamp == first[0].timestamp)
        #expect(try naming("b").shownChanges()?.number(of: first[0]) == 2)
        let many = Array(repeating: first[0], count: ToDoNumbers.listedChangeCountMax + 1)
        #expect(naming("c").showChanges(many))
        #expect(try naming("c").shownChanges()?.changes.count == ToDoNumbers.listedChangeCountMax)
        // What is noted with each command stays short.
        #expect(naming("c").show([milk]) == [1])
        #expect(try naming("c").shownChanges()?.changes.count == ToDoNumbers.listedChangeCountMax)
        #expect(try found(["1"], by: "a") == ["milk"], "numbers of to-dos are others")
    }

    @Test("a number of a list of changes is refused an hour later, once other edits were made")
    func numberedChanges() throws {
        _ = try add("milk")
        #expect(try naming("a").change(numbered: 1) == .noList)
        let listed = try world.todos(store).localChanges(limit: 20)
        #expect(naming("a").showChanges(listed))
        let shown = world.now
        #expect(try naming("a").change(numbered: 1) == .found(listed[0]))
        for number in [Int.min + 1, 0, 2, .max] {
            #expect(try naming("a").change(numbered: number) == .beyond(count: 1))
        }
        world.now += ToDoNaming.changeListMilliseconds + 1
        #expect(try naming("a").change(numbered: 1) == .found(listed[0]), "nothing was done since")
        world.now = shown
        _ = try add("bread")
        world.now = shown + ToDoNaming.changeListMilliseconds
        #expect(try naming("a").change(numbered: 1) == .found(listed[0]))
        world.now += 1
        #expect(try naming("a").change(numbered: 1) == .outdated(shown: shown))
    }

    @Test("words name the to-do in whose title they stand closest")
    func closestTitle() throws {
        for title in [
            "Call the accountant", "Ant", "Water the plants", "Feed the ant farm", "Anteater",
        ] {
            _ = try add(title)
        }
        #expect(try found(["ant"], by: "1") == ["Ant"], "the whole title before a word of one")
        #expect(try found(["ant", "farm"], by: "1") == ["Feed the ant farm"])
        #expect(try found(["the", "plant"], by: "1") == ["Water the plants"])
        #expect(try found(["ANTE"], by: "1") == ["Anteater"])
        _ = try add("牛乳を買う")
        #expect(try found(["買う"], by: "1") == ["牛乳を買う"])
    }

    @Test("what stands only inside a word of a title names it after a question alone")
    func insideWord() throws {
        for title in ["Call mother", "Order 250 screws", "Vollmilch kaufen"] { _ = try add(title) }
        for (word, title) in [
            ("all", "Call mother"), ("rew", "Order 250 screws"), ("milch", "Vollmilch kaufen"),
        ] {
            let fault = #expect(throws: ToDoNameFault.self) { try found([word], by: "1") }
            guard case .insideWord(_, let found, hasMore: false)? = fault else {
                Issue.record("\(word): \(String(describing: fault))")
                continue
            }
            #expect(found.map { ToDoMapping.item($0).title } == [title])
        }
        #expect(try found(["call"], by: "1") == ["Call mother"])
    }

    @Test("ranges and lists name the pending to-dos that have such numbers")
    func ranges() throws {
        let all = try ["milk", "bread", "tea", "jam"].map(add)
        _ = naming("a").show(all)
        try finish(all[1])
        #expect(try found(["1-3"], by: "a") == ["milk", "tea"])
        #expect(try found(["4,1"], by: "a") == ["jam", "milk"])
        #expect(try found(["1-2,4", "1"], by: "a") == ["milk", "jam"])
        #expect(throws: ToDoNameFault.self) { try naming("a").find(["7-9"], in: .alive) }
        let connection = try Connection(
            path: ToDoNumbers.path(in: store.paths.folder), on: store.disk, creates: false,
            busyMilliseconds: 0)
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(ToDoNaming.rangeCountMax + 10))
            INSERT INTO number SELECT i, randomblob(16), NULL, 1 FROM n
            """)
        connection.close()
        #expect(throws: ToDoNameFault.self) { try naming("a").find(["1-5000"], in: .alive) }
    }

    @Test(
        "a range with a to-do between those shown that was not shown itself is refused, and names it"
    )
    func rangeBeyondWhatWasShown() throws {
        let all = try ["milk", "bread", "tea", "jam"].map(add)
        _ = naming("all").show(all)
        // A list of errands alone, as it may be.
        _ = naming("a").show([all[0], all[2]])
        do {
            _ = try naming("a").find(["1-4"], in: .alive)
            Issue.record("a to-do that was not shown was named, or passed over")
        } catch {
            guard case .notShown(1...4, let unshown, false) = error else { throw error }
            #expect(unshown.map(\.number) == [2, 4])
            #expect(unshown.map(\.record.id) == [all[1].id, all[3].id])
        }
        #expect(try found(["1,3"], by: "a") == ["milk", "tea"])
        #expect(try found(["2-4"], by: "all") == ["bread", "tea", "jam"])
        // A number alone names a to-do in any terminal, and so does a range of which a terminal was shown nothing.
        #expect(try found(["2"], by: "a") == ["bread"])
        #expect(try found(["1-3"], by: "new") == ["milk", "bread", "tea"])
        try finish(all[1])
        try finish(all[3])
        #expect(try found(["1-4"], by: "a") == ["milk", "tea"])
        // The one of them that was shown is finished now: the other one is still not meant.
        _ = naming("b").show([all[0]])
        try finish(all[0])
        #expect(throws: ToDoNameFault.self) { try naming("b").find(["1-3"], in: .alive) }
    }

    @Test(
        "words of a title name the one to-do that has them all; several are named and none is chosen"
    )
    func titles() throws {
        let milk = try add("Buy oat milk")
        _ = try add("Milk the cow")
        _ = try add("Déjà vu")
        #expect(try found(["oat", "MILK"], by: "a") == ["Buy oat milk"])
        #expect(try found(["vu"], by: "a") == ["Déjà vu"])
        do {
            _ = try naming("a").find(["milk"], in: .alive)
            Issue.record("one of two was chosen")
        } catch {
            guard case .several("milk", let found, false) = error else { throw error }
            #expect(found.count == 2)
        }
        try finish(milk)
        // A pending one comes before a finished one.
        #expect(try found(["milk"], by: "a") == ["Milk the cow"])
        #expect(try found(["oat"], by: "a") == ["Buy oat milk"])
        #expect(throws: ToDoNameFault.self) { try naming("a").find(["oat"], in: .pending) }
        #expect(throws: ToDoNameFault.self) { try naming("a").find(["tea"], in: .any) }
    }

    @Test(
        "no number that a terminal shows names another to-do than it showed there, in 3,000 random acts"
    )
    func random() throws {
        var random = SplitMix64(seed: 7)
        let readers = ["one", "two", "bar"]
        var shown: [String: [Int: RecordID]] = [:]
        var all = try (0..<12).map { try add("to-do \($0)") }
        var acted = 0
        for _ in 0..<3_000 {
            let reader = readers[Int.random(in: 0..<readers.count, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0: all.append(try add("to-do \(all.count)"))
            case 1: world.now += Int64(Int.random(in: 0..<3, using: &random)) * day / 2
            case 2:
                let record = all[Int.random(in: 0..<all.count, using: &random)]
                _ = try world.todos(store).setStatus(
                    Int.random(in: 0..<3, using: &random) == 0 ? .pending : .completed,
                    of: [record.id])
            case 3...6:
                let count = 1 + Int.random(in: 0..<8, using: &random)
                let listed = try (0..<count).map { _ in
                    try again(all[Int.random(in: 0..<all.count, using: &random)])
                }
                .reduce(into: [Record]()) { list, one in
                    if !list.contains(where: { $0.id == one.id }) { list.append(one) }
                }
                for (record, number) in zip(listed, naming(reader).show(listed)) {
                    shown[reader, default: [:]][try #require(number)] = record.id
                }
            default:
                guard
                    let (number, id) = shown[reader]?.sorted(by: { $0.key < $1.key })
                        .randomElement(using: &random)
                else {
                    continue
                }
                let found = try naming(reader).find(["\(number)"], in: .alive)
                #expect(found.map(\.id) == [id])
                acted += 1
            }
        }
        #expect(acted > 500)
    }
}

import Core
import JSON
import Storage
import Testing
import ToDo

@Suite("To-dos that wait for others")
struct DependencyTests {
    /// A store with to-dos by their titles.
    private struct House {
        let world: ToDoWorld
        let store: Store
        var ids: [String: RecordID] = [:]

        init(_ titles: String...) throws {
            world = try ToDoWorld(zone: .utc)
            store = try world.store("laptop")
            for title in titles { ids[title] = try make(title) }
        }

        var todos: ToDoStore { world.todos(store) }

        func make(_ title: String, _ change: (inout ToDoItem) -> Void = { _ in }) throws -> RecordID
        {
            world.now += 1_000
            var item = ToDoItem(title: title)
            change(&item)
            return try todos.add(item)
        }

        subscript(_ title: String) -> RecordID {
            get throws { try #require(ids[title]) }
        }

        /// Sets what a to-do waits for, as an edit of fields does: circles are not refused.
        func hold(_ title: String, waitFor others: [String], in store: Store? = nil) throws {
            world.now += 1_000
            let todos = world.todos(store ?? self.store)
            let old = ToDoMapping.item(try #require(try todos.stored(try self[title])))
            var new = old
            new.setDepends(try others.map { try self[$0].value })
            _ = try todos.edit(try self[title], from: old, to: new)
        }

        private func titles(_ records: [Record]) -> Set<String> {
            Set(records.map { ToDoMapping.item($0).title })
        }

        /// The open ends of each to-do: what it waits for, and what waits for it; both must fit.
        func open(in store: Store? = nil) throws -> [String: Set<String>] {
            let todos = world.todos(store ?? self.store)
            let all = try todos.list(ToDoFilter(), pendingOnly: false)
            let found = try todos.waiting(of: all)
            var (waits, blocks) = ([String: Set<String>](), [String: Set<String>]())
            for record in all {
                let title = ToDoMapping.item(record).title
                let one = try todos.waiting(of: [record])[record.id]
                #expect(one?.waitsFor == found[record.id]?.waitsFor)
                #expect(one?.blocks == found[record.id]?.blocks)
                if let ends = found[record.id]?.waitsFor, !ends.isEmpty {
                    waits[title] = titles(ends)
                }
                for end in found[record.id]?.blocks ?? [] {
                    blocks[ToDoMapping.item(end).title, default: []].insert(title)
                }
            }
            #expect(waits == blocks)
            func taken(_ word: String) throws -> Set<String> {
                let filter = try ToDoFilter.parse([word], now: todos.now, zone: todos.zone)
                let taken = titles(try todos.list(filter, pendingOnly: true))
                #expect(
                    taken == titles(try todos.listInOrder(filter, pendingOnly: true, limit: 50)))
                return taken
            }
            let pending = titles(try todos.list(ToDoFilter(), pendingOnly: true))
            #expect(try taken("+BLOCKED") == Set(waits.keys))
            #expect(try taken("is:blocked") == Set(waits.keys))
            #expect(try taken("+UNBLOCKED") == pending.subtracting(waits.keys))
            #expect(try taken("-BLOCKED") == pending.subtracting(waits.keys))
            #expect(try taken("+READY") == pending.subtracting(waits.keys))
            #expect(try taken("+BLOCKING") == Set(waits.values.joined()))
            return waits
        }
    }

    @Test("a to-do is blocked until the last one that it waits for is finished, deleted or purged")
    func openAndClosed() throws {
        let house = try House("Paint", "Sand", "Buy", "Call")
        try house.hold("Paint", waitFor: ["Sand", "Buy", "Call"])
        #expect(try house.open() == ["Paint": ["Sand", "Buy", "Call"]])
        _ = try house.todos.setStatus(.completed, of: [try house["Sand"]])
        #expect(try house.open() == ["Paint": ["Buy", "Call"]])
        _ = try house.todos.delete([try house["Buy"]])
        #expect(try house.open() == ["Paint": ["Call"]])
        _ = try house.todos.purge([try house["Buy"]])
        _ = try house.todos.setStatus(.cancelled, of: [try house["Call"]])
        #expect(try house.open() == [:])
        let paint = try #require(try house.todos.stored(try house["Paint"]))
        #expect(
            try house.todos.item(paint).depends
                == [try house["Sand"].value, try house["Call"].value].sorted())
        _ = try house.todos.setStatus(.pending, of: [try house["Sand"]])
        #expect(try house.open() == ["Paint": ["Sand"]])
        _ = try house.todos.setStatus(.completed, of: [try house["Paint"]])
        #expect(try house.open() == [:])
    }

    @Test("elements that two devices add while apart are both there, without a conflict")
    func union() throws {
        let house = try House("Paint", "Sand", "Buy", "Call")
        let phone = try house.world.store("phone")
        try house.hold("Paint", waitFor: ["Sand"])
        try house.world.meet(house.store, phone)
        try house.hold("Paint", waitFor: ["Sand", "Buy"])
        try house.hold("Paint", waitFor: ["Call"], in: phone)
        try house.world.meet(house.store, phone)
        for store in [house.store, phone] {
            #expect(try house.open(in: store) == ["Paint": ["Buy", "Call"]])
            #expect(try house.world.todos(store).conflicts().isEmpty)
        }
    }

    @Test(
        "a circle made on two devices is open at its later edge on both, and nothing is rewritten")
    func circle() throws {
        let house = try House("a", "b", "c")
        let phone = try house.world.store("phone")
        try house.hold("a", waitFor: ["b"])
        try house.world.meet(house.store, phone)
        try house.hold("b", waitFor: ["c"])
        try house.hold("c", waitFor: ["a"], in: phone)
        #expect(try house.open(in: phone) == ["a": ["b"], "c": ["a"]])
        try house.world.meet(house.store, phone)
        for store in [house.store, phone] {
            #expect(try house.open(in: store) == ["a": ["b"], "b": ["c"]])
            let raw = try #require(try house.world.todos(store).stored(try house["c"]))
            #expect(ToDoMapping.item(raw).depends == [try house["a"].value])
            #expect(try house.world.todos(store).item(raw).depends == [])
        }
        try house.hold("a", waitFor: [], in: phone)
        try house.world.meet(house.store, phone)
        for store in [house.store, phone] {
            #expect(try house.open(in: store) == ["b": ["c"], "c": ["a"]])
        }
    }

    @Test("words add, take away and replace; those that would close a circle are refused")
    func words() throws {
        let house = try House("Paint", "Sand", "Buy", "Call")
        let todos = house.todos
        func apply(_ title: String, _ text: String...) throws {
            let stored = try #require(try todos.stored(try house[title]))
            let old = ToDoMapping.item(stored)
            let words = try ToDoWords.parse(text, for: .editing, now: todos.now, zone: .utc)
            #expect(words.title == nil)
            let depends = try todos.depends(words.depends, of: old) { name, _ in
                [try house[name]]
            }
            var new = old
            try todos.apply(words, to: &new, parent: nil, depends: depends)
            _ = try todos.edit(stored.id, from: old, to: new)
        }
        try apply("Paint", "depends:Sand,Buy")
        #expect(try house.open() == ["Paint": ["Sand", "Buy"]])
        try apply("Paint", "depends-:Buy", "dep+:Call")
        #expect(try house.open() == ["Paint": ["Sand", "Call"]])
        try apply("Sand", "depends:Buy")
        for text in ["depends:Paint", "depends+:Call,Paint", "dep:Sand"] {
            #expect(throws: ToDoStore.DependencyCycle.self) { try apply("Sand", text) }
        }
        #expect(throws: ToDoStore.DependencyCycle(target: try house["Paint"])) {
            try apply("Buy", "depends:Paint")
        }
        #expect(try house.open() == ["Paint": ["Sand", "Call"], "Sand": ["Buy"]])
        try apply("Paint", "depends:Buy")
        #expect(try house.open() == ["Paint": ["Buy"], "Sand": ["Buy"]])
        try apply("Paint", "depends:")
        #expect(try house.open() == ["Sand": ["Buy"]])
    }

    @Test("a list with a hyphen adds and takes away, as Taskwarrior has it")
    func hyphens() throws {
        func read(_ word: String) throws -> [DependencyWord] {
            try ToDoWords.parse([word], for: .editing, now: Fixed.now, zone: .utc).depends
        }
        #expect(try read("depends:1-3,7") == [DependencyWord(.replace, ["1-3,7"])])
        #expect(try read("depends:-2") == [DependencyWord(.remove, ["2"])])
        #expect(
            try read("dep:1,-2") == [DependencyWord(.add, ["1"]), DependencyWord(.remove, ["2"])])
        #expect(try read("depends:") == [DependencyWord(.replace, [])])
        #expect(
            try read("depends:oat milk,4a5b") == [DependencyWord(.replace, ["oat milk", "4a5b"])])
    }

    @Test(
        "depends: in a filter takes what waits for a to-do, and nothing behind it what waits for none"
    )
    func filters() throws {
        let house = try House("Paint", "Sand", "Buy")
        try house.hold("Paint", waitFor: ["Sand"])
        try house.hold("Sand", waitFor: ["Buy"])
        _ = try house.todos.setStatus(.completed, of: [try house["Paint"]])
        func found(_ words: String...) throws -> Set<RecordID> {
            let filter = try ToDoFilter.parse(words, now: house.todos.now, zone: .utc)
            return Set(
                try house.todos.list(
                    try filter.named { [try house[$0].value] }, pendingOnly: false
                ).map(\.id))
        }
        #expect(try found("depends:Sand") == [house["Paint"]])
        #expect(try found("depends:\(try house["Buy"].uuidText)") == [house["Sand"]])
        #expect(try found("depends:Paint") == [])
        #expect(try found("depends:") == [house["Buy"]])
        #expect(try found("depends.any:") == [house["Paint"], house["Sand"]])
        #expect(try found("not", "depends:Sand") == [house["Sand"], house["Buy"]])
        #expect(throws: ToDoWordsError.self) { try found("is:blokced") }
        #expect(ToDoFilter.isTerm("is:blocked") && ToDoFilter.isTerm("depends:3"))
    }

    @Test("undo takes back what was added, and the journal has it element by element")
    func undo() throws {
        let house = try House("Paint", "Sand")
        try house.hold("Paint", waitFor: ["Sand"])
        let change = try #require(try house.store.nextToUndo().change)
        _ = try house.store.undo(change.timestamp)
        #expect(try house.open() == [:])
        let again = try #require(try house.store.nextToRedo())
        _ = try house.store.undo(again.timestamp)
        #expect(try house.open() == ["Paint": ["Sand"]])
        let entries = try house.store.journal.entries(of: try house["Paint"])
        let field = Field.element(
            .number(ToDoSchema.Number.depends), .toDo(try house["Sand"]))
        #expect(entries.filter { $0.field == field }.count == 3)
    }

    @Test("what waits for a twin waits for the one that stays, and that one not for itself")
    func twins() throws {
        var house = try House("Paint", "Frame")
        house.ids["old"] = try house.make("Sand")
        house.ids["young"] = try house.make("Sand")
        try house.hold("Paint", waitFor: ["young"])
        try house.hold("Frame", waitFor: ["old", "young"])
        try house.hold("young", waitFor: ["old"])
        #expect(try house.todos.unite(try house.todos.twins()) == 1)
        #expect(try house.open() == ["Paint": ["Sand"], "Frame": ["Sand"]])
        let kept = try #require(try house.todos.stored(try house["old"]))
        #expect(ToDoMapping.item(kept).depends == [])
    }

    @Test(
        "the next of a series waits for nothing, and does not hold up what waited for the one before"
    )
    func series() throws {
        var house = try House("Buy", "Report")
        house.ids["Sweep"] = try house.make("Sweep") {
            $0.due = .day(20_800)
            $0.repeats = "every week"
            $0.setDepends([house.ids["Buy"]!.value])
        }
        try house.hold("Report", waitFor: ["Sweep"])
        let next = try house.todos.setStatus(.completed, of: [try house["Sweep"]]).next
        #expect(next.count == 1)
        #expect(try house.open() == [:])
    }

    @Test("hostile values in the set are kept, and neither shown nor followed")
    func hostile() throws {
        let house = try House("Paint", "Sand")
        let sand = try house["Sand"]
        let set = FieldName.number(ToDoSchema.Number.depends)
        let elements: [Value] = [
            .text(sand.hexadecimal), .text("\""), .int(3),
            .reference(RecordName(.number(9), sand)), .toDo(RecordID(value: 77)),
            .toDo(try house["Paint"]),
        ]
        try house.store.write { transaction in
            try transaction.update(
                try house["Paint"],
                elements.map { Assignment(.element(set, $0), .bool(true)) }
                    .sorted { $0.field < $1.field })
        }
        #expect(try house.open() == [:])
        let stored = try #require(try house.todos.stored(try house["Paint"]))
        #expect(try house.todos.item(stored).depends == [])
        #expect(stored.record.elements(of: set).count == 6)
        // Edits touch what they mean alone.
        try house.hold("Paint", waitFor: ["Sand"])
        #expect(try house.open() == ["Paint": ["Sand"]])
        let after = try #require(try house.todos.stored(try house["Paint"]))
        #expect(after.record.elements(of: set).count == 5)
        #expect(try house.todos.export(ToDoFilter()).losses.map(\.field).count == 4)
    }

    @Test(
        "an import that makes a purged to-do anew leads what waits for it there, whichever comes first"
    )
    func revived() throws {
        func item(_ id: UInt128, _ title: String) -> ToDoItem {
            var item = ToDoItem(title: title)
            item.identifier = id
            return item
        }
        var paint = item(2, "Paint")
        paint.setDepends([1])
        for items in [[item(1, "Sand"), paint], [paint, item(1, "Sand")]] {
            let house = try House()
            _ = try house.todos.importItems(items)
            _ = try house.todos.purge([RecordID(value: 1)], isForced: true)
            #expect(try house.open() == [:])
            _ = try house.todos.importItems(items, revives: true)
            #expect(try house.open() == ["Paint": ["Sand"]])
        }
    }
}

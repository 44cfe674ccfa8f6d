import Core
import Storage
import Testing
import ToDo

@Suite("Views of people's own, and contexts")
struct SavedViewTests {
    private let world: ToDoWorld

    init() throws { world = try ToDoWorld(zone: .utc) }

    private func save(_ todos: ToDoStore, _ name: String, _ words: String...) throws -> SavedView {
        try todos.save(view: name, SavedViewChange(words))
    }

    private func fault(_ words: String...) -> SavedViewFault? {
        do throws(SavedViewFault) {
            _ = try SavedViewChange(words)
            return nil
        } catch {
            return error
        }
    }

    private func titles(_ records: [Record]) -> [String] {
        records.map { ToDoMapping.item($0).title }
    }

    @Test("a view keeps the parts that a later change does not name")
    func parts() throws {
        let todos = world.todos(try world.store("a"))
        _ = try save(todos, "work", "+work", "project:Big Deal", "sort:-priority,due")
        _ = try save(todos, "Work", "group:project")
        _ = try save(todos, "work", "columns:due,x.size")
        let view = try #require(try todos.savedView(named: "WORK"))
        #expect(view.name == "work" && view.words == ["+work", "project:Big Deal"])
        #expect(view.sort == ["-priority", "due"] && view.columns == ["due", "x.size"])
        #expect(view.grouping == "project" && !view.isInConflict)
        #expect(view.layout.grouping == .project && view.layout.unknown.isEmpty)
        _ = try save(todos, "work", "filter:", "sort:", "group:", "columns:")
        let plain = try #require(try todos.savedView(named: "work"))
        #expect(plain.words.isEmpty && plain.sort.isEmpty && plain.columns.isEmpty)
        #expect(plain.grouping == nil)
        #expect(try todos.savedViews().map(\.name) == ["work"])
    }

    @Test("a view takes no to-do by its number or title, which another device does not know")
    func names() throws {
        for words in [
            ["depends:1"], ["+a", "-depends:Roof"], ["(parent:1 or +a)"], ["not", "parent:Roof"],
        ] {
            do throws(SavedViewFault) {
                _ = try SavedViewChange(words)
                Issue.record("\(words) were taken")
            } catch {
                guard case .badFilter(.badValue) = error else { throw error }
            }
        }
        let id = "01939f2c-1a2b-7c3d-8e4f-0123456789ab"
        #expect(fault("depends:" + id) == nil && fault("-parent:" + id) == nil)
        #expect(fault("parent:") == nil && fault("depends.any:") == nil)
        func named(_ word: String) -> String? {
            ToDoFilter.named(in: word).map { "\($0.key)|\($0.isNegated)|\($0.name)" }
        }
        #expect(named("depends:1,2") == "depends:|false|1,2")
        #expect(named("-parent:Roof") == "-parent:|true|Roof")
        #expect(named("depends.not:3") == "depends.not:|true|3")
        #expect(
            named("depends:" + id) == nil && named("due:fri") == nil && named("depends:") == nil)
    }

    @Test("a removed view comes back with what is saved then, and nothing of what it was")
    func removed() throws {
        let todos = world.todos(try world.store("a"))
        _ = try save(todos, "work", "+work", "sort:due", "group:day")
        #expect(try todos.removeView(named: "Work"))
        #expect(try !todos.removeView(named: "work"))
        #expect(try todos.savedView(named: "work") == nil && todos.savedViews().isEmpty)
        let again = try save(todos, "work", "+office")
        #expect(again.words == ["+office"] && again.sort.isEmpty && again.grouping == nil)
    }

    @Test("two devices that make a view of one name make one, of which each part merges by itself")
    func merge() throws {
        let (one, two) = (try world.store("a"), try world.store("b"))
        _ = try save(world.todos(one), "work", "+work", "sort:due")
        world.now += 1_000
        _ = try save(world.todos(two), "work", "+work", "group:project")
        try world.meet(one, two)
        for store in [one, two] {
            let todos = world.todos(store)
            let views = try todos.savedViews()
            #expect(views.map(\.name) == ["work"])
            #expect(views.first?.sort == ["due"] && views.first?.grouping == "project")
            #expect(views.first?.isInConflict == false)
            #expect(try todos.counts() == (0, 0))
        }
    }

    @Test("filters that two devices change apart are both told, until the view is saved again")
    func conflict() throws {
        let (one, two) = (try world.store("a"), try world.store("b"))
        _ = try save(world.todos(one), "work", "+work")
        try world.meet(one, two)
        _ = try save(world.todos(one), "work", "+office")
        world.now += 1_000
        _ = try save(world.todos(two), "work", "+factory")
        try world.meet(one, two)
        for store in [one, two] {
            let view = try #require(try world.todos(store).savedView(named: "work"))
            #expect(view.words == ["+factory"] && view.otherFilters == [["+office"]])
            #expect(view.isInConflict)
        }
        let decided = try save(world.todos(one), "work", "+factory")
        #expect(!decided.isInConflict && decided.otherFilters.isEmpty)
        try world.meet(one, two)
        let view = try #require(try world.todos(two).savedView(named: "work"))
        #expect(!view.isInConflict && view.words == ["+factory"])
    }

    @Test("a save can be undone, and a removal too")
    func undo() throws {
        let store = try world.store("a")
        let todos = world.todos(store)
        _ = try save(todos, "work", "+work")
        world.now += 1_000
        _ = try save(world.todos(store), "work", "+office")
        let change = try #require(try store.nextToUndo().change)
        _ = try store.undo(change.timestamp, isForced: false)
        #expect(try todos.savedView(named: "work")?.words == ["+work"])
        world.now += 1_000
        _ = try world.todos(store).removeView(named: "work")
        let removal = try #require(try store.nextToUndo().change)
        _ = try store.undo(removal.timestamp, isForced: false)
        #expect(try todos.savedView(named: "work")?.words == ["+work"])
    }

    @Test(
        "a name has letters, digits, hyphens and underscores, 64 bytes at most, and is not none",
        arguments: [
            ("work", true), ("gr\u{fc}n", true), ("a-b_1", true), ("1a", true), ("", false),
            ("12", false), ("none", false), ("NONE", false), ("-a", false), ("a b", false),
            ("a/b", false), ("a\nb", false), (String(repeating: "a", count: 64), true),
            (String(repeating: "a", count: 65), false),
        ])
    func names(name: String, isGood: Bool) throws {
        #expect(SavedView.nameByteCountMax == 64)
        #expect(SavedView.isName(SavedView.key(name)) == isGood)
        let todos = world.todos(try world.store("a"))
        #expect(((try? save(todos, name, "+a")) != nil) == isGood)
    }

    @Test("one name in two forms of Unicode is one view")
    func formsOfName() throws {
        let todos = world.todos(try world.store("a"))
        _ = try save(todos, "Gru\u{308}n", "+a")
        _ = try save(todos, "gr\u{fc}n", "sort:due")
        #expect(try todos.savedViews().map(\.sort) == [["due"]])
    }

    @Test("what no view takes is refused with its cause")
    func refused() {
        #expect(fault("columns:colour") == .unknownColumn("colour"))
        #expect(fault("sort:-repeat") == .unknownColumn("-repeat"))
        #expect(fault("group:tag") == .unknownGrouping("tag"))
        #expect(fault("a\nb") == .lineBreak("a\nb"))
        // The same words have to mean the same day on every device.
        if case .badFilter? = fault("due:5/6") {} else { Issue.record("an unclear date is saved") }
        if case .badFilter? = fault("(") {} else { Issue.record("an open group is saved") }
        let twelve = Array(repeating: "due", count: SavedView.columnCountMax)
        #expect(twelve.count == 12)
        #expect(fault("columns:" + twelve.joined(separator: ",")) == nil)
        #expect(fault("columns:" + (twelve + ["due"]).joined(separator: ",")) == .manyColumns)
        #expect(SavedView.filterByteCountMax == 4096)
        #expect(fault(String(repeating: "a", count: 4096)) == nil)
        #expect(fault(String(repeating: "a", count: 4097)) == .longFilter)
    }

    /// A view as another program wrote it.
    private func foreign(
        _ store: Store, words: String, grouping: String? = nil, columns: String? = nil
    ) throws {
        let number = ToDoSchema.ViewNumber.self
        let all: [(UInt32, String?)] = [
            (number.name, "foreign"), (number.words, words), (number.grouping, grouping),
            (number.columns, columns),
        ]
        _ = try store.edit { transaction throws(StoreFault) in
            try transaction.insert(
                all.compactMap { number, text in
                    text.map { Assignment(.number(number), .text($0)) }
                }, into: ToDoSchema.views,
                id: Store.derivedID(ToDoSchema.views, key: "foreign"))
        }
    }

    @Test(
        "a filter that this program cannot read is told of, and no other view is touched",
        arguments: [
            "grammar:2\nenergy:high", "energy:high\ndue:whenever", "(",
            String(repeating: "a", count: 5000),
        ])
    func newer(words: String) throws {
        let store = try world.store("a")
        let todos = world.todos(store)
        try foreign(store, words: words)
        _ = try save(todos, "work", "+work")
        let view = try #require(try todos.savedView(named: "foreign"))
        #expect(throws: SavedViewFault.self) {
            _ = try view.filter(now: world.now, zone: .utc, weekStart: .monday)
        }
        if words.hasPrefix("grammar:") {
            #expect(throws: SavedViewFault.newer) {
                _ = try view.filter(now: world.now, zone: .utc, weekStart: .monday)
            }
        }
        #expect(try todos.savedViews().map(\.name) == ["foreign", "work"])
        try todos.choose(context: "foreign")
        let context = try #require(try todos.context(weekStart: .monday))
        #expect(context.filter == nil)
        var item = ToDoItem(title: "x")
        #expect(context.apply(to: &item) == nil)
    }

    @Test("columns and parts that this program does not know are named, and the others count")
    func unknownLayout() throws {
        let store = try world.store("a")
        try foreign(store, words: "+a", grouping: "energy", columns: "due,energy,tags")
        let layout = try #require(try world.todos(store).savedView(named: "foreign")).layout
        #expect(layout.columns == [.date(.due), .tags] && layout.grouping == nil)
        #expect(layout.unknown == ["energy", "energy"])
    }

    // MARK: Order

    @Test(
        "a list is sorted by several columns, and what has no value comes last in both directions")
    func sorted() throws {
        let todos = world.todos(try world.store("a"))
        let rows: [(String, String?, ToDoPriority, CustomValue?)] = [
            ("b", "2026-12-02", .low, .int(10)), ("a", nil, .high, .int(9)),
            ("d", "2026-12-01", .high, nil), ("c", "2026-12-01", .none, .double(9.5)),
        ]
        for (title, due, priority, size) in rows {
            var item = ToDoItem(title: title)
            item.due = due.map(Fixed.day)
            item.priority = priority
            item.custom["size"] = size
            _ = try todos.add(item)
        }
        func list(_ sort: String, limit: Int? = nil) throws -> String {
            let sorts = sort.split(separator: ",").compactMap { ToDoSort(String($0)) }
            return titles(
                try todos.list(ToDoFilter(), pendingOnly: true, sort: sorts, limit: limit)
            ).joined()
        }
        #expect(try list("title") == "abcd" && list("-title") == "dcba")
        #expect(try list("-priority,due") == "dabc")
        #expect(try list("priority,-title") == "bdac")
        #expect(try list("-due,title") == "bcda")
        #expect(try list("x.size") == "acbd" && list("-x.size") == "bcad")
        #expect(try list("title", limit: 2) == "ab")
    }

    // MARK: Contexts

    private func context(_ words: String...) throws -> ToDoContext {
        let todos = world.todos(try world.store("c\(words.count)-\(words.hashValue)"))
        _ = try todos.save(view: "work", SavedViewChange(words))
        try todos.choose(context: "Work")
        return try #require(try todos.context(weekStart: .monday))
    }

    @Test("a new to-do gets project, tags and people of the context, and keeps what it has")
    func given() throws {
        let context = try context("project:Work", "+office", "+a,b", "person:Ann")
        var plain = ToDoItem(title: "x")
        let all = context.apply(to: &plain)
        #expect(all?.project == "Work" && all?.tags.sorted() == ["a", "b", "office"])
        #expect(plain.project == "Work" && plain.tags == ["a", "b", "office"])
        #expect(plain.people == ["Ann"] && context.partsLeft.isEmpty)
        var own = ToDoItem(title: "x")
        own.project = "Home"
        own.setTags(["office", "a", "b"])
        own.people = ["Bob"]
        #expect(context.apply(to: &own) == nil)
        #expect(own.project == "Home" && own.people == ["Bob"])
        own.setTags(["a"])
        let rest = try #require(context.apply(to: &own))
        #expect(
            rest.project.isEmpty && rest.people.isEmpty && rest.tags.sorted() == ["b", "office"])
    }

    @Test("a key with nothing behind it asks for none of what the context gives")
    func noneAskedFor() throws {
        let context = try context("project:Work", "+office", "person:Ann")
        for (word, kept) in [
            ("project:", "office Ann"), ("tags:", "Work Ann"), ("people:", "Work office"),
        ] {
            var item = ToDoItem(title: "x")
            let words = try ToDoWords.parse(["x", word], now: world.now, zone: .utc)
            let given = try #require(context.apply(to: &item, typed: words))
            let parts = [item.project] + item.tags + item.people
            #expect(parts.filter { !$0.isEmpty }.joined(separator: " ") == kept)
            #expect(given.project == item.project && given.tags == item.tags)
        }
    }

    @Test("parts that no new to-do can be given are kept apart, as they were written")
    func left() throws {
        let mixed = try context("+work", "-someday", "due.before:eow", "not", "(+a", "or", "+b)")
        #expect(mixed.tags == ["work"] && mixed.project.isEmpty)
        #expect(mixed.partsLeft == ["-someday", "due.before:eow", "not ( +a or +b )"])
        let either = try context("+a", "or", "project:B")
        #expect(either.tags.isEmpty && either.project.isEmpty)
        #expect(either.partsLeft == ["+a or project:B"])
        let several = try context("project:A", "and", "project:B", "+OVERDUE", "milk")
        #expect(several.project == "A")
        #expect(several.partsLeft == ["project:B", "+OVERDUE", "milk"])
    }

    @Test("the context is the store's own, ends with none, and one that is gone leaves nothing out")
    func chosen() throws {
        let (one, two) = (try world.store("a"), try world.store("b"))
        _ = try save(world.todos(one), "work", "+work")
        try world.todos(one).choose(context: "work")
        try world.meet(one, two)
        #expect(try world.todos(two).context(weekStart: .monday) == nil)
        let other = try world.todos(two).context(insteadOfChosen: "WORK", weekStart: .monday)
        #expect(other?.filter != nil && other?.name == "work")
        #expect(
            try world.todos(one).context(insteadOfChosen: "none", weekStart: .monday) == nil)
        _ = try world.todos(two).removeView(named: "work")
        try world.meet(one, two)
        let gone = try #require(try world.todos(one).context(weekStart: .monday))
        #expect(gone.filter == nil)
        if case .missing = gone.state {} else { Issue.record("\(gone.state)") }
        try world.todos(one).choose(context: nil)
        #expect(try world.todos(one).context(weekStart: .monday) == nil)
    }
}

import Core
import Storage
import Testing
import ToDo

@Suite("To-dos that are there twice, and parts of what is gone")
struct TidyingTests {
    private static func world() throws -> (world: ToDoWorld, todos: ToDoStore) {
        let world = try ToDoWorld(zone: Fixed.berlin())
        return (world, world.todos(try world.store("a")))
    }

    private static func add(
        _ title: String, created: Int64 = 1, to todos: ToDoStore,
        _ change: (inout ToDoItem) -> Void = { _ in }
    ) throws -> RecordID {
        var item = ToDoItem(title: title)
        item.created = created
        change(&item)
        return try todos.store.write {
            try $0.insert(ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection)
        }
    }

    private static func item(_ id: RecordID, _ todos: ToDoStore) throws -> ToDoItem {
        ToDoMapping.item(try #require(try todos.stored(id)))
    }

    @Test("the oldest of twins stays and gets what only the others have")
    func unites() throws {
        let (world, todos) = try Self.world()
        let young = try Self.add("Milk", created: 30, to: todos) { $0.addTag("shop") }
        let old = try Self.add("Milk", created: 10, to: todos) { $0.addTag("errand") }
        let middle = try Self.add("Milk", created: 20, to: todos) { $0.notes = "oat" }
        let part = try Self.add("Bottle", to: todos) { $0.parent = young.value }
        let found = try todos.twins()
        #expect(found == [ToDoStore.Twins(kept: old, others: [middle, young], title: "Milk")])
        #expect(try todos.unite(found) == 2)
        let kept = try Self.item(old, todos)
        #expect(kept.tags == ["errand", "shop"])
        #expect(kept.notes == "oat")
        #expect(kept.created == 10)
        #expect(try Self.item(part, todos).parent == old.value)
        #expect(try todos.stored(young)?.verdict.isDeleted == true)
        #expect(try todos.stored(part)?.verdict.isDeleted == false)
        #expect(try todos.twins().isEmpty)
        #expect(try todos.unite(found) == 0)
        let change = try #require(try todos.store.nextToUndo().change)
        _ = try todos.store.undo(change.timestamp)
        #expect(try todos.twins() == found)
        _ = world
    }

    @Test(
        "what differs in anything that matters are no twins",
        arguments: ["project", "due", "notes", "done", "priority", "conflict", "custom", "parent"])
    func different(_ what: String) throws {
        let (world, todos) = try Self.world()
        let whole = try Self.add("Whole", to: todos)
        let first = try Self.add("Milk", to: todos) {
            if what == "notes" { $0.notes = "cow" }
            if what == "custom" { $0.custom["shop"] = .text("corner") }
        }
        _ = try Self.add("Milk", to: todos) { item in
            switch what {
            case "project": item.project = "Home"
            case "due": item.due = .day(20_000)
            case "notes": item.notes = "oat"
            case "done": item.status = .completed
            case "priority": item.priority = .high
            case "custom": item.custom["shop"] = .text("market")
            case "parent": item.parent = whole.value
            default: break
            }
        }
        if what == "conflict" {
            let other = try world.store("b")
            try world.meet(todos.store, other)
            for (store, text) in [(todos.store, "one"), (other, "two")] {
                try store.write {
                    _ = try $0.update(
                        first, [Assignment(.number(ToDoSchema.Number.notes), .text(text))])
                }
            }
            try world.meet(todos.store, other)
        }
        #expect(try todos.twins().isEmpty)
    }

    @Test("parts of what is in the trash or was never here become to-dos of their own")
    func orphans() throws {
        let (world, todos) = try Self.world()
        let whole = try Self.add("Whole", to: todos)
        let kept = try Self.add("Kept", to: todos) { $0.parent = whole.value }
        let gone = try Self.add("Gone", to: todos)
        let lost = try Self.add("Lost", to: todos) { $0.parent = 0x1234 }
        try todos.store.write { _ = try $0.delete(gone) }
        let orphan = try Self.add("Orphan", to: todos) { $0.parent = gone.value }
        let found = try todos.orphans()
        #expect(Set(found.map(\.id)) == [orphan, lost])
        #expect(try todos.free(found) == 2)
        #expect(try todos.orphans().isEmpty)
        #expect(try Self.item(kept, todos).parent == whole.value)
        #expect(try Self.item(orphan, todos).parent == nil)
        _ = world
    }
}

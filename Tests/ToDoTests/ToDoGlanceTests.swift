import Core
import Storage
import Testing
import ToDo

@Suite("A glance at the to-dos of a store")
struct ToDoGlanceTests {
    private let world: ToDoWorld
    private let store: Store
    private let todos: ToDoStore

    init() throws {
        world = try ToDoWorld(zone: .utc)
        store = try world.store("laptop")
        todos = world.todos(store)
    }

    private func add(
        _ project: String, _ change: (inout ToDoItem) -> Void = { _ in }
    ) throws
        -> RecordID
    {
        var item = ToDoItem(title: "x")
        item.project = project
        change(&item)
        return try todos.add(item)
    }

    private func glance() throws -> ToDoGlance {
        try #require(ToDoGlance(folder: store.paths.folder))
    }

    @Test("each project of pending to-dos is named once, however many have it, and no other")
    func projects() throws {
        for project in ["Work.Site", "Home", "", "Work.Site", "work", "Work.Site", "work"] {
            _ = try add(project)
        }
        _ = try add("Finished") { $0.status = .completed }
        _ = try todos.delete([try add("Deleted")])
        #expect(try glance().projects() == ["Home", "Work.Site", "work"])
        // Where somebody types, the most used come first.
        #expect(try glance().projects(prefix: "") == ["Work.Site", "work", "Home"])
        #expect(try glance().projects(prefix: "Wo") == ["Work.Site"])
    }

    @Test("of more projects than are named together the first by name are")
    func many() throws {
        let count = ToDoGlance.projectCountMax + 1
        _ = try todos.add(
            (0..<count).map { number in
                var item = ToDoItem(title: "x")
                item.project = "p\(10_000 + number)"
                return item
            })
        let named = try glance().projects()
        #expect(named.count == count - 1 && named.last == "p\(10_000 + count - 2)")
    }
}

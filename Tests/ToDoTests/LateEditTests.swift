import Core
import Storage
import Testing
import ToDo

@Suite("Late edits")
struct LateEditTests {
    private let world: ToDoWorld
    private let store: Store
    private var todos: ToDoStore { world.todos(store) }

    init() throws {
        world = try ToDoWorld(zone: .utc)
        store = try world.store("laptop")
    }

    private func seen(_ id: RecordID) throws -> (item: ToDoItem, clock: VersionVector) {
        let stored = try #require(try todos.stored(id))
        return (ToDoMapping.item(stored), stored.record.clock)
    }

    private func change(_ id: RecordID, _ body: (inout ToDoItem) -> Void) throws {
        let old = try seen(id).item
        var new = old
        body(&new)
        #expect(try todos.edit(id, from: old, to: new))
    }

    @Test("fields that others changed meanwhile and the edit left alone stay")
    func otherFieldsMerge() throws {
        let id = try todos.add(ToDoItem(title: "Milk"))
        let (old, clock) = try seen(id)
        try change(id) { $0.project = "Home" }
        var new = old
        new.title = "Oat milk"
        let outcome = try todos.save(LateEdit(id, from: old, to: new, seen: clock))
        #expect(outcome.isChanged && outcome.conflicts.isEmpty)
        #expect(try seen(id).item.title == "Oat milk")
        #expect(try seen(id).item.project == "Home")
    }

    @Test("a field that others changed meanwhile becomes a conflict with its base")
    func sameFieldConflicts() throws {
        let id = try todos.add(ToDoItem(title: "Milk"))
        let (old, clock) = try seen(id)
        try change(id) { $0.title = "Almond milk" }
        var new = old
        new.title = "Oat milk"
        let outcome = try todos.save(LateEdit(id, from: old, to: new, seen: clock))
        #expect(outcome.conflicts == [.number(ToDoSchema.Number.title)])
        let conflict = try #require(try todos.conflicts(of: id).first)
        #expect(conflict.base == .text("Milk"))
        guard case .field(_, let candidates) = conflict.kind else {
            Issue.record("no conflict of a field")
            return
        }
        #expect(Set(candidates.map(\.value)) == [.text("Oat milk"), .text("Almond milk")])
    }

    @Test("an edit of a to-do that was deleted meanwhile is refused, and saved with its restore")
    func deletedMeanwhile() throws {
        let id = try todos.add(ToDoItem(title: "Milk"))
        let (old, clock) = try seen(id)
        _ = try todos.delete([id])
        var new = old
        new.title = "Oat milk"
        let edit = LateEdit(id, from: old, to: new, seen: clock)
        #expect(throws: StoreFault.recordDeleted) { try todos.save(edit) }
        let outcome = try todos.save(edit, restores: true)
        #expect(outcome.isChanged && outcome.conflicts.isEmpty)
        #expect(try todos.stored(id)?.standing == .live)
        #expect(try seen(id).item.title == "Oat milk")
        #expect(try todos.conflicts().isEmpty)
    }

    @Test("a restore with an edit keeps beside it what others wrote before they deleted")
    func changedAndDeletedMeanwhile() throws {
        let id = try todos.add(ToDoItem(title: "Milk"))
        let (old, clock) = try seen(id)
        try change(id) { $0.title = "Almond milk" }
        _ = try todos.delete([id])
        var new = old
        new.title = "Oat milk"
        let edit = LateEdit(id, from: old, to: new, seen: clock)
        let outcome = try todos.save(edit, restores: true)
        #expect(outcome.conflicts == [.number(ToDoSchema.Number.title)])
    }

    @Test("completing late makes the next occurrence once")
    func completesLate() throws {
        var item = ToDoItem(title: "Water")
        item.due = .day(20_000)
        item.repeats = "daily"
        let id = try todos.add(item)
        let (old, clock) = try seen(id)
        try change(id) { $0.notes = "the fern" }
        var new = old
        new.apply(.status(.completed), now: world.now)
        let outcome = try todos.save(LateEdit(id, from: old, to: new, seen: clock))
        #expect(outcome.next != nil && outcome.conflicts.isEmpty)
        #expect(try todos.list(ToDoFilter(), pendingOnly: true).count == 1)
    }

    @Test("a late delete of a to-do that others changed since is contested")
    func deletesLate() throws {
        let id = try todos.add(ToDoItem(title: "Milk"))
        let clock = try seen(id).clock
        try change(id) { $0.title = "Almond milk" }
        #expect(try todos.delete(id, seen: clock))
        #expect(try todos.stored(id)?.isInConflict == true)
    }

    @Test("a status set late stands beside one that was set meanwhile")
    func statusLate() throws {
        let id = try todos.add(ToDoItem(title: "Milk"))
        let clock = try seen(id).clock
        _ = try todos.setStatus(.cancelled, of: [id])
        let outcome = try todos.setStatus(.completed, of: [id], seen: [id: clock])
        #expect(outcome.changed == [id])
        #expect(try todos.conflicts(of: id).isEmpty == false)
    }

    @Test("what was seen is read back from its text, and hostile texts are refused")
    func seenTexts() throws {
        let id = try todos.add(ToDoItem(title: "Milk"))
        let clock = try seen(id).clock
        #expect(clock.seen(clock.seenText) == clock)
        #expect(clock.seen("") == VersionVector())
        let more = clock.seenText + "9"
        #expect(clock.seen(more) == clock, "nobody has seen what is not here")
        #expect(clock.seen("00000000:7") == VersionVector())
        let long = Array(repeating: "00000000:7", count: 257).joined(separator: ",")
        for text in [
            "x", ":", "x:1", "\(clock.seenText):2", "\(clock.seenText)99999999999999999999", long,
        ] {
            #expect(clock.seen(text) == nil, "\(text.prefix(80))")
        }
    }
}

import Core
import Storage
import Testing
import ToDo

@Suite("Reopening what comes again")
struct ReopeningTests {
    private let world: ToDoWorld
    private let laptop: Store
    private let id: RecordID
    private let next: RecordID

    /// A to-do that comes again, and was done a minute ago.
    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        laptop = try world.store("laptop")
        var item = ToDoItem(title: "Water the plants")
        item.due = Fixed.day("2026-11-21")
        item.repeats = "every week"
        item.setTags(["home"])
        id = try world.todos(laptop).add(item)
        let outcome = try world.todos(laptop).setStatus(.completed, of: [id])
        next = try #require(outcome.next[id])
        world.now += 60_000
    }

    private func reopen(_ ids: [RecordID]) throws -> ToDoStore.StatusOutcome {
        try world.todos(laptop).setStatus(.pending, of: ids)
    }

    private func titles() throws -> [String] {
        try world.todos(laptop).list(ToDoFilter(), pendingOnly: true)
            .map { ToDoMapping.item($0).title }
    }

    private func edit(_ id: RecordID, _ change: (inout ToDoItem) -> Void) throws {
        let old = ToDoMapping.item(try #require(try world.todos(laptop).stored(id)))
        var new = old
        change(&new)
        #expect(try world.todos(laptop).edit(id, from: old, to: new))
        world.now += 1_000
    }

    @Test("the next one goes to the trash, and is the same one when this one is done again")
    func untouched() throws {
        for _ in 0..<3 {
            #expect(try reopen([id]).following == [id: .takenBack(next)])
            #expect(try titles() == ["Water the plants"])
            world.now += 60_000
            #expect(try world.todos(laptop).setStatus(.completed, of: [id]).next[id] == next)
            #expect(try titles() == ["Water the plants"])
            world.now += 60_000
        }
    }

    @Test("what was edited in the one that is done does not count as a touch of the next")
    func editedBefore() throws {
        try edit(id) { $0.title = "Water all plants" }
        #expect(try reopen([id]).following == [id: .takenBack(next)])
        #expect(try titles() == ["Water all plants"])
    }

    @Test("one that somebody did something with stays, and is told", arguments: 0..<6)
    func touched(how: Int) throws {
        let todos = world.todos(laptop)
        switch how {
        case 0: try edit(next) { $0.title = "Water all plants" }
        case 1: try edit(next) { $0.addTag("balcony") }
        case 2: _ = try todos.setStatus(.completed, of: [next])
        case 3: _ = try todos.setStatus(.cancelled, of: [next])
        case 4:
            try edit(next) { $0.work = [WorkInterval(start: world.now, end: world.now + 5)] }
        default:
            var part = ToDoItem(title: "Fill the can")
            part.parent = next.value
            _ = try todos.add(part)
        }
        #expect(try reopen([id]).following == [id: .kept(next)])
        #expect(try todos.stored(next)?.verdict.isDeleted == false)
    }

    @Test("one that is reopened by the same command stays, and the one behind it goes")
    func both() throws {
        let outcome = try world.todos(laptop).setStatus(.completed, of: [next])
        let third = try #require(outcome.next[next])
        world.now += 1_000
        for ids in [[id, next], [next, id]] {
            let outcome = try reopen(ids)
            #expect(outcome.changed == [id, next])
            #expect(outcome.following == [next: .takenBack(third)])
            #expect(try titles().count == 2)
            let again = try world.todos(laptop).setStatus(.completed, of: [id, next])
            #expect(again.next[next] == third)
            world.now += 1_000
        }
    }

    @Test("an edit that another device makes meanwhile stands against that, and is not lost")
    func concurrent() throws {
        let phone = try world.store("phone")
        try world.meet(laptop, phone)
        let todos = world.todos(phone)
        let old = ToDoMapping.item(try #require(try todos.stored(next)))
        var new = old
        new.notes = "with the red can"
        #expect(try todos.edit(next, from: old, to: new))
        #expect(try reopen([id]).following == [id: .takenBack(next)])
        try world.meet(laptop, phone)
        #expect(try world.todos(laptop).conflicts().map(\.kind) == [.wasDeleted])
        #expect(try laptop.summary().digest == phone.summary().digest)
    }

    @Test("one undo takes all of it back")
    func undone() throws {
        _ = try reopen([id])
        world.now += 1_000
        let change = try #require(try world.todos(laptop).store.nextToUndo().change)
        guard case .done = try laptop.undo(change.timestamp) else {
            Issue.record("was refused")
            return
        }
        #expect(try world.todos(laptop).stored(next)?.verdict.isDeleted == false)
        #expect(try titles() == ["Water the plants"])
    }

    @Test("one that does not come again, or has no next one, is reopened as before")
    func none() throws {
        let plain = try world.todos(laptop).add(ToDoItem(title: "Once"))
        _ = try world.todos(laptop).setStatus(.completed, of: [plain])
        #expect(try reopen([plain]).following.isEmpty)
        _ = try world.todos(laptop).delete([next])
        #expect(try reopen([id]).following.isEmpty)
    }
}

import Core
import Storage
import Testing
import ToDo

@Suite("Time tracking, order and the past")
struct TrackingTests {
    private let world: ToDoWorld
    private let laptop: Store
    private let phone: Store

    init() throws {
        world = try ToDoWorld(zone: try Fixed.berlin())
        laptop = try world.store("laptop")
        phone = try world.store("phone")
    }

    private func add(_ title: String, to store: Store) throws -> RecordID {
        world.now += 1
        return try world.todos(store).add(ToDoItem(title: title))
    }

    private func item(_ id: RecordID, _ store: Store) throws -> ToDoItem {
        ToDoMapping.item(try #require(try world.todos(store).stored(id)))
    }

    @Test("starting one stops the other; each stretch of work is kept")
    func oneTimer() throws {
        let (a, b) = (try add("a", to: laptop), try add("b", to: laptop))
        let start = world.now
        _ = try world.todos(laptop).start(a)
        world.now += 60_000
        let outcome = try world.todos(laptop).start(b)
        #expect(outcome.stopped.map(\.id) == [a] && outcome.isNew)
        #expect(try !world.todos(laptop).start(b).isNew)
        world.now += 60_000
        #expect(try world.todos(laptop).stop().map(\.id) == [b])
        _ = try world.todos(laptop).start(a)
        world.now += 30_000
        // Done ends the work.
        _ = try world.todos(laptop).setStatus(.completed, of: [a])
        #expect(try world.todos(laptop).timers().isEmpty)
        let work = try item(a, laptop).work
        #expect(work.count == 2 && work[0] == WorkInterval(start: start, end: start + 60_000))
        #expect(
            WorkInterval.milliseconds(work, within: 0..<Int64.max, now: world.now) == 90_000)
    }

    @Test("two devices start one each while apart: both are shown, and one stop ends both sensibly")
    func twoTimers() throws {
        let (a, b) = (try add("a", to: laptop), try add("b", to: laptop))
        try world.meet(laptop, phone)
        let first = world.now
        _ = try world.todos(laptop).start(a)
        world.now += 600_000
        _ = try world.todos(phone).start(b)
        world.now += 600_000
        try world.meet(laptop, phone)
        #expect(try world.todos(laptop).timers().map(\.id) == [b, a])
        _ = try world.todos(laptop).stop()
        try world.meet(laptop, phone)
        #expect(try item(a, phone).work == [WorkInterval(start: first, end: first + 600_000)])
        #expect(
            try item(b, phone).work
                == [WorkInterval(start: first + 600_000, end: first + 1_200_000)])
        #expect(try world.todos(phone).conflicts().isEmpty)
    }

    @Test("the same timer stopped on two devices leaves both ends, counted once")
    func stoppedTwice() throws {
        let a = try add("a", to: laptop)
        let start = world.now
        _ = try world.todos(laptop).start(a)
        try world.meet(laptop, phone)
        world.now += 60_000
        _ = try world.todos(laptop).stop()
        world.now += 60_000
        _ = try world.todos(phone).stop()
        try world.meet(laptop, phone)
        let work = try item(a, laptop).work
        #expect(work.map(\.end) == [start + 60_000, start + 120_000])
        #expect(
            WorkInterval.milliseconds(work, within: 0..<Int64.max, now: world.now) == 120_000)
        #expect(try world.todos(laptop).conflicts().isEmpty)
    }

    @Test("a to-do is moved about, on two devices at once as well, and is never asked about")
    func order() throws {
        let ids = try (0..<6).map { try add("\($0)", to: laptop) }
        try world.meet(laptop, phone)
        func titles(_ store: Store) throws -> String {
            try world.todos(store).ordered().map(\.item.title).joined()
        }
        #expect(try titles(laptop) == "012345")
        #expect(try world.todos(laptop).move([ids[5]], to: .top))
        #expect(try world.todos(laptop).move([ids[0]], to: .after(ids[3])))
        #expect(try titles(laptop) == "512304")
        #expect(try !world.todos(laptop).move([ids[0]], to: .before(ids[4])))
        #expect(try world.todos(phone).move([ids[0]], to: .bottom))
        #expect(try world.todos(phone).move([ids[1]], to: .before(ids[5])))
        try world.meet(laptop, phone)
        #expect(try titles(laptop) == titles(phone))
        #expect(try world.todos(laptop).conflicts().isEmpty)
        #expect(try world.todos(laptop).move([ids[0]], to: .top))
        #expect(try item(ids[0], laptop).positions.count == 1)
        #expect(try titles(laptop).first == "0")
        let late = try add("6", to: phone)
        try world.meet(laptop, phone)
        #expect(try world.todos(laptop).ordered().last?.id == late)
    }

    @Test("several that are moved stand together in the given order, by one edit that undo reverts")
    func orderOfSeveral() throws {
        let ids = try (0..<7).map { try add("\($0)", to: laptop) }
        let todos = world.todos(laptop)
        func titles() throws -> String { try todos.ordered().map(\.item.title).joined() }
        #expect(try todos.move([ids[0], ids[1], ids[2]], to: .after(ids[4])))
        #expect(try titles() == "3401256")
        #expect(try !todos.move([ids[0], ids[1], ids[2]], to: .before(ids[5])))
        #expect(try todos.move([ids[6], ids[0]], to: .top))
        #expect(try titles() == "6034125")
        _ = try todos.undo(try #require(todos.nextToUndo().change).timestamp)
        #expect(try titles() == "3401256")
        #expect(try !todos.move([], to: .top))
        try world.meet(laptop, phone)
        #expect(try todos.move([ids[5], ids[6], ids[3]], to: .bottom))
        try world.meet(laptop, phone)
        #expect(try world.todos(phone).ordered().map(\.item.title).joined() == "4012563")
    }

    @Test(
        "squeezed in so often that there is no room, the list is numbered anew and keeps its order")
    func renumbering() throws {
        let ids = try (0..<4).map { try add("\($0)", to: laptop) }
        for round in 0..<120 {
            let todos = world.todos(laptop)
            let order = try todos.ordered().map(\.id)
            let (moved, after) = (order[round % 2 == 0 ? 0 : 3], order[1])
            _ = try todos.move([moved], to: .after(after))
            var expected = order.filter { $0 != moved }
            expected.insert(moved, at: (expected.firstIndex(of: after) ?? 0) + 1)
            #expect(try todos.ordered().map(\.id) == expected)
        }
        #expect(Set(try world.todos(laptop).ordered().map(\.id)) == Set(ids))
        for (_, item) in try world.todos(laptop).ordered() {
            #expect(item.position.text.utf8.count <= PositionKey.byteCountMax)
        }
    }

    @Test("a field or a whole to-do is brought back to what was shown here at a time")
    func past() throws {
        let id = try add("one", to: laptop)
        let todos = world.todos(laptop)
        func rename(_ title: String, tag: String) throws {
            world.now += 60_000
            let stored = try #require(try todos.stored(id))
            var new = ToDoMapping.item(stored)
            new.title = title
            new.addTag(tag)
            _ = try world.todos(laptop).edit(id, from: ToDoMapping.item(stored), to: new)
        }
        try rename("two", tag: "x")
        let then = world.now
        try rename("three", tag: "y")
        try world.meet(laptop, phone)
        world.now += 60_000
        _ = try world.todos(phone).delete([id])
        try world.meet(laptop, phone)
        world.now += 60_000
        let stored = try #require(try todos.stored(id))
        guard case .shown(let assignments, isDeleted: false) = try todos.past(of: stored, at: then)
        else {
            Issue.record("not shown")
            return
        }
        #expect(assignments.count == 2)
        #expect(
            try todos.past(of: stored, at: then, field: .number(ToDoSchema.Number.title))
                == .shown(
                    [Assignment(.number(ToDoSchema.Number.title), .text("two"))], isDeleted: false))
        #expect(try world.todos(laptop).restore([(id, assignments, false)]) == [id])
        let again = try item(id, laptop)
        #expect(again.title == "two" && again.tags == ["x"])
        try world.meet(laptop, phone)
        #expect(try item(id, phone).title == "two")
        #expect(try todos.past(of: stored, at: Fixed.now - 1_000_000) == .notYetHere)
    }

    @Test("a redo takes the last undo back, until an edit is made")
    func redo() throws {
        let id = try add("one", to: laptop)
        func rename(_ title: String) throws {
            world.now += 1_000
            let stored = try #require(try world.todos(laptop).stored(id))
            var new = ToDoMapping.item(stored)
            new.title = title
            _ = try world.todos(laptop).edit(id, from: ToDoMapping.item(stored), to: new)
        }
        try rename("two")
        try rename("three")
        let todos = world.todos(laptop)
        for expected in ["two", "one"] {
            world.now += 1_000
            _ = try laptop.undo(try #require(try todos.store.nextToUndo().change).timestamp)
            #expect(try item(id, laptop).title == expected)
        }
        for expected in ["two", "three"] {
            world.now += 1_000
            _ = try laptop.undo(try #require(try todos.store.nextToRedo()).timestamp)
            #expect(try item(id, laptop).title == expected)
        }
        #expect(try todos.store.nextToRedo() == nil)
        world.now += 1_000
        _ = try laptop.undo(try #require(try todos.store.nextToUndo().change).timestamp)
        #expect(try item(id, laptop).title == "two")
        try rename("four")
        #expect(try todos.store.nextToRedo() == nil)
    }
}

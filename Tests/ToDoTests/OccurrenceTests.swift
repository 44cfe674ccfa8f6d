import Core
import Storage
import Testing
import ToDo

@Suite("Completing what comes again, on several devices")
struct OccurrenceTests {
    private func world() throws -> (ToDoWorld, Store, Store) {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        return (world, try world.store("laptop"), try world.store("phone"))
    }

    private func add(
        _ rule: String, due: Moment?, to store: Store, in world: ToDoWorld
    ) throws -> RecordID {
        var item = ToDoItem(title: "Water the plants")
        item.due = due
        item.repeats = rule
        return try world.todos(store).add(item)
    }

    private func pending(_ store: Store, in world: ToDoWorld) throws -> [ToDoItem] {
        try world.todos(store).list(ToDoFilter(), pendingOnly: true).map(ToDoMapping.item)
    }

    @Test("completed on two devices at once there is one next occurrence, and no conflict")
    func twice() throws {
        for rule in [
            "every week", "every 3 days after completion", "every week, 2 times",
            "every week until 2026-12-01",
        ] {
            let (world, laptop, phone) = try world()
            let id = try add(rule, due: Fixed.day("2026-11-21"), to: laptop, in: world)
            try world.meet(laptop, phone)
            _ = try world.todos(laptop).setStatus(.completed, of: [id])
            world.now += 600_000
            _ = try world.todos(phone).setStatus(.completed, of: [id])
            try world.meet(laptop, phone)
            for store in [laptop, phone] {
                let items = try pending(store, in: world)
                #expect(items.count == 1, "\(rule)")
                #expect(items.first?.occurrence == 1)
                #expect(try world.todos(store).conflicts().isEmpty, "\(rule)")
                let done = try #require(try world.todos(store).stored(id))
                // Both times are kept; the first one counts.
                #expect(ToDoMapping.item(done).completions.count == 2)
                #expect(ToDoMapping.item(done).completed == world.now - 600_000)
            }
            #expect(try laptop.summary().digest == phone.summary().digest)
        }
    }

    @Test(
        "an undo of what made an occurrence that another device made too is refused for that reason"
    )
    func undoOfBoth() throws {
        let (world, laptop, phone) = try world()
        let id = try add("every week", due: Fixed.day("2026-11-21"), to: laptop, in: world)
        try world.meet(laptop, phone)
        _ = try world.todos(laptop).setStatus(.completed, of: [id])
        world.now += 600_000
        _ = try world.todos(phone).setStatus(.completed, of: [id])
        try world.meet(laptop, phone)
        let todos = world.todos(laptop)
        let change = try #require(try todos.nextToUndo().change)
        guard case .refused(let obstacles) = try todos.undo(change.timestamp) else {
            Issue.record("it was undone")
            return
        }
        let ofNext = obstacles.filter { $0.record.id != id }
        #expect(ofNext.count == 1)
        for obstacle in ofNext { #expect(try todos.isMadeElsewhere(obstacle)) }
        // A change of it by the other device is told as one.
        let next = try #require(try todos.list(ToDoFilter(), pendingOnly: true).first)
        let old = ToDoMapping.item(next)
        var new = old
        new.title = "Water them"
        world.now += 1_000
        _ = try world.todos(phone).edit(next.id, from: old, to: new)
        try world.meet(laptop, phone)
        guard case .refused(let others) = try world.todos(laptop).undo(change.timestamp) else {
            Issue.record("it was undone")
            return
        }
        for obstacle in others where obstacle.record.id == next.id {
            #expect(try !world.todos(laptop).isMadeElsewhere(obstacle))
        }
    }

    @Test(
        "what ends comes as often as it says, and no more",
        arguments: [
            ("every week, 3 times", ["2026-11-21", "2026-11-28", "2026-12-05"]),
            ("every week, 1 time", ["2026-11-21"]),
            ("every week until 2026-11-28", ["2026-11-21", "2026-11-28"]),
            ("every week until 2026-11-27", ["2026-11-21"]),
            (
                "every sat, sun until 2026-11-28T00:00:00Z",
                ["2026-11-21", "2026-11-22", "2026-11-28"]
            ),
        ])
    func ends(rule: String, dues: [String]) throws {
        let (world, laptop, _) = try world()
        var id = try add(rule, due: Fixed.day("2026-11-21"), to: laptop, in: world)
        for (number, due) in dues.enumerated() {
            let open = try pending(laptop, in: world)
            #expect(open.map(\.due) == [Fixed.day(due)])
            let next = try world.todos(laptop).setStatus(.completed, of: [id]).next[id]
            #expect((next == nil) == (number == dues.count - 1))
            id = next ?? id
        }
        #expect(try pending(laptop, in: world).isEmpty)
    }

    @Test("one device goes two occurrences ahead: the other's late completion adds none")
    func ahead() throws {
        let (world, laptop, phone) = try world()
        let id = try add("every week", due: Fixed.day("2026-11-21"), to: laptop, in: world)
        try world.meet(laptop, phone)
        let todos = world.todos(laptop)
        let first = try todos.setStatus(.completed, of: [id])
        let second = try todos.setStatus(.completed, of: [try #require(first.next[id])])
        #expect(second.next.count == 1)
        _ = try world.todos(phone).setStatus(.completed, of: [id])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let items = try pending(store, in: world)
            #expect(items.map(\.occurrence) == [2])
            #expect(items.map(\.due) == [Fixed.day("2026-12-05")])
            #expect(try world.todos(store).conflicts().isEmpty)
        }
    }

    @Test(
        "done on days apart and counted from completion, the two dates are kept as a conflict of one"
    )
    func apart() throws {
        let (world, laptop, phone) = try world()
        let id = try add("3d!", due: Fixed.day("2026-11-21"), to: laptop, in: world)
        try world.meet(laptop, phone)
        _ = try world.todos(laptop).setStatus(.completed, of: [id])
        world.now += 86_400_000
        _ = try world.todos(phone).setStatus(.completed, of: [id])
        try world.meet(laptop, phone)
        #expect(try pending(phone, in: world).count == 1)
        let conflicts = try world.todos(phone).conflicts()
        let fields = conflicts.compactMap { conflict -> String? in
            if case .field(let field, _) = conflict.kind { ToDoSchema.name(of: field) } else { nil }
        }
        // The schedule's beginning follows the date, and is not asked about.
        #expect(fields == ["due"])
    }

    @Test("an edit made elsewhere meanwhile stays with its occurrence; nothing is lost")
    func edited() throws {
        let (world, laptop, phone) = try world()
        let id = try add("every week", due: Fixed.day("2026-11-21"), to: laptop, in: world)
        try world.meet(laptop, phone)
        _ = try world.todos(laptop).setStatus(.completed, of: [id])
        let stored = try #require(try world.todos(phone).stored(id))
        var item = ToDoMapping.item(stored)
        item.notes = "also the cactus"
        _ = try world.todos(phone).edit(id, from: ToDoMapping.item(stored), to: item)
        try world.meet(laptop, phone)
        let done = ToDoMapping.item(try #require(try world.todos(laptop).stored(id)))
        #expect(done.isComplete && done.notes == "also the cactus")
        #expect(try pending(laptop, in: world).map(\.notes) == [""])
        #expect(try world.todos(laptop).conflicts().isEmpty)
    }

    @Test("completed here and deleted there: the next one lives, the delete is a conflict")
    func deleted() throws {
        let (world, laptop, phone) = try world()
        let id = try add("every week", due: Fixed.day("2026-11-21"), to: laptop, in: world)
        try world.meet(laptop, phone)
        _ = try world.todos(laptop).setStatus(.completed, of: [id])
        _ = try world.todos(phone).delete([id])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            #expect(try pending(store, in: world).map(\.occurrence) == [1])
            #expect(try world.todos(store).conflicts().map(\.kind) == [.wasDeleted])
        }
    }

    @Test(
        "the next one deleted there while the other device makes it as well is not resurrected unasked"
    )
    func nextDeleted() throws {
        let (world, laptop, phone) = try world()
        let id = try add("every week", due: Fixed.day("2026-11-21"), to: laptop, in: world)
        try world.meet(laptop, phone)
        let next = try #require(
            try world.todos(laptop).setStatus(.completed, of: [id]).next[id])
        _ = try world.todos(laptop).delete([next])
        _ = try world.todos(phone).setStatus(.completed, of: [id])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            #expect(try pending(store, in: world).isEmpty)
            #expect(try world.todos(store).conflicts().map(\.kind) == [.wasDeleted])
        }
    }

    @Test("a skip makes the next one, a cancel ends it, and until ends it as well")
    func skips() throws {
        let (world, laptop, _) = try world()
        let id = try add("monthly", due: Fixed.day("2026-11-30"), to: laptop, in: world)
        let todos = world.todos(laptop)
        let skipped = try todos.setStatus(.cancelled, of: [id], isSkip: true)
        let next = try #require(skipped.next[id])
        #expect(try pending(laptop, in: world).map(\.due) == [Fixed.day("2026-12-30")])
        #expect(try todos.setStatus(.cancelled, of: [next]).next.isEmpty)
        #expect(try pending(laptop, in: world).isEmpty)
    }

    @Test(
        "what counts from completion and is skipped comes after the one that was skipped",
        arguments: [("2026-12-20", "2026-12-23"), ("2026-11-10", "2026-11-24"), ("", "2026-11-24")])
    func skipsFromCompletion(due: String, next: String) throws {
        let (world, laptop, phone) = try world()
        let day = due.isEmpty ? nil : Fixed.day(due)
        let id = try add("every 3 days after completion", due: day, to: laptop, in: world)
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            _ = try world.todos(store).setStatus(.cancelled, of: [id], isSkip: true)
            #expect(try pending(store, in: world).map(\.due) == [Fixed.day(next)])
        }
        try world.meet(laptop, phone)
        #expect(try world.todos(laptop).conflicts().isEmpty)
        // Pending again, it takes the next one back, as that is what a skip makes.
        _ = try world.todos(laptop).setStatus(.pending, of: [id])
        #expect(try pending(laptop, in: world).map(\.due) == [day])
    }

    @Test("undone and done again, the next occurrence goes and comes back")
    func undone() throws {
        let (world, laptop, phone) = try world()
        let id = try add("every week", due: Fixed.day("2026-11-21"), to: laptop, in: world)
        let todos = world.todos(laptop)
        _ = try todos.setStatus(.completed, of: [id])
        try world.meet(laptop, phone)
        let change = try #require(try todos.store.nextToUndo().change)
        guard case .done(let changed) = try laptop.undo(change.timestamp) else {
            Issue.record("refused")
            return
        }
        #expect(changed.count == 2)
        #expect(try pending(laptop, in: world).map(\.identifier) == [id.value])
        _ = try todos.setStatus(.completed, of: [id])
        #expect(try pending(laptop, in: world).map(\.occurrence) == [1])
        try world.meet(laptop, phone)
        #expect(try pending(phone, in: world).map(\.occurrence) == [1])
        #expect(try todos.conflicts().isEmpty)
    }

    @Test("days stay days and times stay times of the zone that the rule names, on every device")
    func zones() throws {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        let laptop = try world.store("laptop")
        let rule = Repetition(.days(7), zone: "Europe/Berlin")
        let berlin = try Fixed.zone("Europe/Berlin")
        var item = ToDoItem(title: "Call")
        // New York changes its clocks on 14 March, Berlin on the 28th.
        item.due = .instant(Fixed.instant("2027-03-10", 9, in: berlin))
        item.repeats = rule.text
        item.identifier = 5
        let there = try Fixed.zone("America/New_York")
        let next = item.nextOccurrence(
            completed: Fixed.now, zone: there, named: { try? Fixed.zone($0) })
        #expect(next?.due == .instant(Fixed.instant("2027-03-17", 9, in: berlin)))
        let todos = ToDoStore(store: laptop, now: world.now, zone: berlin)
        #expect(todos.placed(Repetition(.days(1)), of: item).zone == "Europe/Berlin")
        item.due = Fixed.day("2027-03-10")
        #expect(todos.placed(Repetition(.days(1)), of: item).zone == nil)
    }
}

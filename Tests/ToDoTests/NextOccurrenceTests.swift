import Core
import Storage
import Testing
import ToDo

@Suite("What the next occurrence takes over when the one before it is finished again")
struct NextOccurrenceTests {
    private struct OccurrenceWorld {
        let world: ToDoWorld
        let laptop: Store
        let phone: Store
        let first: RecordID

        /// A to-do that comes again, on both devices.
        init(_ rule: String = "every week") throws {
            world = try ToDoWorld(zone: try Fixed.berlin())
            laptop = try world.store("laptop")
            phone = try world.store("phone")
            var item = ToDoItem(title: "Water the plants")
            item.due = Fixed.day("2026-11-21")
            item.repeats = rule
            item.setTags(["garden", "home"])
            item.custom = ["can": .text("green")]
            first = try world.todos(laptop).add(item)
            try world.meet(laptop, phone)
        }

        func item(_ id: RecordID, on store: Store) throws -> ToDoItem {
            ToDoMapping.item(try #require(try world.todos(store).stored(id)))
        }

        func edit(
            _ id: RecordID, on store: Store, _ change: (inout ToDoItem) -> Void
        ) throws {
            let old = try item(id, on: store)
            var new = old
            change(&new)
            _ = try world.todos(store).edit(id, from: old, to: new)
        }

        /// Writes to-dos as they are, in one transaction.
        func save(_ items: [ToDoItem], on store: Store) throws {
            let todos = world.todos(store)
            _ = try store.edit { transaction throws(StoreFault) in
                for item in items {
                    guard let id = item.identifier.map({ RecordID(value: $0) }),
                        let known = try todos.stored(id)
                    else { continue }
                    let changes = ToDoMapping.assignments(from: ToDoMapping.item(known), to: item)
                    try transaction.update(id, changes)
                }
            }
        }

        /// Finishes the first occurrence.
        func finish(on store: Store, asSkip: Bool = false) throws -> RecordID {
            let outcome = try world.todos(store).setStatus(
                asSkip ? .cancelled : .completed, of: [first], isSkip: asSkip)
            return try #require(outcome.next[first])
        }

        func undo(on store: Store) throws {
            let change = try #require(try world.todos(store).store.nextToUndo().change)
            guard case .done = try store.undo(change.timestamp) else {
                Issue.record("the undo was refused")
                return
            }
        }

        func isInTrash(_ id: RecordID, on store: Store) throws -> Bool {
            try #require(try world.todos(store).stored(id)).verdict.isDeleted
        }
    }

    private static func rewrite(_ item: inout ToDoItem) {
        item.title = "Water the cactus"
        item.notes = "sparingly"
        item.priority = .high
        item.setTags(["home", "desert"])
        item.custom = ["jug": .text("blue")]
    }

    private static func expectRewritten(_ item: ToDoItem) {
        #expect(item.title == "Water the cactus")
        #expect(item.notes == "sparingly")
        #expect(item.priority == .high)
        #expect(item.tags == ["desert", "home"])
        #expect(item.custom == ["jug": .text("blue")])
    }

    @Test(
        "finished, undone, edited and finished again: it has what the to-do has now, on every device",
        arguments: [false, true], [false, true])
    func again(asSkip: Bool, syncsBetween: Bool) throws {
        let world = try OccurrenceWorld()
        let next = try world.finish(on: world.laptop, asSkip: asSkip)
        if syncsBetween { try world.world.meet(world.laptop, world.phone) }
        try world.undo(on: world.laptop)
        #expect(try world.isInTrash(next, on: world.laptop))
        try world.edit(world.first, on: world.laptop) { Self.rewrite(&$0) }
        #expect(try world.finish(on: world.laptop, asSkip: asSkip) == next)
        try world.world.meet(world.laptop, world.phone)
        for store in [world.laptop, world.phone] {
            let item = try world.item(next, on: store)
            Self.expectRewritten(item)
            #expect(item.due == Fixed.day("2026-11-28") && item.occurrence == 1)
            #expect(try !world.isInTrash(next, on: store))
            #expect(try world.world.todos(store).conflicts().isEmpty)
        }
        #expect(try world.laptop.summary().digest == world.phone.summary().digest)
    }

    @Test("three times over, it still has the latest; a changed date and rule give a changed date")
    func often() throws {
        let world = try OccurrenceWorld()
        let next = try world.finish(on: world.laptop)
        for round in 1...3 {
            try world.undo(on: world.laptop)
            try world.edit(world.first, on: world.laptop) { item in
                item.title = "Round \(round)"
                item.due = Fixed.day("2026-11-2\(round)")
            }
            #expect(try world.finish(on: world.laptop) == next)
            let item = try world.item(next, on: world.laptop)
            #expect(item.title == "Round \(round)")
            #expect(
                item.due
                    == [Fixed.day("2026-11-28"), Fixed.day("2026-11-29"), Fixed.day("2026-11-30")][
                        round - 1])
        }
    }

    @Test("reopened rather than undone, what was typed on the next one stays and the rest follows")
    func typed() throws {
        let world = try OccurrenceWorld()
        let next = try world.finish(on: world.laptop)
        try world.edit(next, on: world.laptop) { item in
            item.title = "Water the new plants"
            item.addTag("balcony")
        }
        _ = try world.world.todos(world.laptop).setStatus(.pending, of: [world.first])
        try world.edit(world.first, on: world.laptop) { Self.rewrite(&$0) }
        #expect(try world.finish(on: world.laptop) == next)
        let item = try world.item(next, on: world.laptop)
        #expect(item.title == "Water the new plants")
        #expect(item.tags == ["balcony", "desert", "home"])
        #expect(item.notes == "sparingly")
    }

    @Test("what was typed or cleared on the next one stays through an undo as well")
    func typedAndUndone() throws {
        let world = try OccurrenceWorld()
        try world.edit(world.first, on: world.laptop) { $0.notes = "with rain water" }
        let next = try world.finish(on: world.laptop)
        // One edit, so that one more undo reaches what finished it.
        try world.edit(next, on: world.laptop) { item in
            item.title = "Mine"
            item.notes = ""
        }
        let changes = try world.world.todos(world.laptop).store.localChanges(limit: 5)
        guard case .done = try world.laptop.undo(changes[1].timestamp) else {
            Issue.record("the undo was refused")
            return
        }
        #expect(try world.isInTrash(next, on: world.laptop))
        try world.edit(world.first, on: world.laptop) { item in
            item.title = "Another title"
            item.location = "Balcony"
        }
        #expect(try world.finish(on: world.laptop) == next)
        let item = try world.item(next, on: world.laptop)
        #expect(item.title == "Mine" && item.notes.isEmpty && item.location == "Balcony")
    }

    @Test(
        "what an import wrote in it together with a status of the one before stays",
        arguments: [ToDoStatus.completed, .pending], [false, true])
    func typedWithStatus(status: ToDoStatus, isUndone: Bool) throws {
        let world = try OccurrenceWorld()
        let todos = world.world.todos(world.laptop)
        let next = try world.finish(on: world.laptop)
        if isUndone { try world.edit(next, on: world.laptop) { $0.title = "Mine" } }
        if status == .completed {
            _ = try todos.setStatus(.pending, of: [world.first])
            _ = try todos.restore([next])
        }
        var items = [
            try world.item(world.first, on: world.laptop), try world.item(next, on: world.laptop),
        ]
        items[0].apply(.status(status), now: world.world.now)
        items[1].title = isUndone ? "Water the plants" : "Mine"
        try world.save(items, on: world.laptop)
        if isUndone { try world.undo(on: world.laptop) }
        _ = try todos.setStatus(.pending, of: [world.first])
        try world.edit(world.first, on: world.laptop) { item in
            item.title = "Water the cactus"
            item.location = "Balcony"
        }
        #expect(try world.finish(on: world.laptop) == next)
        let item = try world.item(next, on: world.laptop)
        #expect(item.title == "Mine" && item.location == "Balcony")
        #expect(try todos.conflicts().isEmpty)
        let title = Assignment(.number(ToDoSchema.Number.title), .text("Water the cactus"))
        #expect(try todos.missedChanges(of: try #require(try todos.stored(next))) == [title])
    }

    @Test("finished again, undone and finished again with no edit between, it has the latest")
    func unedited() throws {
        let world = try OccurrenceWorld()
        let next = try world.finish(on: world.laptop)
        try world.undo(on: world.laptop)
        try world.edit(world.first, on: world.laptop) { Self.rewrite(&$0) }
        #expect(try world.finish(on: world.laptop) == next)
        try world.undo(on: world.laptop)
        #expect(try world.finish(on: world.laptop) == next)
        Self.expectRewritten(try world.item(next, on: world.laptop))
    }

    @Test("undone here and finished again there, where nobody saw the first time")
    func elsewhere() throws {
        let world = try OccurrenceWorld()
        let next = try world.finish(on: world.laptop)
        try world.undo(on: world.laptop)
        try world.world.meet(world.laptop, world.phone)
        try world.edit(world.first, on: world.phone) { Self.rewrite(&$0) }
        #expect(try world.finish(on: world.phone) == next)
        try world.world.meet(world.laptop, world.phone)
        for store in [world.laptop, world.phone] {
            Self.expectRewritten(try world.item(next, on: store))
            #expect(try world.world.todos(store).conflicts().isEmpty)
        }
    }

    @Test("undone here and finished again there: what was typed on the next one stays there, too")
    func typedElsewhere() throws {
        let world = try OccurrenceWorld()
        let next = try world.finish(on: world.laptop)
        try world.edit(next, on: world.laptop) { $0.title = "Mine" }
        _ = try world.world.todos(world.laptop).setStatus(.pending, of: [world.first])
        _ = try world.world.todos(world.laptop).delete([next])
        try world.world.meet(world.laptop, world.phone)
        try world.edit(world.first, on: world.phone) { $0.title = "Another title" }
        #expect(try world.finish(on: world.phone) == next)
        try world.world.meet(world.laptop, world.phone)
        for store in [world.laptop, world.phone] {
            #expect(try world.item(next, on: store).title == "Mine")
        }
    }

    @Test("one that is finished itself by then is left as it is")
    func finished() throws {
        let world = try OccurrenceWorld()
        let next = try world.finish(on: world.laptop)
        let todos = world.world.todos(world.laptop)
        _ = try todos.setStatus(.completed, of: [next])
        _ = try todos.setStatus(.pending, of: [world.first])
        try world.edit(world.first, on: world.laptop) { Self.rewrite(&$0) }
        _ = try world.finish(on: world.laptop)
        #expect(try world.item(next, on: world.laptop).title == "Water the plants")
    }

    @Test(
        "edited there while it was finished here, the next one tells what it missed, on both devices"
    )
    func concurrent() throws {
        let world = try OccurrenceWorld()
        try world.edit(world.first, on: world.phone) { item in
            item.title = "Water the cactus"
            item.setTags(["home", "desert"])
            item.notes = "sparingly"
            item.due = Fixed.day("2026-11-23")
        }
        let next = try world.finish(on: world.laptop)
        try world.edit(next, on: world.laptop) { $0.notes = "mine" }
        try world.world.meet(world.laptop, world.phone)
        for store in [world.laptop, world.phone] {
            let todos = world.world.todos(store)
            let missed = try todos.missedChanges(of: try #require(try todos.stored(next)))
            #expect(
                missed == [
                    Assignment(.number(ToDoSchema.Number.title), .text("Water the cactus")),
                    // Two days later, as the one before was moved.
                    Assignment(
                        .number(ToDoSchema.Number.due),
                        .day(Int32(try #require(Fixed.date("2026-11-30")).day))),
                    Assignment(
                        .element(.number(ToDoSchema.Number.tags), text: "desert"), .bool(true)),
                    Assignment(.element(.number(ToDoSchema.Number.tags), text: "garden"), .null),
                ])
            #expect(try world.item(next, on: store).title == "Water the plants")
            #expect(try todos.conflicts().isEmpty)
        }
        // A field that the user sets here is no longer reported, whatever its value.
        try world.edit(next, on: world.phone) { item in
            item.title = "Water the cactus and the palm"
            item.setTags(["desert", "home"])
            item.due = Fixed.day("2026-11-29")
        }
        let todos = world.world.todos(world.phone)
        #expect(try todos.missedChanges(of: try #require(try todos.stored(next))).isEmpty)
        #expect(try todos.missedChanges(of: try #require(try todos.stored(world.first))).isEmpty)
    }

    @Test("finished on two devices while a third edited it, the next one tells what it missed")
    func thrice() throws {
        let world = try OccurrenceWorld("every 3 days after completion")
        let third = try world.world.store("tablet")
        try world.world.meet(world.laptop, third)
        try world.edit(world.first, on: third) { item in
            item.title = "Water the cactus"
            item.repeats = ""
        }
        let next = try world.finish(on: world.laptop)
        world.world.now += 2 * 86_400_000
        #expect(try world.finish(on: world.phone) == next)
        try world.world.meet(world.laptop, world.phone)
        try world.world.meet(world.laptop, third)
        try world.world.meet(world.laptop, world.phone)
        for store in [world.laptop, world.phone, third] {
            let todos = world.world.todos(store)
            let missed = try todos.missedChanges(of: try #require(try todos.stored(next)))
            #expect(
                missed == [
                    Assignment(.number(ToDoSchema.Number.title), .text("Water the cactus")),
                    Assignment(.number(ToDoSchema.Number.repeats), .null),
                ])
        }
    }
}

import Core
import Storage
import Testing
import ToDo

@Suite("What the next occurrence takes over when the one before it is finished again")
struct NextOccurrenceTests {
    private struct Place {
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
            let change = try #require(try world.todos(store).nextToUndo())
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
        let place = try Place()
        let next = try place.finish(on: place.laptop, asSkip: asSkip)
        if syncsBetween { try place.world.meet(place.laptop, place.phone) }
        try place.undo(on: place.laptop)
        #expect(try place.isInTrash(next, on: place.laptop))
        try place.edit(place.first, on: place.laptop) { Self.rewrite(&$0) }
        #expect(try place.finish(on: place.laptop, asSkip: asSkip) == next)
        try place.world.meet(place.laptop, place.phone)
        for store in [place.laptop, place.phone] {
            let item = try place.item(next, on: store)
            Self.expectRewritten(item)
            #expect(item.due == Fixed.day("2026-11-28") && item.occurrence == 1)
            #expect(try !place.isInTrash(next, on: store))
            #expect(try place.world.todos(store).conflicts().isEmpty)
        }
        #expect(try place.laptop.summary().digest == place.phone.summary().digest)
    }

    @Test("three times over, it still has the latest; a changed date and rule give a changed date")
    func often() throws {
        let place = try Place()
        let next = try place.finish(on: place.laptop)
        for round in 1...3 {
            try place.undo(on: place.laptop)
            try place.edit(place.first, on: place.laptop) { item in
                item.title = "Round \(round)"
                item.due = Fixed.day("2026-11-2\(round)")
            }
            #expect(try place.finish(on: place.laptop) == next)
            let item = try place.item(next, on: place.laptop)
            #expect(item.title == "Round \(round)")
            #expect(
                item.due
                    == [Fixed.day("2026-11-28"), Fixed.day("2026-11-29"), Fixed.day("2026-11-30")][
                        round - 1])
        }
    }

    @Test("reopened rather than undone, what was typed on the next one stays and the rest follows")
    func typed() throws {
        let place = try Place()
        let next = try place.finish(on: place.laptop)
        try place.edit(next, on: place.laptop) { item in
            item.title = "Water the new plants"
            item.addTag("balcony")
        }
        _ = try place.world.todos(place.laptop).setStatus(.pending, of: [place.first])
        try place.edit(place.first, on: place.laptop) { Self.rewrite(&$0) }
        #expect(try place.finish(on: place.laptop) == next)
        let item = try place.item(next, on: place.laptop)
        #expect(item.title == "Water the new plants")
        #expect(item.tags == ["balcony", "desert", "home"])
        #expect(item.notes == "sparingly")
    }

    @Test("what was typed or cleared on the next one stays through an undo as well")
    func typedAndUndone() throws {
        let place = try Place()
        try place.edit(place.first, on: place.laptop) { $0.notes = "with rain water" }
        let next = try place.finish(on: place.laptop)
        // One edit, so that one more undo reaches what finished it.
        try place.edit(next, on: place.laptop) { item in
            item.title = "Mine"
            item.notes = ""
        }
        let changes = try place.world.todos(place.laptop).changes(limit: 5)
        guard case .done = try place.laptop.undo(changes[1].timestamp) else {
            Issue.record("the undo was refused")
            return
        }
        #expect(try place.isInTrash(next, on: place.laptop))
        try place.edit(place.first, on: place.laptop) { item in
            item.title = "Another title"
            item.location = "Balcony"
        }
        #expect(try place.finish(on: place.laptop) == next)
        let item = try place.item(next, on: place.laptop)
        #expect(item.title == "Mine" && item.notes.isEmpty && item.location == "Balcony")
    }

    @Test(
        "what an import wrote in it together with a status of the one before stays",
        arguments: [ToDoStatus.completed, .pending], [false, true])
    func typedWithStatus(status: ToDoStatus, isUndone: Bool) throws {
        let place = try Place()
        let todos = place.world.todos(place.laptop)
        let next = try place.finish(on: place.laptop)
        if isUndone { try place.edit(next, on: place.laptop) { $0.title = "Mine" } }
        if status == .completed {
            _ = try todos.setStatus(.pending, of: [place.first])
            _ = try todos.restore([next])
        }
        var items = [
            try place.item(place.first, on: place.laptop), try place.item(next, on: place.laptop),
        ]
        items[0].apply(.status(status), now: place.world.now)
        items[1].title = isUndone ? "Water the plants" : "Mine"
        try place.save(items, on: place.laptop)
        if isUndone { try place.undo(on: place.laptop) }
        _ = try todos.setStatus(.pending, of: [place.first])
        try place.edit(place.first, on: place.laptop) { item in
            item.title = "Water the cactus"
            item.location = "Balcony"
        }
        #expect(try place.finish(on: place.laptop) == next)
        let item = try place.item(next, on: place.laptop)
        #expect(item.title == "Mine" && item.location == "Balcony")
        #expect(try todos.conflicts().isEmpty)
        let title = Assignment(.number(ToDoSchema.Number.title), .text("Water the cactus"))
        #expect(try todos.missedChanges(of: try #require(try todos.stored(next))) == [title])
    }

    @Test("finished again, undone and finished again with no edit between, it has the latest")
    func unedited() throws {
        let place = try Place()
        let next = try place.finish(on: place.laptop)
        try place.undo(on: place.laptop)
        try place.edit(place.first, on: place.laptop) { Self.rewrite(&$0) }
        #expect(try place.finish(on: place.laptop) == next)
        try place.undo(on: place.laptop)
        #expect(try place.finish(on: place.laptop) == next)
        Self.expectRewritten(try place.item(next, on: place.laptop))
    }

    @Test("undone here and finished again there, where nobody saw the first time")
    func elsewhere() throws {
        let place = try Place()
        let next = try place.finish(on: place.laptop)
        try place.undo(on: place.laptop)
        try place.world.meet(place.laptop, place.phone)
        try place.edit(place.first, on: place.phone) { Self.rewrite(&$0) }
        #expect(try place.finish(on: place.phone) == next)
        try place.world.meet(place.laptop, place.phone)
        for store in [place.laptop, place.phone] {
            Self.expectRewritten(try place.item(next, on: store))
            #expect(try place.world.todos(store).conflicts().isEmpty)
        }
    }

    @Test("undone here and finished again there: what was typed on the next one stays there, too")
    func typedElsewhere() throws {
        let place = try Place()
        let next = try place.finish(on: place.laptop)
        try place.edit(next, on: place.laptop) { $0.title = "Mine" }
        _ = try place.world.todos(place.laptop).setStatus(.pending, of: [place.first])
        _ = try place.world.todos(place.laptop).delete([next])
        try place.world.meet(place.laptop, place.phone)
        try place.edit(place.first, on: place.phone) { $0.title = "Another title" }
        #expect(try place.finish(on: place.phone) == next)
        try place.world.meet(place.laptop, place.phone)
        for store in [place.laptop, place.phone] {
            #expect(try place.item(next, on: store).title == "Mine")
        }
    }

    @Test("one that is finished itself by then is left as it is")
    func finished() throws {
        let place = try Place()
        let next = try place.finish(on: place.laptop)
        let todos = place.world.todos(place.laptop)
        _ = try todos.setStatus(.completed, of: [next])
        _ = try todos.setStatus(.pending, of: [place.first])
        try place.edit(place.first, on: place.laptop) { Self.rewrite(&$0) }
        _ = try place.finish(on: place.laptop)
        #expect(try place.item(next, on: place.laptop).title == "Water the plants")
    }

    @Test(
        "edited there while it was finished here, the next one tells what it missed, on both devices"
    )
    func concurrent() throws {
        let place = try Place()
        try place.edit(place.first, on: place.phone) { item in
            item.title = "Water the cactus"
            item.setTags(["home", "desert"])
            item.notes = "sparingly"
            item.due = Fixed.day("2026-11-23")
        }
        let next = try place.finish(on: place.laptop)
        try place.edit(next, on: place.laptop) { $0.notes = "mine" }
        try place.world.meet(place.laptop, place.phone)
        for store in [place.laptop, place.phone] {
            let todos = place.world.todos(store)
            let missed = try todos.missedChanges(of: try #require(try todos.stored(next)))
            #expect(
                missed == [
                    Assignment(.number(ToDoSchema.Number.title), .text("Water the cactus")),
                    Assignment(
                        .element(.number(ToDoSchema.Number.tags), text: "desert"), .bool(true)),
                    Assignment(.element(.number(ToDoSchema.Number.tags), text: "garden"), .null),
                ])
            #expect(try place.item(next, on: store).title == "Water the plants")
            #expect(try todos.conflicts().isEmpty)
        }
        // A field that the user sets here is no longer reported, whatever its value.
        try place.edit(next, on: place.phone) { item in
            item.title = "Water the cactus and the palm"
            item.setTags(["desert", "home"])
        }
        let todos = place.world.todos(place.phone)
        #expect(try todos.missedChanges(of: try #require(try todos.stored(next))).isEmpty)
        #expect(try todos.missedChanges(of: try #require(try todos.stored(place.first))).isEmpty)
    }
}

import Core
import Storage
import Testing
import ToDo

@Suite("Overdue series that go on from today")
struct CatchingUpTests {
    /// Saturday 21 November 2026, a little after midnight in Berlin.
    private func item(
        _ repeats: String, due: String, _ change: (inout ToDoItem) -> Void = { _ in }
    ) throws -> ToDoItem {
        var item = ToDoItem(title: "Water")
        item.identifier = 1
        item.due = Fixed.day(due)
        item.repeats = try #require(Repetition(text: repeats)).text
        change(&item)
        return item
    }

    private func caughtUp(_ item: ToDoItem) throws -> ToDoItem {
        try item.caughtUp(now: Fixed.now, zone: try Fixed.berlin(), named: { _ in nil })
    }

    @Test(
        "the schedule goes on where it stands, today or later",
        arguments: [
            ("weekly", "2026-10-02", "2026-11-27"), ("weekly", "2026-10-03", "2026-11-21"),
            ("daily", "2024-01-01", "2026-11-21"), ("3 days", "2026-11-16", "2026-11-22"),
            ("monthly", "2026-08-31", "2026-11-30"), ("mon,thu", "2026-11-02", "2026-11-23"),
            ("yearly", "2020-02-29", "2027-02-28"), ("weekly!", "2026-10-02", "2026-11-21"),
            ("weekly until 2026-11-27", "2026-10-02", "2026-11-27"),
            ("last friday of the month", "2026-08-28", "2026-11-27"),
            ("every 2 months on the 1st mon", "2026-08-03", "2026-12-07"),
        ])
    func dates(rule: String, due: String, expected: String) throws {
        let late = try item(rule, due: due)
        let item = try caughtUp(late)
        #expect(item.due == Fixed.day(expected))
        #expect(item.repeats == late.repeats)
        // The dates then are what would have come without the break.
        let zone = try Fixed.berlin()
        var walked = late
        while let next = walked.due, next.day(in: zone) < item.due!.day(in: zone),
            !rule.hasSuffix("!")
        {
            walked.due = try #require(walked.repetition).next(
                after: next, anchor: walked.anchor ?? late.due, completed: 0, zone: zone)?.due
        }
        if !rule.hasSuffix("!") { #expect(walked.due == item.due) }
    }

    @Test("the 31st stays the 31st behind a short month that was passed over")
    func anchored() throws {
        var late = try item("monthly", due: "2026-09-30") { $0.anchor = Fixed.day("2026-08-31") }
        late = try caughtUp(late)
        #expect(late.due == Fixed.day("2026-11-30") && late.anchor == Fixed.day("2026-08-31"))
        let next = late.nextOccurrence(completed: Fixed.now, zone: try Fixed.berlin()) { _ in nil }
        #expect(next?.due == Fixed.day("2026-12-31"))
    }

    @Test("plans move along, a time of day stays, and dates that are passed over count")
    func counted() throws {
        let late = try item("daily 20 times", due: "2026-11-12") {
            $0.scheduled = Fixed.day("2026-11-11")
            $0.wait = Fixed.day("2026-11-10")
        }
        let item = try caughtUp(late)
        #expect(item.due == Fixed.day("2026-11-21"))
        #expect(item.scheduled == Fixed.day("2026-11-20") && item.wait == Fixed.day("2026-11-19"))
        #expect(item.repeats == "every day, 11 times")
        let times = try self.item("daily", due: "2026-11-12") {
            $0.due = .instant(Fixed.now - 172_800_000)
        }
        #expect(try caughtUp(times).due == .instant(Fixed.now))
    }

    @Test("a reminder at a time moves along, a lead counts from the new date, neither is dismissed")
    func reminding() throws {
        let zone = try Fixed.berlin()
        let text = { (day: String) in
            TimestampText.rfc3339(Fixed.instant(day, 18, in: zone))
        }
        let late = try item("weekly", due: "2026-10-16") {
            // The clock goes back in the night to 25 October.
            $0.setReminders(
                [text("2026-10-15"), "due-P1D/" + text("2026-10-15")]
                    .compactMap { Reminder(text: $0) })
        }
        #expect(late.reminders.count == 2)
        let item = try caughtUp(late)
        #expect(item.due == Fixed.day("2026-11-27"))
        #expect(item.reminders.map(\.text) == [text("2026-11-26"), "due-P1D"])
    }

    @Test(
        "what cannot go on from today says why",
        arguments: [
            ("daily 9 times", "2026-11-12", ToDoItem.CatchUpObstacle.isOver),
            ("weekly until 2026-11-20", "2026-10-02", .isOver),
            ("daily", "2026-11-21", .isNotOverdue), ("daily", "2026-11-22", .isNotOverdue),
        ])
    func obstacles(rule: String, due: String, expected: ToDoItem.CatchUpObstacle) throws {
        #expect(throws: expected) { try caughtUp(try item(rule, due: due)) }
    }

    @Test("one that is finished, comes no more or comes in an unknown way is left as it is")
    func others() throws {
        let late = try item("daily", due: "2026-11-12")
        var other = late
        other.status = .completed
        #expect(throws: ToDoItem.CatchUpObstacle.isFinished) { try caughtUp(other) }
        other = late
        other.repeats = ""
        #expect(throws: ToDoItem.CatchUpObstacle.doesNotRepeat) { try caughtUp(other) }
        other.repeats = "every 7 moons"
        #expect(throws: ToDoItem.CatchUpObstacle.unknownRepetition) { try caughtUp(other) }
        other = late
        other.until = Fixed.day("2026-11-20")
        #expect(throws: ToDoItem.CatchUpObstacle.isOver) { try caughtUp(other) }
        other.due = nil
        #expect(throws: ToDoItem.CatchUpObstacle.isNotOverdue) { try caughtUp(other) }
    }

    @Test("caught up here and finished there: one next occurrence, and no conflict")
    func merged() throws {
        let world = try ToDoWorld(zone: try Fixed.berlin())
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        let id = try world.todos(laptop).add(try item("weekly", due: "2026-10-03"))
        try world.meet(laptop, phone)
        let todos = world.todos(laptop)
        let old = ToDoMapping.item(try #require(try todos.stored(id)))
        _ = try todos.edit(id, from: old, to: try todos.caughtUp(old))
        let next = try #require(
            try world.todos(phone).setStatus(.completed, of: [id]).next[id])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            let todos = world.todos(store)
            #expect(try todos.list(ToDoFilter(), pendingOnly: true).map(\.id) == [next])
            #expect(try todos.conflicts().isEmpty)
        }
    }
}

import Core
import Storage
import TestSupport
import Testing
import ToDo

@Suite("Reminders of whole days")
struct WholeDayReminderTests {
    @Test(
        "a lead of days alone is told in the morning of its day, one with hours counts from midnight",
        arguments: [
            ("due", "2026-03-29", 9, 0), ("due-P1D", "2026-03-28", 9, 0),
            ("due-P7D", "2026-03-22", 9, 0), ("due+P1D", "2026-03-30", 9, 0),
            ("scheduled-P1D", "2026-03-26", 9, 0), ("due-PT2H", "2026-03-28", 22, 0),
            ("due+PT30M", "2026-03-29", 0, 30), ("due-PT24H", "2026-03-28", 0, 0),
            ("due-P1DT1H", "2026-03-27", 23, 0),
        ])
    func times(text: String, day: String, hour: Int, minute: Int) throws {
        let zone = try Fixed.berlin()
        var item = ToDoItem(title: "a")
        // The clock goes forward in the night to it.
        item.due = Fixed.day("2026-03-29")
        item.scheduled = Fixed.day("2026-03-27")
        let reminder = try #require(Reminder(text: text))
        #expect(
            reminder.time(in: item, zone: zone) == Fixed.instant(day, hour, minute, in: zone))
    }

    @Test("one that gets a time of day is told so long before it")
    func timed() throws {
        let zone = try Fixed.berlin()
        var item = ToDoItem(title: "a")
        item.due = .instant(Fixed.instant("2026-03-27", 17, in: zone))
        let reminder = try #require(Reminder(text: "due-P1D"))
        #expect(
            reminder.time(in: item, zone: zone) == Fixed.instant("2026-03-26", 17, in: zone))
    }

    @Test("what is typed for a day is told in the morning of it, however it is said")
    func typed() throws {
        let zone = try Fixed.berlin()
        var item = ToDoItem(title: "a")
        item.due = Fixed.day("2026-11-27")
        var times: Set<Int64?> = []
        for text in ["-1d", "1d before", "1 day before due", "2026-11-26"] {
            let words = try ToDoWords.parse(["remind:" + text], now: Fixed.now, zone: zone)
            for assignment in words.assignments { item.apply(assignment, now: Fixed.now) }
            times.insert(item.reminders.first?.time(in: item, zone: zone))
        }
        #expect(times == [Fixed.instant("2026-11-26", 9, in: zone)])
    }
}

@Suite("Reminders of a series whose date is edited")
struct SeriesReminderTests {
    private let world: ToDoWorld

    init() throws { world = try ToDoWorld(zone: try Fixed.berlin()) }

    private func edited(_ words: [String], repeats: String = "every month") throws -> [String] {
        let store = try world.store("laptop \(words) \(repeats.count)")
        defer { store.close() }
        var item = ToDoItem(title: "rent")
        item.due = Fixed.day("2026-11-27")
        item.repeats = repeats
        item.setReminders(
            ["2026-11-26T17:00:00Z", "due-P1D"].compactMap { Reminder(text: $0) })
        let typed = try ToDoWords.parse(words, for: .editing, now: world.now, zone: world.zone)
        try world.todos(store).apply(typed, to: &item, parent: nil)
        return item.reminders.map(\.text)
    }

    @Test("a reminder at a time moves along by as many days")
    func moved() throws {
        #expect(try edited(["due:2026-11-30"]) == ["2026-11-29T17:00:00Z", "due-P1D"])
        #expect(try edited(["due:2026-11-20"]) == ["2026-11-19T17:00:00Z", "due-P1D"])
    }

    @Test(
        "it stays where the day does, where reminders are given, without a date, and without a series"
    )
    func stays() throws {
        let before = ["2026-11-26T17:00:00Z", "due-P1D"]
        #expect(try edited(["due:2026-11-27 18:00"]) == before)
        #expect(try edited(["due:2026-11-30", "remind:-2d"]) == ["due-P2D"])
        #expect(try edited(["due:"]) == before)
        #expect(try edited(["due:2026-11-30", "repeat:"]) == before)
        #expect(try edited(["due:2026-11-30"], repeats: "") == before)
    }

    @Test("a form moves it as well")
    func form() throws {
        var item = ToDoItem(title: "rent")
        item.due = Fixed.day("2026-11-27")
        item.repeats = "every month"
        item.setReminders(["2026-11-26T17:00:00Z"].compactMap { Reminder(text: $0) })
        let form = ToDoForm(item, zone: world.zone)
        let fields = try form.read(
            [(key: "due", text: "2026-11-30")], notes: nil, now: world.now)
        #expect(fields.reminders.map(\.text) == ["2026-11-29T17:00:00Z"])
        let text = form.text.replacing("due: 2026-11-27", with: "due: 2026-11-30")
        #expect(text != form.text)
        #expect(try form.read(text, now: world.now).reminders == fields.reminders)
    }
}

@Suite("Reminders that a daemon keeps in mind")
struct ReminderScheduleFollowingTests {
    private let world: ToDoWorld

    init() throws { world = try ToDoWorld(zone: try Fixed.berlin()) }

    private func item(_ title: String, _ reminders: [String], due: Int64) -> ToDoItem {
        var item = ToDoItem(title: title)
        item.due = .instant(due)
        item.setReminders(reminders.compactMap { Reminder(text: $0) })
        return item
    }

    @Test(
        "after each change it tells what one that is made anew tells, and reads only what changed")
    func follows() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        let schedule = ReminderSchedule(store)
        var random = SplitMix64(seed: 20_261_124)
        var ids: [RecordID] = []
        for step in 0..<400 {
            let todos = world.todos(store)
            let due = world.now + Int64(random.next() % 200) * 60_000 - 100 * 60_000
            switch random.next() % 6 {
            case 0, 1:
                ids.append(
                    try todos.add(
                        item("\(step)", ["due-PT30M", "due", "2026-11-22T08:00:00Z"], due: due)))
            case 2 where !ids.isEmpty:
                let id = ids[Int(random.next() % UInt64(ids.count))]
                let old = ToDoMapping.item(try #require(try store.record(id)))
                var new = old
                new.due = .instant(due)
                if random.next() % 3 == 0 { new.setReminders([]) }
                _ = try todos.edit(id, from: old, to: new)
            case 3 where !ids.isEmpty:
                let id = ids[Int(random.next() % UInt64(ids.count))]
                _ = try todos.setStatus(random.next() % 2 == 0 ? .completed : .pending, of: [id])
            case 4 where !ids.isEmpty && step % 3 == 0:
                _ = try todos.delete([ids.removeLast()])
            default:
                world.now += Int64(random.next() % 40) * 60_000
                for found in try todos.claim(
                    Array(try schedule.due(of: todos, waits: false).due.prefix(2)))
                {
                    try todos.noteTold([found])
                }
            }
            let (followed, next) = try schedule.due(of: world.todos(store), waits: false)
            let (fresh, freshNext) = try world.todos(store).dueReminders(waits: false)
            #expect(followed.map(\.key) == fresh.map(\.key) && next == freshNext, "step \(step)")
        }
        #expect(schedule.fullReadCount == 1)
    }

    @Test("a change of one among many reads no more of the store than among few")
    func cost() throws {
        func operations(_ count: Int) throws -> Int {
            let world = try ToDoWorld(zone: try Fixed.berlin())
            let store = try world.store("laptop")
            defer { store.close() }
            let later = world.now + 86_400_000
            _ = try world.todos(store).add(
                (0..<count).map { item("\($0)", ["due"], due: later) })
            let schedule = ReminderSchedule(store)
            _ = try schedule.due(of: world.todos(store), waits: true)
            _ = try world.todos(store).add(item("new", ["due"], due: world.now + 1000))
            let before = store.operationCount
            #expect(
                try schedule.due(of: world.todos(store), waits: true).next == world.now + 1000)
            return store.operationCount - before
        }
        let (few, many) = (try operations(100), try operations(2_000))
        #expect(many <= few + 100, "\(few), \(many)")
    }

    @Test("another zone, and more changes at once than are followed, are read anew")
    func anew() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        let schedule = ReminderSchedule(store)
        var day = ToDoItem(title: "day")
        day.due = Fixed.day("2026-11-27")
        day.setReminders(["due"].compactMap { Reminder(text: $0) })
        _ = try world.todos(store).add(day)
        func next(_ zone: LocalTimeZone) throws -> Int64? {
            try schedule.due(of: ToDoStore(store: store, now: world.now, zone: zone), waits: true)
                .next
        }
        #expect(try next(world.zone) == Fixed.instant("2026-11-27", 9, in: world.zone))
        #expect(try next(.utc) == Fixed.instant("2026-11-27", 9, in: .utc))
        #expect(schedule.fullReadCount == 2)
        _ = try world.todos(store).add(
            (0...ReminderSchedule.followedCountMax).map {
                item("\($0)", ["due"], due: world.now + 60_000 + Int64($0))
            })
        #expect(try next(.utc) == world.now + 60_000)
        #expect(schedule.fullReadCount == 3)
    }
}

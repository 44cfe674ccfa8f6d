import Core
import Storage
import Testing
import ToDo

@Suite("Reminders as they are typed, stored and counted")
struct ReminderTests {
    private func read(_ words: [String]) throws -> [Reminder] {
        var item = ToDoItem(title: "a")
        let typed = try ToDoWords.parse(["a"] + words, now: Fixed.now, zone: try Fixed.berlin())
        for assignment in typed.assignments {
            item.apply(assignment, now: Fixed.now)
        }
        return item.reminders
    }

    @Test(
        "a lead or a time is read as it is meant",
        arguments: [
            ("-30m", "due-PT30M"), ("-2h", "due-PT2H"), ("-1d", "due-P1D"), ("+5min", "due+PT5M"),
            ("2h before", "due-PT2H"), ("2 hours before due", "due-PT2H"),
            ("1 week before scheduled", "scheduled-P7D"), ("1d 2h after due", "due+P1DT2H"),
            ("due", "due"), ("at scheduled", "scheduled"), ("- 10 min", "due-PT10M"),
            ("tomorrow 9am", "2026-11-22T08:00:00Z"), ("tomorrow", "2026-11-22T08:00:00Z"),
            ("due-PT1M30S/2026-12-01T16:30:00Z", "due-PT1M30S/2026-12-01T16:30:00Z"),
            ("2026-12-01 17:30", "2026-12-01T16:30:00Z"),
        ])
    func words(text: String, meaning: String) throws {
        let found = try read(["remind:\(text)"]).map(\.text)
        #expect(found == [meaning])
    }

    @Test("several are parted by commas, and no value takes all away")
    func several() throws {
        #expect(
            try read(["remind:-1d,-30m, due"]).map(\.text) == ["due", "due-P1D", "due-PT30M"])
        #expect(try read(["remind:"]).isEmpty)
        #expect(try read(["remind:-1d", "remind:-2d"]).count == 2)
    }

    @Test(
        "what is no reminder is refused with what to write",
        arguments: ["-1 month", "2h before christmas", "before due", "-", "-999999d", "soonish"])
    func refused(text: String) throws {
        #expect(throws: ToDoWordsError.self) { try read(["remind:\(text)"]) }
    }

    @Test("more reminders at once than the limit are refused")
    func limit() throws {
        let most = (1...ReminderWords.countMax).map { "-\($0)d" }
        #expect(try read(["remind:" + most.joined(separator: ",")]).count == most.count)
        #expect(throws: ToDoWordsError.self) {
            try read(["remind:" + (most + ["-1h"]).joined(separator: ",")])
        }
    }

    @Test("texts that are not canonical are none, so that one reminder has one text")
    func canonical() {
        for text in [
            "due", "due-PT30M", "due-P1DT2H3S", "scheduled+P7D", "2026-12-01T09:00:00Z",
            "2026-12-01T09:00:00.250Z/2026-12-01T09:05:00Z", "due-PT30M/1970-01-01T00:00:00Z",
        ] {
            #expect(Reminder(text: text)?.text == text)
        }
        for text in [
            "", "due-", "due-P", "due-PT", "due-PT60M", "due-P1W", "due+PT0S", "due-P1D2H",
            "wait-P1D",
            "2026-12-01", "2026-12-01T09:00:00+01:00", "due/", "due/2026-12-01", "due-PT30m",
            "due-P100001D", "due-PT99999999999S", "due-PT1H1H", "dueP1D",
        ] {
            #expect(Reminder(text: text) == nil, "\(text)")
        }
    }

    @Test(
        "what another program wrote is read, and becomes the one text",
        arguments: [
            ("2026-12-01T10:00:00+01:00", "2026-12-01T09:00:00Z"),
            ("2026-12-01T09:00:00.000Z", "2026-12-01T09:00:00Z"),
            ("2026-12-01t09:00:00.250z", "2026-12-01T09:00:00.250Z"),
            ("due-PT60M", "due-PT1H"), ("due-P1W", "due-P7D"), ("due+PT0S", "due"),
            ("due/2026-12-01T10:00:00+01:00", "due/2026-12-01T09:00:00Z"),
        ])
    func written(text: String, meaning: String) throws {
        #expect(Reminder(reading: text)?.text == meaning)
        let line = #"{"tandem":1,"title":"a","remind":["\#(text)"]}"#
        let reading = try JSONLinesFormat.decode(Array(line.utf8))
        #expect(reading.items.first?.reminders.map(\.text) == [meaning])
        #expect(Reminder(reading: "2026-12-01") == nil && Reminder(reading: "due-PT") == nil)
    }

    @Test("a change that leaves a reminder untold is doubted, what was so before is not")
    func hints() throws {
        let zone = try Fixed.berlin()
        func hints(_ item: ToDoItem, before: ToDoItem? = nil) -> [ToDoWordHint] {
            item.reminderHints(before: before, now: Fixed.now, zone: zone)
        }
        var item = ToDoItem(title: "a")
        item.setReminders(["due", "due-PT1H"].compactMap { Reminder(text: $0) })
        #expect(hints(item) == [.idleReminder(.due)])
        var dated = item
        dated.due = .instant(Fixed.now)
        #expect(hints(dated).isEmpty && hints(dated, before: item).isEmpty)
        #expect(hints(item, before: dated) == [.idleReminder(.due)])
        #expect(hints(item, before: item).isEmpty)
        let days = Int64(ToDoStore.missedReminderDaysMax) * 86_400_000
        dated.due = .instant(Fixed.now - days + 1)
        dated.setReminders(["due"].compactMap { Reminder(text: $0) })
        #expect(hints(dated).isEmpty)
        dated.due = .instant(Fixed.now - days)
        #expect(hints(dated).count == 1)
        dated.status = .completed
        #expect(hints(dated).isEmpty)
    }

    @Test("days of a lead are those of the calendar, its hours those of the clock")
    func daylightSaving() throws {
        let zone = try Fixed.berlin()
        var item = ToDoItem(title: "a")
        // The clock went forward in the night to 29 March 2026.
        item.due = .instant(Fixed.instant("2026-03-29", 10, in: zone))
        let day = try #require(Reminder(text: "due-P1D"))
        let hours = try #require(Reminder(text: "due-PT24H"))
        #expect(day.time(in: item, zone: zone) == Fixed.instant("2026-03-28", 10, in: zone))
        #expect(hours.time(in: item, zone: zone) == Fixed.instant("2026-03-28", 9, in: zone))
        item.due = Fixed.day("2026-03-30")
        #expect(
            try #require(Reminder(text: "due-PT30M")).time(in: item, zone: zone)
                == Fixed.instant("2026-03-29", 23, 30, in: zone))
        item.due = nil
        #expect(day.time(in: item, zone: zone) == nil)
        item.due = .instant(.max)
        #expect(day.time(in: item, zone: zone) != nil)
    }
}

@Suite("Reminders that are due")
struct ReminderScheduleTests {
    private let world: ToDoWorld

    init() throws { world = try ToDoWorld(zone: try Fixed.berlin()) }

    private func add(
        _ title: String, _ reminders: String..., due: Int64? = nil, to store: Store
    ) throws -> RecordID {
        var item = ToDoItem(title: title)
        item.due = .instant(due ?? world.now + 3_600_000)
        item.setReminders(reminders.compactMap { Reminder(text: $0) })
        #expect(item.reminders.count == reminders.count)
        return try world.todos(store).add(item)
    }

    private func due(_ store: Store, waits: Bool = false) throws -> [ScheduledReminder] {
        try world.todos(store).dueReminders(waits: waits).due
    }

    /// Tells what is due, as a device does.
    private func tell(_ store: Store, waits: Bool = false) throws -> [String] {
        let todos = world.todos(store)
        var titles: [String] = []
        for found in try todos.claim(try todos.dueReminders(waits: waits).due) {
            titles.append(found.item.title)
            try todos.noteTold([found])
        }
        return titles
    }

    @Test("one is told at its time, once, and the next time is known before")
    func once() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        let start = world.now
        _ = try add("call", "due-PT30M", to: store)
        #expect(try tell(store).isEmpty)
        #expect(
            try world.todos(store).dueReminders(waits: true).next == start + 1_800_000)
        world.now = start + 1_800_000
        #expect(try tell(store) == ["call"])
        #expect(try tell(store).isEmpty)
        #expect(try world.todos(store).dueReminders(waits: true).next == nil)
        #expect(try store.nextToUndo().change != nil)
        // Undo takes back the making of the to-do alone: the reminder is no edit.
        #expect(try store.localChanges(limit: 9).count == 1)
    }

    @Test(
        "a device that is killed between noting and telling does not tell again, another one does")
    func killed() throws {
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        defer { for store in [laptop, phone] { store.close() } }
        _ = try add("call", "due", due: world.now + 1000, to: laptop)
        try world.meet(laptop, phone)
        world.now += 1000
        let found = try #require(try due(laptop).first)
        #expect(try world.todos(laptop).claim([found]).count == 1)
        // Here it is killed. Whoever comes after it finds it noted, also one that had read before.
        #expect(try world.todos(laptop).claim([found]).isEmpty)
        #expect(try due(laptop).isEmpty)
        try world.meet(laptop, phone)
        #expect(try tell(phone) == ["call"])
    }

    @Test(
        "of two devices the one whose turn comes later stays silent once it has seen the other tell"
    )
    func silent() throws {
        let (one, other) = (try world.store("laptop"), try world.store("phone"))
        defer { for store in [one, other] { store.close() } }
        let time = world.now + 60_000
        _ = try add("call", "due", due: time, to: one)
        try world.meet(one, other)
        let (first, second) = one.replica < other.replica ? (one, other) : (other, one)
        world.now = time
        #expect(try due(second, waits: true).isEmpty)
        let again = try world.todos(second).dueReminders(waits: true).next
        #expect(again == time + Int64(ToDoStore.reminderDelaySeconds) * 1000)
        #expect(try tell(first, waits: true) == ["call"])
        try world.meet(one, other)
        world.now = try #require(again)
        #expect(try tell(second, waits: true).isEmpty)
        #expect(try tell(second).isEmpty)
    }

    @Test(
        "one that is late when devices learn of it is told by one of them, and the other waits its turn"
    )
    func late() throws {
        let (one, other) = (try world.store("laptop"), try world.store("phone"))
        defer { for store in [one, other] { store.close() } }
        try world.meet(one, other)
        let (first, second) = one.replica < other.replica ? (one, other) : (other, one)
        let schedules = [first, second].map { ReminderSchedule($0, isKept: true) }
        func due(_ index: Int) throws -> (due: [ScheduledReminder], next: Int64?) {
            try schedules[index].due(of: world.todos([first, second][index]), waits: true)
        }
        for index in [0, 1] { #expect(try due(index).due.isEmpty) }
        _ = try add("call", "due-PT30M", due: world.now + 60_000, to: first)
        try world.meet(first, second)
        let learned = world.now
        let turn = learned + Int64(ToDoStore.reminderDelaySeconds) * 1000
        let waiting = try due(1)
        #expect(waiting.due.isEmpty && waiting.next == turn)
        let told = try due(0).due
        #expect(told.map(\.item.title) == ["call"])
        try world.todos(first).noteTold(try world.todos(first).claim(told))
        // An edit of something else does not begin the wait anew.
        world.now += 1_000
        let id = try #require(told.first).key.id
        let old = ToDoMapping.item(try #require(try world.todos(second).stored(id)))
        var new = old
        new.notes = "about Friday"
        _ = try world.todos(second).edit(id, from: old, to: new)
        #expect(try due(1).next == turn)
        world.now = turn
        #expect(try due(1).due.count == 1)
        try world.meet(first, second)
        #expect(try due(1).due.isEmpty && due(0).due.isEmpty)
    }

    @Test("two devices that cannot talk both tell, each after no more than its longest wait")
    func apart() throws {
        let stores = try ["a", "b", "c", "d", "e", "f", "g", "h"].map { try world.store($0) }
        defer { for store in stores { store.close() } }
        _ = try add("call", "due", due: world.now, to: stores[0])
        for store in stores.dropFirst() { try world.meet(stores[0], store) }
        for store in stores.dropFirst() { try world.meet(stores[0], store) }
        let start = world.now
        var told: Set<Int> = []
        for second in 0...ToDoStore.reminderDelaySecondsMax {
            world.now = start + Int64(second) * 1000
            for (index, store) in stores.enumerated() where try !tell(store, waits: true).isEmpty {
                #expect(told.insert(index).inserted)
            }
            if second == 0 { #expect(told.count == 1) }
        }
        #expect(told.count == stores.count)
    }

    @Test(
        "one whose telling fails is tried again, each time after twice as long, so many times in all"
    )
    func failing() throws {
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        defer { for store in [laptop, phone] { store.close() } }
        _ = try add("call", "due", due: world.now, to: laptop)
        try world.meet(laptop, phone)
        var wait = Int64(ToDoStore.reminderRetrySeconds) * 1000
        for attempt in 1...ToDoStore.reminderAttemptCountMax {
            let found = try #require(try due(laptop).first, "attempt \(attempt)")
            #expect(try world.todos(laptop).claim([found]).count == 1)
            #expect(try due(laptop).isEmpty && world.todos(laptop).openReminders().isEmpty)
            try world.todos(laptop).release([found])
            // Given back twice it counts once.
            try world.todos(laptop).release([found])
            if attempt == ToDoStore.reminderAttemptCountMax { break }
            #expect(try world.todos(laptop).claim([found]).isEmpty)
            #expect(try world.todos(laptop).openReminders().count == 1)
            let (now, next) = try world.todos(laptop).dueReminders(waits: false)
            #expect(now.isEmpty && next == world.now + wait)
            world.now += wait
            wait *= 2
        }
        #expect(try world.todos(laptop).openReminders().isEmpty)
        #expect(try world.todos(laptop).dueReminders(waits: false).next == nil)
        // Nobody was told: another device may.
        #expect(try tell(phone) == ["call"])
    }

    @Test("one that waits to be tried again is silent once another device has told it")
    func failedElsewhereTold() throws {
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        defer { for store in [laptop, phone] { store.close() } }
        _ = try add("call", "due", due: world.now, to: laptop)
        try world.meet(laptop, phone)
        let found = try world.todos(laptop).claim(try due(laptop))
        try world.todos(laptop).release(found)
        #expect(try tell(phone) == ["call"])
        try world.meet(laptop, phone)
        world.now += 86_400_000
        #expect(try tell(laptop).isEmpty)
    }

    @Test("several are claimed at once, without those that were claimed before")
    func together() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        for number in 0..<600 {
            _ = try add("\(number)", "due", "due-PT1H", due: world.now, to: store)
        }
        let all = try due(store)
        #expect(all.count == 1200)
        #expect(
            try world.todos(store).openReminders(limit: 7).map(\.key) == all.prefix(7).map(\.key))
        #expect(try world.todos(store).claim([all[3]]).count == 1)
        #expect(try world.todos(store).claim(all).count == 1199)
        #expect(try world.todos(store).claim(all).isEmpty && due(store).isEmpty)
    }

    @Test("texts that another program put beside reminders are passed over")
    func foreignTexts() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        for foreign in [#"a"due"b"#, #"\"due\"#, "due", "due-PT60M", "[\"due\"]", ""] {
            let id = try add("call", "due-PT1H", due: world.now + 1000, to: store)
            try store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    id,
                    [
                        Assignment(
                            .element(.number(ToDoSchema.Number.reminders), .text(foreign)),
                            .bool(true))
                    ])
            }
            let found = try world.todos(store).openReminders().filter { $0.key.id == id }
            #expect(found.count == (foreign == "due" ? 2 : 1), "\(foreign)")
        }
    }

    @Test("at the ends of all time a reminder is counted, listed and told without a fault")
    func endsOfTime() throws {
        let stores = try ["a", "b", "c"].map { try world.store($0) }
        defer { for store in stores { store.close() } }
        for time in [Int64.max, .max - 1, .min, .min + 1] {
            let instant = TimestampText.rfc3339(time)
            for reminder in [
                instant, "due", "due+P100000D", "due-P100000D", "due-PT1H", "scheduled",
            ] {
                var item = ToDoItem(title: "\(time) \(reminder)")
                item.due = .instant(time)
                item.scheduled = .day(time > 0 ? .max : .min)
                item.setReminders([try #require(Reminder(text: reminder))])
                _ = try world.todos(stores[0]).add(item)
            }
        }
        _ = try add("now", "due", due: world.now, to: stores[0])
        for store in stores.dropFirst() { try world.meet(stores[0], store) }
        for store in stores {
            for found in try world.todos(store).openReminders() {
                _ = found.message(now: world.now, zone: world.zone)
                _ = ReminderWords.describe(found.reminder, zone: world.zone)
            }
            for waits in [true, false] { _ = try world.todos(store).dueReminders(waits: waits) }
            let seconds = Int64(ToDoStore.reminderDelaySecondsMax)
            world.now += seconds * 1000
            #expect(try due(store, waits: true).map(\.item.title) == ["now"])
            world.now -= seconds * 1000
        }
    }

    @Test("another date arms it again; done, deleted and dismissed ones are silent")
    func armed() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        let id = try add("call", "due", due: world.now, to: store)
        #expect(try tell(store) == ["call"])
        var item = ToDoMapping.item(try #require(try store.record(id)))
        let old = item
        item.due = .instant(world.now + 1000)
        try store.edit { transaction throws(StoreFault) in
            try transaction.update(id, ToDoMapping.assignments(from: old, to: item))
        }
        world.now += 1000
        #expect(try due(store).count == 1)
        _ = try world.todos(store).setStatus(.completed, of: [id])
        #expect(try due(store).isEmpty)
        _ = try world.todos(store).setStatus(.pending, of: [id])
        #expect(try due(store).count == 1)
        _ = try world.todos(store).delete([id])
        #expect(try due(store).isEmpty)
        let time = TimestampText.rfc3339(world.now + 500)
        _ = try add("dismissed", "due/\(time)", due: world.now, to: store)
        #expect(try due(store).isEmpty)
        _ = try add("dismissed too early", "due/\(time)", due: world.now + 1000, to: store)
        world.now += 1000
        #expect(try tell(store) == ["dismissed too early"])
    }

    @Test("a missed one is told with its time, up to the longest delay")
    func missed() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        let time = world.now
        _ = try add("call", "due", due: time, to: store)
        let days = Int64(ToDoStore.missedReminderDaysMax) * 86_400_000
        world.now = time + days - 1000
        let found = try #require(try due(store).first)
        // It says how late it is.
        let messages = [time, time + days / 2, world.now].map { now in
            found.message(now: now, zone: world.zone)
        }
        #expect(Set(messages).count == 3, "\(messages)")
        world.now = time + days
        #expect(try due(store).isEmpty)
    }

    @Test("the next occurrence has the same lead, and a time moves along")
    func repeating() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        var item = ToDoItem(title: "water")
        item.due = .instant(world.now + 3_600_000)
        item.repeats = "every week"
        item.setReminders(
            ["due-PT30M/2026-11-21T00:00:00Z", TimestampText.rfc3339(world.now)]
                .compactMap { Reminder(text: $0) })
        let id = try world.todos(store).add(item)
        let outcome = try world.todos(store).setStatus(.completed, of: [id])
        let next = try #require(outcome.next[id])
        let made = ToDoMapping.item(try #require(try store.record(next)))
        #expect(
            made.reminders.map(\.text)
                == [TimestampText.rfc3339(world.now + 7 * 86_400_000), "due-PT30M"])
        world.now += 7 * 86_400_000 + 1_800_000
        #expect(try tell(store) == ["water", "water"])
    }

    @Test("what a device publishes as told stays bounded, and old entries go")
    func bounded() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        for number in 0..<ToDoStore.toldReminderCountMax + 5 {
            _ = try add("\(number)", "due", due: world.now + Int64(number), to: store)
        }
        world.now += 1000
        #expect(try tell(store).count == ToDoStore.toldReminderCountMax + 5)
        func published() throws -> Int? {
            let own = try store.record(RecordName(deviceOf: store.replica))
            guard case .bytes(let bytes)? = own?[ToDoStore.toldField] else { return nil }
            return bytes.count
        }
        #expect(try published() == 32 * ToDoStore.toldReminderCountMax)
        world.now += Int64(ToDoStore.toldReminderDaysMax + 1) * 86_400_000
        _ = try add("later", "due", due: world.now, to: store)
        #expect(try tell(store) == ["later"])
        #expect(try published() == 32)
        #expect(try store.localMetadata(in: "reminders").count == 1)
    }

    @Test("bytes of another program in the field are passed over")
    func foreignBytes() throws {
        let store = try world.store("laptop")
        defer { store.close() }
        _ = try add("call", "due", due: world.now, to: store)
        for value in [
            Value.bytes([1, 2, 3]), .text("x"), .bytes(Array(repeating: 7, count: 33)), .null,
        ] {
            try store.edit { transaction throws(StoreFault) in
                try transaction.update(
                    RecordName(deviceOf: store.replica),
                    [Assignment(.number(ToDoStore.toldField), value)])
            }
            #expect(try due(store).count == 1)
        }
        #expect(try tell(store) == ["call"])
    }
}

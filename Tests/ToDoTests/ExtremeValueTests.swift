import Core
import JSON
import Storage
import TestSupport
import Testing
import ToDo

@Suite("Every extreme value in every field")
struct ExtremeValueTests {
    private static let zones: [String] = ["CET-1CEST,M3.5.0,M10.5.0/3", "LINT-14"]

    /// Filters that read every field in every way.
    private static let filters: [[String]] = {
        var found = ToDoVirtualTag.allCases.map { ["+\($0.rawValue)"] }
        found += ToDoDateAttribute.allCases.flatMap { date in
            ["any:", "none:", "before:today", "by:today", "after:today", "on:today", "not:today"]
                .map { ["\(date.rawValue).\($0)"] }
        }
        found += [
            ["row"], ["project:Home"], ["+errand"], ["-errand"], ["priority.above:low"],
            ["people:Ann"],
            ["status:completed"], ["x.effort:1.5"], ["x.effort.any:"], ["title:row"],
            ["location:shed"],
        ]
        return found
    }()

    private func filters(_ todos: ToDoStore) -> [ToDoFilter] {
        Self.filters.compactMap { try? ToDoFilter.parse($0, now: todos.now, zone: todos.zone) }
    }

    /// Whether the store can filter by a value: a column has no moments outside of the years 0 to 9999, and its status
    /// is any text; a pending to-do has none, so that the word is no status of this program's.
    private static func isInColumn(_ extreme: ExtremeValues.Case) -> Bool {
        if case .element(let set, let element) = extreme.field {
            // An empty element of a set is shown as none, and so is a reference among words.
            if element == .text("") { return false }
            if case .reference = element, set == .number(ToDoSchema.Number.tags) { return false }
        }
        return switch extreme.value {
        case .instant, .day: extreme.value.textForm != nil
        case .text(let word) where extreme.field == .number(ToDoSchema.Number.status):
            ToDoStatus(rawValue: word).map { $0 != .pending } ?? false
        default: true
        }
    }

    @Test("a title or notes of any text are found by that text, or by a part of it")
    func searches() throws {
        let world = try ExtremeWorld(zone: .utc)
        let todos = world.todos
        var count = 0
        for (id, extreme) in world.cases {
            guard
                [.number(ToDoSchema.Number.title), .number(ToDoSchema.Number.notes)].contains(
                    extreme.field), case .text(let text) = extreme.value, !text.isEmpty
            else { continue }
            count += 1
            for part in [text, String(text.suffix(5)), String(text.prefix(2))] {
                let found = try todos.list(ToDoFilter([.text(part)]), pendingOnly: false)
                #expect(found.contains { $0.id == id }, "\(extreme)")
            }
        }
        #expect(count > 0)
        #expect(try world.store.plans().contains { $0.sql.contains(" MATCH ") })
        #expect(try world.store.examine() == [])
    }

    @Test("lists, filters, views and reports show all others and do not trap", arguments: zones)
    func reports(_ rule: String) throws {
        let world = try ExtremeWorld(zone: try LocalTimeZone(rule: rule))
        let todos = world.todos
        let all = try todos.list(ToDoFilter(), pendingOnly: false)
        #expect(all.count == world.cases.count + 1)
        let filters = filters(todos)
        #expect(filters.count == Self.filters.count)
        let items = try todos.items(all)
        // One to-do does not tell what holds it up or what it holds up; the store does.
        let tied = Set(
            try todos.waiting(of: all).filter {
                !$0.value.waitsFor.isEmpty || !$0.value.blocks.isEmpty
            }.keys)
        for filter in filters {
            let found = Set(try todos.list(filter, pendingOnly: false).map(\.id))
            let expected = Set(
                zip(all, items).filter { filter.matches($1, now: todos.now, zone: todos.zone) }
                    .map(\.0.id))
            let wrong = found.symmetricDifference(expected).subtracting(tied).filter {
                world.cases[$0].map(Self.isInColumn) ?? true
            }.prefix(5)
                .map { "\(world.cases[$0].map { "\($0)" } ?? "parent")" }
            #expect(wrong.isEmpty, "\(filter.conditions)")
            _ = try todos.list(filter, pendingOnly: true, limit: 3)
            _ = try todos.export(filter)
        }
        for now in [Int64.min, -1, todos.now, .max] {
            let context = CalendarContext(now: now, zone: todos.zone)
            let then = ToDoStore(store: world.store, now: now, zone: todos.zone)
            for view in ToDoView.allCases {
                let found = try then.list(view, ToDoFilter(), showsAll: true, in: context)
                let items = found.map(ToDoMapping.item)
                let rows = ToDoSections(view).parts(items, in: context).flatMap(\.positions)
                #expect(rows.count == items.count)
            }
            for day in [context.today, 0, Int(Int32.max), Int(Int32.min)] {
                let items = try then.items(around: day..<day + 7)
                _ = DayAgenda(items, day: day, in: context)
                _ = WeekReport(items, around: day, in: context)
            }
            _ = WeekReport(items, in: context)
            _ = DayAgenda(items, day: context.today, in: context)
            for item in items {
                for date in ToDoDateAttribute.allCases {
                    guard let moment = item.date(date) else { continue }
                    _ = DatePhrase.describe(moment, now: now, zone: todos.zone)
                }
                _ = item.repeatsShown(in: todos.zone)
                _ = item.position
                _ = WorkInterval.milliseconds(item.work, within: .min..<(.max), now: now)
            }
        }
        _ = try todos.counts()
        _ = try todos.timers()
        _ = try todos.stretches(of: ToDoFilter(), within: .min..<(.max))
        _ = try todos.conflicts()
        _ = try todos.twins()
        _ = try todos.orphans()
        #expect(try todos.ordered().count > 0)
        _ = try todos.listInOrder(ToDoFilter(), pendingOnly: true, limit: 500)
        for stored in all {
            _ = try todos.missedChanges(of: stored)
            for field in stored.record.fields {
                guard let value = stored.record.visible(field) else { continue }
                _ = ToDoMapping.describe(value, of: field, now: todos.now, zone: todos.zone)
                _ = ToDoMapping.json(value, of: field).compactText
            }
        }
    }

    @Test(
        "an export has every to-do, names what it leaves out, and is read and imported again",
        arguments: FormatSamples.allCases.filter { $0 != .todoist })
    func exports(_ format: FormatSamples) throws {
        let world = try ExtremeWorld(zone: try Fixed.berlin())
        let todos = world.todos
        // Records that show the same to-do need no more than one entry.
        var seen: Set<String> = []
        let items = try todos.export(ToDoFilter()).items.filter { item in
            var item = item
            item.identifier = nil
            return seen.insert("\(item)").inserted
        }
        #expect(items.count > world.cases.count / 10)
        let writing = try #require(try format.encode(items, zone: todos.zone))
        let reading: FormatReading = try format.decode(writing.bytes, zone: todos.zone)
        // A file with other lines where there are line breaks has no entry for each.
        #expect(reading.items.count + reading.trash.count + reading.faults.count >= items.count)
        #expect(reading.items.count > items.count * 2 / 3, "\(reading.faults.prefix(3))")
        let told = Set(writing.losses.map(\.entry))
        var back: [UInt128: ToDoItem] = [:]
        for item in reading.items { if let id = item.identifier { back[id] = item } }
        if format == .jsonLines || format == .csv || format == .vtodo || format == .taskwarrior {
            for (index, item) in items.enumerated() where !told.contains(index + 1) {
                let read = item.identifier.flatMap { back[$0] }
                #expect(
                    read.map { ItemDifference.between(item, $0).isEmpty } ?? false,
                    "\(item.identifier.flatMap { world.cases[RecordID(value: $0)] } as Any)")
            }
        }
        _ = try todos.rehearseImport(reading)
        _ = try todos.importFile(reading, revives: true)
    }

    @Test("a whole export has every to-do and is imported into an empty store")
    func backup() throws {
        let world = try ExtremeWorld(zone: .utc)
        let writing = try world.todos.exportAll()
        let reading = try JSONLinesFormat.decode(writing.bytes)
        #expect(reading.faults.isEmpty, "\(reading.faults.prefix(5))")
        #expect(reading.items.count == world.cases.count + 1)
        let empty = try ToDoWorld(zone: .utc)
        let steps = try empty.todos(try empty.store("new")).importFile(reading)
        #expect(steps.count == reading.items.count)
    }

    @Test(
        "done, skip, reopen, cancel and delete take every to-do and do not trap", arguments: zones)
    func statuses(_ rule: String) throws {
        let world = try ExtremeWorld(zone: try LocalTimeZone(rule: rule))
        let ids = try world.records().map(\.id)
        for (now, isSkip) in [(Fixed.now, false), (.min, true), (.max, true)] as [(Int64, Bool)] {
            let todos = ToDoStore(store: world.store, now: now, zone: world.todos.zone)
            _ = try todos.setStatus(isSkip ? .cancelled : .completed, of: ids, isSkip: isSkip)
            _ = try todos.setStatus(.pending, of: ids)
            _ = try todos.setStatus(.completed, of: ids, at: now)
        }
        let todos = world.todos
        for stored in try world.records() { _ = try todos.missedChanges(of: stored) }
        _ = try todos.setStatus(.pending, of: ids)
        _ = try todos.delete(ids)
        _ = try todos.restore(ids)
        let store = world.store
        _ = try store.undo(try #require(try store.nextToUndo().change).timestamp, isForced: true)
    }

    @Test("edits in words, timers and moves take every to-do and change nothing else")
    func edits() throws {
        let world = try ExtremeWorld(zone: .utc)
        let todos = world.todos
        let phrases = [
            ["due:+1w"], ["due:", "repeat:"], ["repeat:2w"], ["+tag"], ["priority:high"],
            ["wait:fri"],
            ["repeat:monthly", "due:eom"], ["x.effort:2"],
        ]
        for phrase in phrases {
            let words = try ToDoWords.parse(phrase, for: .editing, now: todos.now, zone: todos.zone)
            let edits = try world.records().map { stored in
                let old = ToDoMapping.item(stored)
                var new = old
                try todos.apply(words, to: &new, parent: nil)
                return (id: stored.id, old: old, new: new)
            }
            _ = try todos.edit(edits)
        }
        // Of each field the first case: a move may number all to-dos anew.
        var fields: Set<Field> = []
        for (id, extreme) in world.cases where fields.insert(extreme.field).inserted {
            _ = try todos.start(id)
            _ = try todos.move([id], to: .top)
            _ = try todos.move([id], to: .bottom)
        }
        #expect(try todos.stop().count == 1)
        for repair in try todos.repairs() { _ = try todos.perform(repair) }
    }

    @Test("a to-do with the longest texts in every field is listed, done and exported")
    func longTexts() throws {
        let world = try ToDoWorld(zone: .utc)
        let other = try world.store("other")
        let store = try world.store("own")
        let long = Value.text(ExtremeValues.longText)
        try other.edit { transaction throws(StoreFault) in
            for field in ToDoSchema.collections[0].fields {
                var fields = [Assignment(Field(field.name), long)]
                if field.kind == .set {
                    fields.append(Assignment(.element(field.name, long), .bool(true)))
                }
                try transaction.insert(fields, into: ToDoSchema.collection)
            }
        }
        try world.carry(from: other, to: store)
        let todos = world.todos(store)
        let items = try todos.export(ToDoFilter()).items
        for format in FormatSamples.allCases where format != .todoist {
            let writing = try #require(try format.encode(items))
            let reading: FormatReading = try format.decode(writing.bytes)
            #expect(reading.items.count + reading.faults.count == items.count, "\(format)")
        }
        let ids = try store.fetch(FetchRequest(ToDoSchema.collection)).map(\.id)
        _ = try todos.setStatus(.completed, of: ids)
    }
}

@Suite("Recurrence at the ends of time")
struct ExtremeRecurrenceTests {
    private static let rules = [
        "every day", "every 1000 days", "every month", "every 1000 months", "every 83 years",
        "every mon, sun", "every month after completion", "every day, 100000 times",
        "every month on the last fri", "every 1000 months on the 5th mon, 5th sun",
        "every 83 years on the 5th tue after completion", "every 2 months on the last workday",
        "every month until +5881580-07-11", "every year until -5877641-06-24",
        "every day until +292278994-08-17T07:12:55.807Z", "every week in Europe/Berlin",
    ]
    private static let moments: [Moment?] =
        [nil] + ExtremeValues.days.map { .day($0) } + ExtremeValues.instants.map { .instant($0) }

    @Test("every rule from every date gives a next occurrence or none", arguments: rules)
    func next(_ rule: String) throws {
        let zones = try ["UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "LINT-14"].map {
            try LocalTimeZone(rule: $0)
        }
        var made = 0
        for (index, due) in Self.moments.enumerated() {
            for anchor in Self.moments {
                var item = ToDoItem(title: "row")
                item.identifier = 1
                item.repeats = rule
                item.due = due
                item.anchor = anchor
                item.setExceptions(ExtremeValues.days)
                item.scheduled = Self.moments[(index * 7 + 3) % Self.moments.count]
                item.wait = anchor
                for completed in ExtremeValues.instants {
                    for (zone, occurrence) in zip(zones, [nil, .max, 100_000] as [Int?]) {
                        item.occurrence = occurrence
                        let next = item.nextOccurrence(completed: completed, zone: zone) { _ in zone
                        }
                        if next?.identifier != nil { made += 1 }
                        _ = item.repeatsShown(in: zone)
                        var atEnds = item
                        atEnds.repeatAtMonthEnds(in: zone)
                    }
                }
            }
        }
        #expect(made > 0)
    }
}

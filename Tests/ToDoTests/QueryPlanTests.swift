import Core
import Storage
import Testing
import ToDo

/// The cost of the questions of commands, in operations of SQLite's machine, which are the same everywhere.
@Suite("The cost of questions to the store")
struct QueryPlanTests {
    /// A store in which few to-dos are asked for among many others.
    private struct Crowd {
        let world: ToDoWorld
        let store: Store
        let todos: ToDoStore
        let context: CalendarContext
        /// A pending to-do with three parts.
        let whole: RecordID
        /// Another one, without any.
        let plain: RecordID
        /// Three that wait for the plain one.
        let held: [RecordID]

        private static let plainID = UInt128.max - 7

        /// - Parameter count: how many others there are.
        init(_ count: Int) throws {
            let zone = try Fixed.berlin()
            world = try ToDoWorld(zone: zone)
            store = try world.store("laptop")
            todos = world.todos(store)
            context = CalendarContext(now: world.now, zone: zone)
            var items: [ToDoItem] = []
            for number in 0..<count {
                var item = ToDoItem(title: "other \(number)")
                item.project = "Home"
                switch number % 10 {
                case 0..<4:
                    item.status = .completed
                    item.setDepends([Self.plainID])
                    item.repeats = "every week"
                    item.completions = [world.now - Int64(number + 9) * 86_400_000]
                    item.due = .day(19_000 + Int32(number % 300))
                    item.setReminders(["due"].compactMap { Reminder(text: $0) })
                case 4..<7: item.due = .day(30_000 + Int32(number % 300))
                default: break
                }
                items.append(item)
            }
            let others = try todos.add(items)
            _ = try todos.delete(others.enumerated().filter { $0.offset % 20 == 19 }.map(\.element))
            whole = try todos.add(ToDoItem(title: "whole"))
            var item = ToDoItem(title: "plain")
            item.identifier = Self.plainID
            plain = try todos.add(item)
            let today = Int32(context.today)
            for number in 0..<3 {
                var part = ToDoItem(title: "part \(number)")
                part.parent = whole.value
                part.due = .day(today + Int32(number))
                _ = try todos.add(part)
                var reminding = ToDoItem(title: "reminding \(number)")
                reminding.due = .day(30_500)
                reminding.setReminders(["due-P1D"].compactMap { Reminder(text: $0) })
                _ = try todos.add(reminding)
                var planned = ToDoItem(title: "planned \(number)")
                planned.scheduled = .day(today + Int32(number))
                _ = try todos.add(planned)
                var done = ToDoItem(title: "done \(number)")
                done.due = .day(today)
                done.status = .completed
                done.completions = [world.now - Int64(number) * 1_000]
                _ = try todos.add(done)
            }
            // Few wait for one, and many did that are done.
            var waiting: [RecordID] = []
            for number in 0..<3 {
                var item = ToDoItem(title: "held \(number)")
                item.setDepends([Self.plainID])
                waiting.append(try todos.add(item))
            }
            held = waiting
            for number in 0..<2 {
                var item = ToDoItem(title: "again \(number)")
                item.due = .day(29_000)
                item.repeats = "every week"
                _ = try todos.add(item)
            }
            _ = try todos.start(plain)
        }

        /// The operations that a question takes.
        func cost(_ question: Question) throws -> Int {
            let before = store.operationCount
            let count = try question.ask(self)
            #expect(count == question.answer, "\(question.name)")
            return store.operationCount - before
        }
    }

    /// A question or an edit of a command, and how many to-dos the answer has.
    private struct Question {
        let name: String
        let answer: Int
        let ask: (Crowd) throws -> Int

        init(_ name: String, _ answer: Int, _ ask: @escaping (Crowd) throws -> Int) {
            (self.name, self.answer, self.ask) = (name, answer, ask)
        }

        static func view(_ view: ToDoView, _ answer: Int, showsAll: Bool = false) -> Question {
            Question("\(view)", answer) {
                try $0.todos.list(
                    view, ToDoFilter([]), showsAll: showsAll, in: $0.context, limit: 20
                ).count
            }
        }
    }

    private static let none = ToDoFilter([])

    private static func filter(_ word: String) throws -> ToDoFilter {
        try ToDoFilter.parse([word], now: Fixed.now, zone: .utc)
    }

    private static var questions: [Question] {
        [
            Question("list", 20) { try $0.todos.list(none, pendingOnly: true, limit: 20).count },
            Question("list --by manual", 20) {
                try $0.todos.listInOrder(none, pendingOnly: true, limit: 20).count
            },
            .view(.today, 3), .view(.today, 3, showsAll: true), .view(.tomorrow, 2),
            .view(.upcoming, 4), .view(.yesterday, 0), .view(.thisWeek, 5), .view(.lastWeek, 0),
            .view(.nextWeek, 1), .view(.overdue, 0), .view(.log, 20),
            Question("week", 10) { try $0.todos.items(around: $0.context.week(0)).count },
            Question("agenda", 10) {
                try $0.todos.items(around: $0.context.today..<$0.context.today + 1).count
            },
            Question("a search", 1) {
                try $0.todos.list(Self.filter("plain"), pendingOnly: true, limit: 20).count
            },
            Question("a search without a hit, also among finished ones", 0) {
                try $0.todos.list(Self.filter("nowhere"), pendingOnly: false, limit: 20).count
            },
            Question("a search in the trash", 0) {
                try $0.todos.trashedCount(Self.filter("plain"), limit: 20)
            },
            Question("counts", 0) { try $0.todos.counts().conflicted },
            Question("timers", 1) { try $0.todos.timers().count },
            Question("trash", 5) { try $0.todos.trash(limit: 5).shown.count },
            Question("parts", 3) {
                try $0.todos.list(ToDoFilter([.parent($0.whole.value)]), pendingOnly: true).count
            },
            Question("blocked", 3) {
                try $0.todos.list(Self.filter("+BLOCKED"), pendingOnly: true).count
            },
            Question("blocking", 1) {
                try $0.todos.list(Self.filter("+BLOCKING"), pendingOnly: true).count
            },
            Question("what waits for what in a list", 4) { crowd in
                let shown =
                    try crowd.todos.list(none, pendingOnly: true, limit: 20)
                    + (crowd.held + [crowd.plain]).compactMap { try crowd.todos.stored($0) }
                return try crowd.todos.waiting(of: shown).count
            },
            Question("occurrences to come", 2) { try $0.todos.toCome(on: 29_100..<29_107).count },
            Question("open parts", 3) { crowd in
                let whole = try crowd.todos.stored(crowd.whole)
                return try crowd.todos.openParts(of: [try #require(whole)]).values.first?.count ?? 0
            },
            Question("beginning of an id", 1) {
                try $0.todos.stored(idPrefix: $0.plain.hexadecimal, limit: 2).count
            },
            Question("add", 1) { crowd in
                _ = try crowd.todos.add(ToDoItem(title: "new"))
                return 1
            },
            Question("done", 1) {
                try $0.todos.setStatus(.completed, of: [$0.plain]).changed.count
            },
            Question("reopen", 1) {
                try $0.todos.setStatus(.pending, of: [$0.plain]).changed.count
            },
            Question("delete", 1) { try $0.todos.delete([$0.plain]).count },
            Question("undo", 1) { crowd in
                let change = try #require(try crowd.store.nextToUndo().change)
                guard case .done(let changed) = try crowd.store.undo(change.timestamp) else {
                    return 0
                }
                return changed.count
            },
            Question("redo", 1) { try $0.store.nextToRedo().map { _ in 1 } ?? 0 },
            Question("undo --list", 9) { try $0.store.localChanges(limit: 9).count },
            Question("reminders", 3) { try $0.todos.openReminders().count },
            Question("move", 1) { try $0.todos.move([$0.plain], to: .top) ? 1 : 0 },
        ]
    }

    @Test("what a command asks costs as much among 3,000 to-dos as among 600")
    func costs() throws {
        let (few, many) = (try Crowd(600), try Crowd(3_000))
        for question in Self.questions {
            let (small, large) = (try few.cost(question), try many.cost(question))
            #expect(large <= small + small / 5 + 300, "\(question.name): \(small), \(large)")
        }
        #expect(try few.store.plans().count > 40)
        try expectIndexes(many.store)
    }

    /// The statements that read a whole table, and why they may.
    private static let scans = [
        ("PRAGMA", "pragmas read their own tables"),
        ("FROM sqlite_schema", "the list of tables is as long as the program makes it"),
        ("FROM state", "one row"),
        ("FROM replica", "loaded once when another process wrote; as many rows as replicas"),
        ("FROM collection", "as many rows as collections"),
        ("FROM record_count", "as many rows as collections"),
        ("FROM undo", "at most 1,000 rows"),
        ("DELETE FROM undo", "at most 1,001 rows"),
        ("UPDATE state", "one row"),
        (
            "FROM making ORDER BY timestamp DESC LIMIT 1 OFFSET",
            "at most 10,064 rows, each 64th time"
        ),
        ("FROM purged_copy", "copies of what was kept of purged records, which are rare"),
        (
            "FROM journal WHERE reach > ? ORDER BY number LIMIT 1",
            "ends behind what is to be dropped"
        ),
        ("FROM journal ORDER BY number DESC LIMIT 1", "one row"),
        (
            "FROM deferred_change",
            "changes that cannot be read, which are rare, once when the store is opened"
        ),
        ("FROM epoch", "at most 256 rows"),
        (" MATCH ", "an index of words, which gives what has them"),
        ("FROM checkpoint", "as many rows as peers"),
    ]

    /// Expects an index wherever rows of people's records or of the journal are read.
    private func expectIndexes(_ store: Store) throws {
        for plan in try store.plans() where !plan.scans.isEmpty {
            let isKnown = Self.scans.contains { plan.sql.contains($0.0) }
            // The position in a list of ids that is bound.
            let isOfRows = plan.scans.contains {
                !$0.contains("CONSTANT ROW") && $0 != "SCAN place"
            }
            #expect(isKnown || !isOfRows, "\(plan.sql)\n\(plan.steps)")
        }
        for plan in try store.plans() {
            // All live records: as good as a table.
            let isWide = plan.steps.contains { $0.hasSuffix("todo_index_0 (state=?)") }
            #expect(!isWide, "\(plan.sql)\n\(plan.steps)")
        }
    }

    @Test(
        "a list of to-dos without a date is read in its order, and not sorted, however many there are"
    )
    func undated() throws {
        let costs = try [100, 1_000].map { count in
            let world = try ToDoWorld(zone: try Fixed.berlin())
            let store = try world.store("laptop")
            let todos = world.todos(store)
            _ = try todos.add((0..<count).map { ToDoItem(title: "\($0)") })
            let before = store.operationCount
            #expect(try todos.list(Self.none, pendingOnly: true, limit: 20).count == 20)
            return store.operationCount - before
        }
        #expect(costs[1] <= costs[0] + 20, "\(costs)")
    }

    @Test("an id of the view is looked up by an index, also by another program")
    func viewByID() throws {
        let crowd = try Crowd(10)
        let plan = try crowd.store.plan(
            of: "SELECT title FROM todo WHERE id = '\(crowd.plain.hexadecimal)'")
        #expect(plan.scans == [] && plan.steps.contains { $0.contains("todo_by_id") })
    }
}

import Core
import Glibc
import Storage
import TestSupport
import Testing
import ToDo

@Suite("The user's order, read from few columns")
struct ManualPositionTests {
    @Test("it is the order of the keys, then of the ids, also where many were made at one time")
    func agrees() throws {
        let world = try ToDoWorld(zone: Fixed.berlin())
        let todos = world.todos(try world.store("a"))
        var ids: [RecordID] = []
        for number in 0..<300 {
            var item = ToDoItem(title: "\(number)")
            // Runs of one time, and some without any.
            item.created = number % 50 == 7 ? nil : 1_800_000_000_000 + Int64(number / 60)
            ids.append(
                try todos.store.write {
                    try $0.insert(
                        ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection)
                })
        }
        for number in 0..<40 {
            let (one, other) = (ids[number * 7], ids[(number * 31 + 5) % 300])
            if one == other { continue }
            let targets: [ToDoStore.Target] = [.top, .bottom, .before(other), .after(other)]
            _ = try todos.move([one], to: targets[number % 4])
        }
        let all = try todos.store.fetch(FetchRequest(ToDoSchema.collection))
        var keyed: [(key: PositionKey, id: RecordID)] = []
        for stored in all { keyed.append((ToDoMapping.item(stored).position, stored.id)) }
        keyed.sort { left, right in
            left.key == right.key ? left.id < right.id : left.key < right.key
        }
        let naive = keyed.map { $0.id }
        #expect(try todos.positions(where: .all).map { $0.id } == naive)
        #expect(try todos.ordered().map { $0.id } == naive)
        let first = try todos.listInOrder(ToDoFilter([]), pendingOnly: true, limit: 20)
        #expect(first.map { $0.id } == Array(naive.prefix(20)))
        let ones = try todos.listInOrder(ToDoFilter([.text("1")]), pendingOnly: true)
        var expected: [RecordID] = []
        for id in naive {
            let stored = try #require(try todos.stored(id))
            if ToDoMapping.item(stored).title.contains("1") { expected.append(id) }
        }
        #expect(ones.map { $0.id } == expected)
    }

    /// A naive order: the keys of all that is pending, compared one by one.
    private func naive(_ todos: ToDoStore) throws -> [RecordID] {
        var keyed: [(key: PositionKey, id: RecordID)] = []
        for stored in try todos.store.fetch(FetchRequest(ToDoSchema.collection)) {
            let item = ToDoMapping.item(stored)
            if item.status == .pending { keyed.append((item.position, stored.id)) }
        }
        return keyed.sorted { ($0.key, $0.id) < ($1.key, $1.id) }.map(\.id)
    }

    // Goal: reading only neighbours finds the same positions as reading everything.
    // Method: random moves among to-dos of one time, of none, and done ones, on two devices that meet now and then.
    @Test("every move goes where it was meant to, and pages of a list are its beginning")
    func moves() throws {
        let world = try ToDoWorld(zone: Fixed.berlin())
        let stores = [try world.store("a"), try world.store("b")]
        var chance = SplitMix64(seed: 11)
        for number in 0..<120 {
            var item = ToDoItem(title: "\(number)")
            item.created = chance.chance(1, in: 6) ? nil : 1_800_000_000_000 + Int64(number / 30)
            if chance.chance(1, in: 8) { item.status = .completed }
            _ = try stores[0].write {
                try $0.insert(
                    ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection)
            }
        }
        try world.meet(stores[0], stores[1])
        for round in 0..<200 {
            let todos = world.todos(stores[chance.below(2)])
            let before = try naive(todos)
            // One, or several in an order that is not that of the list.
            let other = chance.pick(before)
            var moved: [RecordID] = []
            for _ in 0...(chance.chance(1, in: 2) ? 0 : 1 + chance.below(6)) {
                let id = chance.pick(before)
                if id != other, !moved.contains(id) { moved.append(id) }
            }
            if chance.chance(1, in: 4) {
                moved.sort { before.firstIndex(of: $0)! < before.firstIndex(of: $1)! }
            }
            if moved.isEmpty { continue }
            let target = chance.pick(
                [ToDoStore.Target.top, .bottom, .before(other), .after(other)])
            var expected = before.filter { !moved.contains($0) }
            let position = try #require(expected.firstIndex(of: other))
            switch target {
            case .top: expected.insert(contentsOf: moved, at: 0)
            case .bottom: expected += moved
            case .before: expected.insert(contentsOf: moved, at: position)
            case .after: expected.insert(contentsOf: moved, at: position + 1)
            }
            #expect(try todos.move(moved, to: target) == (expected != before), "round \(round)")
            #expect(try naive(todos) == expected, "round \(round), \(target)")
            if chance.chance(1, in: 5) { try world.meet(stores[0], stores[1]) }
            let limit = 1 + chance.below(130)
            let listed = try todos.listInOrder(ToDoFilter([]), pendingOnly: true, limit: limit)
            #expect(
                try listed.map(\.id) == Array(naive(todos).prefix(limit)), "round \(round)")
        }
        try world.meet(stores[0], stores[1])
        #expect(try naive(world.todos(stores[0])) == naive(world.todos(stores[1])))
    }

    @Test("a move and the first page of a list do not read what lies between")
    func cost() throws {
        let world = try ToDoWorld(zone: Fixed.berlin())
        let todos = world.todos(try world.store("a"))
        var ids: [RecordID] = []
        try todos.store.write { transaction in
            for number in 0..<8_000 {
                var item = ToDoItem(title: "\(number)")
                item.created = 1_800_000_000_000 + Int64(number / 4_000)
                ids.append(
                    try transaction.insert(
                        ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection))
            }
        }
        let start = processorNanoseconds()
        #expect(try todos.ordered().count == 8_000)
        let middle = processorNanoseconds()
        #expect(try todos.move([ids[4_000]], to: .top))
        #expect(try todos.move([ids[10]], to: .after(ids[7_000])))
        #expect(try todos.move([ids[20]], to: .before(ids[4_000])))
        #expect(try todos.move([ids[30]], to: .bottom))
        let page = try todos.listInOrder(ToDoFilter([]), pendingOnly: true, limit: 20)
        #expect(page.count == 20)
        let (whole, parts) = (middle - start, processorNanoseconds() - middle)
        #expect(parts * 8 < whole, "\(parts) ns against \(whole) ns")
    }

    /// The time that the processor worked for this thread: neither other tests nor a slow disk count.
    private func processorNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

import Causality
import Records
import Storage
import Testing
import ToDo

@Suite("The user's order, read from few columns")
struct OrderPlaceTests {
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
            _ = try todos.move(one, to: targets[number % 4])
        }
        let all = try todos.store.fetch(FetchRequest(ToDoSchema.collection))
        var keyed: [(key: PositionKey, id: RecordID)] = []
        for stored in all { keyed.append((ToDoMapping.item(stored).position, stored.id)) }
        keyed.sort { left, right in
            left.key == right.key ? left.id < right.id : left.key < right.key
        }
        let naive = keyed.map { $0.id }
        #expect(try todos.places(where: .all).map { $0.id } == naive)
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
}

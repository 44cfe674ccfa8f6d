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
        let naive = all.map { (key: ToDoMapping.item($0).position, id: $0.id) }.sorted {
            $0.key == $1.key ? $0.id < $1.id : $0.key < $1.key
        }.map(\.id)
        #expect(try todos.places(where: .all).map(\.id) == naive)
        #expect(try todos.ordered().map(\.id) == naive)
        #expect(
            try todos.listInOrder(ToDoFilter([]), pendingOnly: true, limit: 20).map(\.id)
                == Array(naive.prefix(20)))
        #expect(
            try todos.listInOrder(ToDoFilter([.text("1")]), pendingOnly: true).map(\.id)
                == naive.filter { id in
                    try todos.stored(id).map { ToDoMapping.item($0).title.contains("1") } ?? false
                })
    }
}

import Core
import JSON
import Storage
import Testing
import ToDo

@Suite("Parents that make a circle, or are gone")
struct ParentTests {
    private func make(_ title: String, _ world: ToDoWorld, _ store: Store) throws -> RecordID {
        world.now += 1_000
        return try world.todos(store).add(ToDoItem(title: title))
    }

    private func put(
        _ part: RecordID, below parent: RecordID?, _ world: ToDoWorld, _ store: Store
    ) throws {
        world.now += 1_000
        let todos = world.todos(store)
        let old = try todos.item(try #require(try todos.stored(part)))
        var new = old
        new.parent = parent?.value
        #expect(try todos.edit(part, from: old, to: new))
    }

    /// The parents that each place shows: lists, JSON, exports, filters; all must be the same.
    private func shown(_ world: ToDoWorld, _ store: Store) throws -> [UInt128: UInt128] {
        let todos = world.todos(store)
        let all = try todos.list(ToDoFilter(), pendingOnly: false)
        func parents(_ items: [ToDoItem]) -> [UInt128: UInt128] {
            var found: [UInt128: UInt128] = [:]
            for item in items {
                if let id = item.identifier, let parent = item.parent { found[id] = parent }
            }
            return found
        }
        let shown = parents(try todos.items(all))
        for stored in all {
            let one = try todos.item(stored)
            #expect(one.parent == shown[stored.id.value], "\(one.title)")
        }
        let items = try todos.export(ToDoFilter()).items
        #expect(parents(items) == shown)
        for format in [FormatSamples.jsonLines, .csv, .taskwarrior, .vtodo] {
            let writing = try #require(try format.encode(items))
            let reading: FormatReading = try format.decode(writing.bytes)
            #expect(parents(reading.items) == shown, "\(format)")
        }
        func found(_ words: String) throws -> Set<UInt128> {
            let filter = try ToDoFilter.parse([words], now: todos.now, zone: todos.zone)
            return Set(try todos.list(filter, pendingOnly: false).map(\.id.value))
        }
        #expect(try found("+SUBTASK") == Set(shown.keys))
        #expect(try found("-SUBTASK") == Set(all.map(\.id.value)).subtracting(shown.keys))
        for parent in all {
            let parts = try todos.list(ToDoFilter([.parent(parent.id.value)]), pendingOnly: false)
            #expect(
                Set(parts.map(\.id.value))
                    == Set(shown.filter { $0.value == parent.id.value }.keys))
        }
        return shown
    }

    @Test("a circle made on two devices is open at its later edge everywhere, on both")
    func circle() throws {
        let world = try ToDoWorld(zone: .utc)
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        let house = try make("House", world, laptop)
        let garden = try make("Garden", world, laptop)
        let shed = try make("Shed", world, laptop)
        try put(shed, below: garden, world, laptop)
        try world.meet(laptop, phone)
        try put(house, below: garden, world, laptop)
        try put(garden, below: house, world, phone)
        #expect(try shown(world, phone)[garden.value] == house.value)
        try world.meet(laptop, phone)
        let expected = [house.value: garden.value, shed.value: garden.value]
        for store in [laptop, phone] {
            #expect(try shown(world, store) == expected)
            let todos = world.todos(store)
            #expect(try todos.canBePart(house.value, of: shed))
            #expect(try !todos.canBePart(garden.value, of: shed))
            #expect(try todos.conflicts().isEmpty)
            // Nothing was rewritten.
            let stored = try #require(try todos.stored(garden))
            #expect(stored[ToDoSchema.Number.parent]?.toDo == house)
            // What a command tells of open parts is what is shown, also of the one that another device made a whole.
            let ends = try [house, garden].map { try #require(try todos.stored($0)) }
            let parts = try todos.openParts(of: ends).mapValues { Set($0.map(\.id)) }
            #expect(parts == [garden: [house, shed]])
        }
        try put(house, below: nil, world, laptop)
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            #expect(
                try shown(world, store) == [garden.value: house.value, shed.value: garden.value])
        }
    }

    @Test("a deleted parent reads as absent, and is there again when it is restored")
    func deleted() throws {
        let world = try ToDoWorld(zone: .utc)
        let (laptop, phone) = (try world.store("laptop"), try world.store("phone"))
        let house = try make("House", world, laptop)
        let roof = try make("Roof", world, laptop)
        let tiles = try make("Tiles", world, laptop)
        try put(roof, below: house, world, laptop)
        try put(tiles, below: roof, world, laptop)
        try world.meet(laptop, phone)
        _ = try world.todos(phone).delete([roof])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            #expect(try shown(world, store).isEmpty)
            // A to-do in the trash still tells where it belongs.
            let todos = world.todos(store)
            #expect(
                try todos.item(try #require(try todos.stored(roof))).parent == house.value)
        }
        // Edits, and the import of what was exported, leave the reference as it is.
        let todos = world.todos(phone)
        let items = try todos.export(ToDoFilter()).items
        _ = try todos.importItems(items)
        _ = try todos.setStatus(.completed, of: [tiles])
        _ = try todos.restore([roof])
        try world.meet(laptop, phone)
        for store in [laptop, phone] {
            #expect(
                try shown(world, store) == [roof.value: house.value, tiles.value: roof.value])
        }
    }

    @Test("the next occurrence of a part belongs to the same parent though that is in the trash")
    func occurrence() throws {
        let world = try ToDoWorld(zone: .utc)
        let store = try world.store("laptop")
        let house = try make("House", world, store)
        let todos = world.todos(store)
        var item = ToDoItem(title: "Sweep")
        item.repeats = "every week"
        item.due = .day(20_800)
        item.parent = house.value
        let sweep = try todos.add(item)
        _ = try todos.delete([house])
        let next = try #require(try todos.setStatus(.completed, of: [sweep]).next[sweep])
        #expect(try shown(world, store).isEmpty)
        _ = try todos.restore([house])
        #expect(
            try shown(world, store) == [next.value: house.value, sweep.value: house.value])
    }
}

import Core
import Storage
import Testing
import ToDo

/// A suite about to-dos that have numbers on one device, and the readers that these are shown to.
protocol NumberedToDos {
    var world: ToDoWorld { get }
    var store: Store { get }
}

extension NumberedToDos {
    func add(_ title: String) throws -> Record {
        world.now += 1
        let todos = world.todos(store)
        return try #require(try todos.stored(try todos.add(ToDoItem(title: title))))
    }

    func finish(_ record: Record) throws {
        _ = try world.todos(store).setStatus(.completed, of: [record.id])
    }

    func again(_ record: Record) throws -> Record {
        try #require(try world.todos(store).stored(record.id))
    }

    func naming(_ reader: String) -> ToDoNaming {
        ToDoNaming(world.todos(store), reader: reader)
    }

    func found(_ words: [String], by reader: String) throws -> [String] {
        try naming(reader).find(words, in: .alive).map { ToDoMapping.item($0).title }
    }
}

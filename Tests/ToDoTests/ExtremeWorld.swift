import Core
import Storage
import TestSupport
import ToDo
import ToDoTestSupport

/// A store that got records with every extreme value in every field from another device.
final class ExtremeWorld {
    /// The store that got the records.
    let store: Store
    /// The case that each record is of.
    let cases: [RecordID: ExtremeValues.Case]
    private let world: ToDoWorld

    init(zone: LocalTimeZone) throws {
        let world = try ToDoWorld(zone: zone)
        let source = try world.store("other")
        store = try world.store("own")
        cases = try ExtremeRecords.write(to: source, every: ExtremeRecords.isWhole ? 1 : 29) {
            world.now = $0
        }
        world.now = Fixed.now
        try world.carry(from: source, to: store)
        self.world = world
    }

    /// To-dos as people use them, at the store's time.
    var todos: ToDoStore { world.todos(store) }

    /// All to-dos, deleted ones too.
    func records() throws -> [Record] {
        try store.fetch(FetchRequest(ToDoSchema.collection, scope: .all))
    }
}

/// The ids that tasks of one file have in Taskwarrior, where they have others here: those of what comes again.
struct TaskwarriorNames {
    private var namesThere: [UInt128: UInt128] = [:]
    private var namesHere: [UInt128: UInt128] = [:]

    /// Every id is the same.
    init() {}

    /// The ids that read tasks had.
    init(_ items: [ToDoItem]) {
        for item in items {
            guard let here = item.identifier, let there = TaskwarriorRecurrence.uuid(of: item),
                here != there
            else { continue }
            add(here, as: there)
        }
    }

    /// Notes that a task has another id there.
    mutating func add(_ here: UInt128, as there: UInt128) {
        namesThere[here] = there
        namesHere[there] = here
    }

    /// The ids there of ids here.
    func there(_ ids: [UInt128]) -> [UInt128] { ids.map { namesThere[$0] ?? $0 } }

    /// The ids here of ids there.
    func here(_ ids: [UInt128]) -> [UInt128] { ids.map { namesHere[$0] ?? $0 } }

    /// Gives what waits for tasks the ids that these have here.
    func lead(_ items: inout [ToDoItem]) {
        if namesHere.isEmpty { return }
        for index in items.indices where !items[index].depends.isEmpty {
            items[index].setDepends(here(items[index].depends))
        }
    }
}

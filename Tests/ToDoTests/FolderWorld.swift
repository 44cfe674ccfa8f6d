import Core
import Storage
import Testing
import ToDo

/// A store and a folder in memory, that other programs write into too.
final class FolderWorld {
    let world: ToDoWorld
    let store: Store
    var files: [String: [UInt8]] = [:]
    var project: String?
    var mayNarrow = false

    init(zone: LocalTimeZone) throws {
        world = try ToDoWorld(zone: zone)
        store = try world.store("laptop")
    }

    var todos: ToDoStore { world.todos(store) }
    var sync: FolderSync {
        FolderSync(todos: todos, folder: "/todos", project: project, mayNarrow: mayNarrow)
    }

    /// Looks once.
    ///
    /// - Parameters:
    ///   - crashesAfter: how many steps are done before the program dies; nil if it does not.
    ///   - meanwhile: what another program does between the look and the steps.
    @discardableResult
    func look(
        isForced: Bool = false, crashesAfter: Int? = nil, meanwhile: () -> Void = {}
    ) throws -> FolderReport {
        world.now += 1_000
        let read = files.map { FolderFile(name: $0.key, content: .bytes($0.value)) }
        let report = try sync.look(read, isForced: isForced)
        meanwhile()
        var outcomes: [(step: FolderStep, outcome: FolderStep.Outcome)] = []
        for step in report.steps.prefix(crashesAfter ?? .max) {
            if files[step.name] == step.old {
                files[step.name] = step.new
                outcomes.append((step, .done(revision: nil)))
            } else {
                outcomes.append((step, .changedMeanwhile))
            }
        }
        if crashesAfter == nil { try sync.settle(outcomes) }
        return report
    }

    /// Adds a to-do and has its file written.
    func add(_ title: String, _ change: (inout ToDoItem) -> Void = { _ in }) throws -> RecordID {
        var item = ToDoItem(title: title)
        change(&item)
        let id = try todos.add(item)
        try look()
        return id
    }

    func item(_ id: RecordID) throws -> ToDoItem {
        ToDoMapping.item(try #require(try todos.stored(id)))
    }

    func edit(_ id: RecordID, _ change: (inout ToDoItem) -> Void) throws {
        world.now += 1_000
        let old = try item(id)
        var new = old
        change(&new)
        _ = try todos.edit(id, from: old, to: new)
    }

    /// The only file of a to-do.
    func name(_ id: RecordID) -> String { "\(id).ics" }

    func text(_ name: String) throws -> String {
        String(decoding: try #require(files[name]), as: UTF8.self)
    }

    /// Edits a file as another program would.
    func replace(_ name: String, _ old: String, _ new: String) throws {
        let before = try text(name)
        #expect(before.contains(old), "\(before)")
        files[name] = Array(before.replacing(old, with: new).utf8)
    }

    func problems(_ report: FolderReport) -> [String] {
        report.events.filter { $0.kind == .problem }.map { "\($0.name): \($0.reason ?? "")" }
    }
}

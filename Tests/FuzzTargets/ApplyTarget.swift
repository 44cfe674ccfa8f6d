import Core
import Simulation
import Storage
import ToDo

extension FuzzTargets {
    /// The lines that `apply` makes into changes of a store: all of them or none, each once.
    static let applying = FuzzTarget(
        "apply", byteCountMax: 1024,
        decoders: [
            "Sources/ToDo/Changes/ToDoChange.swift", "Sources/ToDo/Changes/AppliedChange.swift",
        ]
    ) { bytes in
        guard let changes = try? ToDoChange.read(bytes) else { return }
        let device = FuzzDevice()
        device.disk.restore(AppliedStore.image, .unnoticed)
        let store = try AppliedStore.open(on: device)
        defer { store.close() }
        let todos = ToDoStore(store: store, now: now, zone: zone)
        let sequence = store.sequence
        let rehearsed: [AppliedChange]
        do throws(ToDoChangeFault) {
            rehearsed = try todos.apply(changes, rehearses: true, find: AppliedStore.find)
        } catch {
            return try checkRefusal(error, of: changes, by: todos, sequence)
        }
        try promise(store.sequence == sequence, "a rehearsal wrote")
        let applied = try todos.apply(changes, find: AppliedStore.find)
        try promise(
            applied.map(\.outcome) == rehearsed.map(\.outcome)
                && applied.map(\.id) == rehearsed.map(\.id)
                && applied.map(\.title) == rehearsed.map(\.title),
            "a rehearsal had other results: \(rehearsed.map(\.outcome)), \(applied.map(\.outcome))")
        try promise(applied.count == changes.count, "a change without a result")
        let after = store.sequence
        let again = try todos.apply(changes, find: AppliedStore.find)
        try promise(again.allSatisfy { $0.outcome == .known }, "a change was made twice")
        try promise(store.sequence == after, "what is known already was written")
        for stored in try todos.list(ToDoFilter([]), pendingOnly: false) {
            let item = ToDoMapping.item(stored)
            try promise(item.hasTitle, "a to-do without a title")
            try promise(item.parent != item.identifier, "a to-do is a part of itself")
            try promise(!item.depends.contains(item.identifier ?? 0), "a to-do waits for itself")
        }
        let findings = try store.examine()
        try promise(findings.isEmpty, "a damaged store: \(findings)")
    }

    /// Checks that changes which are refused leave nothing behind, and are refused alike when they are no rehearsal.
    private static func checkRefusal(
        _ fault: ToDoChangeFault, of changes: [ToDoChange], by todos: ToDoStore, _ sequence: UInt64
    ) throws {
        try promise(!"\(fault)".isEmpty, "a fault without words")
        do throws(ToDoChangeFault) {
            _ = try todos.apply(changes, find: AppliedStore.find)
        } catch {
            try promise(
                "\(error)" == "\(fault)" && error.line == fault.line,
                "a rehearsal had another fault: \(fault), \(error)")
            try promise(todos.store.sequence == sequence, "changes that are refused were written")
            let known = try todos.store.localMetadata(in: "applied-changes")
            try promise(known.count == AppliedStore.lines.count, "a refused change is known")
            return
        }
        try promise(false, "a rehearsal alone was refused: \(fault)")
    }
}

/// A store with a to-do of each kind that a change may meet, made once.
private enum AppliedStore {
    /// To-dos whose ids end in 1 to 6: plain, repeating, waiting for the first, done, in the trash, purged.
    static let lines = [
        #""kind":"insert","id":"\#(id(1))","item":{"title":"plain","custom":{"size":5}}"#,
        #""kind":"insert","id":"\#(id(2))","item":{"title":"rent","due":"2026-12-01","repeat":"every week"}"#,
        #""kind":"insert","id":"\#(id(3))","item":{"title":"waits","parent":"\#(id(1))","depends":["\#(id(1))"]}"#,
        #""kind":"insert","id":"\#(id(4))","item":{"title":"over","status":"completed"}"#,
        #""kind":"insert","id":"\#(id(5))","item":{"title":"trash"}"#,
        #""kind":"delete","id":"\#(id(5))""#,
        #""kind":"insert","id":"\#(id(6))","item":{"title":"gone"}"#,
        #""kind":"delete","id":"\#(id(6))""#,
    ].enumerated().map { #"{"key":"first \#($0)",\#($1)}"# }

    static func id(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

    /// Numbers name the to-dos of the same ids; nothing else names one but a whole id.
    static func find(_ name: String) throws(ToDoNameFault) -> RecordID {
        guard let number = Int(name), (1...6).contains(number),
            let found = RecordID(uuidText: id(number))
        else { throw .nothing(name) }
        return found
    }

    static func open(on device: FuzzDevice) throws(StoreFault) -> Store {
        try Store.open(
            folder: FuzzDevice.folder, schema: ToDoSchema.collections,
            environment: device.environment, options: StoreOptions())
    }

    static let image: DiskImage = {
        let device = FuzzDevice(drawing: "device")
        do {
            let store = try Store.create(
                folder: FuzzDevice.folder, schema: ToDoSchema.collections, deviceName: "device",
                environment: device.environment)
            let todos = ToDoStore(store: store, now: FuzzTargets.now, zone: FuzzTargets.zone)
            let changes = try ToDoChange.read(Array(lines.joined(separator: "\n").utf8))
            _ = try todos.apply(changes, find: find)
            _ = try todos.purge([try find("6")])
            store.close()
        } catch {
            preconditionFailure("a store on a disk in memory: \(error)")
        }
        return device.disk.snapshot()
    }()
}

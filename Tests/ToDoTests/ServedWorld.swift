import Core
import Storage
import Testing
import ToDo

/// A device that serves clients, another device of the same person, and clients.
final class ServedWorld {
    let world: ToDoWorld
    /// The device that serves.
    private(set) var gateway: Store
    /// Another one.
    let phone: Store
    let client = ServedClient(identifier: "tasks-1", name: "Tasks on the tablet")

    init(zone: LocalTimeZone = .utc, policy: DeletePolicy = .deletesWin) throws {
        world = try ToDoWorld(zone: zone)
        gateway = try world.store("gateway", policy: policy)
        phone = try world.store("phone", policy: policy)
    }

    var todos: ToDoStore { world.todos(gateway) }
    var served: ServedToDos { ServedToDos(todos, for: client) }

    /// Kills the process that serves, and starts another one.
    func restart() throws { gateway = try world.reopened(gateway, of: "gateway") }

    func meet() throws { try world.meet(gateway, phone) }

    /// Makes a to-do at the gateway's device.
    func add(_ title: String, _ change: (inout ToDoItem) -> Void = { _ in }) throws -> RecordID {
        world.now += 1_000
        var item = ToDoItem(title: title)
        change(&item)
        return try todos.add(item)
    }

    /// Edits a to-do at the gateway's device.
    func edit(_ id: RecordID, _ change: (inout ToDoItem) -> Void) throws {
        world.now += 1_000
        let old = try item(id)
        var new = old
        change(&new)
        _ = try todos.edit(id, from: old, to: new)
    }

    /// Edits a to-do at the other device, with a sync before and after unless they are apart.
    func editOnPhone(
        _ id: RecordID, isApart: Bool = false, _ change: (inout ToDoItem) -> Void
    ) throws {
        world.now += 1_000
        if !isApart { try meet() }
        let there = world.todos(phone)
        let old = ToDoMapping.item(try #require(try there.stored(id)))
        var new = old
        change(&new)
        _ = try there.edit(id, from: old, to: new)
        if !isApart { try meet() }
    }

    func stored(_ id: RecordID) throws -> Record { try #require(try todos.stored(id)) }
    func item(_ id: RecordID) throws -> ToDoItem { ToDoMapping.item(try stored(id)) }

    /// The document that the client is served.
    func get(_ id: RecordID, by client: ServedClient? = nil) throws -> ServedDocument {
        world.now += 1_000
        return try #require(
            try ServedToDos(todos, for: client ?? self.client).serve([id]).first)
    }

    /// Puts a text as the client does.
    @discardableResult
    func put(
        _ name: String, _ text: String, list: String? = nil, ifMatch: [String]? = nil,
        isNew: Bool = false, by client: ServedClient? = nil
    ) throws -> ClientPutOutcome {
        world.now += 1_000
        return try ServedToDos(todos, for: client ?? self.client).put(
            ClientPut(
                name: name, bytes: Array(text.utf8), list: list, ifMatch: ifMatch,
                ifNoneMatchAny: isNew))
    }

    /// A document with the lines of a to-do.
    static func text(_ uid: String, _ lines: [String], more: [[String]] = []) -> String {
        let todos = ([["UID:\(uid)"] + lines] + more).map { lines in
            (["BEGIN:VTODO"] + lines + ["END:VTODO"]).joined(separator: "\r\n")
        }
        return
            (["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//client//EN"] + todos
            + ["END:VCALENDAR"]).joined(separator: "\r\n") + "\r\n"
    }

    /// The titles of a to-do in conflict, or its one title.
    func values(_ number: UInt32, _ id: RecordID) throws -> Set<Value> {
        Set(try stored(id).record.candidates(of: .number(number)).map(\.value))
    }

    /// The live to-dos.
    func all() throws -> [ToDoItem] {
        try gateway.fetch(FetchRequest(ToDoSchema.collection)).map { ToDoMapping.item($0) }
    }
}

extension ServedDocument {
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text with a line replaced; lines are folded at 75 bytes.
    func replacing(_ old: String, _ new: String) -> String {
        let result = text.replacing(old, with: new)
        if result == text { Issue.record("'\(old)' is not in \(text)") }
        return result
    }

    /// The text without the lines that begin so.
    func without(_ beginnings: String...) -> String {
        text.replacing("\r\n ", with: "").split(separator: "\r\n")
            .filter { line in !beginnings.contains { line.hasPrefix($0) } }
            .joined(separator: "\r\n") + "\r\n"
    }
}

extension ClientPutOutcome {
    /// The document; nil if it was refused.
    var document: ServedDocument? {
        switch self {
        case .created(let document, _), .changed(let document, _): document
        case .refused: nil
        }
    }

    var refusal: ClientPutRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    var isCreated: Bool { if case .created = self { true } else { false } }
    var isAsSent: Bool {
        switch self {
        case .created(_, let isAsSent), .changed(_, let isAsSent): isAsSent
        case .refused: false
        }
    }
}

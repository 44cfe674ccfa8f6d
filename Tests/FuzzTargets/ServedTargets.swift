import Core
import Storage
import TestSupport
import ToDo

extension FuzzTargets {
    /// Documents that clients of the server put.
    static let served = [
        FuzzTarget(
            "clientfile", byteCountMax: 4096,
            decoders: [
                "ClientPutPass", "ClientBases", "ClientOccurrence", "ClientSeries",
            ].map { "Sources/ToDo/Served/\($0).swift" }
        ) { bytes in
            try FuzzedClient().put(bytes)
        }
    ]
}

/// A client, and a store with to-dos that it was served and another device has changed since then.
private struct FuzzedClient {
    private let device = FuzzDevice()
    private let store: Store
    private let served: ServedToDos
    private let todos: ToDoStore
    /// The tag of the text that it was served first.
    private let tag: String
    private static let now: Int64 = 1_800_000_000_000

    init() throws {
        store = try Store.create(
            folder: FuzzDevice.folder, schema: ToDoSchema.collections, space: MemoryStore.space,
            deviceName: "device", environment: device.environment, options: StoreOptions())
        todos = ToDoStore(store: store, now: Self.now, zone: FuzzTargets.zone)
        served = ServedToDos(todos, for: ServedClient(identifier: "fuzz", name: "fuzz"))
        var item = ToDoItem(title: "water")
        item.identifier = 7
        item.due = .day(20_780)
        item.repeats = "every week"
        item.notes = "roses"
        item.project = "Home.garden"
        _ = try todos.add(item)
        tag = try served.serve([RecordID(value: 7)]).first?.tag ?? ""
        var changed = item
        changed.title = "water it"
        _ = try todos.edit(RecordID(value: 7), from: item, to: changed)
    }

    /// Puts a text twice, and what is served then; reads that no word of it is lost by.
    func put(_ bytes: [UInt8]) throws {
        defer { store.close() }
        for name in ["00000000-0000-0000-0000-000000000007.ics", "other.ics"] {
            let put = ClientPut(name: name, bytes: bytes, list: "Home")
            let before = try store.summary().counter
            let outcome = try served.put(put)
            let after = try store.summary().counter
            switch outcome {
            case .refused(let refusal):
                try promise(before == after, "refused, and written: \(refusal)")
                if case .malformed(_, _, let detail) = refusal {
                    try promise(!detail.isEmpty, "no reason")
                }
            case .created(let document, _), .changed(let document, _):
                _ = try served.put(put)
                try promise(
                    try store.summary().counter == after, "the same text again is written")
                try putBack(document.identifier)
            }
        }
        try putMoved(bytes)
        for id in try store.fetch(FetchRequest(ToDoSchema.collection)).map(\.id) {
            _ = try served.delete(id, ifMatch: nil)
        }
    }

    /// Puts a text with each condition after a move of the client's own, and onto what is in the trash.
    private func putMoved(_ bytes: [UInt8]) throws {
        let (id, name) = (RecordID(value: 7), "00000000-0000-0000-0000-000000000007.ics")
        func put(_ list: String?, ifMatch: [String]? = nil, isNew: Bool = false) throws {
            let before = try store.summary().counter
            let outcome = try served.put(
                ClientPut(
                    name: name, bytes: bytes, list: list, ifMatch: ifMatch, ifNoneMatchAny: isNew))
            if case .refused(let refusal) = outcome {
                try promise(
                    try store.summary().counter == before, "refused, and written: \(refusal)")
            }
        }
        _ = try served.move(id, to: "Work")
        try put("Work")
        try put(nil, ifMatch: [tag])
        try put(nil, ifMatch: ["*"])
        try put(nil, ifMatch: ["none"])
        try put("Home", isNew: true)
        _ = try todos.delete([id])
        try put("Home", ifMatch: [tag])
        try put("Home")
        try served.noteGone([id])
        try put("Home")
        _ = try todos.delete([id])
        try put("Home", isNew: true)
    }

    /// Checks that a text which comes back as it was served changes nothing.
    private func putBack(_ id: RecordID) throws {
        guard let document = try served.serve([id]).first else { return }
        let counter = try store.summary().counter
        let list = ServedToDos.list(of: document.item.project)
        let outcome = try served.put(
            ClientPut(
                name: document.name, bytes: document.bytes, list: list, ifMatch: [document.tag]))
        guard case .changed(let again, let isAsSent) = outcome else {
            return try promise(false, "what is served is refused: \(outcome)")
        }
        try promise(
            isAsSent && again.tag == document.tag, "what is served and put back is another text")
        try promise(try store.summary().counter == counter, "what is put back is written")
    }
}

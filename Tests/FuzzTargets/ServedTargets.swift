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
            try FuzzedClient().goOn(bytes)
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
        try put("Work", ifMatch: ["none"])
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
        _ = try todos.delete([id])
        _ = try served.put(
            ClientPut(name: "again.ics", bytes: bytes, list: "Home", ifNoneMatchAny: true))
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

    // MARK: A client that goes on from what it was served

    private static let id = RecordID(value: 7)
    private static let name = "00000000-0000-0000-0000-000000000007.ics"

    /// What the client and another device do, a byte each.
    func goOn(_ bytes: [UInt8]) throws {
        defer { store.close() }
        var first = try lines()
        for (number, byte) in bytes.prefix(12).enumerated() {
            let now = try lines()
            // What was added later has the bytes from 234 on: all others mean what they meant in kept inputs.
            switch byte < 234 ? byte % 18 : byte - 216 {
            case 0: try put(set(now, "SUMMARY:a\(number)"))
            case 1: try put(set(first, "DESCRIPTION:b\(number)"))
            case 2: try put(set(now, "STATUS:COMPLETED"))
            case 3: try putNext(number, isRepeating: byte & 64 == 0)
            case 4: try change { $0.title = "c\(number)" }
            case 5: try change { $0.status = .completed }
            case 6: first = now
            case 7: try putOccurrence(now, weeks: Int(byte >> 6), "SUMMARY:d\(number)")
            case 8: try putOccurrence(now, weeks: Int(byte >> 6), "STATUS:COMPLETED")
            case 9: try put(set(now, "DUE;VALUE=DATE:" + Self.day(try due() + 7)))
            case 10: _ = try served.delete(Self.id, ifMatch: nil)
            case 11: _ = try served.move(Self.id, to: byte & 64 == 0 ? "Work" : "Home")
            case 12: try put(nameless(now), ifMatch: byte & 64 == 0 ? nil : [tag, "x"])
            case 13: try put(nameless(set(first, "LOCATION:e\(number)")))
            case 14: try put(set(now, "PRIORITY:\(number)"), isNew: true)
            case 15: try putNext(number, isRepeating: true, ifMatch: ["x"])
            case 16:
                try store.edit { transaction throws(StoreFault) in
                    _ = try transaction.purge(
                        RecordName(ToDoSchema.collection, Self.id), isForced: true)
                }
            case 18: try put(now.filter { !$0.hasPrefix("RRULE") && !$0.hasPrefix("EXDATE") })
            case 19: try change { $0.setExceptions([20_787]) }
            case 20: _ = try served.move(Self.id, to: nil)
            case 21: try put(set(now, "SUMMARY:f\(number)"), list: nil)
            case 22: try putNext(number, isRepeating: true, list: nil)
            case 23: try put(set(now, "SUMMARY:g\(number)"), list: "House", formerLists: ["Home"])
            case 24: try put(set(first, "COMMENT:h\(number)"), ifMatch: [tag])
            case 25: try change { $0.repeats = $0.repeats.isEmpty ? "every week" : "" }
            case 26: try change { $0.repeats = "every week at Europe/Berlin" }
            case 27: _ = try todos.delete([Self.id])
            case 28: try put(now, name: "again\(number).ics")
            case 29: try change { $0.project = "" }
            case 30: try put(set(first, "SUMMARY:i\(number)"), list: "House", formerLists: ["Home"])
            default: try change { $0.due = .instant(Self.now + 86_400_000 * Int64(byte >> 6)) }
            }
        }
        let findings = try store.examine()
        try promise(findings.isEmpty, "the store is damaged: \(findings)")
    }

    /// The lines of the text that is served now.
    private func lines() throws -> [String] {
        let bytes = try served.serve([Self.id]).first?.bytes ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map { String($0) }
    }

    private func put(
        _ lines: [String], name: String = name, list: String? = "Home",
        formerLists: Set<String> = [],
        ifMatch: [String]? = nil, isNew: Bool = false
    ) throws {
        let before = try store.summary().counter
        let text = lines.joined(separator: "\r\n") + "\r\n"
        let outcome = try served.put(
            ClientPut(
                name: name, bytes: Array(text.utf8), list: list, formerLists: formerLists,
                ifMatch: ifMatch, ifNoneMatchAny: isNew))
        if case .refused(let refusal) = outcome {
            try promise(
                try store.summary().counter == before, "refused, and written: \(refusal)")
        }
    }

    /// The lines with one of another value, or more.
    private func set(_ lines: [String], _ line: String) -> [String] {
        let key = line.prefix { $0 != ":" && $0 != ";" }
        let rest = lines.filter { $0.prefix { $0 != ":" && $0 != ";" } != key }
        guard let end = rest.lastIndex(of: "END:VTODO") else { return rest }
        return rest[..<end] + [line] + rest[end...]
    }

    /// A day as iCalendar writes it.
    private static func day(_ day: Int) -> String {
        TimestampText.day(day).filter { $0 != "-" }
    }

    /// The lines without those that tell which text they were made from.
    private func nameless(_ lines: [String]) -> [String] {
        lines.filter { !$0.hasPrefix("X-TANDEM-") }
    }

    private func change(_ body: (inout ToDoItem) -> Void) throws {
        guard let stored = try store.record(Self.id), stored.standing == .live else { return }
        let old = ToDoMapping.item(stored)
        var new = old
        body(&new)
        _ = try todos.edit(Self.id, from: old, to: new)
    }

    private func due() throws -> Int {
        guard let stored = try store.record(Self.id), let due = ToDoMapping.item(stored).due else {
            return 20_780
        }
        return due.day(in: FuzzTargets.zone)
    }

    /// A to-do of the client's own, the next occurrence of the one that was served.
    private func putNext(
        _ number: Int, isRepeating: Bool, list: String? = "Home", ifMatch: [String]? = nil
    ) throws {
        guard let stored = try store.record(Self.id) else { return }
        let item = ToDoMapping.item(stored)
        let rule = isRepeating ? ["RRULE:FREQ=WEEKLY"] : []
        let day = Self.day(try due() + 7)
        try put(
            ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", "UID:next\(number)"]
                + ["SUMMARY:\(item.title)", "DUE;VALUE=DATE:\(day)"] + rule
                + ["END:VTODO", "END:VCALENDAR"], name: "next\(number).ics", list: list,
            ifMatch: ifMatch)
    }

    /// The text with a changed occurrence, so many weeks behind the date that it is at.
    private func putOccurrence(_ lines: [String], weeks: Int, _ change: String) throws {
        guard let end = lines.lastIndex(of: "END:VCALENDAR") else { return }
        var begin = ";VALUE=DATE:" + Self.day(try due() + 7 * weeks)
        if weeks == 3 { begin = ":x" }
        if let stored = try store.record(Self.id), case .instant? = ToDoMapping.item(stored).due {
            begin = ":\(Self.day(try due() + 7 * weeks))T080000Z"
        }
        let uid = lines.first { $0.hasPrefix("UID:") } ?? "UID:x"
        try put(
            lines[..<end] + ["BEGIN:VTODO", uid, "RECURRENCE-ID\(begin)", change]
                + ["END:VTODO"] + lines[end...])
    }
}

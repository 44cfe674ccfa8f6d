import Core
import Storage

/// The texts that clients are served.
enum ServedText {
    /// The property that names a representation: 16 hexadecimal digits.
    static let seen = ICalendarNames.ownPrefix + "SEEN"

    private static let digitCount = 16

    static func digits(of digest: UInt64) -> String {
        let text = String(digest, radix: 16)
        return String(repeating: "0", count: digitCount - text.count) + text
    }

    /// The digest that a to-do's property names; nil without one.
    static func digest(in todo: ICalendarComponent) -> UInt64? {
        guard let value = todo[seen]?.value, value.utf8.count == digitCount else { return nil }
        return UInt64(value, radix: 16)
    }

    /// The entity tag of bytes: 32 hexadecimal digits.
    static func tag(of bytes: [UInt8]) -> String {
        let hash = SipHash(key0: 0x7461_67, key1: 1).hash128(bytes)
        return digits(of: UInt64(truncatingIfNeeded: hash >> 64))
            + digits(of: UInt64(truncatingIfNeeded: hash))
    }

    /// The to-do as clients are served it: a finished one without its rule, as what comes next has it.
    ///
    /// Else programs that count the dates of a rule themselves show what comes next twice.
    static func shown(_ item: ToDoItem) -> ToDoItem {
        guard item.status != .pending, !item.repeats.isEmpty else { return item }
        var item = item
        item.repeats = ""
        item.exceptions = []
        for name in ["RRULE", "EXDATE"] { item.custom[ICalendarNames.customPrefix + name] = nil }
        return item
    }

    /// The text of a to-do, and the digest that stands in it.
    static func written(
        _ item: ToDoItem, uid: String?, clock: VersionVector, zone: LocalTimeZone,
        otherUID: @escaping (UInt128) -> String?
    ) -> (bytes: [UInt8], digest: UInt64)? {
        var digest: UInt64 = 0
        let bytes = ICalendarDocument.made(shown(item), zone: zone, parentUID: otherUID) { todo in
            if let uid { todo.rename(uid) }
            let text = todo.lines.joined(separator: "\n")
            let hash = SipHash(key0: 0x7365_656e, key1: 1)
                .hash128(MetadataParts.bytes(clock) + Array(text.utf8))
            digest = UInt64(truncatingIfNeeded: hash)
            let index = todo.children.firstIndex { if case .component = $0 { true } else { false } }
            todo.children.insert(
                .property(ICalendarProperty(seen, digits(of: digest))),
                at: index ?? todo.children.count)
        }
        return bytes.map { ($0, digest) }
    }
}

extension ICalendarComponent {
    /// Gives the to-do another UID.
    mutating func rename(_ uid: String) {
        for (index, child) in children.enumerated() {
            guard case .property(let property) = child, property.name == "UID" else { continue }
            children[index] = .property(ICalendarProperty("UID", ICalendarText.written(uid)))
        }
    }
}

/// The documents of to-dos.
extension ServedToDos {
    /// A document, and what is remembered of it.
    struct Made {
        let document: ServedDocument
        let digest: UInt64
        let clock: VersionVector

        func representation(at time: Int64) -> ServedMemory.Representation {
            ServedMemory.Representation(
                digest: digest, tag: document.tag, time: time, clock: clock,
                byteCount: document.bytes.count)
        }
    }

    /// The documents of to-dos, whatever their state; nil for one that has no text.
    ///
    /// One that is as the client was served it last has that text.
    func made(_ records: [Record]) throws(StoreFault) -> [Made?] {
        let names = try ServedNames(todos.store, for: records.count)
        var made: [Made?] = []
        var changed: [Int] = []
        for stored in records {
            let kept = try kept(stored, names)
            if kept == nil { changed.append(made.count) }
            made.append(kept)
        }
        let new = try written(changed.map { records[$0] }, names)
        for (index, one) in zip(changed, new) { made[index] = one }
        return made
    }

    private func kept(_ stored: Record, _ names: ServedNames) throws(StoreFault) -> Made? {
        guard let last = try memory(stored.id)?.last, last.clock == stored.record.clock,
            let bytes = try text(stored.id, last.digest)
        else { return nil }
        let item = ToDoMapping.item(stored)
        let document = ServedDocument(
            identifier: stored.id, name: try names.name(of: item), bytes: bytes, tag: last.tag,
            item: item)
        return Made(document: document, digest: last.digest, clock: last.clock)
    }

    private func written(
        _ records: [Record], _ names: ServedNames
    ) throws(StoreFault) -> [Made?] {
        if records.isEmpty { return [] }
        let items = try served(records)
        let uids = try uids(of: items, names)
        var made: [Made?] = []
        for (stored, item) in zip(records, items) {
            let uid = try names.uid(of: stored.id)
            guard
                let (bytes, digest) = ServedText.written(
                    item, uid: uid, clock: stored.record.clock, zone: todos.zone,
                    otherUID: { uids[$0] })
            else {
                made.append(nil)
                continue
            }
            let document = ServedDocument(
                identifier: stored.id, name: try names.name(of: item), bytes: bytes,
                tag: ServedText.tag(of: bytes), item: item)
            made.append(Made(document: document, digest: digest, clock: stored.record.clock))
        }
        return made
    }

    /// The to-dos of records, with the reference to a parent that is not here, or not any more, but without one that
    /// would close a cycle.
    private func served(_ records: [Record]) throws(StoreFault) -> [ToDoItem] {
        var items = records.map { ToDoMapping.item($0) }
        let parts = records.indices.filter { items[$0].parent != nil }
        if parts.isEmpty { return items }
        let above = try todos.parents(of: parts.map { records[$0] })
        for index in parts where above[records[index].id] == nil {
            guard let parent = items[index].parent,
                let stored = try todos.store.record(RecordID(value: parent)),
                stored.standing == .live
            else { continue }
            items[index].parent = nil
        }
        return items
    }

    /// The UIDs of to-dos to which others refer, those that are not their ids.
    private func uids(
        of items: [ToDoItem], _ names: ServedNames
    ) throws(StoreFault) -> [UInt128: String] {
        var uids: [UInt128: String] = [:]
        var asked: Set<UInt128> = []
        for item in items {
            for other in item.depends + (item.parent.map { [$0] } ?? [])
            where asked.insert(other).inserted {
                let id = RecordID(value: other)
                if let uid = try names.uid(of: id) {
                    uids[other] = uid
                } else if let stored = try todos.store.record(id) {
                    uids[other] = ICalendarNames.uid(of: ToDoMapping.item(stored))
                }
            }
        }
        return uids
    }
}

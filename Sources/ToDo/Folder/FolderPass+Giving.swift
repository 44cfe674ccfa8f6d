import Core
import Storage

/// What the store says and the files do not yet.
extension FolderPass {
    mutating func give(_ transaction: Transaction) throws(StoreFault) {
        let all = try sync.todos.store.fetch(FetchRequest(ToDoSchema.collection))
        var uids: [UInt128: String] = [:]
        var inside: Set<UInt128> = []
        var items: [(stored: StoredRecord, item: ToDoItem)] = []
        for stored in all {
            let item = ToDoMapping.item(stored)
            uids[stored.id.value] = ICalendarNames.uid(of: item)
            guard sync.isInside(item) else { continue }
            inside.insert(stored.id.value)
            items.append((stored, item))
        }
        var taken = Set(files.map(\.name)).union(entries.keys)
        for (stored, item) in items {
            if let name = names[stored.id.value] {
                if !held.contains(name) { rewrite(name, stored, item, uids) }
            } else {
                write(stored, item, uids, &taken)
            }
        }
        for (name, entry) in entries.sorted(by: { $0.key < $1.key })
        where !inside.contains(entry.identifier) && !held.contains(name) {
            guard let text = entry.text else {
                entries[name] = nil
                continue
            }
            entries[name]?.intent = .remove
            let document = try? ICalendarDocument.read(text, zone: zone)
            add(
                FolderStep(name: name, old: text, new: nil),
                FolderEvent(.removed, name, document?.item))
        }
    }

    private mutating func add(_ step: FolderStep, _ event: FolderEvent) {
        report.steps.append(step)
        report.stepEvents.append(event)
    }

    /// Brings a file up to what the store says.
    private mutating func rewrite(
        _ name: String, _ stored: StoredRecord, _ item: ToDoItem, _ uids: [UInt128: String]
    ) {
        guard let entry = entries[name], let text = entry.text,
            entry.seen != stored.record.clock || entry.intent != nil
        else { return }
        let read = documents[name] ?? (try? ICalendarDocument.read(text, zone: zone)) ?? nil
        guard let document = read else { return }
        entries[name]?.intent = nil
        guard let new = document.patched(item, zone: zone, parentUID: { uids[$0] }) else {
            entries[name]?.seen = stored.record.clock
            return
        }
        if new.count > ICalendarLimits.folderFileByteCountMax { return tooLarge(name, item) }
        entries[name]?.intent = .write(new, seen: stored.record.clock)
        add(
            FolderStep(name: name, old: text, new: new), FolderEvent(.written, name, item))
    }

    /// Makes the file of a to-do.
    private mutating func write(
        _ stored: StoredRecord, _ item: ToDoItem, _ uids: [UInt128: String],
        _ taken: inout Set<String>
    ) {
        let uid = ICalendarNames.uid(of: item) ?? ""
        guard let name = Self.fileName(uid: uid, id: stored.id.value, taken: taken),
            let new = ICalendarDocument.made(item, zone: zone, parentUID: { uids[$0] })
        else { return }
        taken.insert(name)
        if new.count > ICalendarLimits.folderFileByteCountMax { return tooLarge(name, item) }
        var entry = FolderEntry(
            identifier: stored.id.value, text: nil, seen: VersionVector())
        entry.intent = .write(new, seen: stored.record.clock)
        entries[name] = entry
        add(FolderStep(name: name, old: nil, new: new), FolderEvent(.written, name, item))
    }

    private mutating func tooLarge(_ name: String, _ item: ToDoItem) {
        let reason =
            "'\(item.title.prefix(40))' makes more than "
            + "\(ICalendarLimits.folderFileByteCountMax) bytes, so its file is not written"
        report.events.append(FolderEvent(.problem, name, item, reason: reason))
    }

    /// The longest UID that names a file, in bytes.
    private static let nameByteCountMax = 100

    /// A name for a new file: the UID if that can be one, else the id.
    private static func fileName(uid: String, id: UInt128, taken: Set<String>) -> String? {
        let isName =
            !uid.isEmpty && uid.utf8.count <= nameByteCountMax
            && uid.utf8.first != UInt8(ascii: ".")
            && uid.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-_.@+".utf8.contains(byte)
                }
            }
        let own = UUIDText.text(id)
        let candidates = (isName ? [uid] : []) + [own] + (2..<10).map { "\(own)-\($0)" }
        return candidates.map { $0 + ".ics" }.first { !taken.contains($0) }
    }
}

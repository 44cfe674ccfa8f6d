import Core
import Storage

/// One look at a folder, inside of a transaction: what its files say is taken.
struct FolderPass {
    /// A file that says something new.
    struct News {
        var name: String
        var bytes: [UInt8]
        var stamp: String?
        var document: ICalendarDocument
    }

    let sync: FolderSync
    let files: [FolderFile]
    let refused: [String: String]
    let isForced: Bool

    var report = FolderReport()
    /// What is remembered, as it will be.
    var entries: [String: FolderEntry] = [:]
    private var remembered: [String: FolderEntry] = [:]
    /// Files that are left alone.
    var held: Set<String> = []
    /// The files of to-dos.
    var names: [UInt128: String] = [:]
    /// What was read of files that changed, by name.
    var documents: [String: ICalendarDocument] = [:]
    /// The file that is being taken: the one to blame for a refusal.
    private(set) var current: String?
    private var news: [News] = []

    init(
        _ sync: FolderSync, _ files: [FolderFile], refused: [String: String], isForced: Bool
    ) {
        self.sync = sync
        self.files = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        self.refused = refused
        self.isForced = isForced
    }

    var zone: LocalTimeZone { sync.todos.zone }

    mutating func run(_ transaction: Transaction) throws(StoreFault) -> FolderReport {
        remembered = try sync.entries()
        entries = remembered
        for file in files { look(at: file) }
        let gone = try findGone(transaction)
        if report.refusal == nil { try checkScope(transaction) }
        if report.refusal != nil {
            report.events = []
            return report
        }
        for (name, entry) in entries { names[entry.identifier] = name }
        for item in news {
            current = item.name
            try take(item, transaction)
        }
        current = nil
        for (name, entry) in gone { try delete(name, entry, transaction) }
        try give(transaction)
        for name in Set(remembered.keys).union(entries.keys).sorted()
        where remembered[name] != entries[name] {
            try transaction.setMemo(entries[name]?.bytes, named: name, in: sync.drawer)
        }
        try sync.rememberScope(transaction)
        try dropSignatures(transaction)
        return report
    }

    /// Refuses if files would go only because the folder was for more so far.
    private mutating func checkScope(_ transaction: Transaction) throws(StoreFault) {
        let scope = try sync.scope()
        guard !sync.mayNarrow, sync.project != nil, scope != .some(sync.project) else { return }
        var count = 0
        for entry in remembered.values where entry.text != nil {
            guard let stored = try transaction.record(RecordID(value: entry.identifier)),
                !stored.verdict.isDeleted, !sync.isInside(ToDoMapping.item(stored))
            else { continue }
            count += 1
        }
        if count > 0 { report.refusal = .narrowed(from: scope ?? nil, fileCount: count) }
    }

    mutating func hold(_ name: String, line: Int? = nil, _ reason: String) {
        held.insert(name)
        report.events.append(FolderEvent(.problem, name, line: line, reason: reason))
    }

    // MARK: What changed

    private mutating func look(at file: FolderFile) {
        let name = file.name
        if let reason = refused[name] { return hold(name, reason) }
        let bytes: [UInt8]
        switch file.content {
        case .unreadable(let reason): return hold(name, reason)
        case .asBefore: return
        case .bytes(let found): bytes = found
        }
        if case .write(let text, let seen)? = entries[name]?.intent, text == bytes {
            // It was written before what interrupted us.
            entries[name]?.text = bytes
            entries[name]?.seen = seen
        }
        entries[name]?.intent = nil
        if entries[name]?.text == bytes {
            entries[name]?.stamp = file.stamp
            return
        }
        do throws(ICalendarProblem) {
            let base = entries[name]?.text.flatMap { text in
                (try? ICalendarDocument.read(text, zone: zone)) ?? nil
            }
            guard let document = try ICalendarDocument.read(bytes, zone: zone, onto: base) else {
                // An event, say: no file of ours.
                held.insert(name)
                return
            }
            news.append(
                News(name: name, bytes: bytes, stamp: file.stamp, document: document))
        } catch {
            let key = error.property.map { "\($0): " } ?? ""
            hold(name, line: error.line, key + error.reason)
        }
    }

    // MARK: What is gone

    /// The most files that may be gone at once without being half of all.
    private static let goneCountMax = 20

    /// Files that are gone although their to-dos are not; refuses if that cannot be meant.
    private mutating func findGone(
        _ transaction: Transaction
    ) throws(StoreFault) -> [(name: String, entry: FolderEntry)] {
        let present = Set(files.map(\.name))
        var newNames: [UInt128: String] = [:]
        var replaced: Set<String> = []
        for item in news {
            guard let id = item.document.item.identifier, entries[item.name]?.identifier != id
            else { continue }
            newNames[id] = newNames[id] ?? item.name
            replaced.insert(item.name)
        }
        let count = entries.values.count { $0.text != nil }
        var gone: [(name: String, entry: FolderEntry)] = []
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            guard !present.contains(name) || replaced.contains(name) else { continue }
            // Another file's entry may have moved here already.
            if entries[name]?.identifier == entry.identifier { entries[name] = nil }
            if let newName = newNames[entry.identifier] {
                // The file has another name now.
                entries[newName] = entry
                continue
            }
            if entry.text == nil || entry.intent == .remove { continue }
            guard let stored = try transaction.record(RecordID(value: entry.identifier)),
                !stored.verdict.isDeleted, sync.isInside(ToDoMapping.item(stored))
            else { continue }
            gone.append((name, entry))
        }
        let isTooMuch =
            gone.count == count || (gone.count > Self.goneCountMax && gone.count * 2 > count)
        if !gone.isEmpty, isTooMuch, !isForced {
            report.refusal = .gone(gone.count, of: count)
        }
        return gone
    }

    private mutating func delete(
        _ name: String, _ entry: FolderEntry, _ transaction: Transaction
    ) throws(StoreFault) {
        let id = RecordID(value: entry.identifier)
        guard let stored = try transaction.record(id) else { return }
        if try transaction.delete(id, seen: entry.seen) {
            report.events.append(FolderEvent(.deleted, name, ToDoMapping.item(stored)))
        }
    }
}

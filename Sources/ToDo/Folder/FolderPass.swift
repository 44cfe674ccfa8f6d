import Core
import Storage

/// One look at a folder, inside of a transaction: what its files say is taken.
struct FolderPass {
    /// A file that says something new.
    struct News {
        var name: String
        var bytes: [UInt8]
        var revision: String?
        var document: ICalendarDocument
    }

    let sync: FolderSync
    let files: [FolderFile]
    let refused: [String: String]
    let isForced: Bool

    var report = FolderReport()
    /// The memory of the folder, as it will be.
    var entries: [String: FolderEntry] = [:]
    private var remembered: [String: FolderEntry] = [:]
    /// Files that are left alone.
    var held: Set<String> = []
    /// The files of to-dos.
    var names: [UInt128: String] = [:]
    /// The content of files that changed, by name.
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
            try apply(item, transaction)
        }
        current = nil
        for (name, entry) in gone { try delete(name, entry, transaction) }
        try give(transaction)
        for name in Set(remembered.keys).union(entries.keys).sorted()
        where remembered[name] != entries[name] {
            try transaction.setLocalMetadata(entries[name]?.bytes, named: name, in: sync.namespace)
        }
        try sync.rememberScope(transaction)
        try sync.todos.dropSignatures(transaction)
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

    mutating func hold(_ name: String, line: Int? = nil, _ problem: FolderProblem) {
        held.insert(name)
        report.events.append(FolderEvent(.problem, name, line: line, problem: problem))
    }

    // MARK: What changed

    private mutating func look(at file: FolderFile) {
        let name = file.name
        if let detail = refused[name] { return hold(name, .unreachable(detail: detail)) }
        let bytes: [UInt8]
        switch file.content {
        case .unreadable(let detail): return hold(name, .unreachable(detail: detail))
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
            entries[name]?.revision = file.revision
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
                News(name: name, bytes: bytes, revision: file.revision, document: document))
        } catch {
            hold(
                name, line: error.line, .malformed(property: error.property, detail: error.reason))
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

/// The changes that another program wrote into a file, as an edit.
extension FolderPass {
    mutating func apply(_ news: News, _ transaction: Transaction) throws(StoreFault) {
        let (name, item) = (news.name, news.document.item)
        guard let identifier = item.identifier else { return }
        if let other = names[identifier], other != name {
            return hold(name, .sameIdentifier(file: other))
        }
        let id = RecordID(value: identifier)
        let stored = try transaction.record(id)
        if let stored, stored.collection != ToDoSchema.collection { throw .recordExists }
        guard let stored else { return try make(news, id, transaction) }
        if stored.standing.isPurged {
            return hold(name, .purged)
        }
        guard var entry = entries[name] else {
            if stored.verdict.isDeleted {
                return hold(name, .inTrash(identifier))
            }
            return try adopt(news, stored, transaction)
        }
        let base = entry.text.flatMap { try? ICalendarDocument.read($0, zone: zone) }
        var new = item
        if let base { new.rejoinTags(of: base.item) }
        let isDone = new.status != .pending && base?.item.status != new.status
        if isDone {
            new.stopWork(at: sync.todos.now)
            if new.completions.isEmpty { new.completed = sync.todos.now }
        }
        let wasPending = ToDoMapping.item(stored).status == .pending
        let isChanged = try transaction.update(
            id, ToDoMapping.foreignAssignments(from: base?.item, to: new), seen: entry.seen,
            bases: base.map { ToDoMapping.values(of: $0.item) } ?? [:])
        if isChanged {
            report.events.append(FolderEvent(.updated, name, item))
            try sync.todos.sign(id, since: stored.record.clock, by: sync.shownName, transaction)
            if isDone, wasPending, new.status == .completed {
                try sync.todos.makeNext(after: id, at: sync.todos.now, in: transaction)
            }
        }
        if stored.record.clock == entry.seen, let after = try transaction.record(id) {
            entry.seen = after.record.clock
        }
        entry.text = news.bytes
        entry.revision = news.revision
        entries[name] = entry
        documents[name] = news.document
    }

    /// A to-do of a new file.
    private mutating func make(
        _ news: News, _ id: RecordID, _ transaction: Transaction
    ) throws(StoreFault) {
        var item = news.document.item
        item.created = item.created ?? sync.todos.now
        if item.project.isEmpty { item.project = sync.project ?? "" }
        try transaction.insert(
            ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection, id: id)
        report.events.append(FolderEvent(.made, news.name, item))
        try remember(news, id, transaction)
    }

    /// A file of a to-do that is here already, and nothing tells what both have in common: what they
    /// differ in becomes a conflict.
    private mutating func adopt(
        _ news: News, _ stored: Record, _ transaction: Transaction
    ) throws(StoreFault) {
        let changes = ToDoMapping.foreignAssignments(from: nil, to: news.document.item)
        if try transaction.update(stored.id, changes, seen: VersionVector(), bases: [:]) {
            report.events.append(FolderEvent(.updated, news.name, news.document.item))
            try sync.todos.sign(
                stored.id, since: stored.record.clock, by: sync.shownName, transaction)
        }
        try remember(news, stored.id, transaction)
        // The file is given the fields that it lacks.
        entries[news.name]?.seen = VersionVector()
    }

    private mutating func remember(
        _ news: News, _ id: RecordID, _ transaction: Transaction
    ) throws(StoreFault) {
        guard let stored = try transaction.record(id) else { return }
        entries[news.name] = FolderEntry(
            identifier: id.value, text: news.bytes, seen: stored.record.clock,
            revision: news.revision)
        documents[news.name] = news.document
        names[id.value] = news.name
    }
}

/// The changes of the store that the files lack.
extension FolderPass {
    mutating func give(_ transaction: Transaction) throws(StoreFault) {
        let all = try sync.todos.store.fetch(FetchRequest(ToDoSchema.collection))
        var uids: [UInt128: String] = [:]
        var inside: Set<UInt128> = []
        var items: [(stored: Record, item: ToDoItem)] = []
        for (stored, item) in zip(all, try sync.todos.items(all)) {
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
        _ name: String, _ stored: Record, _ item: ToDoItem, _ uids: [UInt128: String]
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
        _ stored: Record, _ item: ToDoItem, _ uids: [UInt128: String],
        _ taken: inout Set<String>
    ) {
        let uid = ICalendarNames.uid(of: item) ?? ""
        guard
            let name = ICalendarFileName.candidates(uid: uid, id: stored.id.value).first(where: {
                !taken.contains($0)
            }),
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
        report.events.append(
            FolderEvent(.problem, name, item, problem: .tooLarge(title: item.title)))
    }
}

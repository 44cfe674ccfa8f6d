import Core
import Storage

/// Dependencies of to-dos, in both directions, by the rule of references.
///
/// A to-do is blocked while it is pending and one that it waits for is: one that is finished, deleted or purged blocks
/// nothing. An index holds who waits for what among those that are pending; no others are looked at.
extension ToDoStore {
    private typealias Number = ToDoSchema.Number
    private static let depends = FieldName.number(Number.depends)

    /// The pending to-dos that wait for anything, as far as the store can tell.
    private static let dependents = FetchPredicate.and([
        pending, .not(.absent(.field(Number.depends))),
    ])

    /// Why a to-do cannot wait for another: that one waits for it already, itself or through others.
    package struct DependencyCycle: Error, Hashable {
        /// The to-do that it cannot wait for.
        package let target: RecordID

        /// A circle that would close.
        package init(target: RecordID) { self.target = target }
    }

    /// The ends of a to-do's dependencies that are open.
    package struct Waiting: Sendable {
        /// The pending to-dos that it waits for, by id; a finished one waits for none.
        package var waitsFor: [Record] = []
        /// The pending to-dos that wait for it, by id.
        package var blocks: [Record] = []

        /// Whether it waits for none, and none waits for it.
        package var isEmpty: Bool { waitsFor.isEmpty && blocks.isEmpty }

        /// It waits for none, and none waits for it.
        package init() {}
    }

    /// The to-dos that hold up pending ones, and those that they hold up; none of the rest is in it.
    ///
    /// - Complexity: a look at an index entry for each pending to-do that waits for anything; the records that these
    ///   wait for or that wait for them, and what those wait for in turn, are read.
    package func waiting(of records: [Record]) throws(StoreFault) -> [RecordID: Waiting] {
        var found: [RecordID: Waiting] = [:]
        try store.reading { () throws(StoreFault) in
            // An index holds all that waits: hardly any to-do does, and often none.
            let waiters = try store.texts(
                of: [Number.depends],
                in: FetchRequest(ToDoSchema.collection, where: Self.dependents))
            if waiters.isEmpty { return }
            let asked = records.filter(Self.isPending)
            let names = Set(asked.map(\.id))
            if names.isEmpty { return }
            var sources = asked.filter { !$0.record.elements(of: Self.depends).isEmpty }
            let known = Set(sources.map(\.id))
            sources += try dependents(on: names, among: waiters)
                .filter { !known.contains($0.id) }
            let (targets, reached) = try store.followedSets(Self.depends, of: sources)
            for source in sources.sorted(by: { $0.id < $1.id }) where Self.isPending(source) {
                for target in targets[source.id] ?? [] {
                    guard let end = reached[target], Self.isPending(end) else { continue }
                    if names.contains(source.id) {
                        found[source.id, default: Waiting()].waitsFor.append(end)
                    }
                    if names.contains(target) {
                        found[target, default: Waiting()].blocks.append(source)
                    }
                }
            }
        }
        return found
    }

    /// All that a to-do waits for, finished ones too, by id.
    package func dependencies(of record: Record) throws(StoreFault) -> [Record] {
        let (targets, reached) = try store.followedSets(Self.depends, of: [record])
        return (targets[record.id] ?? []).compactMap { reached[$0] }
    }

    /// The to-dos that each record waits for, by the rule of references.
    func followedDependencies(
        of records: [Record]
    ) throws(StoreFault) -> [RecordID: [RecordID]] {
        try store.followedSets(Self.depends, of: records).targets
    }

    /// The pending to-dos to which one of some was given as something to wait for.
    ///
    /// - Parameter waiters: the ids of all that wait for anything, with what they wait for.
    private func dependents(
        on ids: Set<RecordID>, among waiters: [(id: RecordID, texts: [String?])]
    ) throws(StoreFault) -> [Record] {
        let sources = waiters.filter { row in
            guard let text = row.texts[0] else { return false }
            return text.split(separator: "\"").contains { part in
                part.utf8.count == 32 && RecordID(uuidText: part).map(ids.contains) ?? false
            }
        }.map(\.id)
        if sources.isEmpty { return [] }
        return try store.fetch(FetchRequest(ToDoSchema.collection, where: .oneOf(sources)))
    }

    private static func isPending(_ record: Record) -> Bool {
        guard record.standing == .live else { return false }
        guard case .text(let word)? = record[Number.status] else { return true }
        return (ToDoStatus(rawValue: word) ?? .pending) == .pending
    }

    // MARK: Filters

    /// The filter with the to-dos that are blocked or block others named in it, as nothing in a to-do itself tells.
    func resolved(_ filter: ToDoFilter) throws(StoreFault) -> ToDoFilter {
        guard filter.readsDependencies else { return filter }
        let sources = try store.fetch(
            FetchRequest(ToDoSchema.collection, where: Self.dependents))
        let (targets, reached) = try store.followedSets(Self.depends, of: sources)
        var (blocked, blocking) = (Set<UInt128>(), Set<UInt128>())
        for source in sources {
            for target in targets[source.id] ?? [] {
                guard let end = reached[target], Self.isPending(end) else { continue }
                blocked.insert(source.id.value)
                blocking.insert(target.value)
            }
        }
        return filter.replacing { condition in
            switch condition {
            case .virtual(.blocked): .among(blocked)
            case .virtual(.blocking): .among(blocking)
            case .virtual(.unblocked): .not(.among(blocked))
            case .virtual(.ready): .all([condition, .not(.among(blocked))])
            default: nil
            }
        }
    }

    // MARK: Words

    /// The to-dos that one waits for once words are applied.
    ///
    /// - Parameter find: the to-dos that a name means.
    /// - Throws: a `DependencyCycle` if it would wait for itself; what `find` throws.
    package func depends(
        _ words: [DependencyWord], of item: ToDoItem,
        find: (String, DependencyWord.Change) throws -> [RecordID]
    ) throws -> [UInt128] {
        var depends = Set(item.depends)
        for word in words {
            var named: Set<UInt128> = []
            for name in word.names { named.formUnion(try find(name, word.change).map(\.value)) }
            switch word.change {
            case .replace: depends = named
            case .add: depends.formUnion(named)
            case .remove: depends.subtract(named)
            }
        }
        let new = depends.subtracting(item.depends).sorted().map { RecordID(value: $0) }
        if let target = try waiter(among: new, for: item.identifier) {
            throw DependencyCycle(target: target)
        }
        return depends.sorted()
    }

    /// The first of some to-dos that is another one, or waits for it, itself or through others; nil if none does.
    func waiter(
        among ids: [RecordID], for identifier: UInt128?
    ) throws(StoreFault) -> RecordID? {
        guard let identifier, !ids.isEmpty else { return nil }
        let records = try store.fetch(
            FetchRequest(ToDoSchema.collection, scope: .all, where: .oneOf(ids)))
        let targets = try followedDependencies(of: records)
        return ids.first { id in
            var seen: Set<RecordID> = [id]
            var rest = [id]
            while let next = rest.popLast() {
                if next.value == identifier { return true }
                rest += (targets[next] ?? []).filter { seen.insert($0).inserted }
            }
            return false
        }
    }

    // MARK: Twins

    /// Lets what waits for one to-do wait for another instead.
    func pointDependents(
        from old: RecordID, to new: RecordID, in transaction: Transaction
    ) throws(StoreFault) {
        let sources = try store.fetch(
            FetchRequest(
                ToDoSchema.collection,
                where: .and([
                    .not(.absent(.field(Number.depends))), .has(Number.depends, old.hexadecimal),
                ])))
        func element(_ id: RecordID) -> Field { .element(Self.depends, .toDo(id)) }
        for source in sources {
            var changes = [Assignment(element(old), .null)]
            if source.id != new { changes.append(Assignment(element(new), .bool(true))) }
            try transaction.update(source.id, changes.sorted { $0.field < $1.field })
        }
    }
}

extension ToDoFilter {
    /// Whether a condition asks what other to-dos wait for.
    fileprivate var readsDependencies: Bool {
        conditions.contains { condition in
            condition.contains { inner in
                switch inner {
                case .virtual(.blocked), .virtual(.unblocked), .virtual(.blocking),
                    .virtual(.ready):
                    true
                default: false
                }
            }
        }
    }
}

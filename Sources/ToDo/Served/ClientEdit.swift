import Core
import Storage

/// Writing what a client's text differs in from its bases.
struct ClientEdit {
    let pass: ClientPutPass
    let bases: ClientBases
    /// Whether the text moved a to-do on to its next date.
    private(set) var isMovedOn = false

    init(pass: ClientPutPass, bases: ClientBases) {
        self.pass = pass
        self.bases = bases
    }

    private var todos: ToDoStore { pass.todos }

    /// Writes the differences.
    ///
    /// - Parameters:
    ///   - stored: the to-do, or its next occurrence where the text stands for that.
    ///   - isRestored: whether it was brought back from the trash for that.
    /// - Returns: the next occurrence, if the text completes one that comes again.
    mutating func write(
        _ new: ToDoItem, over stored: Record, isRestored: Bool
    ) throws(StoreFault) -> RecordID? {
        try write(
            new, from: bases.primary?.document.item, besides: bases.others, seen: bases.seen,
            dots: bases.dots, over: stored, isRestored: isRestored)
    }

    private mutating func write(
        _ sent: ToDoItem, from base: ToDoItem?, besides others: [ToDoItem], seen: VersionVector,
        dots: Set<Dot>, over stored: Record, isRestored: Bool
    ) throws(StoreFault) -> RecordID? {
        var new = sent
        let now = ToDoMapping.item(stored)
        isMovedOn =
            base.map {
                new.isMovedOn(
                    from: $0, now: todos.now, zone: todos.zone, named: ToDoStore.zone(named:))
            } ?? false
        if isMovedOn, let base { new = new.completed(insteadOfMovedFrom: base, at: todos.now) }
        let before = (base ?? now).status
        let isDone =
            new.status != .pending && new.status != before
            && !others.contains { $0.status == new.status }
        if isDone {
            new.stopWork(at: todos.now)
            if new.completions.isEmpty || new.completions == base?.completions {
                new.completed = todos.now
            }
        }
        let values = others.map { ToDoMapping.values(of: $0) }
        let changes = ToDoMapping.foreignAssignments(from: base, to: new).filter { change in
            !values.contains { ($0[change.field] ?? .null) == change.value }
        }
        // Each field counts what the author wrote in it before as seen.
        var bySeen: [VersionVector: [Assignment]] = [:]
        for change in changes {
            let there = stored.record.survivors(of: change.field).map(\.write.dot)
            let known = ServedToDos.extended(seen, by: dots, among: there)
            bySeen[known, default: []].append(change)
        }
        let shown = base.map { ToDoMapping.values(of: $0) } ?? [:]
        let parts = bySeen.sorted { left, right in
            (left.value.first?.field ?? .deleted) < (right.value.first?.field ?? .deleted)
        }
        for (known, some) in parts {
            guard let now = try pass.transaction.record(stored.id) else { continue }
            try todos.write(
                some, seen: known, bases: shown, over: now, isRestored: isRestored,
                in: pass.transaction)
        }
        guard let after = try pass.transaction.record(stored.id), after.standing == .live else {
            return nil
        }
        return try todos.follow(after, since: now, in: pass.transaction)
    }

    /// Writes the differences into the occurrence for which the client's last text stood, if this one goes on from it:
    /// the client has not learned yet that another to-do has the next date.
    ///
    /// - Returns: the occurrence for which the text stands now; nil if it stands for the to-do itself.
    mutating func follower(of new: ToDoItem) throws(StoreFault) -> Record? {
        guard let own = bases.own, let follower = own.follower, var base = bases.ownDocument?.item,
            new.status == .pending, new.due != bases.primary?.document.item.due,
            let stored = try pass.transaction.record(RecordID(value: follower)),
            stored.standing == .live
        else { return nil }
        let now = ToDoMapping.item(stored)
        var sent = new
        // Of the series the client knows nothing.
        for key in [\ToDoItem.series, \.identifier, \.parent] {
            base[keyPath: key] = now[keyPath: key]
            sent[keyPath: key] = now[keyPath: key]
        }
        (base.occurrence, base.anchor) = (now.occurrence, now.anchor)
        (sent.occurrence, sent.anchor) = (now.occurrence, now.anchor)
        let next = try write(
            sent, from: base, besides: [], seen: own.seen, dots: Set(own.dots), over: stored,
            isRestored: false)
        return try pass.transaction.record(next ?? stored.id)
    }
}

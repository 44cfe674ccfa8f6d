import Core
import Storage

/// Thorough checks, now and then: everything, from nothing.
extension Oracle {
    /// Looks at everything on a device: all records from nothing, the sums that the store keeps, the
    /// changes deferred, and its queries.
    package func lookThoroughly(_ deviceIndex: Int, _ store: Store) throws(Violation) {
        try lookThoroughly(deviceIndex, store, atAllQueries: false)
    }

    /// - Parameter atAllQueries: whether all queries are made afresh, not one of them in turn.
    func lookThoroughly(
        _ deviceIndex: Int, _ store: Store, atAllQueries: Bool
    ) throws(Violation) {
        let news = try reading(deviceIndex) { () throws(StoreFault) in try store.news(after: 0) }
        devices[deviceIndex].knowledge = VersionVector()
        try apply(news, of: deviceIndex, store, isWhole: true, isThorough: true)
        let findings = try reading(deviceIndex) { () throws(StoreFault) in
            try store.examine(models: tableModels)
        }
        if let finding = findings.first {
            throw Violation(.diverged, "device \(deviceIndex) is damaged: \(finding)")
        }
        try judgeBounds(news, deviceIndex, store)
        try judgeQueries(deviceIndex, store, all: atAllQueries)
        try judgeScopes(news, deviceIndex, store)
    }

    /// Looks whether more is kept than can matter.
    private func judgeBounds(
        _ news: Store.News, _ deviceIndex: Int, _ store: Store
    ) throws(Violation) {
        for (index, deferred) in news.deferred.enumerated() {
            let change = deferred.change
            for other in news.deferred[..<index] where other.change.name == change.name {
                let (mine, theirs) = (change.clock, other.change.clock)
                if other.change == change || (mine != theirs && mine.covers(theirs))
                    || (mine != theirs && theirs.covers(mine))
                {
                    throw violation(
                        deviceIndex, change.name, .unbounded,
                        "a change is deferred that another one includes")
                }
            }
        }
        guard let history = devices[deviceIndex].history, history.forkCount == 0 else { return }
        var strangers: [ReplicaID] = []
        for deferred in news.deferred {
            for entry in deferred.change.clock.entries
            where !history.knows(entry.replica) && !strangers.contains(entry.replica) {
                strangers.append(entry.replica)
            }
        }
        let entries = try reading(deviceIndex) { () throws(StoreFault) in
            try store.stateSummary().entries
        }
        if entries.count > history.replicaCount + strangers.count + strangerCount {
            throw Violation(
                .unbounded,
                "device \(deviceIndex) states the writes of \(entries.count) replica ids, and"
                    + " \(history.replicaCount) ever wrote")
        }
    }

    /// Looks whether the queries for what is alive, in the trash and in conflict find just that.
    private func judgeScopes(
        _ news: Store.News, _ deviceIndex: Int, _ store: Store
    ) throws(Violation) {
        guard let history = devices[deviceIndex].history else { return }
        for schema in store.collections.dropFirst() {
            let isForeign = schema.id == store.collections.last?.id
            let all = news.records.filter { stored in
                let isKnown = store.collections.contains { $0.id == stored.collection }
                if history.records[stored.name]?.isSuspicious == true { return false }
                return isForeign ? !isKnown : stored.collection == schema.id
            }
            if all.isEmpty { continue }
            for scope in [FetchRequest.Scope.live, .trash, .conflicted] {
                let rows = try reading(deviceIndex) { () throws(StoreFault) in
                    try store.fetch(FetchRequest(schema.id, scope: scope))
                }
                let due = all.map(\.name).filter { id in
                    guard let known = history.records[id], let view = devices[deviceIndex].views[id]
                    else {
                        return false
                    }
                    return isIn(scope, known, view)
                }
                let found = rows.map(\.name).filter { history.records[$0]?.isSuspicious != true }
                if found.sorted() != due.sorted() {
                    throw Violation(
                        .staleQuery,
                        "device \(deviceIndex) finds \(found.count) records of \(schema.name)"
                            + " that are \(scope), and \(due.count) are")
                }
            }
        }
    }

    private func isIn(
        _ scope: FetchRequest.Scope, _ known: RecordHistory, _ view: RecordView
    )
        -> Bool
    {
        let judgement = known.judgement(view, policy)
        return switch scope {
        case .live: !judgement.isDeleted
        case .trash:
            judgement.isDeleted && (!judgement.isPurged || judgement.isContested)
        case .conflicted:
            judgement.isContested || judgement.isEditedAfterPurge
                || (!judgement.isDeleted && !known.conflicts(view).isEmpty)
        case .all: true
        }
    }

    /// Looks whether queries that are kept up find what fresh ones do.
    private func judgeQueries(_ number: Int, _ store: Store, all: Bool) throws(Violation) {
        let device = devices[number]
        device.lookCount += 1
        let fault = try reading(number) { () throws(StoreFault) -> String? in
            for (index, query) in device.queries.enumerated()
            where all || device.lookCount % device.queries.count == index {
                if let fault = try query.fault(in: store) { return fault }
            }
            return nil
        }
        if let fault {
            throw Violation(.staleQuery, "device \(number) has a stale query: \(fault)")
        }
    }

    /// Begins to keep a query up with a store: another one on each device, and at every second opening.
    func watch(_ number: Int, _ store: Store) throws(Violation) {
        let device = devices[number]
        defer { device.openCount += 1 }
        device.queries = []
        if device.openCount % Self.incarnationsPerQuery != 0 { return }
        let requests = Self.requests(of: store)
        let first = number + 1 + device.openCount / Self.incarnationsPerQuery
        device.queries = try reading(number) { () throws(StoreFault) in
            try (first..<first + min(Self.queryCount, requests.count)).map {
                index throws(StoreFault) in
                try WatchedQuery(store, requests[index % requests.count])
            }
        }
    }

    /// How many queries are kept up on each device: SQLite takes longer to compile one than to run it.
    private static let queryCount = 1

    /// Of so many openings of a store the first is watched.
    private static let incarnationsPerQuery = 2

    /// Every so many looks that find something new, what is watched is compared, too.
    private static let looksPerComparison = 8

    /// Compares what is watched now and then, while it is kept up.
    func judgeQueriesNow(_ number: Int, _ store: Store) throws(Violation) {
        let device = devices[number]
        if device.queries.isEmpty { return }
        device.newsCount += 1
        if device.newsCount % Self.looksPerComparison == 0 {
            try judgeQueries(number, store, all: false)
        }
    }

    /// Queries of all sorts that people make.
    private static func requests(of store: Store) -> [FetchRequest] {
        var requests: [FetchRequest] = []
        for schema in store.collections.dropFirst().dropLast() {
            requests.append(FetchRequest(schema.id, scope: .conflicted))
            guard let text = schema.fields.first(where: { $0.kind == .text }) else { continue }
            let path = FieldPath(target: .field(text.name))
            requests.append(FetchRequest(schema.id, sort: [.init(path)]))
            requests.append(
                FetchRequest(
                    schema.id, scope: .all, sort: [.init(.sequence, isAscending: false)], limit: 3))
            for field in schema.fields {
                guard case .reference(schema.id) = field.kind else { continue }
                let through = FieldPath(through: [field.name], target: .field(text.name))
                requests.append(
                    FetchRequest(
                        schema.id, where: .not(.absent(path)),
                        sort: [.init(through), .init(path, isAscending: false)]))
                let children = Related(schema.id, by: field.name)
                requests.append(
                    FetchRequest(
                        schema.id, section: .init(FieldPath(target: .count(children))),
                        sort: [.init(path)]))
            }
        }
        return requests
    }
}

/// Checks once everybody has met everybody and nothing is left to say.
extension Oracle {
    /// Looks whether devices hold the same and know the same, and can vouch for it.
    ///
    /// Writes that any of them held before they met, all hold then: none holds less than it did, as every look
    /// makes sure, and all hold the same.
    /// - Parameter stores: the stores of all devices that met, each looked at before; those of different
    ///   spaces are compared among themselves.
    package func judgeHealed(_ stores: [Store]) throws(Violation) {
        var indexes: [Int] = []
        for store in stores {
            guard let index = devices.firstIndex(where: { $0.store === store }) else {
                throw Violation(.crashed, "a store was never looked at")
            }
            try lookThoroughly(index, store, atAllQueries: true)
            indexes.append(index)
        }
        for (space, history) in histories {
            let among = indexes.indices.filter { devices[indexes[$0]].history === history }
            try judgeHealed(among.map { (indexes[$0], stores[$0]) }, of: space)
        }
    }

    private func judgeHealed(
        _ devices: [(index: Int, store: Store)], of space: SpaceID
    ) throws(Violation) {
        guard let first = devices.first else { return }
        let due = try whole(first)
        for device in devices {
            let found = try whole(device)
            if let words = difference(found, due) {
                throw Violation(
                    .diverged, "device \(first.index) and device \(device.index) differ: \(words)")
            }
        }
        for device in devices { try judgeStateSummary(device) }
        if judgesBothPasts { try judgePasts(first, among: devices.map(\.index)) }
    }

    /// Everything that a store holds, in an order of its own.
    private struct Whole {
        var news: Store.News
        var changes: [Change]
    }

    private func whole(_ device: (index: Int, store: Store)) throws(Violation) -> Whole {
        let news = try reading(device.index) { () throws(StoreFault) in
            try device.store.news(after: 0)
        }
        var changes = news.records.map { stored in
            Change(
                stored.name, clock: stored.record.clock,
                body: BodyCodec.encode(stored.record, in: stored.collection))
        }
        changes += news.deferred.map(\.change)
        changes.sort { left, right in
            if left.name != right.name { return left.name < right.name }
            if left.body != right.body { return left.body.lexicographicallyPrecedes(right.body) }
            return "\(left.clock)" < "\(right.clock)"
        }
        return Whole(news: news, changes: changes)
    }

    /// How two devices differ, in words; nil if they do not.
    private func difference(_ left: Whole, _ right: Whole) -> String? {
        for (mine, theirs) in zip(left.changes, right.changes) where mine != theirs {
            if mine.name != theirs.name {
                return "not both have record \(min(mine.name, theirs.name))"
            }
            return "record \(mine.name) at \(mine.clock) and at \(theirs.clock)"
        }
        if left.changes.count != right.changes.count { return "one has more records" }
        if left.news.digest != right.news.digest { return "the digests" }
        if left.news.knowledge != right.news.knowledge {
            return "one knows \(left.news.knowledge), the other \(right.news.knowledge)"
        }
        return nil
    }

    /// Looks whether a device can vouch for all of every replica that ever wrote.
    private func judgeStateSummary(_ device: (index: Int, store: Store)) throws(Violation) {
        let stateSummary = try reading(device.index) { () throws(StoreFault) in
            try device.store.stateSummary()
        }
        for entry in stateSummary.entries where !entry.isComplete {
            guard let history = devices[device.index].history, history.knows(entry.replica),
                !history.strangers.contains(entry.replica),
                !history.unvouched.contains(entry.replica),
                history.suspicions[entry.replica] == nil,
                !history.isRenamed(entry.replica)
            else { continue }
            throw Violation(
                .unsound,
                "device \(device.index) has writes of \(entry.replica) up to \(entry.seen),"
                    + " and never comes to vouch for more than \(entry.counter)")
        }
    }
}

/// Stores that were set back without noticing, so that one number may name two writes.
///
/// All records that no such number was given to are judged as ever; of the others what is certain.
extension Oracle {
    /// A store was set back, cannot tell, and goes on under its replica id.
    ///
    /// - Parameter counter: the number of its last write, now.
    package func forked(
        _ deviceIndex: Int, _ replica: ReplicaID, of space: SpaceID, above counter: UInt64
    ) {
        let history = devices[deviceIndex].history ?? history(of: space)
        devices[deviceIndex].history = history
        let isEven = { (id: RecordName) -> Bool in
            let dots = history.certainDots(of: id)
            return self.devices.filter { $0.history === history }.allSatisfy { device in
                dots.allSatisfy { device.holdings[id].covers($0) }
            }
        }
        history.fork(replica, above: counter, isEven: isEven) { id, dot in
            self.devices.indices.filter { other in
                other != deviceIndex && self.devices[other].history === history
                    && self.devices[other].holdings[id].covers(dot)
            }.map { RecordHistory.Holder(deviceIndex: $0, lossCount: self.devices[$0].lossCount) }
        }
    }

    /// A store found out, took a new replica id and gave its later writes new numbers.
    ///
    /// - Parameter counter: up to where its writes kept their numbers.
    package func renumbered(
        _ deviceIndex: Int, from old: ReplicaID, above counter: UInt64, to new: ReplicaID,
        in store: Store
    ) throws(Violation) {
        guard let history = devices[deviceIndex].history, !history.renamed.contains(new) else {
            return
        }
        history.suspect(old, above: counter)
        history.rename(to: new)
        if store.replica != new { return }
        // Nothing else was written under the new id yet, but for the name of the device.
        let news = try reading(deviceIndex) { () throws(StoreFault) in try store.news(after: 0) }
        for stored in news.records where stored.collection != .devices {
            let isPlain = { (write: Write) in write.dot.replica == new && !write.isRecovered }
            guard stored.record.writes.contains(where: isPlain) else { continue }
            throw violation(
                deviceIndex, stored.name, .unsound,
                "a write that got a new number is not marked as recovered, and could revive")
        }
    }

    /// Takes note of writes to a record of which some dots are suspicious.
    func noteSuspected(
        _ deviceIndex: Int, _ id: RecordName, _ writes: [Write], _ kind: WriteHistory.Kind,
        _ history: WriteHistory, past: (Write) -> VersionVector
    ) throws(Violation) {
        let holder = RecordHistory.Holder(
            deviceIndex: deviceIndex, lossCount: devices[deviceIndex].lossCount)
        try about(deviceIndex, id) { () throws(Violation) in
            for write in writes {
                let entry = WriteHistory.Entry(
                    dot: write.dot, timestamp: write.timestamp, isRecovered: write.isRecovered,
                    kind: kind.one(write), assignments: write.assignments,
                    past: past(write), deviceIndex: deviceIndex)
                try history.addSuspected(entry, to: id, holder: holder)
            }
        }
    }

    /// Looks whether what two pasts wrote is held, where that can be said.
    func judgePasts(
        _ device: (index: Int, store: Store), among present: [Int]
    ) throws(Violation) {
        guard let history = devices[device.index].history, history.forkCount > 0 else { return }
        for id in history.records.keys.sorted() {
            guard let known = history.records[id], known.isSuspicious else { continue }
            let due = known.dueOfPasts(history) { holder in
                present.contains(holder.deviceIndex)
                    && devices[holder.deviceIndex].lossCount == holder.lossCount
            }
            if due.isEmpty { continue }
            let record = try reading(device.index) { () throws(StoreFault) in
                try device.store.record(id)?.record
            }
            for assignment in due {
                let isHeld = record?.writes.contains {
                    $0.value(of: assignment.field) == assignment.value
                }
                if isHeld == true { continue }
                throw violation(
                    device.index, id, .lostWrite,
                    "\(assignment.field) = \(assignment.value), written in one of two pasts, is lost"
                )
            }
        }
    }
}

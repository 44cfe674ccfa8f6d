import Core
import Storage

/// What is looked at now and then: everything, from nothing.
extension Oracle {
    /// Looks at everything on a device: all records from nothing, the sums that the store keeps, the
    /// changes set aside, and its queries.
    package func lookThoroughly(_ lane: Int, _ store: Store) throws(Violation) {
        try lookThoroughly(lane, store, atAllQueries: false)
    }

    /// - Parameter atAllQueries: whether all queries are made afresh, not one of them in turn.
    func lookThoroughly(
        _ lane: Int, _ store: Store, atAllQueries: Bool
    ) throws(Violation) {
        let news = try reading(lane) { () throws(StoreFault) in try store.news(after: 0) }
        lanes[lane].knowledge = VersionVector()
        try take(news, of: lane, store, isWhole: true, isThorough: true)
        let findings = try reading(lane) { () throws(StoreFault) in
            try store.examine(models: tableModels)
        }
        if let finding = findings.first {
            throw Violation(.diverged, "device \(lane) is damaged: \(finding)")
        }
        try judgeBounds(news, lane, store)
        try judgeQueries(lane, store, all: atAllQueries)
        try judgeScopes(news, lane, store)
    }

    /// Looks whether more is kept than can matter.
    private func judgeBounds(_ news: Store.News, _ lane: Int, _ store: Store) throws(Violation) {
        for (place, parked) in news.parked.enumerated() {
            let change = parked.change
            for other in news.parked[..<place] where other.change.id == change.id {
                let (mine, theirs) = (change.clock, other.change.clock)
                if other.change == change || (mine != theirs && mine.covers(theirs))
                    || (mine != theirs && theirs.covers(mine))
                {
                    throw violation(
                        lane, change.id, .unbounded,
                        "a change is set aside that another one includes")
                }
            }
        }
        guard let history = lanes[lane].history, history.forkCount == 0 else { return }
        var strangers: [ReplicaID] = []
        for parked in news.parked {
            for entry in parked.change.clock.entries
            where !history.knows(entry.replica) && !strangers.contains(entry.replica) {
                strangers.append(entry.replica)
            }
        }
        let entries = try reading(lane) { () throws(StoreFault) in
            try store.presentStatement().entries
        }
        if entries.count > history.replicaCount + strangers.count + strangerCount {
            throw Violation(
                .unbounded,
                "device \(lane) states the writes of \(entries.count) replica ids, and"
                    + " \(history.replicaCount) ever wrote")
        }
    }

    /// Looks whether the queries for what is alive, in the trash and in conflict find just that.
    private func judgeScopes(_ news: Store.News, _ lane: Int, _ store: Store) throws(Violation) {
        guard let history = lanes[lane].history else { return }
        for schema in store.collections.dropFirst() {
            let isForeign = schema.id == store.collections.last?.id
            let all = news.records.filter { stored in
                let isKnown = store.collections.contains { $0.id == stored.collection }
                if history.records[stored.id]?.isDoubtful == true { return false }
                return isForeign ? !isKnown : stored.collection == schema.id
            }
            if all.isEmpty { continue }
            for scope in [FetchRequest.Scope.live, .trash, .conflicted] {
                let rows = try reading(lane) { () throws(StoreFault) in
                    try store.fetch(FetchRequest(schema.id, scope: scope))
                }
                let due = all.map(\.id).filter { id in
                    guard let known = history.records[id], let view = lanes[lane].views[id] else {
                        return false
                    }
                    return isIn(scope, known, view)
                }
                let found = rows.map(\.id).filter { history.records[$0]?.isDoubtful != true }
                if found.sorted() != due.sorted() {
                    throw Violation(
                        .staleQuery,
                        "device \(lane) finds \(found.count) records of \(schema.name)"
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
        case .trash: judgement.isDeleted && !judgement.isPurged
        case .conflicted:
            judgement.isContested || (!judgement.isDeleted && !known.conflicts(view).isEmpty)
        case .all: true
        }
    }

    /// Looks whether queries that are kept up find what fresh ones do.
    private func judgeQueries(_ number: Int, _ store: Store, all: Bool) throws(Violation) {
        let lane = lanes[number]
        lane.lookCount += 1
        let fault = try reading(number) { () throws(StoreFault) -> String? in
            for (place, query) in lane.queries.enumerated()
            where all || lane.lookCount % lane.queries.count == place {
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
        let lane = lanes[number]
        defer { lane.openCount += 1 }
        lane.queries = []
        if lane.openCount % Self.openingsPerQuery != 0 { return }
        let requests = Self.requests(of: store)
        let first = number + 1 + lane.openCount / Self.openingsPerQuery
        lane.queries = try reading(number) { () throws(StoreFault) in
            try (first..<first + min(Self.queryCount, requests.count)).map {
                place throws(StoreFault) in
                try WatchedQuery(store, requests[place % requests.count])
            }
        }
    }

    /// How many queries are kept up on each device: SQLite takes longer to compile one than to run it.
    private static let queryCount = 1

    /// Of so many openings of a store the first is watched.
    private static let openingsPerQuery = 2

    /// Every so many looks that find something new, what is watched is compared, too.
    private static let looksPerComparison = 8

    /// Compares what is watched now and then, while it is kept up.
    func judgeQueriesNow(_ number: Int, _ store: Store) throws(Violation) {
        let lane = lanes[number]
        if lane.queries.isEmpty { return }
        lane.newsCount += 1
        if lane.newsCount % Self.looksPerComparison == 0 {
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

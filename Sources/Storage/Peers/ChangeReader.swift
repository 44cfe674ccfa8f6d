import Core

/// The part of a store that reads changes for a peer, and states what the store has.
final class ChangeReader {
    private let database: Database
    private let knowledge: Knowledge
    private let incarnations: Incarnations
    private let records: Records
    private let deferred: DeferredChanges
    private let checkpoints: PeerCheckpoints
    private let outgoing: OutgoingCheckpoints
    private let summaryRows: SummaryRows
    private let lacks: RelayLacks
    private let purgedCopies: PurgedCopies

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        incarnations = store.incarnations
        records = store.records
        deferred = store.deferred
        checkpoints = store.checkpoints
        outgoing = store.outgoing
        summaryRows = store.summaryRows
        lacks = store.lacks
        purgedCopies = store.purgedCopies
    }

    // MARK: Greeting

    /// The store's replica and state summary, for a greeting; all of it is on the disk when this returns.
    func greeting(to peer: ReplicaID?) throws(StoreFault) -> Greeting {
        try incarnations.speaking { () throws(StoreFault) in
            let (stateSummary, sum) = knowledge.summary
            var result = Greeting(
                space: knowledge.space, policy: knowledge.policy, replica: knowledge.replica,
                incarnation: incarnations.newest, sequence: knowledge.sequence,
                stateSummary: stateSummary, sum: sum, hash: knowledge.hash,
                counter: knowledge.counter,
                summarySequence: knowledge.summarySequence)
            guard let peer else { return result }
            let known = try checkpoints.checkpoint(of: peer)
            result.isRepairDue = PeerCheckpoints.isRepairDue(mismatchCount: known.mismatchCount)
            result.peerCheckpoint = peerCheckpoint(of: peer, known.checkpoint, known.summary)
            return result
        }
    }

    /// The replicas of which a peer's memory of this store's state summary may be out of date; nil if that is not
    /// known, or they are too many for a list.
    func moved(since summary: Checkpoint) throws(StoreFault) -> [ReplicaID]? {
        try database.reading { () throws(StoreFault) in
            guard let end = incarnations.endSummarySequence(of: summary.epoch) else { return nil }
            return knowledge.replicas.moved(after: min(summary.sequence, end))
        }
    }

    private func peerCheckpoint(
        of peer: ReplicaID, _ checkpoint: Checkpoint?, _ summary: Checkpoint?
    ) -> PeerCheckpoint {
        guard let number = knowledge.replicas.index(of: peer) else {
            return PeerCheckpoint(peer: peer, checkpoint: nil, counter: 0, epoch: nil)
        }
        let entry = knowledge.replicas[number]
        let isInNewest = entry.incarnation.map { $0.counter < entry.seen } ?? false
        return PeerCheckpoint(
            peer: peer, checkpoint: checkpoint, counter: entry.seen,
            epoch: isInNewest ? entry.incarnation?.epoch : nil, summary: summary)
    }

    // MARK: Changes

    /// Reads the next changes that a peer may lack; every dot in them is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - peerHas: records that this covers are passed over; values under it are left out.
    ///   - wanted: records to read whole, out of turn.
    ///   - isFull: whether every record is read, whole.
    ///   - byteCountMax: the most bytes of bodies; a single longer one is read alone.
    func read(
        from start: ReadRequest.Start, peerHas: PeerHoldings, wanted: [RecordName], isFull: Bool,
        byteCountMax: Int
    ) throws(StoreFault) -> Reading {
        try incarnations.speaking { () throws(StoreFault) in
            var (start, wanted) = (start, wanted)
            if case .fetched(let relay) = start {
                let fetched = outgoing.dequeueFetched(from: relay)
                start = .checkpoint(fetched?.through)
                wanted += fetched?.lacking.sorted() ?? []
            }
            var result = Reading(through: checkpoint(at: try sequence(start)))
            for name in wanted {
                if let stored = try records.find(name) {
                    result.wanted.append(Change(stored, known: nil))
                }
            }
            try readOn(&result, peerHas: isFull ? nil : peerHas, byteCountMax: byteCountMax)
            result.incarnations = incarnations(of: result.changes + result.wanted)
            return result
        }
    }

    private func checkpoint(at sequence: UInt64) -> Checkpoint {
        Checkpoint(epoch: incarnations.newest.epoch, sequence: sequence)
    }

    /// The arrival number to which a checkpoint of a peer leads: to no more than the end of its epoch; to
    /// the start if unknown.
    private func sequence(_ start: ReadRequest.Start) throws(StoreFault) -> UInt64 {
        switch start {
        case .sequence(let sequence): return sequence
        case .checkpoint(nil): return 0
        case .uploaded(_, nil), .fetched: return 0
        case .uploaded(let relay, let told):
            let remembered = try outgoing.uploadMark(at: relay)
            return min(try sequence(.checkpoint(told)), try sequence(.checkpoint(remembered)))
        case .checkpoint(let checkpoint?):
            guard let end = incarnations.endSequence(of: checkpoint.epoch) else { return 0 }
            return min(checkpoint.sequence, end)
        }
    }

    /// The most rows that one reading looks at.
    private static let rowCountMax = 4096

    private func readOn(
        _ result: inout Reading, peerHas: PeerHoldings?, byteCountMax: Int
    ) throws(StoreFault) {
        var feeds: [RowFeed] = []
        for index in database.collections.indices {
            feeds.append(
                try RowFeed(records, index: index, after: result.through.sequence))
        }
        feeds.append(try RowFeed(deferred, after: result.through.sequence))
        defer { for feed in feeds { feed.close() } }
        var byteCount = 0
        for _ in 0..<Self.rowCountMax {
            var next: RowFeed?
            for feed in feeds where feed.sequence != nil {
                if let best = next?.sequence, let mine = feed.sequence, best <= mine { continue }
                next = feed
            }
            guard let next, let sequence = next.sequence else {
                result.through = checkpoint(at: knowledge.sequence)
                result.stateSummary = knowledge.stateSummary
                result.summarySequence = knowledge.summarySequence
                return
            }
            if let change = try next.change(peerHas: peerHas?.writes(inRow: sequence)) {
                let changes =
                    try copies(of: change.name, after: sequence, peerHas: peerHas) + [change]
                let bodies = changes.reduce(0) { $0 + $1.body.count }
                let isTooMuch =
                    byteCount + bodies > byteCountMax
                    || result.changes.count + changes.count > WireLimits.changesPerBatchMax
                if !result.changes.isEmpty, isTooMuch { return }
                byteCount += changes.reduce(bodies) { $0 + $1.clock.entries.count * 8 + 32 }
                result.changes += changes
            }
            result.through = checkpoint(at: sequence)
            if result.changes.count >= WireLimits.changesPerBatchMax { return }
            try next.advance()
        }
    }

    /// The copies of what was kept of a purged record that have changed since it was purged: they are sent with it, so
    /// that nobody has the purge without them.
    private func copies(
        of name: RecordName, after sequence: UInt64, peerHas: PeerHoldings?
    ) throws(StoreFault) -> [Change] {
        var found: [Change] = []
        for copy in purgedCopies.copies(of: name) {
            guard let record = try records.find(copy), record.sequence > sequence,
                case let known = peerHas?.writes(inRow: record.sequence),
                known?.covers(record.record.clock) != true
            else { continue }
            found.append(Change(record, known: known))
        }
        return found
    }

    // MARK: For relays

    /// The summary rows that are to be stated at a relay; see `SummaryRows.due`.
    func dueSummaryRows(
        _ stateSummary: StateSummary, since earlier: StateSummary?, withOthers: Bool,
        at relay: ReplicaID
    ) throws(StoreFault) -> [DueSummaryRow] {
        try database.reading { () throws(StoreFault) in
            let summary = knowledge.summary
            let isPresent = summary.stateSummary == stateSummary
            return try summaryRows.due(
                stateSummary, sum: isPresent ? summary.sum : stateSummary.sum(knowledge.hash),
                since: earlier, withOthers: withOthers, at: relay,
                request: try lacks.find(relay)?.requestNumber
            ) { replica in
                if replica == knowledge.replica { return incarnations.newest }
                return knowledge.replicas.index(of: replica).flatMap {
                    knowledge.replicas[$0].incarnation
                }
            }
        }
    }

    /// The newest incarnation of every replica in the clocks of changes, none where none is known.
    private func incarnations(of changes: [Change]) -> [ChangeBatch.AnnouncedIncarnation] {
        var replicas: Set<ReplicaID> = []
        for change in changes {
            for entry in change.clock.entries { replicas.insert(entry.replica) }
        }
        return replicas.sorted().map { replica in
            // The hello named one of this replica, but another process may have begun a later one.
            if replica == knowledge.replica {
                return ChangeBatch.AnnouncedIncarnation(
                    replica: replica, start: incarnations.newest)
            }
            let number = knowledge.replicas.index(of: replica)
            let start = number.flatMap { knowledge.replicas[$0].incarnation }
            return ChangeBatch.AnnouncedIncarnation(replica: replica, start: start ?? .none)
        }
    }

    // MARK: Looking

    /// The news after an arrival number, in one transaction that writes and flushes nothing.
    func news(after sequence: UInt64) throws(StoreFault) -> Store.News {
        try database.reading { () throws(StoreFault) in
            var news = Store.News(
                space: knowledge.space, replica: knowledge.replica, sequence: knowledge.sequence,
                knowledge: knowledge.replicas.knowledge, digest: knowledge.digest)
            if knowledge.sequence == sequence { return news }
            for index in database.collections.indices {
                try records.forEachRecord(in: index, after: sequence) { news.records.append($0) }
            }
            if knowledge.deferredClocks.isEmpty { return news }
            news.deferred = try deferred.all(after: sequence)
            return news
        }
    }
}

/// The rows of one table in order of arrival, for a peer.
final class RowFeed {
    /// The table that the rows are of.
    private enum Table {
        /// The table of the collection at an index.
        case records(Records, index: Int)
        /// The table of deferred changes.
        case deferred(DeferredChanges)
    }

    private let table: Table
    private let rows: PreparedStatement
    /// The arrival number of the row it stands on; nil at the end.
    private(set) var sequence: UInt64?

    /// The records of the collection at an index that arrived after a number.
    init(_ records: Records, index: Int, after sequence: UInt64) throws(StoreFault) {
        table = .records(records, index: index)
        rows = try records.feed(of: index, after: sequence)
        try advance()
    }

    /// The deferred changes that arrived after a number.
    init(_ deferred: DeferredChanges, after sequence: UInt64) throws(StoreFault) {
        table = .deferred(deferred)
        rows = try deferred.rows(after: sequence)
        try advance()
    }

    /// Goes to the next row.
    func advance() throws(StoreFault) {
        sequence = try rows.step() ? rows.unsigned(0) : nil
    }

    /// Leaves the rows that were not read.
    func close() {
        rows.reset()
    }

    /// The change in this row; nil if the peer has it.
    ///
    /// - Parameter peerHas: the writes that the peer has; nil to send everything whole.
    func change(peerHas: VersionVector?) throws(StoreFault) -> Change? {
        switch table {
        case .deferred(let deferred):
            let change = try deferred.change(in: rows)
            if peerHas?.covers(change.clock) == true { return nil }
            return Change(change.name, clock: change.clock, body: change.body, isDeferred: true)
        case .records(let records, let index):
            if let peerHas, peerHas.covers(try records.clock(in: rows, index)) { return nil }
            return Change(try records.stored(rows, index), known: peerHas)
        }
    }
}

extension Change {
    /// A record as it is sent; of writes that `known` covers the values are left out.
    init(_ stored: Record, known: VersionVector?) {
        self.init(
            stored.name, clock: stored.record.clock,
            body: BodyCodec.encode(stored.record, in: stored.collection, known: known))
    }
}

extension Store {
    /// The new records of a store since an arrival number, and what the store says of itself.
    package struct News: Hashable, Sendable {
        /// The space.
        package var space: SpaceID
        /// This replica.
        package var replica: ReplicaID
        /// The last arrival number.
        package var sequence: UInt64
        /// The counters up to which writes are integrated or deferred.
        package var knowledge: VersionVector
        /// The sum of the hashes of all records.
        package var digest: UInt128
        /// The records that changed, collection by collection, in order of arrival.
        package var records: [Record] = []
        /// The changes that were deferred, in order of arrival.
        package var deferred: [Deferred] = []
    }
}

import Core

/// Both sides of a session, as their hellos described them.
struct Parties: Sendable {
    /// This side.
    var own: Greeting
    /// The peer.
    let peer: Hello
    /// The digests of the peer's state summary: those of its hello, or the own ones if it said that they are equal.
    let peerSummary: SummaryHead
    /// Whether the two hellos have said all: both sides have the same.
    var areEqualByHello: Bool
}

/// The check of one step of the greeting: whether the peer's memory of this replica fits.
///
/// Nothing is read, integrated or joined before it is over: the writes of two pasts under one replica id must not mix. Each case but the first carries the peer's memory.
enum IdentityCheck: Sendable {
    /// The peer's memory of this replica is awaited. Goes to: examining.
    case awaitingPeerCheckpoint
    /// The store compares it. Goes to: awaitingHistory, certain.
    ///
    /// A responder whose hello may be the last word says it only after that.
    case examining(PeerCheckpoint, isAnswerHeld: Bool)
    /// The peer is asked for the incarnations of this replica that it knows. Goes to: resolving.
    case awaitingHistory(PeerCheckpoint)
    /// The store resolves the suspicion. If it keeps its id, the session syncs; else it ends. Goes to: certain.
    case resolving(PeerCheckpoint)
    /// There is no suspicion; only the peer's state summary is not known yet.
    case certain(PeerCheckpoint)
}

/// The peer's question for its history; it may ask once.
enum HistoryReply: Sendable {
    /// Not asked. Goes to: recalling.
    case none
    /// The store is asked. Goes to: answered.
    case recalling
    case answered
}

/// The peer as the sending half sees it: its records, its wishes, and the state summary it knows of this side.
struct PeerView: Sendable {
    /// The writes that the peer has, by its own word and by equal checksums.
    var has = PeerHoldings()
    /// The records that the peer asked for whole.
    var wanted: [RecordName] = []
    /// This side's state summary as last told.
    var stated = StateSummary(entries: [], digest: 0)
    /// The sum of the hashes of its entries.
    var statedSum: UInt128 = 0
    /// This side's summary sequence as last told.
    var statedSequence: UInt64 = 0
    /// The incarnations that this side has told.
    var incarnations: [ReplicaID: Incarnation] = [:]
    /// Whether the peer waits for `caught-up`, whether or not the state summary is new.
    var owesEnd = true
    /// Whether every record is sent, whole.
    var isFull = false
    /// When this side's state summary is told anew, as received changes have changed it.
    var restateAt: Instant?
    /// Since when own commits wait for the peer's state summary.
    var heldSince: Instant?

    /// Whether all that the peer asked for has left.
    var isServed: Bool { wanted.isEmpty }

    /// The incarnations that the peer was not told yet, or was told others of.
    func untold(_ all: [ChangeBatch.AnnouncedIncarnation]) -> [ChangeBatch.AnnouncedIncarnation] {
        all.filter { (incarnations[$0.replica] ?? .none) != $0.start }
    }

    /// Records incarnations that leave with a batch.
    mutating func noteTold(_ told: [ChangeBatch.AnnouncedIncarnation]) {
        for incarnation in told { incarnations[incarnation.replica] = incarnation.start }
    }

    /// Starts over: every record leaves, whole.
    mutating func restartInFull() {
        has = PeerHoldings()
        wanted = []
        owesEnd = true
        isFull = true
    }
}

/// The receiving half of a session: the peer's batches and state summaries, and the records that are missing.
struct Inbound: Sendable {
    /// The notices that a peer puts between its batches.
    enum Notice: Sendable {
        case end(End)
        case repair
    }

    /// The end of what the peer had to send, with its state summary then.
    struct End: Sendable {
        let through: Checkpoint
        let stateSummary: StateSummary
        /// The sum of the hashes of its entries.
        let sum: UInt128
        /// The peer's summary sequence then.
        let summarySequence: UInt64
        /// The entries that have changed since the end before this one.
        var changed: [StateSummaryEntry]
        /// How many ends this one stands for, itself and those it made moot.
        var count = 1
    }

    var queue = ReceiveQueue<Notice>()
    var missing = MissingRecords()
    /// The peer's state summary as last heard.
    var stateSummary = StateSummary(entries: [], digest: 0)
    /// The sum of the hashes of its entries.
    var stateSummarySum: UInt128 = 0
    /// The peer's summary sequence as last heard.
    var summarySequence: UInt64 = 0
    /// The entries of the peer's state summary that are not known to agree with those of the store; nil if nothing is
    /// known of any.
    var open: [ReplicaID: StateSummaryEntry]?
    /// The pages that came before the next end.
    var page: [StateSummaryEntry] = []
    /// The incarnations that the peer has told in this session, its own included.
    var incarnations: [ReplicaID: Incarnation] = [:]
    /// Whether received changes have changed the store since the last read for the peer.
    var hasChangedStore = false
    /// Whether the peer's state summary was joined and nothing came since.
    var isCaughtUp = false
    /// How many state summaries of the peer the one stands for that is being joined.
    var joiningCount = 0

    /// How many entries of the peer's state summaries are kept: the one last heard, what came for the next one, and
    /// what waits for the store.
    var heldEntryCount: Int {
        var count = stateSummary.entries.count + page.count
        var last: End?
        for case .end(let end) in queue.notices {
            // The last one shares its entries with the one last heard.
            if let last { count += last.stateSummary.entries.count }
            count += end.changed.count
            last = end
        }
        return count
    }

    /// Merges nothing more, as deletes are held.
    mutating func stop(by hold: DeletionHold) {
        _ = queue.stop(by: hold)
        isCaughtUp = false
        missing.clear()
    }

    /// Appends an end; of two without a batch between the first is moot, but counts as heard.
    mutating func appendEnd(through: Checkpoint, changed: [StateSummaryEntry] = []) {
        var end = End(
            through: through, stateSummary: stateSummary, sum: stateSummarySum,
            summarySequence: summarySequence, changed: changed)
        if case .end(let before)? = queue.lastNotice {
            var both = StateSummary(sorted: before.changed)
            both.update(with: changed)
            end.changed = both.entries
            end.count += before.count
        }
        queue.append(.end(end)) { last in
            if case .end = last { true } else { false }
        }
    }

    /// The incarnations of the replicas in a batch's clocks and of its sender, told with it or earlier: a
    /// write must never count as one of an older incarnation than its own.
    func incarnations(
        of batch: ChangeBatch, from peer: ReplicaID
    ) -> [ChangeBatch.AnnouncedIncarnation] {
        var replicas: Set<ReplicaID> = [peer]
        for change in batch.changes {
            for entry in change.clock.entries { replicas.insert(entry.replica) }
        }
        return replicas.sorted().compactMap { replica in
            guard let start = incarnations[replica], start != .none else { return nil }
            return ChangeBatch.AnnouncedIncarnation(replica: replica, start: start)
        }
    }
}

/// The records that came without a value that is needed here, and are asked for whole.
struct MissingRecords: Sendable {
    /// The records that were asked for and are not yet here.
    private(set) var asked: Set<RecordName> = []
    /// The records to ask for once these are here.
    private var unasked: [RecordName] = []
    /// The same, to look them up.
    private var unaskedNames: Set<RecordName> = []
    /// The records of the batch that is being merged, as far as they were asked for.
    private(set) var served: [RecordName] = []
    /// When something last moved towards getting these.
    private var askedAt = Instant(milliseconds: 0)

    var isEmpty: Bool { asked.isEmpty && unasked.isEmpty }
    var unaskedCount: Int { unasked.count }

    /// When the wait takes too long; nil if nothing is missing.
    func deadline(_ limits: SessionLimits) -> Instant? {
        isEmpty ? nil : askedAt.advanced(byMilliseconds: limits.wantTimeoutMilliseconds)
    }

    /// Adds a record that has to be asked for.
    mutating func insert(_ name: RecordName) {
        guard !asked.contains(name), unaskedNames.insert(name).inserted else { return }
        unasked.append(name)
    }

    /// Dequeues the records to ask for next, as many as one message takes; none while others are awaited.
    mutating func dequeue(_ countMax: Int, at now: Instant) -> [RecordName] {
        guard asked.isEmpty, !unasked.isEmpty else { return [] }
        let first = unasked.prefix(countMax)
        let names = Array(first.prefix(WireLimits.fittingCount(first)))
        unasked.removeFirst(names.count)
        unaskedNames.subtract(names)
        asked = Set(names)
        askedAt = now
        return names
    }

    /// Records which of a batch's records were asked for; one that is part of the sequence serves none.
    mutating func startServing(_ batch: ChangeBatch, at now: Instant) {
        served = batch.through == nil ? batch.changes.map(\.name).filter(asked.contains) : []
        if !served.isEmpty { askedAt = now }
    }

    /// Forgets the records of the batch that was merged.
    mutating func finishServing() {
        asked.subtract(served)
        served = []
    }

    mutating func clear() {
        asked = []
        unasked = []
        unaskedNames = []
        served = []
    }
}

/// A full exchange after contents were found to differ; at most one in a session.
///
/// Each side sends every record, whole, and its state summary; and when it has merged the other's, once
/// more what changed by that, and its state summary. Only the second state summaries are judged: the first may
/// be older than the union of both sides.
struct FullExchange: Sendable {
    /// How far it has come.
    enum Stage: Sendable {
        /// Not begun. Goes to: running.
        case none
        /// So many of the own two state summaries were sent, and of the peer's two were joined; `differs` by the
        /// last of these. Goes to: ended.
        case running(sent: Int, joined: Int, differs: Bool)
        /// Both sides have the same contents.
        case ended
    }

    /// How far the peer takes part.
    enum PeerPart: Sendable {
        /// It has not said so. Goes to: announced.
        case none
        /// It has said so; batches from before still wait here. Goes to: inFull.
        case announced
        /// Its batches come whole from here on.
        case inFull
    }

    private(set) var stage = Stage.none
    var peerPart = PeerPart.none

    var hasBegun: Bool {
        if case .none = stage { false } else { true }
    }

    var isRunning: Bool {
        if case .running = stage { true } else { false }
    }

    /// Whether batches are merged as part of it.
    var isReceivingInFull: Bool { isRunning && peerPart == .inFull }

    /// Whether this side's second round is due.
    var isSecondRoundDue: Bool {
        if case .running(1, let joined, _) = stage { joined >= 1 } else { false }
    }

    /// Whether contents still differ after both sides have said all; nil before that.
    var verdict: Bool? {
        guard case .running(let sent, let joined, let differs) = stage, sent >= 2, joined >= 2
        else {
            return nil
        }
        return differs
    }

    mutating func start() { stage = .running(sent: 0, joined: 0, differs: false) }

    mutating func end() { stage = .ended }

    /// Counts a state summary of this side as sent.
    mutating func noteSent() {
        guard case .running(let sent, let joined, let differs) = stage else { return }
        stage = .running(sent: sent + 1, joined: joined, differs: differs)
    }

    /// Counts state summaries of the peer as joined, by the last of them.
    mutating func noteJoined(count: Int, differs: Bool) {
        guard case .running(let sent, let joined, _) = stage, peerPart == .inFull else { return }
        stage = .running(sent: sent, joined: joined + count, differs: differs)
    }
}

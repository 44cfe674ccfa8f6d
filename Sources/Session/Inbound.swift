import Core

/// The receiving half of a session: what came and waits, and what is still missing.
struct Inbound: Sendable {
    /// What waits its turn.
    enum Item: Sendable {
        case batch(ChangeBatch)
        case end(through: Checkpoint, statement: Statement)
        case repair
    }

    /// What waits while the store is busy or this side's identity is in doubt; bounded.
    private(set) var items: [Item] = []
    /// The batches among them.
    private(set) var batchCount = 0
    /// The bytes of their bodies.
    private(set) var byteCount = 0
    /// A change that is coming in parts.
    var assembly: BodyAssembly?
    /// A change that came in parts and belongs to the next batch.
    var assembled: Change?
    /// The peer's statement as last heard.
    var statement = Statement(entries: [], digest: 0)
    /// The openings that the peer has told in this session, its own included.
    var openings: [ReplicaID: EpochStart] = [:]
    /// How many batches were integrated.
    var integratedCount: UInt64 = 0
    /// Whether the store is merging.
    var isIntegrating = false
    /// Whether the store is taking over a statement.
    var isJoining = false
    /// Of the batch that is being merged, the records that had been asked for whole.
    var served: [RecordID] = []
    /// Asked for whole and not yet here.
    var asked: Set<RecordID> = []
    /// To be asked for once these are here.
    private(set) var unasked: [RecordID] = []
    /// The same, to look them up.
    private var unaskedIDs: Set<RecordID> = []
    /// When something last moved towards getting these.
    var askedAt = Instant(milliseconds: 0)
    /// Whether something that came has changed the store since the last read for the peer.
    var hasChangedStore = false
    /// Since when nothing is taken any more, as deletes are held, or when something last moved since.
    var heldAt: Instant?
    /// The same, with when to start over.
    var hold: DeletionHold?
    /// Whether the peer's statement was joined and nothing came since.
    var isCaughtUp = false

    /// Whether records are missing whose changes came without a value that is needed.
    var isMissingRecords: Bool { !asked.isEmpty || !unasked.isEmpty }

    /// Takes nothing more: what waits is let go of.
    mutating func stop(at now: Instant, by hold: DeletionHold) {
        heldAt = now
        self.hold = hold
        items = []
        batchCount = 0
        byteCount = 0
        isCaughtUp = false
        missNothing()
    }

    /// Takes note of a record that has to be asked for.
    mutating func miss(_ id: RecordID) {
        guard !asked.contains(id), unaskedIDs.insert(id).inserted else { return }
        unasked.append(id)
    }

    /// Asks for the next records, as many as one message takes.
    mutating func askNext(_ countMax: Int) -> [RecordID] {
        let ids = Array(unasked.prefix(countMax))
        unasked.removeFirst(ids.count)
        unaskedIDs.subtract(ids)
        asked = Set(ids)
        return ids
    }

    /// Nothing has to be asked for any more.
    mutating func missNothing() {
        asked = []
        unasked = []
        unaskedIDs = []
    }

    /// Whether nothing waits and the store is not at work.
    var isIdle: Bool {
        items.isEmpty && !isIntegrating && !isJoining && assembly == nil && assembled == nil
    }

    /// Lets something wait; of two statements without a batch between the first is moot.
    mutating func append(_ item: Item) {
        if case .end = item, case .end? = items.last { items.removeLast() }
        if case .batch(let batch) = item {
            batchCount += 1
            byteCount += Self.byteCount(of: batch)
        }
        items.append(item)
    }

    /// What is next, if the store is free.
    mutating func next() -> Item? {
        guard !items.isEmpty, !isIntegrating, !isJoining else { return nil }
        let item = items.removeFirst()
        if case .batch(let batch) = item {
            batchCount -= 1
            byteCount -= Self.byteCount(of: batch)
        }
        return item
    }

    /// The openings of the replicas in a batch's clocks and of its sender, told with it or earlier: a
    /// write must never be taken for one of an older opening than its own.
    func openings(of batch: ChangeBatch, from peer: ReplicaID) -> [ChangeBatch.Opening] {
        var replicas: Set<ReplicaID> = [peer]
        for change in batch.changes {
            for entry in change.clock.entries { replicas.insert(entry.replica) }
        }
        return replicas.sorted().compactMap { replica in
            guard let start = openings[replica], start != .none else { return nil }
            return ChangeBatch.Opening(replica: replica, start: start)
        }
    }

    private static func byteCount(of batch: ChangeBatch) -> Int {
        batch.changes.reduce(0) { $0 + $1.body.count }
    }
}

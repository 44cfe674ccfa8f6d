/// A store's own description for a hello, read in one transaction; all of it is on the disk.
///
/// This folder has the questions that a session asks of its store, and the answers. They live here,
/// below both, so that the session and the store speak of the same values without importing each other.
package struct Greeting: Hashable, Sendable {
    /// The space.
    package var space: SpaceID
    /// The space's rule.
    package var policy: DeletePolicy
    /// This replica.
    package var replica: ReplicaID
    /// The opening of the store in which this replica speaks.
    package var incarnation: Incarnation
    /// The last arrival number that the store had given.
    package var sequence: UInt64
    /// The state summary of all that the store has.
    package var stateSummary: StateSummary
    /// The sum of the hashes of its entries.
    package var sum: UInt128
    /// The hash of the space.
    package var hash: SipHash
    /// How many writes this replica has made.
    package var counter: UInt64
    /// The store's memory of the peer that was asked about; its `peer` is that peer.
    package var peerCheckpoint: PeerCheckpoint?
    /// Whether a full exchange with that peer is due, by the results of earlier sessions.
    package var isRepairDue: Bool
    /// The number of the last change of the state summary.
    package var summarySequence: UInt64

    /// Creates a greeting.
    package init(
        space: SpaceID, policy: DeletePolicy, replica: ReplicaID, incarnation: Incarnation,
        sequence: UInt64, stateSummary: StateSummary, sum: UInt128, hash: SipHash, counter: UInt64,
        peerCheckpoint: PeerCheckpoint? = nil, isRepairDue: Bool = false,
        summarySequence: UInt64 = 0
    ) {
        self.space = space
        self.policy = policy
        self.replica = replica
        self.incarnation = incarnation
        self.sequence = sequence
        self.stateSummary = stateSummary
        self.sum = sum
        self.hash = hash
        self.counter = counter
        self.peerCheckpoint = peerCheckpoint
        self.isRepairDue = isRepairDue
        self.summarySequence = summarySequence
    }
}

extension Greeting {
    /// The digests of the state summary.
    package var summary: SummaryHead {
        SummaryHead(
            sum: sum, digest: stateSummary.digest, count: UInt64(stateSummary.entries.count))
    }
}

/// The writes that a peer has, as this side knows it: a filter for the records that leave for it.
package struct PeerHoldings: Hashable, Sendable {
    /// The writes that the peer vouches for.
    package private(set) var stated: VersionVector
    /// The same, and the writes of ids whose checksums were equal at the hellos.
    private var atHello: VersionVector
    /// The last arrival number of the own hello.
    private let helloSequence: UInt64

    /// The writes that a peer vouches for.
    package init(_ stated: VersionVector = VersionVector()) {
        self.stated = stated
        atHello = stated
        helloSequence = 0
    }

    /// The writes that a peer vouched for in its hello, and those of ids with equal checksums.
    ///
    /// - Parameters:
    ///   - stated: the knowledge in the peer's hello.
    ///   - equal: of each id with equal checksums the highest counter here: the same records have it there.
    ///   - helloSequence: the last arrival number that the own hello covers. A gap that another peer fills
    ///     later lies below `equal`, and the peer does not have it.
    package init(_ stated: VersionVector, equal: VersionVector, upTo helloSequence: UInt64) {
        self.stated = stated
        atHello = stated.joined(with: equal)
        self.helloSequence = helloSequence
    }

    /// Adds what the peer vouches for by now.
    package mutating func join(_ knowledge: VersionVector) {
        stated.join(knowledge)
        atHello.join(knowledge)
    }

    /// The writes that the peer has of the row with an arrival number.
    package func writes(inRow sequence: UInt64) -> VersionVector {
        sequence <= helloSequence ? atHello : stated
    }

    /// Whether the peer has all that the own hello covers, by the highest counters here at that time.
    package func coversHello(_ seen: VersionVector) -> Bool { atHello.covers(seen) }
}

/// A question to the store: the next changes to send.
package struct ReadRequest: Hashable, Sendable {
    /// Where a reading begins.
    package enum Start: Hashable, Sendable {
        /// At the peer's checkpoint; at the start if its epoch is unknown or there is none.
        case checkpoint(Checkpoint?)
        /// After the changes that a relay has: by its own word and by the store's memory, whichever is less.
        /// The relay's word may come from another past of this device.
        case uploaded(to: ReplicaID, told: Checkpoint?)
        /// As `uploaded` with nothing told, to a relay that knows how far this device has read, and so still has
        /// what it sent: after that, if an earlier session compared it with the store; the records that the
        /// relay lacks come first, whole.
        case fetched(from: ReplicaID)
        /// After this arrival number, given by an earlier read of this session.
        case sequence(UInt64)
    }

    /// Where the reading begins.
    package var start: Start
    /// Records that this covers are skipped, and values under it may be left out.
    package var peerHas: PeerHoldings
    /// Records asked for whole; they come first, out of turn, whatever their length.
    package var wanted: [RecordName]
    /// Whether every record is read, whole: a full exchange.
    package var isFull: Bool
    /// The most bytes of bodies to read; one longer body is read alone.
    package var byteCountMax: Int

    /// Creates a request.
    package init(
        from start: Start, peerHas: PeerHoldings, wanted: [RecordName] = [], isFull: Bool = false,
        byteCountMax: Int = WireLimits.batchByteCountMax
    ) {
        self.start = start
        self.peerHas = peerHas
        self.wanted = wanted
        self.isFull = isFull
        self.byteCountMax = byteCountMax
    }
}

/// The store's answer to `ReadRequest`; every dot in it is on the disk.
package struct Reading: Hashable, Sendable {
    /// The records that were asked for whole.
    package var wanted: [Change]
    /// The changes in order of arrival.
    package var changes: [Change]
    /// The records of `changes`, in that order, if the changes have their relay names; else empty.
    package var names: [RecordName] = []
    /// The end of the reading in the store's sequence.
    package var through: Checkpoint
    /// For each replica in the changes' clocks, its newest known opening.
    package var incarnations: [ChangeBatch.AnnouncedIncarnation]
    /// The state summary of all that the store has, if nothing was left after `through` in the same transaction.
    package var stateSummary: StateSummary?
    /// The number of the last change of that state summary.
    package var summarySequence: UInt64

    /// Creates an answer.
    package init(
        wanted: [Change] = [], changes: [Change] = [], through: Checkpoint,
        incarnations: [ChangeBatch.AnnouncedIncarnation] = [], stateSummary: StateSummary? = nil,
        summarySequence: UInt64 = 0
    ) {
        self.wanted = wanted
        self.changes = changes
        self.through = through
        self.incarnations = incarnations
        self.stateSummary = stateSummary
        self.summarySequence = summarySequence
    }
}

/// A question to the store: merge changes and remember how far they reach, in one transaction.
package struct IntegrateRequest: Hashable, Sendable {
    /// The changes.
    package var changes: [Change]
    /// The peer that sent them.
    package var peer: ReplicaID
    /// The end of the changes in the peer's sequence; nil if it may not be remembered yet.
    ///
    /// It is not remembered either if the answer wants a record whole.
    package var checkpoint: Checkpoint?
    /// The openings that the sender knows.
    package var incarnations: [ChangeBatch.AnnouncedIncarnation]
    /// Whether records with equal clocks and different contents are united: a full exchange.
    package var isRepair: Bool
    /// Whether these are the first changes of a session.
    package var startsSession: Bool
    /// All else that there is to know of a batch of a relay.
    package var relayed = RelayedBatch()
    /// Whether deletes that are held are kept as they came until somebody answers, and the rest is merged.
    ///
    /// For a peer whose changes may be gone soon; from others nothing more is taken.
    package var mergesUnheld: Bool

    /// Creates a request.
    package init(
        changes: [Change], peer: ReplicaID, checkpoint: Checkpoint?,
        incarnations: [ChangeBatch.AnnouncedIncarnation] = [], isRepair: Bool = false,
        startsSession: Bool = false, mergesUnheld: Bool = false
    ) {
        self.mergesUnheld = mergesUnheld
        self.changes = changes
        self.peer = peer
        self.checkpoint = checkpoint
        self.incarnations = incarnations
        self.isRepair = isRepair
        self.startsSession = startsSession
    }
}

/// All that there is to know of a batch of a relay besides its changes.
package struct RelayedBatch: Hashable, Sendable {
    /// The relay names of the changes, in their order; empty for a batch of a peer.
    package var names: [RecordName] = []
    /// The versions that could not be opened, as the relay sent them.
    package var unopened: [Change] = []

    /// A batch of a peer.
    package init() {}
}

/// The store's answer to `IntegrateRequest`.
package struct Integration: Hashable, Sendable {
    /// Records of which a value that was left out is missing here; they are asked for whole.
    package var wanted: [RecordName]
    /// How many of the changes were of an app's records, not of devices' own; each counts, whether or not it changed
    /// something.
    package var appRecordCount = 0
    /// How many records changed.
    package var changedCount: Int
    /// How many changes could not be read and were deferred.
    package var deferredCount: Int
    /// The deletes that are held: then none of the changes was merged, unless the deletes were set aside.
    package var held: HeldDeletes?
    /// Whether the deletes that are held were set aside, and all else was merged.
    package var hasMergedUnheld = false
    /// The store's last arrival numbers, before and after.
    package var arrivals: ClosedRange<UInt64>?

    /// Creates an answer.
    package init(
        wanted: [RecordName] = [], changedCount: Int = 0, deferredCount: Int = 0,
        held: HeldDeletes? = nil, arrivals: ClosedRange<UInt64>? = nil
    ) {
        self.wanted = wanted
        self.changedCount = changedCount
        self.deferredCount = deferredCount
        self.held = held
        self.arrivals = arrivals
    }
}

/// A question to the store: adopt a peer's state summary, as far as the checksums agree.
package struct JoinRequest: Hashable, Sendable {
    /// The peer that made the state summary.
    package var peer: ReplicaID
    /// The peer's state summary, whole.
    package var stateSummary: StateSummary
    /// Its entries that are not known to agree with those here; nil if nothing is known of any.
    package var open: [StateSummaryEntry]?
    /// The sum of the hashes of all its entries.
    package var sum: UInt128
    /// How far the peer was read; remembered in the same transaction.
    package var through: Checkpoint
    /// The number of the last change of the state summary: with the epoch of `through` the summary checkpoint, which is
    /// remembered in the same transaction if all of the state summary was adopted.
    package var summarySequence: UInt64

    /// Creates a request.
    package init(
        peer: ReplicaID, stateSummary: StateSummary, open: [StateSummaryEntry]? = nil, sum: UInt128,
        through: Checkpoint, summarySequence: UInt64
    ) {
        self.peer = peer
        self.stateSummary = stateSummary
        self.open = open
        self.sum = sum
        self.through = through
        self.summarySequence = summarySequence
    }
}

/// The store's answer to state summaries of other replicas.
package struct Joining: Hashable, Sendable {
    /// Whether a checksum that had to agree did not, for the second time in a row: the peer withholds.
    package var isWithheld: Bool
    /// Whether a checksum that had to agree did not: the peer's checkpoint is forgotten.
    package var isMismatched: Bool
    /// Whether that was a relay's sum of its rows alone, which another session of this device changes as well, or entries
    /// beside versions that cannot be opened: what is kept back shows when all comes anew.
    package var isOfRowSumAlone = false
    /// Whether such a checksum calls for a full exchange.
    package var isRepairDue: Bool
    /// Whether contents differ although the histories are the same.
    package var isDiverged: Bool
    /// Whether this store vouches for more than before.
    package var hasLearned: Bool
    /// The peer's entries that still differ from those here.
    package var open: [StateSummaryEntry] = []

    /// Creates an answer.
    package init(
        isWithheld: Bool = false, isMismatched: Bool = false, isRepairDue: Bool = false,
        isDiverged: Bool = false, hasLearned: Bool = false
    ) {
        self.isWithheld = isWithheld
        self.isMismatched = isMismatched
        self.isRepairDue = isRepairDue
        self.isDiverged = isDiverged
        self.hasLearned = hasLearned
    }
}

/// The deletes that one peer sent, or that came through one relay, and that wait for a person's confirmation.
package struct HeldDeletes: Hashable, Sendable {
    /// The peer of that session: a device, or the store of a relay.
    package let peer: ReplicaID
    /// How many records would be deleted by now; more may follow.
    package let deletedCount: Int
    /// How many of these were merged before the hold: as accepted, or while they were few.
    package let takenCount: Int
    /// How many records were alive before.
    package let liveCount: Int
    /// When they were first held; milliseconds since 1970-01-01 UTC.
    package let since: Int64
    /// The file name of the snapshot that was taken before; "" if there is none.
    package let snapshot: String
    /// Whether a snapshot was taken and is no longer there.
    package var isSnapshotGone = false
    /// The replicas that made these deletes, as the deletes say.
    package var deleters: [ReplicaID] = []
    /// Some of the records that would be deleted.
    package var examples: [RecordName] = []

    /// Creates the description of a hold.
    package init(
        peer: ReplicaID, deletedCount: Int, takenCount: Int, liveCount: Int, since: Int64,
        snapshot: String, isSnapshotGone: Bool = false
    ) {
        self.peer = peer
        self.deletedCount = deletedCount
        self.takenCount = takenCount
        self.liveCount = liveCount
        self.since = since
        self.snapshot = snapshot
        self.isSnapshotGone = isSnapshotGone
    }
}

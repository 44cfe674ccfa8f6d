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

    /// Creates a request.
    package init(
        changes: [Change], peer: ReplicaID, checkpoint: Checkpoint?,
        incarnations: [ChangeBatch.AnnouncedIncarnation] = [], isRepair: Bool = false,
        startsSession: Bool = false
    ) {
        self.changes = changes
        self.peer = peer
        self.checkpoint = checkpoint
        self.incarnations = incarnations
        self.isRepair = isRepair
        self.startsSession = startsSession
    }
}

/// The store's answer to `IntegrateRequest`.
package struct Integration: Hashable, Sendable {
    /// Records of which a value that was left out is missing here; they are asked for whole.
    package var wanted: [RecordID]
    /// How many records changed.
    package var changedCount: Int
    /// How many changes could not be read and were deferred.
    package var deferredCount: Int
    /// The deletes that are held: then none of the changes was merged.
    package var held: HeldDeletes?
    /// The store's last arrival numbers, before and after.
    package var arrivals: ClosedRange<UInt64>?

    /// Creates an answer.
    package init(
        wanted: [RecordID] = [], changedCount: Int = 0, deferredCount: Int = 0,
        held: HeldDeletes? = nil, arrivals: ClosedRange<UInt64>? = nil
    ) {
        self.wanted = wanted
        self.changedCount = changedCount
        self.deferredCount = deferredCount
        self.held = held
        self.arrivals = arrivals
    }
}

/// A question to the store: adopt a peer's statement, as far as the checksums agree.
package struct JoinRequest: Hashable, Sendable {
    /// The peer that made the statement.
    package var peer: ReplicaID
    /// The peer's statement, whole.
    package var statement: StateSummary
    /// How far the peer was read; remembered in the same transaction.
    package var through: Checkpoint

    /// Creates a request.
    package init(peer: ReplicaID, statement: StateSummary, through: Checkpoint) {
        self.peer = peer
        self.statement = statement
        self.through = through
    }
}

/// The store's answer to statements of other replicas.
package struct Joining: Hashable, Sendable {
    /// Whether a checksum that had to agree did not, for the second time in a row: the peer withholds.
    package var isWithheld: Bool
    /// Whether a checksum that had to agree did not: the peer's checkpoint is forgotten.
    package var isMismatched: Bool
    /// Whether such a checksum calls for a full exchange.
    package var isRepairDue: Bool
    /// Whether contents differ although the histories are the same.
    package var isDiverged: Bool
    /// Whether this store vouches for more than before.
    package var hasLearned: Bool

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

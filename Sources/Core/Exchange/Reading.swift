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
    /// The statement of all that the store has.
    package var statement: StateSummary
    /// The store's memory of the peer that was asked about; its `peer` is that peer.
    package var peerCheckpoint: PeerCheckpoint?
    /// Whether a full exchange with that peer is due, by the results of earlier sessions.
    package var isRepairDue: Bool

    /// Creates a greeting.
    package init(
        space: SpaceID, policy: DeletePolicy, replica: ReplicaID, incarnation: Incarnation,
        sequence: UInt64, statement: StateSummary, peerCheckpoint: PeerCheckpoint? = nil,
        isRepairDue: Bool = false
    ) {
        self.space = space
        self.policy = policy
        self.replica = replica
        self.incarnation = incarnation
        self.sequence = sequence
        self.statement = statement
        self.peerCheckpoint = peerCheckpoint
        self.isRepairDue = isRepairDue
    }
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
    /// Records whose clock this covers are skipped, and values under it may be left out.
    package var peerHas: VersionVector
    /// Records asked for whole; they come first, out of turn, whatever their length.
    package var wanted: [RecordID]
    /// Whether every record is read, whole: a full exchange.
    package var isFull: Bool
    /// The most bytes of bodies to read; one longer body is read alone.
    package var byteCountMax: Int

    /// Creates a request.
    package init(
        from start: Start, peerHas: VersionVector, wanted: [RecordID] = [], isFull: Bool = false,
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
    /// The end of the reading in the store's sequence.
    package var through: Checkpoint
    /// For each replica in the changes' clocks, its newest known opening.
    package var incarnations: [ChangeBatch.AnnouncedIncarnation]
    /// The statement of all that the store has, if nothing was left after `through` in the same transaction.
    package var statement: StateSummary?

    /// Creates an answer.
    package init(
        wanted: [Change] = [], changes: [Change] = [], through: Checkpoint,
        incarnations: [ChangeBatch.AnnouncedIncarnation] = [], statement: StateSummary? = nil
    ) {
        self.wanted = wanted
        self.changes = changes
        self.through = through
        self.incarnations = incarnations
        self.statement = statement
    }
}

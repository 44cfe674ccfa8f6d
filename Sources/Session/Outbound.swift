import Core

/// The sending half of a session: what was read, sent and acknowledged.
struct Outbound: Sendable {
    /// What the last read found to be the end.
    struct End: Sendable {
        let through: Checkpoint
        let statement: Statement
    }

    /// What the peer has, by its own word.
    var peerHas = VersionVector()
    /// Where the next read begins.
    var start = ReadRequest.Start.checkpoint(nil)
    /// How far the batches that were read reach.
    var reached = Checkpoint(epoch: EpochID(value: 0), sequence: 0) {
        didSet { passed = reached.sequence }
    }
    /// How far this store's sequence was read, or is what came from the peer.
    var passed: UInt64 = 0
    /// Whether an answer is awaited.
    var isReading = false
    /// Whether that answer belongs to a reading that was given up.
    var isAnswerStale = false
    /// Read and waiting for room in the window; at most what one read gives.
    var parcels: [Parcel] = []
    /// Goes out behind the last of these.
    var end: End?
    /// This side's last statement in this session.
    var stated = Statement(entries: [], digest: 0)
    /// The openings that this side has told in this session.
    var openings: [ReplicaID: EpochStart] = [:]
    /// How many batches were sent.
    var sentCount: UInt64 = 0
    /// The bytes of those that are not acknowledged, oldest first.
    var inFlight: [Int] = []
    /// The sum of these.
    var inFlightByteCount = 0
    /// The records that the peer asked for whole.
    var wanted: [RecordID] = []
    /// Whether the peer waits for word that nothing is left, whether or not the statement is new.
    var owesEnd = true
    /// Whether the peer was told that nothing is left, and nothing was read since.
    var isCaughtUp = false
    /// Whether something was committed here since the last read began.
    var isDirty = false
    /// When this side's statement is told anew, as what came has changed it.
    var restateAt: Instant?
    /// Since when own commits wait for the peer's statement.
    var heldSince: Instant?
    /// What the link holds unsent, in bytes, as it last told.
    var linkByteCount = 0
    /// Whether every record is sent, whole.
    var isFull = false

    /// How many batches the peer has acknowledged.
    var acknowledgedCount: UInt64 { sentCount - UInt64(inFlight.count) }

    /// Whether another batch may leave.
    func hasRoom(_ limits: SessionLimits) -> Bool {
        inFlight.count < limits.windowBatchCount && inFlightByteCount < limits.windowByteCountMax
            && linkByteCount <= limits.sendQueueByteCountMax
    }

    /// Counts a batch of so many bytes as sent.
    mutating func noteSent(byteCount: Int) {
        sentCount += 1
        inFlight.append(byteCount)
        inFlightByteCount += byteCount
    }

    /// Counts batches as acknowledged; false if the peer counts wrong.
    mutating func acknowledge(_ count: UInt64) -> Bool {
        guard count >= acknowledgedCount, count <= sentCount else { return false }
        let fresh = Int(count - acknowledgedCount)
        inFlightByteCount -= inFlight[..<fresh].reduce(0, +)
        inFlight.removeFirst(fresh)
        return true
    }

    /// The openings that the peer was not told yet, or was told others of.
    func untold(_ all: [ChangeBatch.Opening]) -> [ChangeBatch.Opening] {
        all.filter { (openings[$0.replica] ?? .none) != $0.start }
    }

    /// Takes note of openings that leave with a batch.
    mutating func noteTold(_ told: [ChangeBatch.Opening]) {
        for opening in told { openings[opening.replica] = opening.start }
    }

    /// Starts over with every record, whole.
    mutating func restartInFull(epoch: EpochID) {
        peerHas = VersionVector()
        start = .sequence(0)
        reached = Checkpoint(epoch: epoch, sequence: 0)
        isAnswerStale = isReading
        parcels = []
        end = nil
        wanted = []
        owesEnd = true
        isCaughtUp = false
        isFull = true
    }
}

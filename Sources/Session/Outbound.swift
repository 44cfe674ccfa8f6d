import Core

/// The batches on their way: how many may be, and which the other side has acknowledged.
package struct SendWindow: Sendable {
    private let batchCountMax: Int
    private let byteCountMax: Int
    private let linkByteCountMax: Int
    /// How many batches were sent.
    package private(set) var sentCount: UInt64 = 0
    /// The bytes of those that are not acknowledged, oldest first.
    private var inFlight: [Int] = []
    /// The sum of the bytes that are not acknowledged.
    package private(set) var inFlightByteCount = 0
    /// The bytes that the link holds unsent, as it last told.
    package var linkByteCount = 0

    /// Creates an empty window.
    ///
    /// - Parameters:
    ///   - batchCountMax: the most batches on their way.
    ///   - byteCountMax: no further batch leaves while so many bytes are on their way.
    ///   - linkByteCountMax: no further batch leaves while the link holds more bytes unsent.
    package init(batchCountMax: Int, byteCountMax: Int, linkByteCountMax: Int) {
        self.batchCountMax = batchCountMax
        self.byteCountMax = byteCountMax
        self.linkByteCountMax = linkByteCountMax
    }

    /// How many batches the other side has acknowledged.
    package var acknowledgedCount: UInt64 { sentCount - UInt64(inFlight.count) }

    /// Whether every batch is acknowledged.
    package var isEmpty: Bool { inFlight.isEmpty }

    /// Whether another batch may leave.
    package var hasRoom: Bool {
        inFlight.count < batchCountMax && inFlightByteCount < byteCountMax
            && linkByteCount <= linkByteCountMax
    }

    /// Counts a batch of so many bytes as sent.
    package mutating func noteSent(byteCount: Int) {
        sentCount += 1
        inFlight.append(byteCount)
        inFlightByteCount += byteCount
    }

    /// Counts batches as acknowledged; false if the other side counts wrong.
    package mutating func acknowledge(_ count: UInt64) -> Bool {
        guard count >= acknowledgedCount, count <= sentCount else { return false }
        let fresh = Int(count - acknowledgedCount)
        inFlightByteCount -= inFlight[..<fresh].reduce(0, +)
        inFlight.removeFirst(fresh)
        return true
    }
}

/// The sending half of a session: what was read of the store, and what of it has left.
struct Outbound: Sendable {
    /// The end of the store's sequence, as a reading found it.
    struct End: Hashable, Sendable {
        let through: Checkpoint
        let statement: StateSummary
    }

    /// How far the reading of the store has come.
    enum Supply: Sendable {
        /// Records may be left to read. Goes to: reading, caughtUp (a device that uploads nothing).
        case due
        /// The store is asked for the next changes. Goes to: ready, abandoned, due (leaving).
        case reading
        /// The store is asked, and its answer is of no use any more. Goes to: due.
        case abandoned
        /// Batches, and the end behind them, wait for room. Goes to: due, caughtUp.
        case ready([Parcel], End?)
        /// Nothing was left to read. Goes to: due.
        case caughtUp
    }

    var supply = Supply.due
    var window: SendWindow
    /// Where the next reading begins.
    var start = ReadRequest.Start.checkpoint(nil)
    /// The end of the batches that were read.
    var reached = Checkpoint(epoch: EpochID(value: 0), sequence: 0) {
        didSet { passed = reached.sequence }
    }
    /// The end of the store's sequence as far as it was read, or came from the peer.
    var passed: UInt64 = 0
    /// Whether something was committed here since the last reading began.
    var isDirty = false

    init(_ limits: SessionLimits) {
        window = SendWindow(
            batchCountMax: limits.windowBatchCount, byteCountMax: limits.windowByteCountMax,
            linkByteCountMax: limits.sendQueueByteCountMax)
    }

    /// Whether nothing was left to read, and nothing was read since.
    var isCaughtUp: Bool {
        if case .caughtUp = supply { true } else { false }
    }

    /// Whether the store may be asked for more.
    var mayRead: Bool {
        switch supply {
        case .due, .caughtUp: window.hasRoom
        case .reading, .abandoned, .ready: false
        }
    }

    mutating func startReading() {
        supply = .reading
        isDirty = false
    }

    /// Receives the store's answer; nil if it is of no use any more.
    mutating func receive(_ reading: Reading, isLeaving: Bool) -> Reading? {
        defer { supply = .due }
        switch supply {
        case .reading: return isLeaving ? nil : reading
        case .abandoned: return nil
        case .due, .ready, .caughtUp:
            preconditionFailure("an answer to a read that was not asked for")
        }
    }

    /// Puts batches up, to leave as there is room; the next reading begins behind them.
    mutating func prepare(_ parcels: [Parcel], _ reading: Reading, statement: StateSummary?) {
        start = .sequence(reading.through.sequence)
        reached = reading.through
        supply = .ready(parcels, statement.map { End(through: reading.through, statement: $0) })
    }

    /// Dequeues the batches for which there is room, and the end once all of them leave.
    mutating func dequeue() -> (parcels: [Parcel], end: End?) {
        guard case .ready(var parcels, let end) = supply, parcels.isEmpty || window.hasRoom else {
            return ([], nil)
        }
        supply = .due
        var count = 0
        while count < parcels.count, window.hasRoom {
            window.noteSent(byteCount: parcels[count].byteCount)
            count += 1
        }
        if count == parcels.count { return (parcels, end) }
        let leaving = Array(parcels[..<count])
        parcels.removeFirst(count)
        supply = .ready(parcels, end)
        return (leaving, nil)
    }

    /// Has the store read on later, if all was read.
    mutating func readAgain() {
        if isCaughtUp { supply = .due }
    }

    /// Drops the batches that have not left.
    mutating func dropUnsent() {
        if case .ready = supply { supply = .due }
    }

    /// Starts over from the beginning of the store's sequence.
    mutating func restart(epoch: EpochID) {
        start = .sequence(0)
        reached = Checkpoint(epoch: epoch, sequence: 0)
        switch supply {
        case .reading, .abandoned: supply = .abandoned
        case .due, .ready, .caughtUp: supply = .due
        }
    }
}

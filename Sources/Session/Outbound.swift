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
        let stateSummary: StateSummary
        let summarySequence: UInt64
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

    /// The bytes of the bodies that wait for room, besides those that the link holds.
    var heldByteCount: Int {
        if case .ready(let parcels, _) = supply {
            parcels.reduce(0) { $0 + $1.byteCount }
        } else {
            0
        }
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
    mutating func prepare(_ parcels: [Parcel], _ reading: Reading, stateSummary: StateSummary?) {
        start = .sequence(reading.through.sequence)
        reached = reading.through
        let end = stateSummary.map {
            End(
                through: reading.through, stateSummary: $0, summarySequence: reading.summarySequence
            )
        }
        supply = .ready(parcels, end)
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

/// A batch on its way out, with the long body that goes before it in parts.
package struct Parcel: Sendable {
    /// The change whose body or clock is too long for a frame; it belongs to the batch.
    package let longChange: Change?
    /// The batch.
    package let batch: ChangeBatch

    /// How many records it brings.
    package var recordCount: Int { batch.changes.count + (longChange == nil ? 0 : 1) }

    /// The names of its records.
    package var names: [RecordName] {
        (batch.changes + (longChange.map { [$0] } ?? [])).map(\.name)
    }

    /// How many records it brings besides those with these names.
    package func recordCount(without isLeftOut: (RecordName) -> Bool) -> Int {
        (batch.changes + (longChange.map { [$0] } ?? [])).count { !isLeftOut($0.name) }
    }

    /// The bytes of its bodies.
    package var byteCount: Int {
        batch.changes.reduce(longChange?.body.count ?? 0) { $0 + $1.body.count }
    }

    /// The messages, in order and without a gap.
    package var messages: [Message] {
        guard let longChange else { return [.changes(batch)] }
        var messages: [Message] = []
        let (body, entries) = (longChange.body, longChange.clock.entries)
        func add(_ entries: ArraySlice<VersionVector.Entry>, at offset: Int, isClockCut: Bool) {
            let end = min(offset + WireLimits.partByteCountMax, body.count)
            messages.append(
                .part(
                    BodyPart(
                        longChange.name, clock: VersionVector(unsorted: Array(entries)),
                        byteCount: body.count, offset: offset,
                        bytes: isClockCut ? [] : Array(body[offset..<end]),
                        isDeferred: longChange.isDeferred, isClockCut: isClockCut)))
        }
        var rest = entries[...]
        while rest.count > WireLimits.clockEntriesPerPartMax {
            add(rest.prefix(WireLimits.clockEntriesPerPartMax), at: 0, isClockCut: true)
            rest = rest.dropFirst(WireLimits.clockEntriesPerPartMax)
        }
        for offset in stride(from: 0, to: max(body.count, 1), by: WireLimits.partByteCountMax) {
            add(rest, at: offset, isClockCut: false)
        }
        messages.append(.changes(batch))
        return messages
    }

    /// Packs changes so that each batch fits a frame.
    ///
    /// - Parameters:
    ///   - changes: the changes in order.
    ///   - reached: how far the batches before the last one reach: no further than before these changes.
    ///   - through: how far all of them reach; nil for both if they come out of turn.
    ///   - incarnations: they go with the first batch.
    package static func pack(
        _ changes: [Change], from reached: Checkpoint?, through: Checkpoint?,
        incarnations: [ChangeBatch.AnnouncedIncarnation]
    ) -> [Parcel] {
        var parcels: [Parcel] = []
        var incarnations = incarnations
        // So many that they leave no room for changes go ahead.
        while incarnations.count > WireLimits.incarnationsPerBatchMax {
            let first = Array(incarnations.prefix(WireLimits.incarnationsPerBatchMax))
            parcels.append(
                Parcel(
                    longChange: nil,
                    batch: ChangeBatch(changes: [], through: reached, incarnations: first)))
            incarnations.removeFirst(first.count)
        }
        var batch: [Change] = []
        var room = roomMax(beside: incarnations)
        var collections: Set<CollectionID> = []
        func close(_ longChange: Change?, _ reach: Checkpoint?) {
            parcels.append(
                Parcel(
                    longChange: longChange,
                    batch: ChangeBatch(changes: batch, through: reach, incarnations: incarnations)))
            incarnations = []
            batch = []
            collections = []
            room = roomMax(beside: [])
        }
        for (index, change) in changes.enumerated() {
            let reach = index == changes.count - 1 ? through : reached
            let size = byteCountMax(of: change)
            if change.body.count > WireLimits.partByteCountMax || size > roomMax(beside: []) {
                if !batch.isEmpty { close(nil, reached) }
                close(change, reach)
                continue
            }
            let isFull =
                size > room || batch.count == WireLimits.changesPerBatchMax
                || collections.count == WireLimits.collectionCountMax
                    && !collections.contains(change.name.collection)
            if !batch.isEmpty, isFull { close(nil, reached) }
            batch.append(change)
            if batch.count == 1 || batch[batch.count - 2].name.collection != change.name.collection
            {
                collections.insert(change.name.collection)
            }
            room -= size
        }
        if !batch.isEmpty { close(nil, through) }
        return parcels
    }

    /// The bytes that the changes of one batch may take in a frame, with some room for the batch's own fields.
    private static func roomMax(beside incarnations: [ChangeBatch.AnnouncedIncarnation]) -> Int {
        WireLimits.frameByteCountMax - 1024 - incarnations.count * 36
    }

    /// No fewer bytes than the change takes in a batch: name, heads, its place if it is deferred,
    /// and for each entry of its clock a place, a counter and a place's replica.
    private static func byteCountMax(of change: Change) -> Int {
        change.body.count + 32 + change.name.byteCountMax + change.clock.entries.count * (12 + 16)
    }
}

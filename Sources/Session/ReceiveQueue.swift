import Core

/// The batches and notices that came and wait for the store, in order; bounded.
///
/// - Parameter Notice: whatever else the other side puts between its batches.
struct ReceiveQueue<Notice: Sendable>: Sendable {
    /// A part of the queue.
    enum Item: Sendable {
        case batch(ChangeBatch)
        case notice(Notice)
    }

    /// The store's work for this session.
    enum Work: Sendable {
        /// None. Goes to: integrating, joining.
        case none
        /// It merges a batch. Goes to: none.
        case integrating
        /// It adopts what a notice states. Goes to: none.
        case joining
    }

    private var items: [Item] = []
    /// How many batches wait.
    private(set) var batchCount = 0
    /// The bytes of their bodies.
    private(set) var byteCount = 0
    /// The long body before the next batch.
    private var body = IncomingBody.none
    private(set) var work = Work.none
    /// How many batches were integrated, or skipped while deletes are held.
    var integratedCount: UInt64 = 0
    /// Why nothing more is merged: deletes are held; nil as long as none are.
    var hold: DeletionHold?

    var isHeld: Bool { hold != nil }
    var isEmpty: Bool { items.isEmpty }
    var noticeCount: Int { items.count - batchCount }

    /// The notices that wait, in order.
    var notices: [Notice] {
        if noticeCount == 0 { return [] }
        return items.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    /// The memory that waiting bodies take, the one of which the rest has not come included; in bytes.
    var heldByteCount: Int { byteCount + body.heldByteCount }

    /// Whether nothing waits but notices of a kind, and the store is not at work.
    func isIdle(but isPassed: (Notice) -> Bool) -> Bool {
        work == .none && body.isNone
            && items.allSatisfy {
                if case .notice(let notice) = $0 { isPassed(notice) } else { false }
            }
    }

    /// Whether nothing waits and the store is not at work.
    var isIdle: Bool { items.isEmpty && work == .none && body.isNone }

    // MARK: From the other side

    mutating func receive(_ part: BodyPart) throws(PeerError) {
        if !isHeld { try body.receive(part) }
    }

    /// Appends a batch, with the long body that came before it.
    mutating func receive(_ batch: ChangeBatch, _ limits: SessionLimits) throws(PeerError) {
        var batch = batch
        try body.complete(&batch)
        batchCount += 1
        byteCount += Self.byteCount(of: batch)
        items.append(.batch(batch))
        if batchCount > WireLimits.windowBatchCount {
            throw .overLimit("batches before an acknowledgement", max: WireLimits.windowBatchCount)
        }
        if byteCount > limits.receivedByteCountMax {
            throw .overLimit("bytes before an acknowledgement", max: limits.receivedByteCountMax)
        }
    }

    /// Refuses a notice, named in words, in the midst of a long body.
    func requireNoBody(_ notice: String) throws(PeerError) {
        guard body.isNone else { throw .outOfOrder("\(notice) inside a long body") }
    }

    /// The notice that came last, if no batch came after it.
    var lastNotice: Notice? {
        if case .notice(let last)? = items.last { last } else { nil }
    }

    /// Appends a notice; the last one goes if it has become moot by this one.
    mutating func append(_ notice: Notice, insteadOf isMoot: (Notice) -> Bool = { _ in false }) {
        if case .notice(let last)? = items.last, isMoot(last) { items.removeLast() }
        items.append(.notice(notice))
    }

    // MARK: To the store

    /// Dequeues the next item, if the store is free.
    mutating func dequeue() -> Item? {
        guard !items.isEmpty, work == .none else { return nil }
        let item = items.removeFirst()
        if case .batch(let batch) = item {
            batchCount -= 1
            byteCount -= Self.byteCount(of: batch)
        }
        return item
    }

    mutating func start(_ next: Work) { work = next }

    mutating func finish(_ done: Work) {
        precondition(work == done, "an answer that was not asked for")
        work = .none
    }

    /// Drops whatever waits, as deletes are held from now on.
    ///
    /// - Returns: how many batches waited.
    mutating func stop(by hold: DeletionHold) -> Int {
        defer {
            items = []
            batchCount = 0
            byteCount = 0
            body = .none
        }
        self.hold = hold
        return batchCount
    }

    private static func byteCount(of batch: ChangeBatch) -> Int {
        batch.changes.reduce(0) { $0 + $1.heldByteCount }
    }
}

/// The state of a session that merges nothing more, as deletes are held in it.
struct DeletionHold: Sendable {
    /// When something new becomes a reason to start over: by then the deletes may have been undone.
    let retryAt: Instant
    /// When it began, or the other side last acknowledged something.
    var movedAt: Instant
    /// Whether something new came and was skipped.
    var hasNews = false
    /// When to start over; nil if there is no reason.
    var startOverAt: Instant? { hasNews ? retryAt : nil }

    init(at now: Instant, _ limits: SessionLimits) {
        retryAt = now.advanced(byMilliseconds: limits.heldRetryMilliseconds)
        movedAt = now
    }
}

/// A long body that comes in parts before the batch to which its change belongs.
package enum IncomingBody: Sendable {
    /// No part has come since the last batch. Goes to: coming, whole.
    case none
    /// Some parts are here. Goes to: whole.
    case coming(BodyAssembly)
    /// All parts are here, and the batch is awaited. Goes to: none.
    case whole(Change)

    /// Whether no body is on its way.
    package var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// The memory that is kept for it, in bytes.
    var heldByteCount: Int {
        switch self {
        case .none: 0
        case .coming(let assembly): assembly.heldByteCount
        case .whole(let change): change.heldByteCount
        }
    }

    private static var misfit: PeerError {
        .outOfOrder("a part that does not fit the body before it")
    }

    /// Adds a part.
    package mutating func receive(_ part: BodyPart) throws(PeerError) {
        switch self {
        case .whole: throw .outOfOrder("a second long body before the batch of the first")
        case .none:
            guard let assembly = BodyAssembly(part) else { throw Self.misfit }
            self = assembly.change.map { .whole($0) } ?? .coming(assembly)
        case .coming(var assembly):
            // The case lets go of the bytes, so that the part is appended in place.
            self = .none
            guard assembly.add(part) else { throw Self.misfit }
            self = assembly.change.map { .whole($0) } ?? .coming(assembly)
        }
    }

    /// Adds the whole change, if there is one, to the batch to which it belongs.
    package mutating func complete(_ batch: inout ChangeBatch) throws(PeerError) {
        switch self {
        case .none: return
        case .coming: throw .outOfOrder("a batch inside a long body")
        case .whole(let change):
            batch.changes.append(change)
            self = .none
        }
    }
}

/// The parts of a long body, or of a body with a long clock, as far as they are here.
package struct BodyAssembly: Sendable {
    private let first: BodyPart
    /// The entries of the pieces before those with bytes.
    private var clock: [VersionVector.Entry] = []
    /// The entries in the pieces with bytes, behind these.
    private var lastClock: VersionVector?
    private var bytes: [UInt8] = []

    /// Starts with the first part; nil if that does not begin a body or breaks a limit.
    package init?(_ part: BodyPart) {
        guard part.offset == 0, part.byteCount <= WireLimits.bodyByteCountMax else { return nil }
        first = part
        guard add(part) else { return nil }
    }

    /// Adds the next part; false if it is not the next part of this body.
    package mutating func add(_ part: BodyPart) -> Bool {
        guard part.name == first.name, part.byteCount == first.byteCount,
            part.isDeferred == first.isDeferred, part.offset == bytes.count
        else { return false }
        if part.isClockCut {
            guard lastClock == nil, part.bytes.isEmpty, goesOn(part.clock) else { return false }
            clock += part.clock.entries
            return true
        }
        guard lastClock.map({ $0 == part.clock }) ?? goesOn(part.clock),
            part.bytes.isEmpty == (part.byteCount == 0),
            part.bytes.count <= part.byteCount - bytes.count
        else { return false }
        lastClock = part.clock
        bytes.append(contentsOf: part.bytes)
        return true
    }

    /// Whether entries come behind those that are here, and the clock keeps to its limit.
    private func goesOn(_ next: VersionVector) -> Bool {
        guard let last = clock.last else { return true }
        guard let first = next.entries.first, last.replica < first.replica else { return false }
        return clock.count + next.entries.count <= WireLimits.clockEntryCountMax
    }

    /// The memory that is kept for the parts, in bytes.
    package var heldByteCount: Int {
        bytes.capacity + clock.capacity * MemoryLayout<VersionVector.Entry>.stride
    }

    /// The change, if all its parts are there.
    package var change: Change? {
        guard let lastClock, bytes.count == first.byteCount else { return nil }
        let whole =
            clock.isEmpty ? lastClock : VersionVector(sorted: clock + lastClock.entries)
        return whole.map {
            Change(first.name, clock: $0, body: bytes, isDeferred: first.isDeferred)
        }
    }
}

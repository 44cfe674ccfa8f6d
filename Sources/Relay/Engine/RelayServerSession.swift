import Core
import Session

/// One conversation of a relay with one device: events in, effects out, nothing else touched.
///
/// The device sends a relay hello, the relay checks it and replies; from then on both directions run at once. What
/// the device uploads is queued, and acknowledged when it is on the disk. What others uploaded is sent
/// in order of arrival. Source: Protocol/10-Relay.md.
struct RelayServerSession {
    enum Phase {
        /// Waits for the relay hello, or for the opening of a mailbox. Goes to: admitting, mailbox.
        case awaitingHello
        /// The store decides on the relay hello; nothing further is heard meanwhile. Goes to: open.
        case admitting
        /// Has asked for a mailbox, or has it open, and no space. Goes to: closed.
        case mailbox
        /// Welcomed. Goes to: closed.
        case open
        /// Over; late events are normal.
        case closed
    }

    let limits: RelayLimits
    var phase = Phase.awaitingHello
    var now = Instant(milliseconds: 0)
    /// Whether the device stays connected and receives later commits.
    var isLive = false

    // MARK: From the device

    /// The device's replica; nil before its relay hello.
    var replica: ReplicaID?
    /// A change that is coming in parts.
    var assembly: BodyAssembly?
    /// A change that came in parts and belongs to the next batch.
    var assembled: Change?
    /// Batches and ends of uploads that wait for a commit.
    var queuedCount = 0
    /// The bytes of these.
    var queuedByteCount = 0
    /// Batches and ends of uploads that are on the disk.
    var committedCount: UInt64 = 0
    /// Whether the device is to be notified of some of them.
    var owesAcknowledgement = false
    /// Why nothing more is taken; ends the conversation once the device has acknowledged the first run.
    var uploadRefusal: RelayRefusal?
    /// Whether the conversation ends once what was queued is on the disk; nothing more is taken.
    var isLeaving = false

    // MARK: To the device

    /// Everything up to this arrival number was read for the device.
    var cursor: UInt64 = 0
    /// Every summary row up to this arrival number was sent.
    var rowCursor: UInt64 = 0
    /// How far the last `download-done` reached; nil before the first.
    var stoodThrough: UInt64?
    /// Whether there may be something to read.
    var isDirty = false
    /// Whether an answer is awaited.
    var isReading = false
    /// Whether something was committed since that reading was asked for, which it may lack.
    var hasChanged = false
    /// Whether that reading was asked for after the commit that is to be acknowledged.
    var isReadingAllOwed = false
    /// Whether all was read that an acknowledgement waits for.
    var hasReadAllOwed = false
    /// Whether the next reading waits for a wake, so that the link can tell what it holds.
    var isPausing = false
    /// Read and waiting for room; at most what one reading gives.
    var parcels: [RelayParcel] = []
    /// Goes out behind these.
    var downloadDone: (downloadDone: RelayDownloadDone, through: UInt64)?
    /// Stretches that came over this connection and lie behind the device's cursor; in order.
    var own: [ClosedRange<UInt64>] = []
    /// How many batches were sent.
    var sentCount: UInt64 = 0
    /// How many of them are the first run; nil before its end was sent.
    var firstRunCount: UInt64?
    /// The bytes of those that are not acknowledged, oldest first.
    var inFlight: [Int] = []
    /// The sum of these.
    var inFlightByteCount = 0
    /// When the device last acknowledged something, or nothing was on its way.
    var progressAt = Instant(milliseconds: 0)
    /// The bytes that the link holds unsent, as last reported.
    var linkByteCount = 0

    // MARK: Time

    var openedAt = Instant(milliseconds: 0)
    var lastSent = Instant(milliseconds: 0)
    var lastHeard = Instant(milliseconds: 0)
    var pingCount: UInt64 = 0
    /// The number of the last ping that the device has answered.
    var answeredPingCount: UInt64 = 0
    /// The wake that was asked for and has not come.
    var awaitedWake: Instant?
    /// Since when the relay leaves unread what the device sends, as its own store is behind; nil while it reads.
    private var unreadSince: Instant?

    /// The effects of the present step.
    var effects: [RelayServerSessionEffect] = []

    init(limits: RelayLimits) {
        self.limits = limits
    }

    /// Takes one event and gives the effects to run, in order.
    mutating func step(_ event: RelayServerSessionEvent, now: Instant) -> [RelayServerSessionEffect]
    {
        if phase == .closed { return [] }
        self.now = now
        apply(event)
        if phase == .open { advance() }
        if phase != .closed { askForWake() }
        defer { effects = [] }
        return effects
    }

    private mutating func apply(_ event: RelayServerSessionEvent) {
        switch event {
        case .opened:
            openedAt = now
            lastSent = now
            lastHeard = now
        case .received(let message):
            lastHeard = now
            hear(message)
        case .undecodable(let fault): refuse(.malformed(fault))
        case .welcomed(let relayHelloReply, let rowsAfter):
            receiveRelayHelloReply(relayHelloReply, rowsAfter)
        case .refused(let refusal): refuse(refusal)
        case .uploadRefused(let refusal): if uploadRefusal == nil { uploadRefusal = refusal }
        case .mailboxOpened(let id, let items):
            send(.mailbox(MailboxOpening(id: id, isMaking: false)))
            for item in items { send(.mailboxItem(MailboxItem(item))) }
        case .mailboxItem(let item): send(.mailboxItem(item))
        case .read(let delivery): receiveRead(delivery)
        case .committed(let receipt): receiveCommitted(receipt)
        case .storeChanged:
            if isLive || stoodThrough == nil {
                isDirty = true
                hasChanged = true
            }
        case .sendQueue(let byteCount):
            linkByteCount = byteCount
            progressAt = now
        case .wake: receiveWake()
        case .drain: if phase == .open { isLeaving = true } else { leave() }
        case .lost: end(.lost)
        }
    }

    /// Takes every step that the present state allows.
    ///
    /// The acknowledgement comes last: a device that sees all it sent acknowledged may have nothing left
    /// to stay for.
    private mutating func advance() {
        if isLeaving, queuedCount == 0 || uploadRefusal != nil {
            acknowledge()
            return leave()
        }
        sendParcels()
        // A further reading does not hold it up: in a busy space one always follows.
        if hasReadAllOwed { acknowledge() }
        readOn()
        if !isReading, !isPausing { acknowledge() }
        if let uploadRefusal, let firstRunCount, acknowledgedCount >= firstRunCount {
            refuse(uploadRefusal)
        }
    }

    mutating func send(_ message: Message) {
        effects.append(.send(message))
        lastSent = now
    }

    private mutating func acknowledge() {
        hasReadAllOwed = false
        guard owesAcknowledgement else { return }
        owesAcknowledgement = false
        send(.acknowledge(committedCount))
    }

    // MARK: Ending

    private mutating func leave() {
        send(.bye)
        end(.finished)
    }

    /// Ends the conversation with an error.
    mutating func refuse(_ refusal: RelayRefusal) {
        if let rekeyMessage = refusal.rekeyMessage { send(.rekeyMessage(rekeyMessage)) }
        send(.error(refusal.error))
        end(.failed(refusal.error, SessionSide(told: refusal.error.side)), refusal)
    }

    mutating func end(_ end: SessionEnd, _ refusal: RelayRefusal? = nil) {
        phase = .closed
        parcels = []
        downloadDone = nil
        effects.append(.close(end, refusal))
    }

    // MARK: Time

    private mutating func receiveWake() {
        awaitedWake = nil
        isPausing = false
        if phase == .awaitingHello {
            if now >= relayHelloDeadline {
                refuse(.silent("a relay hello", milliseconds: limits.relayHelloTimeoutMilliseconds))
            }
            return
        }
        // The relay is the one that is waited for.
        if phase == .admitting { return }
        let isRead = unreadSince == nil
        if isRead, now >= silenceDeadline {
            refuse(.silent("any sign of life", milliseconds: limits.silenceTimeoutMilliseconds))
        } else if isRead, let deadline = slowDeadline, now >= deadline {
            refuse(.slow(milliseconds: now.milliseconds - progressAt.milliseconds))
        } else if now >= pingDeadline {
            pingCount += 1
            send(.ping(pingCount))
        }
    }

    /// The relay leaves unread what the device sends from now on: the device's deadlines stand still.
    mutating func stopReading(now: Instant) {
        if unreadSince == nil { unreadSince = now }
    }

    /// The relay reads again what the device sends.
    mutating func readAgain(now: Instant) {
        guard let since = unreadSince else { return }
        unreadSince = nil
        excuse(milliseconds: now.milliseconds - since.milliseconds, until: now)
    }

    /// The relay was at work for so long, and read nobody: the device's deadlines have stood still.
    mutating func excuse(milliseconds: Int64) {
        // All of the time is excused when the relay reads again.
        if unreadSince != nil { return }
        excuse(milliseconds: milliseconds, until: nil)
    }

    private mutating func excuse(milliseconds: Int64, until end: Instant?) {
        func later(_ time: Instant) -> Instant {
            let moved = time.advanced(byMilliseconds: milliseconds)
            return end.map { min($0, moved) } ?? moved
        }
        (openedAt, lastHeard, progressAt) = (later(openedAt), later(lastHeard), later(progressAt))
    }

    private var relayHelloDeadline: Instant {
        openedAt.advanced(byMilliseconds: limits.relayHelloTimeoutMilliseconds)
    }

    private var silenceDeadline: Instant {
        lastHeard.advanced(byMilliseconds: limits.silenceTimeoutMilliseconds)
    }

    private var pingDeadline: Instant {
        lastSent.advanced(byMilliseconds: limits.pingIntervalMilliseconds)
    }

    private var slowDeadline: Instant? {
        if inFlight.isEmpty, linkByteCount <= limits.sendQueueByteCountMax { return nil }
        let transfer = (inFlightByteCount + linkByteCount) / max(1, limits.slowestBytesPerSecond)
        return progressAt.advanced(
            byMilliseconds: limits.slowConsumerMilliseconds + Int64(transfer) * 1000)
    }

    /// Asks for a wake at the earliest deadline.
    ///
    /// One that has moved to a later time is not asked for again: the wake comes early, changes
    /// nothing, and asks anew; so messages cost no timer.
    private mutating func askForWake() {
        if phase == .admitting { return }
        var earliest = pingDeadline
        if unreadSince == nil {
            earliest = min(earliest, silenceDeadline)
            if let slowDeadline { earliest = min(earliest, slowDeadline) }
        }
        if phase == .awaitingHello { earliest = relayHelloDeadline }
        if isPausing { earliest = now }
        if let awaitedWake, awaitedWake <= earliest { return }
        awaitedWake = earliest
        effects.append(.wake(at: earliest))
    }
}

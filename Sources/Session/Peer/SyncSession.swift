import Core

/// One session with one peer: events in, effects out, nothing else touched.
///
/// Both sides greet, check that they belong together and that neither has a clone suspicion,
/// send what the other lacks and state what they have. The session depends on durable state only:
/// whatever is lost with the link is sent again by the next one.
///
/// One door, `step`. The store is asked by effects and answers by events, at most one question of
/// each kind at a time. The peer's mistakes end the session with an error; the driver's are a trap.
/// Source: Protocol/5-Session.md.
package struct SyncSession: Sendable {
    /// How far the session has come.
    ///
    /// Every phase can end: the core is closed then.
    enum Phase: Sendable {
        /// Not opened. Goes to: composing (initiator), listening (responder).
        case idle
        /// The initiator asks the store for its hello. Goes to: awaitingReply.
        case composing
        /// The initiator has said hello and waits for the responder's. Goes to: meeting.
        case awaitingReply(Greeting)
        /// The responder waits for the hello. Goes to: answering.
        case listening
        /// The responder asks the store for its hello to this peer. Goes to: meeting.
        case answering(Hello)
        /// Both hellos are known; this side checks that it still is who the peer remembers. Goes to: syncing.
        case meeting(Parties, IdentityCheck)
        /// Changes and state summaries go both ways.
        case syncing(Parties)
    }

    let role: SessionRole
    /// The peer that the initiator expects at this address; a right guess saves a message.
    let guess: ReplicaID?
    var core: SessionCore
    var phase = Phase.idle
    /// Whether both sides want to stay.
    var isLiveOnBothSides = false
    /// The lists by which state summaries that differ are compared first; nil before the hellos, if the summaries are
    /// equal, and if only ranges are compared.
    var lists: SummaryLists?
    /// The comparison of both state summaries, or of what is in no list, range by range; nil before it begins.
    var comparison: SummaryComparison?
    /// The peer's summary checkpoint of this side; nil if it has none, or has not told it yet.
    var toldSummary: Checkpoint?
    /// Whether the store was asked for this side's list.
    var isListing = false
    /// Whether the peer's state summary is known.
    var knowsPeer = false
    /// Whether the store was asked a second time for its memory of the peer.
    var isSendingCheckpoint = false
    var historyRequest = HistoryReply.none
    var outbound: Outbound
    var view = PeerView()
    var inbound = Inbound()
    var fullExchange = FullExchange()

    /// Creates a session that waits for its link.
    ///
    /// - Parameters:
    ///   - role: whether this side speaks first.
    ///   - isLive: whether to stay and go on sending, if the peer wants that too.
    ///   - guess: the peer that the initiator expects at this address; a right guess saves a message.
    package init(
        role: SessionRole, isLive: Bool, limits: SessionLimits = SessionLimits(),
        guess: ReplicaID? = nil
    ) {
        self.role = role
        self.guess = guess
        core = SessionCore(isLive: isLive, limits: limits)
        outbound = Outbound(limits)
    }

    var limits: SessionLimits { core.limits }

    /// The memory that bodies on their way in and out, and entries of the peer's state summaries, take here, in bytes.
    ///
    /// As many entries as this side has are not counted: who has many ids is to meet a peer that has them, too.
    package var heldByteCount: Int {
        let entryCount =
            inbound.heldEntryCount + (comparison?.heldCount ?? 0)
            + (lists?.heldCount ?? 0)
        return inbound.queue.heldByteCount + outbound.heldByteCount
            + max(0, entryCount - statedCount) * MemoryLayout<StateSummaryEntry>.stride
    }

    /// How many ids this side has, as the peer was told last.
    var statedCount: Int { view.stated.entries.count }

    /// Both sides; nil before both hellos are known.
    var parties: Parties? {
        switch phase {
        case .meeting(let parties, _), .syncing(let parties): parties
        case .idle, .composing, .awaitingReply, .listening, .answering: nil
        }
    }

    /// This side as it described itself; nil before the store has answered.
    var own: Greeting? {
        if case .awaitingReply(let own) = phase { own } else { parties?.own }
    }

    var isSyncing: Bool {
        if case .syncing = phase { true } else { false }
    }

    /// Handles one event and gives the effects to run, in order.
    package mutating func step(_ event: SessionEvent, now: Instant) -> [SessionEffect] {
        guard core.begin(at: now) else { return [] }
        do throws(PeerError) {
            try handle(event)
            if core.hasMet { try advance() }
        } catch {
            // What the peer says of its state summary does not fit: nothing that rests on that is kept.
            if error.reason == .summaryDiffers, let peer = core.report.peer {
                core.ask(.dropCheckpoints(of: peer))
            }
            core.fail(error)
        }
        return core.finish(deadline)
    }

    private mutating func handle(_ event: SessionEvent) throws(PeerError) {
        switch event {
        case .opened: open()
        case .received(let message): try receive(message)
        case .undecodable(let fault): throw .malformed(fault)
        case .greeting(let greeting): try receiveGreeting(greeting)
        case .examined(let isSuspicious): try receiveExamination(isSuspicious)
        case .history(let history): sendHistory(history)
        case .moved(let replicas): tellList(replicas)
        case .read(let reading): prepareBatches(reading)
        case .integrated(let answer, _): try finishIntegration(answer)
        case .joined(let answer): finishJoining(answer)
        case .judged, .dueRows, .unreadableRecorded:
            preconditionFailure("an answer to a question that a peer's session never asks")
        case .storeFailed(let error), .refused(let error): throw error
        case .storeChanged: outbound.isDirty = true
        case .sendQueue(let byteCount): outbound.window.linkByteCount = byteCount
        case .wake: try wake()
        case .drain: drain()
        case .identityChanged: throw .newIdentity(own?.replica)
        case .lost: core.end(core.report.isCaughtUp && !isLiveOnBothSides ? .finished : .lost)
        }
    }

    private mutating func receive(_ message: Message) throws(PeerError) {
        if try core.receive(message) { return }
        // Its kind may be skipped: a program that knows it skips it where it says nothing, as all others do.
        if case .rekeyMessage = message { return }
        guard core.hasMet else { return try receiveFirst(message) }
        if !knowsPeer { try requireGreeting(message) }
        switch message {
        case .hello: throw .outOfOrder("a second hello")
        case .summaryList(let list): try receiveList(list)
        case .summaryRanges(let ranges): try receiveRanges(ranges)
        case .summaryPage(let page): try receivePage(page)
        case .peerCheckpoint(let peerCheckpoint): try receivePeerCheckpoint(peerCheckpoint)
        case .askHistory: try recallHistory()
        case .history(let history): try receiveHistory(history)
        case .changes(let batch): try receiveBatch(batch)
        case .part(let part):
            // Only what is sealed may be longer, and between devices nothing is.
            guard part.byteCount <= RecordLimits.bodyByteCountMax else {
                throw .overLimit("bytes of a body", max: RecordLimits.bodyByteCountMax)
            }
            try inbound.queue.receive(part)
        case .caughtUp(let end): try receiveEnd(end)
        case .repair: try receiveRepair()
        case .acknowledge(let count): try receiveAcknowledgement(count)
        case .want(let ids): try receiveWant(ids)
        default:
            throw .outOfOrder("message \(message.kind), which only devices and relays exchange")
        }
    }

    /// Goes as far as the present state allows, whatever brought it about.
    private mutating func advance() throws(PeerError) {
        if isSyncing {
            dequeueReceived()
            sendBatches()
            startSecondRound()
            try endFullExchange()
            readOn()
        }
        try endIfDone()
    }

    // MARK: The end

    /// Whether each side has told the other all it had, and has heard so.
    private var isExchangeDone: Bool {
        isSyncing && isSendingDone && inbound.isCaughtUp && inbound.queue.isIdle
            && inbound.missing.isEmpty && !fullExchange.isRunning && !isSendingCheckpoint
    }

    /// Whether the peer has all that this side had.
    private var isSendingDone: Bool {
        outbound.isCaughtUp && outbound.window.isEmpty && view.isServed
            && historyRequest != .recalling
    }

    private mutating func endIfDone() throws(PeerError) {
        core.report.isCaughtUp = isExchangeDone
        if isSendingDone {
            core.report.storedThrough = Checkpoint(
                epoch: outbound.reached.epoch, sequence: outbound.passed)
        }
        if core.isDraining {
            if outbound.window.isEmpty, inbound.queue.work != .integrating { core.leave() }
        } else if let held = core.report.held, !isLiveOnBothSides, isSendingDone {
            throw .deletesHeld(held)
        } else if core.report.isCaughtUp, !isLiveOnBothSides, !isAwaitingPeer {
            core.end(.finished)
        }
    }

    /// Whether the peer may still get a clone suspicion, and ask.
    ///
    /// When the responder's hello was the last word, nothing that it heard since tells; so the
    /// initiator closes.
    private var isAwaitingPeer: Bool {
        role == .responder && parties?.areEqualByHello == true
    }

    /// Lets batches on their way arrive, reads no further, then leaves.
    mutating func drain() {
        guard core.drain() else { return }
        outbound.dropUnsent()
        if !core.hasMet { core.leave() }
    }

    // MARK: Time

    private mutating func wake() throws(PeerError) {
        try core.wake(awaiting: isAwaitingHistory ? "a history" : "a greeting")
        if let deadline = inbound.missing.deadline(limits), core.now >= deadline {
            throw .timeout(
                "records that were asked for", milliseconds: limits.wantTimeoutMilliseconds)
        }
        if let held = core.report.held, let heldDeadline, core.now >= heldDeadline {
            throw .deletesHeld(held)
        }
        core.leaveOrPing()
        // Not beside a batch that has just come: the state summary is flushed first, and the acknowledgement
        // of the batch would wait for it.
        if let time = view.restateAt, core.now >= time {
            view.restateAt = nil
            outbound.isDirty = true
        }
        startOverIfDue()
    }

    private var isAwaitingHistory: Bool {
        if case .meeting(_, .awaitingHistory) = phase { true } else { false }
    }

    /// When this side gives up a peer that does not receive its edits, as that holds deletes itself.
    private var heldDeadline: Instant? {
        if isLiveOnBothSides { return nil }
        return inbound.queue.hold?.movedAt.advanced(byMilliseconds: limits.drainTimeoutMilliseconds)
    }

    /// When own commits stop waiting for the peer's state summary; nil once that has passed.
    private var echoDeadline: Instant? {
        let deadline = view.heldSince?.advanced(byMilliseconds: limits.echoHoldMilliseconds)
        return deadline.flatMap { core.now < $0 ? $0 : nil }
    }

    /// This machine's earliest deadline, beside those of the core.
    private var deadline: Instant? {
        var earliest: Instant?
        func consider(_ deadline: Instant?) {
            guard let deadline else { return }
            earliest = min(earliest ?? deadline, deadline)
        }
        // One by one: this runs after each event, and a list would be made for nothing else.
        consider(inbound.missing.deadline(limits))
        consider(echoDeadline)
        consider(heldDeadline)
        consider(view.restateAt)
        if !core.isDraining { consider(inbound.queue.hold?.startOverAt) }
        return earliest
    }
}

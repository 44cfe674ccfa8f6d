import Core

/// One session of a device with a relay: events in, effects out, nothing else touched.
///
/// The device uploads its store's new changes, whole, and downloads those of other devices. The relay's
/// word on itself decides only where either goes on; knowledge comes from the state summaries of other
/// devices alone, and only as far as it adds up. Source: Protocol/10-Relay.md.
///
/// The driver seals what is read and sent, and opens what came before it is integrated.
package struct RelayClientSession: Sendable {
    /// How far the session has come.
    ///
    /// Every phase can end: the core is closed then.
    enum Phase: Sendable {
        /// Not opened. Goes to: composing.
        case idle
        /// The store is asked who it is. Goes to: greeting.
        case composing
        /// The relay's hello reply is awaited; a relay that is about to refuse may give one rekey message before.
        /// Goes to: syncing.
        case greeting(Greeting, hasRekeyMessage: Bool)
        /// Changes and state summaries go both ways.
        case syncing(Greeting, RelayHelloReply)
    }

    /// The relay's store as it was last time; tells how far it was read.
    let guess: ReplicaID?
    let account: RelayAccount
    var core: SessionCore
    var phase = Phase.idle
    var download = Download()
    var upload: Outbound
    var echoes: Echoes
    var again = UploadingAgain()
    /// Records that a device that only reads has, and the relay has not, or otherwise; nil if these are too many, as
    /// in a store that was filled before, or not only records.
    var lacking: Set<RecordName>? = []
    var stating = Stating()
    /// The names at the relay of the devices' own records among those that were read.
    var deviceNames: Set<RecordName> = []
    /// The records of an app that were sent, which are counted once; of very many the first.
    var sent: Set<RecordName> = []
    /// The most names that are kept for that.
    static let sentNameCountMax = 10_000

    /// Creates a session that waits for its link.
    ///
    /// - Parameters:
    ///   - isLive: whether to stay and carry changes as they come.
    ///   - guess: the id of the relay's store as it was last time; tells how far it was read.
    package init(
        account: RelayAccount, isLive: Bool, limits: SessionLimits = SessionLimits(),
        guess: ReplicaID? = nil
    ) {
        self.account = account
        self.guess = guess
        core = SessionCore(isLive: isLive, limits: limits)
        upload = Outbound(limits)
        echoes = Echoes(countMax: limits.echoCountMax)
    }

    var limits: SessionLimits { core.limits }

    /// The memory that bodies on their way in and out take here, in bytes.
    package var heldByteCount: Int {
        download.queue.heldByteCount + upload.heldByteCount
    }

    /// The relay's hello reply; nil before it came.
    var relayHelloReply: RelayHelloReply? {
        if case .syncing(_, let relayHelloReply) = phase { relayHelloReply } else { nil }
    }

    private var own: Greeting? {
        switch phase {
        case .greeting(let own, _), .syncing(let own, _): own
        case .idle, .composing: nil
        }
    }

    /// Handles one event and gives the effects to run, in order.
    package mutating func step(_ event: SessionEvent, now: Instant) -> [SessionEffect] {
        guard core.begin(at: now) else { return [] }
        do throws(PeerError) {
            try handle(event)
            if core.hasMet { try advance() }
        } catch {
            core.fail(error)
        }
        let holdEnd = download.queue.hold?.startOverAt
        let wholeDue = core.isLive ? stating.wholeDue(limits) : nil
        let next = [holdEnd, wholeDue].compactMap(\.self).min()
        return core.finish(core.isDraining ? nil : next)
    }

    private mutating func handle(_ event: SessionEvent) throws(PeerError) {
        switch event {
        case .opened: open()
        case .received(let message): try receive(message)
        case .undecodable(let fault): throw .malformed(fault)
        case .greeting(let greeting): relayHello(greeting)
        case .read(let reading): prepareBatches(reading)
        case .integrated(let answer, let unreadableCount):
            try finishIntegration(answer, unreadableCount)
        case .judged(let answer): finishJudging(answer)
        case .unreadableRecorded(let answer): finishRecording(answer)
        case .dueRows(let rows, let stated): tell(rows, stated)
        case .storeFailed(let error), .refused(let error): throw error
        case .storeChanged: upload.isDirty = true
        case .sendQueue(let byteCount): upload.window.linkByteCount = byteCount
        case .wake:
            try core.wake(awaiting: "a relay hello reply")
            core.leaveOrPing()
            startOverIfDue()
            stateWholeIfDue()
        case .drain: drain()
        case .identityChanged: throw .newIdentity(own?.replica)
        case .lost: core.end(core.report.isCaughtUp && !core.isLive ? .finished : .lost)
        case .examined, .moved, .history, .joined:
            preconditionFailure("an answer to a question that a relay's client never asks")
        }
    }

    private mutating func receive(_ message: Message) throws(PeerError) {
        if try core.receive(message) { return }
        guard core.hasMet else { return try receiveFirst(message) }
        switch message {
        case .changes(let batch): try receiveBatch(batch)
        case .part(let part): try download.queue.receive(part)
        case .downloadDone(let downloadDone): try receiveDownloadDone(downloadDone)
        case .unreadable(let versions): try receiveUnreadable(versions)
        case .acknowledge(let count): try receiveAcknowledgement(count)
        default: throw .outOfOrder("message \(message.kind), which no relay sends")
        }
    }

    /// Goes as far as the present state allows, whatever brought it about.
    private mutating func advance() throws(PeerError) {
        dequeueReceived()
        tellUnreadable()
        sendBatches()
        readOn()
        state()
        sendEnds()
        core.report.isCaughtUp = isExchangeDone
        if core.isDraining {
            if upload.window.isEmpty, download.queue.work == .none { core.leave() }
        } else if let held = core.report.held, download.queue.isHeld, !core.isLive, isUploadDone {
            throw .deletesHeld(held)
        } else if core.report.isCaughtUp, !core.isLive {
            core.leave()
        }
    }

    // MARK: The beginning

    private mutating func open() {
        core.open()
        phase = .composing
        core.ask(.greet(peer: guess))
    }

    private mutating func relayHello(_ greeting: Greeting) {
        guard case .composing = phase else {
            preconditionFailure("a greeting that was not asked for")
        }
        phase = .greeting(greeting, hasRekeyMessage: false)
        let bookmark = guess.flatMap { relay in
            greeting.peerCheckpoint?.checkpoint.map {
                RelayHello.Bookmark(relay: relay, checkpoint: $0)
            }
        }
        core.send(
            .relayHello(
                RelayHello(
                    space: greeting.space, replica: greeting.replica,
                    features: core.isLive ? .live : [], generation: account.generation,
                    read: bookmark, access: account.access, token: account.token)))
    }

    /// Receives a message before the relay hello reply: none but that and one rekey message has its turn.
    private mutating func receiveFirst(_ message: Message) throws(PeerError) {
        switch (message, phase) {
        case (.relayHelloReply(let relayHelloReply), .greeting(let own, _)):
            try receiveRelayHelloReply(relayHelloReply, own)
        case (.rekeyMessage(let rekeyMessage), .greeting(let own, let hasRekeyMessage)):
            guard !hasRekeyMessage, rekeyMessage.verifier == account.access?.verifier else {
                throw .malformed("a rekey message for others")
            }
            phase = .greeting(own, hasRekeyMessage: true)
            core.ask(.applyRekeyMessage(rekeyMessage))
        default: throw .outOfOrder("message \(message.kind) in place of a relay hello reply")
        }
    }

    private mutating func receiveRelayHelloReply(
        _ relayHelloReply: RelayHelloReply, _ own: Greeting
    ) throws(PeerError) {
        guard relayHelloReply.versionMin <= WireLimits.versionMax,
            relayHelloReply.versionMax >= WireLimits.versionMin
        else {
            throw .incompatible(least: relayHelloReply.versionMin, most: relayHelloReply.versionMax)
        }
        guard relayHelloReply.relay != own.replica else {
            throw .malformed("a reply under the id of the device that called")
        }
        // How far this device has read in that store of the relay; a relay never begins later.
        let read =
            relayHelloReply.relay == guess ? own.peerCheckpoint?.checkpoint?.sequence ?? 0 : 0
        guard relayHelloReply.start.sequence <= read else {
            throw .malformed("a reply that passes over what the device has not read")
        }
        core.meet()
        core.endGreeting()
        core.report.peer = relayHelloReply.relay
        phase = .syncing(own, relayHelloReply)
        download.isSetBack = relayHelloReply.start.sequence < read
        download.startsOver = download.isSetBack || read == 0
        download.isFromStart = relayHelloReply.start.sequence == 0
        upload.start = start(relayHelloReply, afterReading: read)
        upload.reached =
            relayHelloReply.uploaded ?? Checkpoint(epoch: own.incarnation.epoch, sequence: 0)
        leaveRekeyMessages(isCaughtUp: false)
    }

    private func start(
        _ relayHelloReply: RelayHelloReply, afterReading read: UInt64
    ) -> ReadRequest.Start {
        if account.isReader { return .sequence(0) }
        // A relay that was set back goes on from less than was read, and may lack any of that.
        let hasAllRead = read > 0 && relayHelloReply.start.sequence == read
        return relayHelloReply.uploaded == nil && hasAllRead
            ? .fetched(from: relayHelloReply.relay)
            : .uploaded(to: relayHelloReply.relay, told: relayHelloReply.uploaded)
    }

    // MARK: The end

    /// Whether the relay has all that this device had.
    private var isUploadDone: Bool {
        upload.isCaughtUp && !upload.isDirty && stating.isDone && upload.window.isEmpty
            && download.untold.isEmpty
    }

    /// Whether all that either side had is on the other.
    private var isExchangeDone: Bool {
        download.hasStood && download.queue.isIdle && isUploadDone
    }

    /// Ends the session once something new has come and deletes were held long enough: the next one judges anew.
    mutating func startOverIfDue() {
        guard core.hasMet, let deadline = download.queue.hold?.startOverAt, core.now >= deadline
        else { return }
        drain()
    }

    /// Lets batches on their way arrive, reads no further, then leaves.
    mutating func drain() {
        guard core.drain() else { return }
        upload.dropUnsent()
        if !core.hasMet { core.leave() }
    }
}

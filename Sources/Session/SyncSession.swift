import Core

/// One conversation with one peer: events in, effects out, nothing else touched.
///
/// Both sides greet, check that they belong together and that neither has come to doubt who it is,
/// send what the other lacks and state what they have. The session depends on durable state only:
/// whatever is lost with the link is sent again by the next one.
///
/// One door, `step`. The store is asked by effects and answers by events, at most one question of
/// each kind at a time. What the peer does wrong ends the session with an error; what the driver does
/// wrong is a trap. Source: Protocol/5-Session.md.
package struct SyncSession: Sendable {
    /// How far the session has come.
    enum Phase: Sendable {
        /// Not opened. Goes to: composing (initiator), listening (responder).
        case idle
        /// The store is asked for the hello. Goes to: listening (initiator), syncing (responder).
        case composing
        /// The peer's hello is awaited. Goes to: syncing (initiator), composing (responder).
        case listening
        /// Both hellos are out. Goes to: closed.
        case syncing
        /// Over; late events are normal.
        case closed
    }

    /// Whether what the peer remembers of this replica fits.
    ///
    /// Nothing is read, integrated or joined before it is settled: the writes of a doubtful past must
    /// not mix with the present.
    enum Doubt: Sendable {
        case awaitingRecollection
        case examining
        case awaitingHistory
        case settling
        case none
    }

    let role: SessionRole
    let isLive: Bool
    let limits: SessionLimits
    let guess: ReplicaID?

    var phase = Phase.idle
    var doubt = Doubt.awaitingRecollection
    var repair = Repair()
    var now = Instant(milliseconds: 0)

    /// What this side said of itself; set before `syncing`.
    var own: Greeting?
    /// The peer's hello, its statement filled in; set before `syncing`.
    var peer: Hello?
    /// What the peer remembers of this replica.
    var recollection: Recollection?
    /// Whether the store was asked a second time what it remembers of the peer.
    var isRecollecting = false
    /// Whether the answer to the peer's hello waits until it is known who this replica is.
    var isAnswerHeld = false
    /// Whether the two hellos have said all: both sides have the same.
    var isSettledByHello = false
    /// Whether the peer has asked for its history, and whether the store still looks for it.
    var wasAskedHistory = false
    var isRecalling = false
    /// Whether this side is leaving, and since when.
    var drainingSince: Instant?

    var outbound = Outbound()
    var inbound = Inbound()
    var report = SessionReport()
    /// The report as last told.
    var told = SessionReport()

    /// When the present step of the greeting takes too long.
    var greetingDeadline: Instant?
    var lastSent = Instant(milliseconds: 0)
    var lastHeard = Instant(milliseconds: 0)
    var pingCount: UInt64 = 0
    /// The wake that was asked for and has not come.
    var awaitedWake: Instant?

    /// The effects of the present step.
    var effects: [SessionEffect] = []

    /// A session that waits for its link.
    ///
    /// - Parameters:
    ///   - role: who speaks first.
    ///   - isLive: whether to stay and go on sending, if the peer wants that too.
    ///   - guess: whom the initiator expects at this address; a right guess saves a message.
    package init(
        role: SessionRole, isLive: Bool, limits: SessionLimits = SessionLimits(),
        guess: ReplicaID? = nil
    ) {
        self.role = role
        self.isLive = isLive
        self.limits = limits
        self.guess = guess
    }

    /// Takes one event and gives the effects to run, in order.
    package mutating func step(_ event: SessionEvent, now: Instant) -> [SessionEffect] {
        if phase == .closed { return [] }
        self.now = now
        take(event)
        advance()
        if phase != .closed {
            tellReport()
            askForWake()
        }
        let result = effects
        effects = []
        return result
    }

    private mutating func take(_ event: SessionEvent) {
        switch event {
        case .opened: open()
        case .received(let message):
            lastHeard = now
            hear(message)
        case .undecodable(let fault): fail(.malformed(fault))
        case .greeting(let greeting): takeGreeting(greeting)
        case .examined(let isDoubtful): takeExamined(isDoubtful)
        case .history(let history):
            precondition(isRecalling, "a history that was not asked for")
            isRecalling = false
            send(.history(history))
        case .read(let answer): takeRead(answer)
        case .integrated(let answer): takeIntegrated(answer)
        case .joined(let answer): takeJoined(answer)
        case .judged: preconditionFailure("an answer to what a peer does not ask")
        case .storeFailed(let error), .refused(let error): fail(error)
        case .storeChanged: outbound.isDirty = true
        case .sendQueue(let byteCount): outbound.linkByteCount = byteCount
        case .wake: takeWake()
        case .drain: drain()
        case .identityChanged: fail(.newIdentity(own?.replica))
        case .lost: end(report.isCaughtUp && !isLiveOnBothSides ? .finished : .lost)
        }
    }

    /// Does what the present state allows, whatever brought it about.
    private mutating func advance() {
        if phase != .syncing { return }
        if doubt == .none {
            takeWaiting()
            sendParcels()
            startSecondRound()
            endRepair()
            readOn()
        }
        endIfDone()
    }

    /// Whether both sides want to stay.
    var isLiveOnBothSides: Bool {
        isLive && peer?.features.contains(.live) == true
    }

    mutating func send(_ message: Message) {
        effects.append(.send(message))
        lastSent = now
    }

    private mutating func hear(_ message: Message) {
        switch (message, phase == .syncing) {
        case (.ignorable, _): return
        case (.error(let error), _): end(.failed(error, SessionSide(heard: error.side)))
        case (.bye, _): end(.finished)
        case (.hello(let hello), false) where phase == .listening: hearHello(hello)
        case (_, false): fail(.outOfOrder("message \(message.kind) in place of a hello"))
        case (.hello, true): fail(.outOfOrder("a second hello"))
        case (.recollect(let recollection), true): hearRecollection(recollection)
        case (.askHistory, true): hearAskHistory()
        case (.history(let history), true): hearHistory(history)
        case (.changes(let batch), true): hearBatch(batch)
        case (.part(let part), true): hearPart(part)
        case (.caughtUp(let end), true): hearCaughtUp(end)
        case (.repair, true): hearRepair()
        case (.acknowledge(let count), true): hearAcknowledge(count)
        case (.want(let ids), true): hearWant(ids)
        case (.ping(let number), true): send(.pong(number))
        case (.pong, true): return
        case (.approach, true), (.welcome, true), (.upload, true), (.standing, true),
            (.letter, true):
            fail(.outOfOrder("message \(message.kind), which only devices and relays exchange"))
        }
    }
}

import Core

/// One conversation of a device with a relay: events in, effects out, nothing else touched.
///
/// The device uploads what is new in its store, whole, and takes in what other devices uploaded. What
/// the relay says of itself decides only where either goes on; knowledge comes from the statements of
/// other devices alone, and only as far as it adds up. Source: Protocol/10-Relay.md.
///
/// The driver seals what is read and sent, and opens what came before it is integrated.
package struct DeviceSession: Sendable {
    /// How far the session has come.
    enum Phase: Sendable {
        /// Not opened.
        case idle
        /// The store is asked who it is.
        case composing
        /// The relay's welcome is awaited.
        case approaching
        /// Both sides send what they have.
        case syncing
        /// Over; late events are normal.
        case closed
    }

    let isLive: Bool
    let limits: SessionLimits
    let guess: ReplicaID?
    let account: RelayAccount

    var phase = Phase.idle
    var now = Instant(milliseconds: 0)
    /// What this side said of itself; set before `approaching`.
    var own: Greeting?
    /// What the relay said; set before `syncing`.
    var welcome: Welcome?

    var download = Download()
    var upload = Outbound()
    var echoes: Echoes
    /// Records that a device that only reads has, and the relay has not, or otherwise; nil if these are too many, as
    /// in a store that was filled before, or not only records.
    var lacking: Set<RecordID>? = []
    /// What was found to be the end of the upload, and is to be declared.
    var awaitedEnd: Outbound.End?
    /// What was last declared to the relay, and how far the upload reached then.
    var declared: Outbound.End?
    /// How far the store was last told to remember that it was uploaded.
    var noted: Checkpoint?
    /// Whether this side is leaving, and since when.
    var drainingSince: Instant?

    var report = SessionReport()
    var told = SessionReport()
    /// Whether the relay gave a letter for who has this device's secret.
    var hasLetter = false
    var greetingDeadline: Instant?
    var lastSent = Instant(milliseconds: 0)
    var lastHeard = Instant(milliseconds: 0)
    var pingCount: UInt64 = 0
    var awaitedWake: Instant?
    var effects: [SessionEffect] = []

    /// A session that waits for its link.
    ///
    /// - Parameters:
    ///   - isLive: whether to stay and carry changes as they come.
    ///   - guess: the id of the relay's store as it was last time; tells how far it was read.
    package init(
        account: RelayAccount, isLive: Bool, limits: SessionLimits = SessionLimits(),
        guess: ReplicaID? = nil
    ) {
        self.account = account
        self.isLive = isLive
        self.limits = limits
        self.guess = guess
        echoes = Echoes(countMax: limits.echoCountMax)
    }

    /// Takes one event and gives the effects to run, in order.
    package mutating func step(_ event: SessionEvent, now: Instant) -> [SessionEffect] {
        if phase == .closed { return [] }
        self.now = now
        take(event)
        if phase == .syncing { advance() }
        if phase != .closed {
            tellReport()
            askForWake()
        }
        defer { effects = [] }
        return effects
    }

    private mutating func take(_ event: SessionEvent) {
        switch event {
        case .opened: open()
        case .received(let message):
            lastHeard = now
            hear(message)
        case .undecodable(let fault): fail(.malformed(fault))
        case .greeting(let greeting): approach(greeting)
        case .read(let answer): takeRead(answer)
        case .integrated(let answer): takeIntegrated(answer)
        case .judged(let answer): takeJudged(answer)
        case .storeFailed(let error), .refused(let error): fail(error)
        case .storeChanged: upload.isDirty = true
        case .sendQueue(let byteCount): upload.linkByteCount = byteCount
        case .wake: takeWake()
        case .drain: drain()
        case .identityChanged: fail(.newIdentity(own?.replica))
        case .lost: end(report.isCaughtUp && !isLive ? .finished : .lost)
        case .examined, .history, .joined:
            preconditionFailure("an answer to what a device does not ask")
        }
    }

    private mutating func hear(_ message: Message) {
        switch (message, phase == .syncing) {
        case (.ignorable, _): return
        case (.error(let error), _): end(.failed(error, SessionSide(heard: error.side)))
        case (.bye, _): end(.finished)
        case (.welcome(let welcome), false) where phase == .approaching: hearWelcome(welcome)
        case (.letter(let letter), false) where phase == .approaching: hearLetter(letter)
        case (_, false): fail(.outOfOrder("message \(message.kind) in place of a welcome"))
        case (.changes(let batch), true): hearBatch(batch)
        case (.part(let part), true): hearPart(part)
        case (.standing(let standing), true): hearStanding(standing)
        case (.acknowledge(let count), true): hearAcknowledge(count)
        case (.ping(let number), true): send(.pong(number))
        case (.pong, true): return
        case (_, true): fail(.outOfOrder("message \(message.kind), which no relay sends"))
        }
    }

    // MARK: The beginning

    private mutating func open() {
        precondition(phase == .idle, "a session is opened once")
        phase = .composing
        lastSent = now
        lastHeard = now
        greetingDeadline = now.advanced(byMilliseconds: limits.greetingTimeoutMilliseconds)
        effects.append(.greet(peer: guess))
    }

    private mutating func approach(_ greeting: Greeting) {
        precondition(phase == .composing, "a greeting that was not asked for")
        own = greeting
        phase = .approaching
        let bookmark = guess.flatMap { relay in
            greeting.recollection?.checkpoint.map {
                Approach.Bookmark(relay: relay, checkpoint: $0)
            }
        }
        send(
            .approach(
                Approach(
                    space: greeting.space, replica: greeting.replica,
                    features: isLive ? .live : [], generation: account.generation, read: bookmark,
                    access: account.access, token: account.token)))
    }

    private mutating func hearWelcome(_ welcome: Welcome) {
        guard let own else { preconditionFailure("a welcome before the approach") }
        guard welcome.versionMin <= WireLimits.versionMax,
            welcome.versionMax >= WireLimits.versionMin
        else {
            fail(.incompatible(least: welcome.versionMin, most: welcome.versionMax))
            return
        }
        guard welcome.relay != own.replica else {
            fail(.malformed("a welcome under the reader's own id"))
            return
        }
        guard welcome.start.sequence <= readSequence(at: welcome.relay) else {
            fail(.malformed("a welcome that passes over what the reader has not read"))
            return
        }
        self.welcome = welcome
        report.peer = welcome.relay
        greetingDeadline = nil
        phase = .syncing
        upload.start = start(welcome)
        upload.reached =
            welcome.uploaded ?? Checkpoint(epoch: own.opening.epoch, sequence: 0)
        leaveLetters(isCaughtUp: false)
    }

    private func start(_ welcome: Welcome) -> ReadRequest.Start {
        if account.isReader { return .sequence(0) }
        let read = readSequence(at: welcome.relay)
        // A relay that was set back goes on from less than was read, and may lack any of that.
        let hasAllRead = read > 0 && welcome.start.sequence == read
        return welcome.uploaded == nil && hasAllRead
            ? .fetched(from: welcome.relay)
            : .uploaded(to: welcome.relay, told: welcome.uploaded)
    }

    /// How far this device has read in that store of the relay; a relay never begins later.
    private func readSequence(at relay: ReplicaID) -> UInt64 {
        guard relay == guess else { return 0 }
        return own?.recollection?.checkpoint?.sequence ?? 0
    }

    mutating func send(_ message: Message) {
        effects.append(.send(message))
        lastSent = now
    }
}

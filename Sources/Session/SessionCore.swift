import Core

/// The part that the session with a peer and the session with a relay share: its link, the time, the
/// report, the end, and the effects of the present step.
struct SessionCore: Sendable {
    /// How far the link has come.
    enum Stage: Sendable {
        /// Not opened. Goes to: greeting.
        case idle
        /// One side's greeting is awaited. Goes to: met, closed.
        case greeting
        /// Both sides have greeted; pings are sent and answered. Goes to: closed.
        case met
        /// Over; late events are normal.
        case closed
    }

    /// Whether this side wants to stay and carry changes as they come.
    let isLive: Bool
    let limits: SessionLimits
    private(set) var stage = Stage.idle
    private(set) var now = Instant(milliseconds: 0)
    /// The progress of the session; the machine writes to it, the core tells it.
    var report = SessionReport()
    /// The report as last told.
    private var told = SessionReport()
    private var liveness: Liveness
    /// When the present step of the greeting takes too long.
    private var greetingDeadline: Instant?
    /// When this side began to leave.
    private(set) var drainingSince: Instant?
    /// The effects of the present step.
    private var effects: [SessionEffect] = []

    init(isLive: Bool, limits: SessionLimits) {
        self.isLive = isLive
        self.limits = limits
        liveness = Liveness(
            silenceTimeoutMilliseconds: limits.silenceTimeoutMilliseconds,
            pingIntervalMilliseconds: limits.pingIntervalMilliseconds)
    }

    var hasMet: Bool { stage == .met }
    var isClosed: Bool { stage == .closed }
    var isDraining: Bool { drainingSince != nil }

    // MARK: A step

    /// Begins a step; false if the session is over.
    mutating func begin(at time: Instant) -> Bool {
        if isClosed { return false }
        now = time
        return true
    }

    /// Ends a step and gives its effects.
    ///
    /// - Parameter deadline: the machine's own earliest deadline.
    mutating func finish(_ deadline: Instant?) -> [SessionEffect] {
        if !isClosed {
            tellReport()
            askForWake(deadline)
        }
        defer { effects = [] }
        return effects
    }

    mutating func ask(_ effect: SessionEffect) { effects.append(effect) }

    mutating func send(_ message: Message) {
        effects.append(.send(message))
        noteSent()
    }

    /// Records that an effect makes the driver send something.
    mutating func noteSent() { liveness.noteSent(at: now) }

    /// Handles the messages that mean the same in every session; false if it is none of them.
    mutating func receive(_ message: Message) throws(PeerError) -> Bool {
        liveness.noteHeard(at: now)
        switch message {
        case .ignorable: return true
        case .error(let error): end(.failed(error, SessionSide(heard: error.side)))
        case .bye: end(.finished)
        case .ping(let number) where hasMet: send(.pong(number))
        case .pong(let number) where hasMet:
            guard liveness.notePong(number) else {
                throw .outOfOrder("a pong \(number) that answers no ping")
            }
        default: return false
        }
        return true
    }

    private mutating func tellReport() {
        guard report != told else { return }
        told = report
        effects.append(.report(report))
    }

    // MARK: Stages

    mutating func open() {
        precondition(stage == .idle, "a session is opened once")
        stage = .greeting
        liveness.open(at: now)
        awaitGreeting()
    }

    mutating func meet() { stage = .met }

    /// Begins the next step of the greeting, which may take as long as each of them.
    mutating func awaitGreeting() {
        greetingDeadline = now.advanced(byMilliseconds: limits.greetingTimeoutMilliseconds)
    }

    /// Whether a step of the greeting is awaited.
    var awaitsGreeting: Bool { greetingDeadline != nil }

    mutating func endGreeting() { greetingDeadline = nil }

    /// Begins to leave: batches on their way may arrive; false if that has begun already.
    mutating func drain() -> Bool {
        guard !isClosed, !isDraining else { return false }
        drainingSince = now
        return true
    }

    /// Leaves in order.
    mutating func leave() {
        send(.bye)
        end(.finished)
    }

    /// Tells the other side an error and ends the session with it.
    mutating func fail(_ error: PeerError) {
        guard !isClosed else { return }
        send(.error(error))
        end(.failed(error, SessionSide(told: error.side)))
    }

    mutating func end(_ end: SessionEnd) {
        guard !isClosed else { return }
        stage = .closed
        tellReport()
        effects.append(.close(end))
    }

    // MARK: Time

    private var drainDeadline: Instant? {
        drainingSince?.advanced(byMilliseconds: limits.drainTimeoutMilliseconds)
    }

    /// Begins a wake: ends the session if the other side was silent for too long.
    ///
    /// - Parameter greeting: the message that the greeting waits for, in words.
    mutating func wake(awaiting greeting: String) throws(PeerError) {
        liveness.noteWake()
        if stage == .idle { return }
        if let greetingDeadline, now >= greetingDeadline {
            throw .timeout(greeting, milliseconds: limits.greetingTimeoutMilliseconds)
        }
        if now >= liveness.silenceDeadline {
            throw .timeout("any sign of life", milliseconds: limits.silenceTimeoutMilliseconds)
        }
    }

    /// Ends a wake at which no error is due: leaves if that has waited long enough, or sends a ping.
    mutating func leaveOrPing() {
        if let drainDeadline, now >= drainDeadline {
            leave()
        } else if hasMet, now >= liveness.pingDeadline {
            send(.ping(liveness.nextPing()))
        }
    }

    private mutating func askForWake(_ deadline: Instant?) {
        if stage == .idle { return }
        var earliest = min(liveness.silenceDeadline, deadline ?? liveness.silenceDeadline)
        if let greetingDeadline { earliest = min(earliest, greetingDeadline) }
        if let drainDeadline { earliest = min(earliest, drainDeadline) }
        if hasMet { earliest = min(earliest, liveness.pingDeadline) }
        if let wake = liveness.wake(at: earliest) { effects.append(.wake(at: wake)) }
    }
}

/// The times of one connection: signs of life, the next ping, and the wake that was asked for.
///
/// Every session machine has one, whatever its messages and its effects are.
package struct Liveness: Sendable {
    private let silenceTimeoutMilliseconds: Int64
    private let pingIntervalMilliseconds: Int64
    private var lastSent = Instant(milliseconds: 0)
    private var lastHeard = Instant(milliseconds: 0)
    private var pingCount: UInt64 = 0
    /// The number of the last ping that was answered.
    private var answeredCount: UInt64 = 0
    /// The wake that was asked for and has not come.
    private var awaitedWake: Instant?

    /// Creates the times of a connection that is not open yet.
    ///
    /// - Parameters:
    ///   - silenceTimeoutMilliseconds: the longest time without a message from the other side.
    ///   - pingIntervalMilliseconds: a ping is due when nothing was sent for so long.
    package init(silenceTimeoutMilliseconds: Int64, pingIntervalMilliseconds: Int64) {
        self.silenceTimeoutMilliseconds = silenceTimeoutMilliseconds
        self.pingIntervalMilliseconds = pingIntervalMilliseconds
    }

    /// Starts both clocks.
    package mutating func open(at now: Instant) {
        lastSent = now
        lastHeard = now
    }

    /// Records that something was sent.
    package mutating func noteSent(at now: Instant) { lastSent = now }

    /// Records that something came.
    package mutating func noteHeard(at now: Instant) { lastHeard = now }

    /// The time at which silence of the other side becomes a timeout.
    package var silenceDeadline: Instant {
        lastHeard.advanced(byMilliseconds: silenceTimeoutMilliseconds)
    }

    /// The time at which the next ping is due.
    package var pingDeadline: Instant {
        lastSent.advanced(byMilliseconds: pingIntervalMilliseconds)
    }

    /// Gives the number of the next ping.
    package mutating func nextPing() -> UInt64 {
        pingCount += 1
        return pingCount
    }

    /// Records a pong; false if it answers none of the pings that are not answered.
    ///
    /// The other side may leave some unanswered, as a relay does while a device reads nothing.
    package mutating func notePong(_ number: UInt64) -> Bool {
        guard number > answeredCount, number <= pingCount else { return false }
        answeredCount = number
        return true
    }

    /// Records that the wake came.
    package mutating func noteWake() { awaitedWake = nil }

    /// Gives the wake to ask for, if it is earlier than the one that was asked for.
    ///
    /// A deadline that has moved to a later time is not asked for again: the wake comes early, changes
    /// nothing, and asks anew; so messages cost no timer.
    package mutating func wake(at earliest: Instant) -> Instant? {
        if let awaitedWake, awaitedWake <= earliest { return nil }
        awaitedWake = earliest
        return earliest
    }
}

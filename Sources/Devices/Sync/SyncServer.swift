import Core
import Crypto
import Glibc
import Replica
import Session
import Storage
import Transport

/// Answers peers at an address: many, or one over the standard streams.
package final class SyncServer {
    /// The most sessions at a time.
    package static let sessionCountMax = 64

    /// How many surplus peers are told at a time that there is no room; others are just dropped.
    private static let refusalCountMax = 64

    /// The callbacks for the server's log.
    package struct Log {
        /// The address that is listened on.
        package var listening: (String) -> Void
        /// A session began; the peer's address.
        package var connected: (String) -> Void
        /// This side's own store failed, which ends the session with that peer.
        package var fault: (String, StoreFault) -> Void
        /// A peer was not let in; its address, and why.
        package var refused: (String, TransportError) -> Void
        /// A peer that is not a member was told why it is not let in: its address, and why.
        package var rejected: (String, PeerError) -> Void
        /// A session ended.
        package var ended: (String, SessionReport, SessionEnd, TransportError?) -> Void
        /// So many events of strangers were not told, as there were too many; see `StrangerLimit`.
        package var leftOut: (Int) -> Void

        /// Makes the callbacks.
        package init(
            listening: @escaping (String) -> Void, connected: @escaping (String) -> Void,
            fault: @escaping (String, StoreFault) -> Void = { _, _ in },
            refused: @escaping (String, TransportError) -> Void = { _, _ in },
            rejected: @escaping (String, PeerError) -> Void = { _, _ in },
            ended: @escaping (String, SessionReport, SessionEnd, TransportError?) -> Void,
            leftOut: @escaping (Int) -> Void = { _ in }
        ) {
            self.listening = listening
            self.connected = connected
            self.fault = fault
            self.refused = refused
            self.rejected = rejected
            self.ended = ended
            self.leftOut = leftOut
        }
    }

    /// Where it runs.
    package let loop: EventLoop
    private let runner: ReplicaRunner
    private let log: Log
    private let sessionCountMax: Int
    private var listener: (any PeerListener)?
    /// Whether sessions are asked to end, and the program with the last of them.
    private var isDraining = false
    /// Whether the program ends with the last session.
    private var isOneOnly = false
    private var sessionCount = 0
    private var refusals: [ObjectIdentifier: Rejection] = [:]
    private var responders: [ObjectIdentifier: PairingResponder] = [:]
    private var strangers = StrangerLimit()
    /// Refusals of devices that have proved their keys, by key: strangers at the same address take none of their room.
    private var refusedDevices = StrangerLimit()
    /// Sessions over plain TCP whose peer has not greeted yet: they take no more than half of the room.
    private var greeting: UnprovedLinks
    /// Peers that are not let in and are being told, or heard.
    private var held = UnprovedLinks(
        countMax: SyncServer.refusalCountMax, networkCountMax: SyncServer.refusalCountMax / 4)
    private var proved = ProvedNetworks()
    private var leftOutTimer: TimerID?

    /// Prepares to answer for a store.
    ///
    /// - Parameters:
    ///   - heldByteCountMax: the most memory of all sessions together, in bytes.
    ///   - refusal: why a device is refused, also over a link that asks for no key.
    package convenience init(
        store: Store, log: Log, limits: SessionLimits = SessionLimits(),
        sessionCountMax: Int = SyncServer.sessionCountMax,
        heldByteCountMax: Int = MemoryBudget.byteCountMax,
        refusal: @escaping ReplicaRunner.Refusal = { _, _ in nil }
    ) throws(TransportError) {
        let loop = try EventLoop()
        self.init(
            runner: try ReplicaRunner(
                store: store, on: loop, limits: limits, heldByteCountMax: heldByteCountMax,
                refusal: refusal),
            log: log, sessionCountMax: sessionCountMax)
    }

    /// Prepares to answer beside other conversations of a replica.
    init(
        runner: ReplicaRunner, log: Log, sessionCountMax: Int = SyncServer.sessionCountMax
    ) {
        self.log = log
        self.sessionCountMax = sessionCountMax
        greeting = UnprovedLinks(
            countMax: max(1, sessionCountMax / 2), networkCountMax: max(1, sessionCountMax / 4))
        self.runner = runner
        loop = runner.loop
    }

    /// How many sessions are going on that others began.
    var openSessionCount: Int { sessionCount }

    /// Listens until a signal asks to stop; sessions then end in order, a second signal ends them at once.
    ///
    /// At an address that serves one peer it ends when that peer is done.
    /// - Parameters:
    ///   - security: who this device is and whom it lets in over TLS. Without it only plain TCP.
    ///   - plain: who may reach it over plain TCP.
    package func listen(
        at endpoint: Endpoint, security: SyncSecurity? = nil, plain: PlainTCP = .nowhere
    ) throws(TransportError) {
        try loop.watchSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
        try begin(at: endpoint, security: security, plain: plain)
        defer {
            runner.stop()
            loop.closeLinks()
        }
        try loop.run()
    }

    /// Listens from the time on that the loop runs.
    func begin(
        at endpoint: Endpoint, security: SyncSecurity?, plain: PlainTCP
    ) throws(TransportError) {
        let settings = TransportSettings(on: loop, security: security, plain: plain)
        listener = try endpoint.listen(settings) { [unowned self] name, error in
            tell(of: name) {
                if case .security(.untrustedPeer(let shown), _) = error {
                    note(.refused, shown, name, .notTrusted)
                }
                log.refused(name, error)
            }
        } accept: { [unowned self] link in
            if let shown = link.peerFingerprint, let security, !security.allows(shown) {
                hold(link, shown, security)
                return
            }
            if link.peerFingerprint != nil {
                proved.note(link.network, now: SystemEnvironment.now().milliseconds)
                listener?.peerProved(at: link.network)
            }
            if sessionCount < sessionCountMax {
                answer(link)
            } else if let surplus = greeting.removeOne(isKnown: isKnown) {
                surplus.close()
                answer(link)
            } else {
                refuse(link)
            }
        }
        if let listener { log.listening(listener.name) } else { isOneOnly = true }
    }

    /// Listens no more; what is going on is for the runner to drain.
    func refuseCalls() {
        listener?.close()
        listener = nil
        tellLeftOut()
    }

    private func isKnown(_ network: String) -> Bool {
        proved.contains(network, now: SystemEnvironment.now().milliseconds)
    }

    private func answer(_ link: Link) {
        sessionCount += 1
        let (name, shown) = (link.name, link.peerFingerprint)
        log.connected(name)
        if link.peerAddress != nil, shown == nil {
            greeting.add(link, isKnown: isKnown)?.close()
        }
        var last = SessionReport()
        runner.converse(
            over: link, as: .responder, isLive: true,
            listener: ReplicaRunner.Listener(
                report: { [unowned self] in
                    last = $0
                    if $0.peer != nil { greeting.remove(link) }
                },
                fault: { [unowned self] in log.fault(name, $0) },
                ended: { [unowned self] end, error in
                    sessionCount -= 1
                    greeting.remove(link)
                    // Whoever came no further than that may be anybody.
                    if last.isCaughtUp || end == .finished && last.peer != nil {
                        log.ended(name, last, end, error)
                    } else {
                        note(end, shown, name)
                        tell(of: name) { log.ended(name, last, end, error) }
                    }
                    if isOneOnly || isDraining, sessionCount == 0 { loop.stop() }
                }))
    }

    /// Tells a peer why it is not let in, or hears with which code it comes.
    private func hold(_ link: Link, _ shown: Fingerprint, _ security: SyncSecurity) {
        held.add(link, isKnown: isKnown)?.close()
        var refusal: PeerError?
        if case .refused(let error) = security.judge(shown) { refusal = error }
        let name = link.name
        // Whoever comes with a code shows a key for one time: that of the device is in the request.
        let known = refusal == nil ? nil : shown
        let responder = PairingResponder(
            on: link, refusal: refusal, in: runner.replica.store.paths.folder,
            refused: { [unowned self] refusal in
                if known != nil { noteRefused(known, name, refusal.reason) }
                tell(of: name) {
                    if known == nil { note(.refused, nil, name, refusal.reason) }
                    log.rejected(name, refusal)
                }
            },
            ended: { [unowned self] responder in
                responders[ObjectIdentifier(responder)] = nil
                held.remove(link)
            })
        responders[ObjectIdentifier(responder)] = responder
    }

    private func refuse(_ link: Link) {
        guard refusals.count < Self.refusalCountMax else { return link.close() }
        let refusal = Rejection(on: link, sessionCountMax: sessionCountMax) { [unowned self] in
            refusals[ObjectIdentifier($0)] = nil
        }
        refusals[ObjectIdentifier(refusal)] = refusal
    }

    /// Notes a session that ended as the peer was refused.
    private func note(_ end: SessionEnd, _ shown: Fingerprint?, _ name: String) {
        guard case .failed(let error, .theirs) = end, error.known == .refused else { return }
        noteRefused(shown, name, error.reason)
    }

    /// Notes that a device was refused which has proved its key; those without a key count by their address.
    private func noteRefused(_ shown: Fingerprint?, _ name: String, _ reason: PeerError.Reason?) {
        let key = shown.map { "\($0)" } ?? Self.host(name)
        let now = SystemEnvironment.now().milliseconds
        guard refusedDevices.admit(key, now: now).isAdmitted else { return }
        note(.refused, shown, name, reason)
    }

    /// Notes in the store that a device was let in or refused.
    private func note(
        _ kind: DeviceEvent.Kind, _ shown: Fingerprint?, _ name: String,
        _ reason: PeerError.Reason?
    ) {
        DeviceLog.note(
            kind, fingerprint: shown, address: Self.host(name), reason: reason,
            at: SystemEnvironment.wallMilliseconds(), in: runner.replica.store)
    }

    /// The address of a connection without its port, which changes each time.
    private static func host(_ name: String) -> String {
        name.lastIndex(of: ":").map { String(name[..<$0]) } ?? name
    }

    /// Writes to the log about somebody who may be a stranger, unless there was too much of that.
    private func tell(of name: String, _ line: () -> Void) {
        let (isAdmitted, leftOut) = strangers.admit(
            Self.host(name), now: SystemEnvironment.now().milliseconds)
        if leftOut > 0 { log.leftOut(leftOut) }
        if isAdmitted { return line() }
        guard leftOutTimer == nil else { return }
        // Told also if nobody comes any more.
        leftOutTimer = loop.schedule(
            after: .milliseconds(StrangerLimit.periodMilliseconds)
        ) { [weak self] in
            self?.leftOutTimer = nil
            self?.tellLeftOut()
        }
    }

    private func tellLeftOut() {
        let count = strangers.end()
        if count > 0 { log.leftOut(count) }
    }

    /// Does what a signal to stop does; on the loop's thread.
    package func stop() {
        refuseCalls()
        if isDraining || sessionCount == 0 { return loop.stop() }
        isDraining = true
        runner.drain()
    }
}

/// Tells a peer for which there is no room why it is sent away.
final class Rejection: LinkDelegate {
    private let ended: (Rejection) -> Void

    /// Says so on a link that is not started, and closes it.
    init(on link: Link, sessionCountMax: Int, ended: @escaping (Rejection) -> Void) {
        self.ended = ended
        link.start(self)
        let error = PeerError(
            .busy,
            "the device that was called serves \(sessionCountMax) sessions already, as many as it may",
            side: .speaker, advice: "sync again in a moment")
        link.send(.error(error))
        link.closeAfterSending()
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {}

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        ended(self)
    }
}

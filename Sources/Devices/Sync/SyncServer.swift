import Core
import Crypto
import Glibc
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
        /// A peer that is not a member introduced itself: its address, its key, why it was refused.
        package var introduced: (String, Fingerprint, PeerError?) -> Void
        /// A session ended.
        package var ended: (String, SessionReport, SessionEnd, TransportError?) -> Void

        /// Makes the callbacks.
        package init(
            listening: @escaping (String) -> Void, connected: @escaping (String) -> Void,
            fault: @escaping (String, StoreFault) -> Void = { _, _ in },
            refused: @escaping (String, TransportError) -> Void = { _, _ in },
            introduced: @escaping (String, Fingerprint, PeerError?) -> Void = { _, _, _ in },
            ended: @escaping (String, SessionReport, SessionEnd, TransportError?) -> Void
        ) {
            self.listening = listening
            self.connected = connected
            self.fault = fault
            self.refused = refused
            self.introduced = introduced
            self.ended = ended
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

    /// Prepares to answer for a store.
    ///
    /// - Parameter refusal: why a device is refused, also over a link that asks for no key.
    package convenience init(
        store: Store, log: Log, limits: SessionLimits = SessionLimits(),
        sessionCountMax: Int = SyncServer.sessionCountMax,
        refusal: @escaping ReplicaRunner.Refusal = { _, _ in nil }
    ) throws(TransportError) {
        let loop = try EventLoop()
        self.init(
            runner: try ReplicaRunner(store: store, on: loop, limits: limits, refusal: refusal),
            log: log, sessionCountMax: sessionCountMax)
    }

    /// Prepares to answer beside other conversations of a replica.
    init(
        runner: ReplicaRunner, log: Log, sessionCountMax: Int = SyncServer.sessionCountMax
    ) {
        self.log = log
        self.sessionCountMax = sessionCountMax
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
    ///   - allowInsecure: whether other machines may reach it over plain TCP.
    package func listen(
        at endpoint: Endpoint, security: SyncSecurity? = nil, allowInsecure: Bool
    ) throws(TransportError) {
        try loop.watchSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
        try begin(at: endpoint, security: security, allowInsecure: allowInsecure)
        try loop.run()
        runner.stop()
    }

    /// Listens from the time on that the loop runs.
    func begin(
        at endpoint: Endpoint, security: SyncSecurity?, allowInsecure: Bool
    ) throws(TransportError) {
        let settings = TransportSettings(
            on: loop, security: security, allowInsecure: allowInsecure)
        listener = try endpoint.listen(settings) { [unowned self] in
            log.refused($0, $1)
        } accept: { [unowned self] link in
            if let shown = link.peerFingerprint, let security, !security.allows(shown) {
                hold(link, shown, security)
            } else if sessionCount < sessionCountMax {
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
    }

    private func answer(_ link: Link) {
        sessionCount += 1
        let name = link.name
        log.connected(name)
        var last = SessionReport()
        runner.converse(
            over: link, as: .responder, isLive: true,
            listener: ReplicaRunner.Listener(
                report: { last = $0 },
                fault: { [unowned self] in log.fault(name, $0) },
                ended: { [unowned self] end, error in
                    sessionCount -= 1
                    log.ended(name, last, end, error)
                    if isOneOnly || isDraining, sessionCount == 0 { loop.stop() }
                }))
    }

    /// Tells a peer why it is not let in, or hears by whom it was invited.
    private func hold(_ link: Link, _ shown: Fingerprint, _ security: SyncSecurity) {
        guard responders.count < Self.refusalCountMax else { return link.close() }
        var refusal: PeerError?
        if case .refused(let error) = security.judge(shown) { refusal = error }
        let name = link.name
        let binding = link.relayBinding
        let responder = PairingResponder(on: link, refusal: refusal) { relayHello in
            guard let binding else { return .notInvited }
            return security.introduce(relayHello, shown, binding)
        } ended: { [unowned self] responder, refusal in
            responders[ObjectIdentifier(responder)] = nil
            log.introduced(name, shown, refusal)
        }
        responders[ObjectIdentifier(responder)] = responder
    }

    private func refuse(_ link: Link) {
        guard refusals.count < Self.refusalCountMax else { return link.close() }
        let refusal = Rejection(on: link, sessionCountMax: sessionCountMax) { [unowned self] in
            refusals[ObjectIdentifier($0)] = nil
        }
        refusals[ObjectIdentifier(refusal)] = refusal
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
            .busy, "the sender serves \(sessionCountMax) sessions already, as many as it may",
            side: .speaker, advice: "sync again in a moment")
        link.send(Frame.encode(.error(error), hasChecksum: !link.isSecured))
        link.closeAfterSending()
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {}

    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        ended(self)
    }
}

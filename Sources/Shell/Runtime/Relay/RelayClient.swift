import Causality
import Glibc
import Sealing
import Session
import Storage
import Transport
import Wire

/// Syncs a store through a relay: once, or for as long as the program runs.
package final class RelayClient {
    private let store: Store
    private let relay: RelayAddress
    private let membership: RelayMembership
    private let isLive: Bool
    private let security: SyncSecurity?
    private let allowInsecure: Bool
    /// Where it runs.
    package let loop: EventLoop
    private let runner: ReplicaRunner
    /// What went wrong with this side's own store, if that ended the last session.
    package private(set) var fault: StoreFault?
    private var report: (SessionReport) -> Void = { _ in }
    private var waiting: (String, Int) -> Void = { _, _ in }
    private var outcome: Result<SessionEnd, TransportError>?
    private var isStopping = false
    private var wait = SyncClient.retrySeconds.first
    private var dialer: Dialer?

    /// Prepares a sync through a relay.
    ///
    /// - Parameters:
    ///   - membership: what this device shows the relay, and what seals.
    ///   - isLive: whether to stay and carry changes as they commit.
    ///   - security: this device's certificate; the relay is known by the fingerprint in its address.
    ///   - allowInsecure: whether plain TCP may leave this machine.
    package init(
        store: Store, relay: RelayAddress, membership: RelayMembership, isLive: Bool = false,
        security: SyncSecurity? = nil, allowInsecure: Bool = false,
        limits: SessionLimits = SessionLimits()
    ) throws(TransportError) {
        self.store = store
        self.relay = relay
        self.membership = membership
        self.isLive = isLive
        self.security = security
        self.allowInsecure = allowInsecure
        loop = try EventLoop()
        runner = try ReplicaRunner(store: store, on: loop, limits: limits)
    }

    /// Syncs; returns when the session is over, or when a signal asked to stop.
    ///
    /// A live session that ends otherwise than by this side's wish or fault is begun anew.
    ///
    /// - Parameters:
    ///   - report: told how far the session has come.
    ///   - waiting: told why a live session ended and in how many seconds it is begun anew.
    /// - Throws: why there was no link, or why it broke.
    package func run(
        report: @escaping (SessionReport) -> Void = { _ in },
        waiting: @escaping (String, Int) -> Void = { _, _ in }
    ) throws(TransportError) -> SessionEnd {
        self.report = report
        self.waiting = waiting
        try loop.watchSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
        try dial()
        try loop.run()
        runner.stop()
        guard let outcome else { return .finished }
        return try outcome.get()
    }

    /// Asks the session to end in order, on the loop's thread.
    ///
    /// A second time ends it at once.
    package func stop() {
        if isStopping || runner.conversationCount == 0 {
            finish(.success(.finished))
            return
        }
        isStopping = true
        runner.drain()
    }

    private func dial() throws(TransportError) {
        let endpoint =
            relay.fingerprint.map { Endpoint.tls(relay.place, $0) } ?? .tcp(relay.place)
        dialer = try Dialer.dial(
            endpoint, on: loop, security: relay.fingerprint == nil ? nil : security,
            allowInsecure: allowInsecure, timeout: SyncClient.dialTimeout
        ) { [unowned self] result in
            dialer = nil
            switch result {
            case .success(let link): converse(over: link)
            case .failure(let error): ended(.lost, error)
            }
        }
    }

    private func converse(over link: Link) {
        let address = relay.description
        var known = try? store.replica(at: address)
        fault = nil
        let listener = ReplicaRunner.Listener(
            report: { [unowned self] found in
                if let peer = found.peer, peer != known {
                    known = peer
                    try? store.remember(peer, at: address)
                }
                if found.isCaughtUp { wait = SyncClient.retrySeconds.first }
                report(found)
            },
            fault: { [unowned self] in fault = $0 },
            ended: { [unowned self] end, error in ended(end, error) })
        do throws(SealFault) {
            try runner.converse(
                overRelay: link, as: membership, isLive: isLive, guess: known, listener: listener)
        } catch {
            link.close()
            fault = .cannotSeal(detail: "\(error)")
            ended(.lost, nil)
        }
    }

    private func ended(_ end: SessionEnd, _ error: TransportError?) {
        guard isLive, !isStopping, fault == nil, let why = SyncClient.passingCause(end, error)
        else {
            finish(error.map { .failure($0) } ?? .success(end))
            return
        }
        waiting(why, wait)
        loop.schedule(after: .seconds(wait)) { [unowned self] in
            do throws(TransportError) {
                try dial()
            } catch {
                finish(.failure(error))
            }
        }
        wait = min(wait * 2, SyncClient.retrySeconds.max)
    }

    private func finish(_ outcome: Result<SessionEnd, TransportError>) {
        self.outcome = outcome
        loop.stop()
    }
}

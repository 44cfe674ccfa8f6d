import Causality
import Glibc
import Session
import Storage
import Transport
import Wire

/// Syncs a store with the peer at an address: once, or for as long as the program runs.
package final class SyncClient {
    /// How long to wait for a connection.
    package static let dialTimeout = Duration.seconds(10)
    /// The first and the longest wait before a lost live connection is tried again; seconds.
    package static let retrySeconds = (first: 1, max: 30)

    private let store: Store
    private let endpoint: Endpoint
    private let isLive: Bool
    private let security: SyncSecurity?
    private let allowInsecure: Bool
    /// Where it runs.
    package let loop: EventLoop
    private let runner: ReplicaRunner
    private var child: ChildProcess?
    /// What went wrong with this side's own store, if that ended the last session.
    package private(set) var fault: StoreFault?
    private var report: (SessionReport) -> Void = { _ in }
    private var waiting: (String, Int) -> Void = { _, _ in }
    private var outcome: Result<SessionEnd, TransportError>?
    private var isStopping = false
    private var wait = SyncClient.retrySeconds.first
    private var retryTimer: TimerID?
    private var dialer: Dialer?

    /// Prepares a sync.
    ///
    /// - Parameters:
    ///   - isLive: whether to stay and carry changes as they commit.
    ///   - security: who this device is and whom it trusts. Without it only plain TCP.
    ///   - allowInsecure: whether plain TCP may leave this machine.
    package init(
        store: Store, endpoint: Endpoint, isLive: Bool = false, security: SyncSecurity? = nil,
        allowInsecure: Bool = false,
        limits: SessionLimits = SessionLimits()
    ) throws(TransportError) {
        self.store = store
        self.endpoint = endpoint
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
        switch endpoint {
        case .tcp, .tls:
            dialer = try Dialer.dial(
                endpoint, on: loop, security: security, allowInsecure: allowInsecure,
                timeout: Self.dialTimeout
            ) { [unowned self] result in
                dialer = nil
                switch result {
                case .success(let link): converse(over: link)
                case .failure(let error): ended(.lost, error)
                }
            }
        case .ssh(let address):
            let command = address.command(running: Self.remoteCommand(address))
            let child = try ChildProcess(
                command, on: loop, options: ReplicaRunner.linkOptions
            ) { _ in }
            self.child = child
            converse(over: child.link)
        case .standardStreams:
            converse(over: try Link.standardStreams(on: loop, options: ReplicaRunner.linkOptions))
        }
    }

    private static func remoteCommand(_ address: SSHAddress) -> [String] {
        let store = address.storePath.map { ["--store", $0] } ?? []
        return ["tandem", "serve", "--stdio"] + store
    }

    private func converse(over link: Link) {
        let address = endpoint.description
        var known = try? store.replica(at: address)
        fault = nil
        runner.converse(
            over: link, as: .initiator, isLive: isLive, guess: known,
            listener: ReplicaRunner.Listener(
                report: { [unowned self] found in
                    if let peer = found.peer, peer != known {
                        known = peer
                        try? store.remember(peer, at: address)
                    }
                    if found.isCaughtUp { wait = Self.retrySeconds.first }
                    report(found)
                },
                fault: { [unowned self] in fault = $0 },
                ended: { [unowned self] end, error in ended(end, error) }))
    }

    private func ended(_ end: SessionEnd, _ error: TransportError?) {
        child?.close()
        child = nil
        guard isLive, !isStopping, fault == nil, let why = Self.passingCause(end, error) else {
            finish(error.map { .failure($0) } ?? .success(end))
            return
        }
        waiting(why, wait)
        retryTimer = loop.schedule(after: .seconds(wait)) { [unowned self] in
            do throws(TransportError) {
                try dial()
            } catch {
                finish(.failure(error))
            }
        }
        wait = min(wait * 2, Self.retrySeconds.max)
    }

    /// Why a session ended, if that may pass without anybody's doing.
    static func passingCause(_ end: SessionEnd, _ error: TransportError?) -> String? {
        if let error { return error.mayPass ? error.summary : nil }
        switch end {
        case .finished: return "the peer has ended the session"
        case .lost: return "the connection broke"
        case .failed(let error, let side):
            switch error.known {
            case .timeout, .busy, .newIdentity: return error.message
            case .store where side != .ours: return error.message
            default: return nil
            }
        }
    }

    private func finish(_ outcome: Result<SessionEnd, TransportError>) {
        self.outcome = outcome
        loop.stop()
    }
}

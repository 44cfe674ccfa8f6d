import Glibc
import Session
import Storage
import Transport

/// Syncs a store with a device or through a relay: once, or for as long as the program runs.
package final class SyncClient {
    /// Where it runs.
    package let loop: EventLoop
    private let runner: ReplicaRunner
    private let reconnector: Reconnector
    private var outcome: Result<SessionEnd, TransportError>?
    private var isStopping = false

    /// Prepares a sync.
    ///
    /// - Parameters:
    ///   - isLive: whether to stay and carry changes as they commit.
    ///   - security: who this device is and whom it trusts. Without it at most plain TCP.
    ///   - plain: where plain TCP is allowed.
    ///   - refusal: why a device is refused, also over a link that asks for no key.
    package init(
        store: Store, contact: Contact, isLive: Bool = false, security: SyncSecurity? = nil,
        plain: PlainTCP = .nowhere, limits: SessionLimits = SessionLimits(),
        refusal: @escaping ReplicaRunner.Refusal = { _, _ in nil }
    ) throws(TransportError) {
        loop = try EventLoop()
        runner = try ReplicaRunner(store: store, on: loop, limits: limits, refusal: refusal)
        reconnector = Reconnector(
            contact, of: runner, isLive: isLive, security: security, plain: plain)
    }

    /// Prepares a sync with a device.
    package convenience init(
        store: Store, endpoint: Endpoint, isLive: Bool = false, security: SyncSecurity? = nil,
        plain: PlainTCP = .nowhere, limits: SessionLimits = SessionLimits()
    ) throws(TransportError) {
        try self.init(
            store: store, contact: .device(endpoint), isLive: isLive, security: security,
            plain: plain, limits: limits)
    }

    /// How far the present or the last session has come.
    package var report: SessionReport { reconnector.report }

    /// The fault of this side's own store that ended the last session, if one did.
    package var fault: StoreFault? { reconnector.fault }

    /// Syncs; returns when the session is over, or when a signal asked to stop.
    ///
    /// A live session that ends otherwise than by this side's wish or fault is begun anew.
    ///
    /// - Parameters:
    ///   - report: told how far the session has come.
    ///   - waiting: told why a live session ended and in how many seconds it is begun anew.
    ///   - handlesSignals: whether signals that end a process end the session in order.
    /// - Throws: why there was no link, or why it broke.
    package func run(
        report: @escaping (SessionReport) -> Void = { _ in },
        waiting: @escaping (ContactCause, Int) -> Void = { _, _ in }, handlesSignals: Bool = true
    ) throws(TransportError) -> SessionEnd {
        reconnector.changed = { [unowned self] in
            switch reconnector.state {
            case .connected: report(reconnector.report)
            case .waiting(let cause, let seconds): waiting(cause, seconds)
            case .idle, .dialing, .finished, .failed: break
            }
        }
        reconnector.ended = { [unowned self] in finish($0) }
        if handlesSignals {
            try loop.watchSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
        }
        try reconnector.start()
        defer {
            runner.stop()
            loop.closeLinks()
        }
        if outcome == nil { try loop.run() }
        guard let outcome else { return .finished }
        return try outcome.get()
    }

    /// Asks the session to end in order, on the loop's thread.
    ///
    /// A second time ends it at once. A session that is cut off, or of which there is none at the moment, did not end in
    /// order: what has changed since may not have left.
    package func stop() {
        if isStopping || runner.conversationCount == 0 { return finish(.success(.lost)) }
        isStopping = true
        reconnector.stop()
        runner.drain()
    }

    private func finish(_ outcome: Result<SessionEnd, TransportError>) {
        self.outcome = outcome
        loop.stop()
    }
}

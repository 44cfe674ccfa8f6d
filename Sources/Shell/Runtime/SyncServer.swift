import Causality
import Glibc
import Session
import Storage
import Transport

/// Answers peers: over TCP to many, or over the standard streams to one.
package final class SyncServer {
    /// The most sessions at a time.
    package static let sessionCountMax = 64

    /// What to tell the one who runs it.
    package struct Log {
        /// The address that is listened on.
        package var listening: (String) -> Void
        /// A session began; the peer's address.
        package var connected: (String) -> Void
        /// A session ended.
        package var ended: (String, SessionReport, SessionEnd, TransportError?) -> Void

        /// What to tell.
        package init(
            listening: @escaping (String) -> Void, connected: @escaping (String) -> Void,
            ended: @escaping (String, SessionReport, SessionEnd, TransportError?) -> Void
        ) {
            self.listening = listening
            self.connected = connected
            self.ended = ended
        }
    }

    private let loop: EventLoop
    private let runner: ReplicaRunner
    private let log: Log
    private var listener: Listener?
    private var isStopping = false
    private var sessionCount = 0

    /// Prepares to answer for a store.
    package init(store: Store, log: Log) throws(TransportError) {
        self.log = log
        loop = try EventLoop()
        runner = try ReplicaRunner(store: store, on: loop)
    }

    /// Listens until a signal asks to stop; sessions then end in order, a second signal ends them at once.
    ///
    /// - Parameter allowInsecure: whether other machines may reach it over plain TCP.
    package func listen(at place: HostAndPort, allowInsecure: Bool) throws(TransportError) {
        try loop.watchSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
        let listener = try Listener(
            on: loop, at: place, allowInsecure: allowInsecure, options: ReplicaRunner.linkOptions
        ) { [unowned self] link in
            guard sessionCount < Self.sessionCountMax else {
                link.close()
                return
            }
            answer(link)
        }
        self.listener = listener
        log.listening(listener.address.description)
        try loop.run()
        runner.stop()
    }

    /// Answers the one peer on the standard streams, until it is done.
    package func serveStandardStreams() throws(TransportError) {
        try loop.watchSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
        isStopping = true
        answer(try Link.standardStreams(on: loop, options: ReplicaRunner.linkOptions))
        try loop.run()
        runner.stop()
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
                ended: { [unowned self] end, error in
                    sessionCount -= 1
                    log.ended(name, last, end, error)
                    if isStopping, sessionCount == 0 { loop.stop() }
                }))
    }

    private func stop() {
        let isSecond = isStopping && listener == nil
        listener?.close()
        listener = nil
        if isSecond || sessionCount == 0 { return loop.stop() }
        isStopping = true
        runner.drain()
    }
}

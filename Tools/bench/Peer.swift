import Core
import Crypto
import Devices
import Glibc
import Session
import Storage
import Synchronization
import Transport

/// A replica that answers on loopback from a thread of its own.
final class Peer: Sendable {
    private struct State {
        var port: UInt16?
        var mailbox: LoopMailbox?
        var isOver = false
        var failure: String?
        var arrivedAt = 0.0
    }

    private let state = Mutex(State())
    let folder: String
    private let isSecure: Bool

    /// Opens the store in `folder` and answers any caller for it, over TLS if so asked.
    init(folder: String, isSecure: Bool = false) throws {
        self.folder = folder
        self.isSecure = isSecure
        guard DetachedThread.start({ self.serve() }) == nil else {
            throw BenchError.failed("thread")
        }
        for _ in 0..<10_000 where port == nil { usleep(1000) }
        if let failure = state.withLock({ $0.failure }) { throw BenchError.failed(failure) }
    }

    /// Where it listens.
    var port: UInt16? { state.withLock { $0.port } }

    /// When something last arrived that is committed and visible here; seconds, by `Cost.wall`.
    var arrivedAt: Double { state.withLock { $0.arrivedAt } }

    private func serve() {
        do {
            let store = try Benchmarks.open(folder)
            let loop = try EventLoop()
            let runner = try ReplicaRunner(store: store, on: loop)
            // Called after each commit that changed a record: from there on any reader sees it.
            let onChange = store.onChange
            store.onChange = {
                self.state.withLock { $0.arrivedAt = Cost.wall }
                onChange?()
            }
            let listener = try Listener(
                on: loop, at: HostAndPort(parsing: "127.0.0.1:0"),
                security: try isSecure ? Self.anybody() : nil,
                options: LinkOptions.session
            ) { link in
                runner.converse(
                    over: link, as: .responder, isLive: true,
                    listener: ReplicaRunner.Listener(ended: { _, _ in }))
            }
            state.withLock {
                $0.port = listener.address.port
                $0.mailbox = loop.mailbox
            }
            try loop.run()
            runner.stop()
            listener.close()
            store.close()
        } catch {
            state.withLock { $0.failure = "\(error)" }
        }
        state.withLock { $0.isOver = true }
    }

    /// A key made for the purpose, and trust in every other one.
    static func anybody() throws -> SecureContext {
        try SyncSecurity(certificate: try DeviceCertificate()) { _ in true }.context(peer: "bench")
    }

    /// Ends it and waits until it has closed its store.
    func stop() {
        state.withLock { $0.mailbox }?.stop()
        for _ in 0..<10_000 where !state.withLock({ $0.isOver }) { usleep(1000) }
    }
}

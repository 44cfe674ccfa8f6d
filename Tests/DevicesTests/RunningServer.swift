import Crypto
import DeviceTestSupport
import Devices
import Session
import Storage
import Synchronization
import Transport

/// A server of a store on a thread of its own.
final class RunningServer: Sendable {
    /// The server's state.
    struct State: Sendable {
        var address: String?
        var endings: [SessionEnd] = []
        var faults: [StoreFault] = []
        var connectedCount = 0
        var isAskedToStop = false
        var isOver = false
        var failure: String?
        var refusals: [TransportError] = []
        var leftOutCount = 0
    }

    private let shared = Mutex(State())
    private let folder: TemporaryStores
    private let name: String
    private let options: StoreOptions
    private let limits: SessionLimits
    private let sessionCountMax: Int
    private let heldByteCountMax: Int
    private let listening: Endpoint
    private let certificate: DeviceCertificate?
    private let trusted: [Fingerprint]
    private let strangers: Admission
    private let plain: PlainTCP

    /// Serves a store; returns once it listens.
    init(
        _ name: String, in folder: TemporaryStores, options: StoreOptions = StoreOptions(),
        limits: SessionLimits = SessionLimits(), sessionCountMax: Int = 64,
        heldByteCountMax: Int = MemoryBudget.byteCountMax, port: UInt16 = 0,
        at endpoint: Endpoint? = nil,
        certificate: DeviceCertificate? = nil, trusting trusted: [Fingerprint] = [],
        strangers: Admission = .unknown, plain: PlainTCP? = nil
    ) throws {
        self.folder = folder
        self.name = name
        self.options = options
        self.limits = limits
        self.sessionCountMax = sessionCountMax
        self.heldByteCountMax = heldByteCountMax
        listening = endpoint ?? .tcp(HostAndPort(host: "127.0.0.1", port: port))
        self.certificate = certificate
        self.trusted = trusted
        self.strangers = strangers
        self.plain = plain ?? (certificate == nil ? .thisMachine : .nowhere)
        guard DetachedThread.start({ [self] in serve() }) == nil else {
            throw RuntimeTestError(what: "no thread")
        }
        guard waitUntil({ state.address != nil || state.isOver }), state.address != nil else {
            throw RuntimeTestError(what: state.failure ?? "the server does not listen")
        }
    }

    /// The server's current state.
    var state: State { shared.withLock { $0 } }

    /// Where it can be called.
    var hostAndPort: HostAndPort {
        get throws { try HostAndPort(parsing: state.address ?? "") }
    }

    /// The same, over whichever transport.
    var endpoint: Endpoint {
        get throws { try Endpoint(parsing: state.address ?? "") }
    }

    private func serve() {
        do {
            let store = try folder.open(name, options)
            defer { store.close() }
            let server = try SyncServer(
                store: store,
                log: SyncServer.Log(
                    listening: { [unowned self] address in
                        shared.withLock { $0.address = address }
                    },
                    connected: { [unowned self] _ in shared.withLock { $0.connectedCount += 1 } },
                    fault: { [unowned self] _, fault in
                        shared.withLock { $0.faults.append(fault) }
                    },
                    refused: { [unowned self] _, error in
                        shared.withLock { $0.refusals.append(error) }
                    },
                    ended: { [unowned self] _, _, end, _ in
                        shared.withLock { $0.endings.append(end) }
                    },
                    leftOut: { [unowned self] count in
                        shared.withLock { $0.leftOutCount += count }
                    }), limits: limits, sessionCountMax: sessionCountMax,
                heldByteCountMax: heldByteCountMax)
            watch(server)
            let (trusted, strangers) = (trusted, strangers)
            var security = certificate.map {
                SyncSecurity(certificate: $0) { trusted.contains($0) }
            }
            security?.judge = { trusted.contains($0) ? .trusted : strangers }
            try server.listen(at: listening, security: security, plain: plain)
        } catch {
            shared.withLock { $0.failure = "\(error)" }
        }
        shared.withLock { $0.isOver = true }
    }

    /// Looks now and then whether it shall stop, as a signal would ask it to.
    private func watch(_ server: SyncServer) {
        server.loop.schedule(after: .milliseconds(5)) { [unowned self, unowned server] in
            let isAsked = shared.withLock { state in
                defer { state.isAskedToStop = false }
                return state.isAskedToStop
            }
            if isAsked { server.stop() }
            watch(server)
        }
    }

    /// Asks it to stop, as a signal does.
    func askToStop() {
        shared.withLock { $0.isAskedToStop = true }
    }

    /// Stops it, and waits until it has closed its store.
    func stop() {
        for _ in 0..<3 where !state.isOver {
            askToStop()
            if waitUntil(milliseconds: 2_000, { state.isOver }) { return }
        }
    }
}

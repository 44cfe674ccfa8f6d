import Crypto
import DeviceTestSupport
import Relay
import RelayServer
import Session
import Synchronization
import Transport

/// A relay on a thread of its own.
final class RunningRelay: Sendable {
    /// The relay's state.
    struct State: Sendable {
        var address: RelayAddress?
        var metricsPort: UInt16?
        var mailbox: LoopMailbox?
        var isOver = false
        var isAskedToStop = false
        var failure: String?
        var lines: [LogLine] = []
    }

    private let shared = Mutex(State())
    private let folder: String
    private let port: UInt16
    private let certificate: DeviceCertificate?
    private let change: @Sendable (inout RelayServerOptions) -> Void

    /// Runs a relay; returns once it listens.
    init(
        in folder: TemporaryFolder, port: UInt16 = 0, certificate: DeviceCertificate?,
        _ change: @escaping @Sendable (inout RelayServerOptions) -> Void = { _ in }
    ) throws {
        self.folder = folder.path
        self.port = port
        self.certificate = certificate
        self.change = change
        guard DetachedThread.start({ [self] in serve() }) == nil else {
            throw RuntimeTestError(what: "no thread")
        }
        guard waitUntil({ state.address != nil || state.isOver }), state.address != nil else {
            throw RuntimeTestError(what: state.failure ?? "the relay does not listen")
        }
    }

    /// The relay's current state.
    var state: State { shared.withLock { $0 } }

    /// Where devices come to.
    var address: RelayAddress {
        get throws {
            guard let address = state.address else {
                throw RuntimeTestError(what: "the relay does not listen")
            }
            return address
        }
    }

    /// How often it wrote such a line.
    func count(of event: String) -> Int { state.lines.count { $0.event == event } }

    private func serve() {
        do {
            let hostAndPort = HostAndPort(host: "127.0.0.1", port: port)
            var options = RelayServerOptions(
                hostAndPort: hostAndPort, certificate: certificate,
                relay: RelayOptions(folder: folder))
            change(&options)
            let server = try RelayServer(options) { [unowned self] line in
                shared.withLock { $0.lines.append(line) }
            }
            try server.listen()
            let bound = HostAndPort(host: "127.0.0.1", port: server.address?.port ?? 0)
            shared.withLock {
                $0.address = RelayAddress(bound, fingerprint: certificate?.fingerprint)
                $0.metricsPort = server.metricsAddress?.port
            }
            watch(server)
            try server.serve()
        } catch {
            shared.withLock { $0.failure = "\(error)" }
        }
        shared.withLock { $0.isOver = true }
    }

    /// Looks now and then whether it shall stop, as a signal would ask it to.
    private func watch(_ server: RelayServer) {
        server.loop.schedule(after: .milliseconds(5)) { [unowned self, unowned server] in
            let isAsked = shared.withLock { state in
                defer { state.isAskedToStop = false }
                return state.isAskedToStop
            }
            if isAsked { server.stop() }
            watch(server)
        }
    }

    /// Asks it to stop, as a signal does, and waits until it has.
    @discardableResult
    func stop() -> Bool {
        shared.withLock { $0.isAskedToStop = true }
        return waitUntil { state.isOver }
    }
}

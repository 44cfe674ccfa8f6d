import Devices
import Storage
import Synchronization
import Transport

/// The settings of a sync service.
struct SyncSettings: Sendable {
    let folder: String
    let schema: Schema
    let options: StoreOptions
    let peers: [String]
    let listening: String?
    let allowsPlainTCP: Bool
}

/// The thread of a service, and what others may know of it.
final class SyncCore: Sendable {
    /// A daemon, for closures that run on its loop's thread.
    ///
    /// Unchecked: it is made on that thread, and every use is posted to its mailbox.
    private struct Running: @unchecked Sendable {
        let daemon: Daemon
    }

    private struct State {
        var running: Running?
        var isStarted = false
        var isStopping = false
        var status = SyncStatus()
        var streams: [Int: AsyncStream<SyncStatus>.Continuation] = [:]
        var nextStream = 0
        var stopped: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    // MARK: For any thread

    var status: SyncStatus { state.withLock { $0.status } }

    func statuses() -> AsyncStream<SyncStatus> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.nextStream += 1
                state.streams[state.nextStream] = continuation
                continuation.yield(state.status)
                return state.nextStream
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.streams[number] = nil }
            }
        }
    }

    /// Runs `body` on the loop's thread, if it runs.
    func onLoop(_ body: @escaping @Sendable (Daemon) -> Void) {
        guard let running = state.withLock({ $0.running }) else { return }
        running.daemon.mailbox.post { _ in body(running.daemon) }
    }

    /// Starts the thread; `started` is called once, with what kept it from running.
    func start(_ settings: SyncSettings, started: @escaping @Sendable (TandemError?) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else {
            return started(
                TandemError(
                    .alreadyRunning, "the service was started before", side: .app,
                    next: "make another one after this one has stopped"))
        }
        let code = DetachedThread.start { self.run(settings, started: started) }
        if let code {
            let error = TandemError(
                .failedCall(.createThread, errno: code, about: settings.folder))
            finish(error)
            started(error)
        }
    }

    /// Ends the run in order; `stopped` is called once it is over.
    func stop(_ stopped: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isStarted || (state.running == nil && state.isStopping) { return true }
            state.isStopping = true
            state.stopped.append(stopped)
            return false
        }
        if isOver { return stopped() }
        onLoop { $0.stop() }
    }

    // MARK: On the thread

    private func run(
        _ settings: SyncSettings, started: @escaping @Sendable (TandemError?) -> Void
    ) {
        var isStarted = false
        do {
            let device = try Device.open(
                in: settings.folder, schema: try settings.schema.tables(),
                options: settings.options)
            defer { device.close() }
            let daemon = try daemon(device, settings)
            daemon.changed = { [unowned self, unowned daemon] in publish(daemon) }
            let listening = try settings.listening.map {
                try Endpoint(parsing: $0)
            }
            try daemon.run(listening: listening, handlesSignals: false) {
                isStarted = true
                let isStopping = state.withLock { state in
                    state.running = Running(daemon: daemon)
                    state.status.isRunning = true
                    return state.isStopping
                }
                if isStopping { onLoop { $0.stop() } }
                publish(daemon)
                started(nil)
            }
            finish(nil)
        } catch {
            let error = TandemError(any: error)
            finish(error)
            if !isStarted { started(error) }
        }
    }

    private func daemon(_ device: Device, _ settings: SyncSettings) throws -> Daemon {
        do {
            return try device.daemon(
                with: settings.peers.map { try PeerAddress(parsing: $0) },
                isListening: settings.listening != nil, allowInsecure: settings.allowsPlainTCP,
                SyncServer.Log(
                    listening: { [unowned self] endpoint in
                        state.withLock { $0.status.listening = "\(endpoint)" }
                    }, connected: { _ in }, fault: { _, _ in },
                    refused: { _, _ in }, ended: { _, _, _, _ in }))
        } catch DeviceFault.nobodyKnown where ControlClient.isAnswered(in: device.folder) {
            throw DeviceFault.daemonRuns
        }
    }

    private func publish(_ daemon: Daemon) {
        let found = daemon.status
        let contacts = found.contacts
        let callCount = found.callCount
        state.withLock { state in
            state.status.contacts = contacts
            state.status.callCount = callCount
            for stream in state.streams.values { stream.yield(state.status) }
        }
    }

    private func finish(_ problem: TandemError?) {
        let (stopped, streams) = state.withLock { state in
            state.running = nil
            state.isStopping = true
            state.status.isRunning = false
            state.status.problem = problem
            for stream in state.streams.values { stream.yield(state.status) }
            defer { (state.stopped, state.streams) = ([], [:]) }
            return (state.stopped, Array(state.streams.values))
        }
        for stream in streams { stream.finish() }
        for action in stopped { action() }
    }
}

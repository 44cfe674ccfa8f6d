import DeviceTestSupport
import Devices
import Session
import Storage
import Synchronization
import Transport

/// A live client of a store on a thread of its own.
final class RunningClient: Sendable {
    /// The client's state.
    struct State: Sendable {
        var report = SessionReport()
        var waits: [ContactCause] = []
        var isAskedToStop = false
        var isOver = false
        var end: SessionEnd?
        var failure: String?
        var fault: StoreFault?
    }

    private let shared = Mutex(State())
    private let folder: TemporaryStores
    private let name: String
    private let hostAndPort: HostAndPort

    init(_ name: String, in folder: TemporaryStores, calling hostAndPort: HostAndPort) throws {
        self.folder = folder
        self.name = name
        self.hostAndPort = hostAndPort
        guard DetachedThread.start({ [self] in run() }) == nil else {
            throw RuntimeTestError(what: "no thread")
        }
    }

    /// The client's current state.
    var state: State { shared.withLock { $0 } }

    private func run() {
        do {
            let store = try folder.open(name)
            defer { store.close() }
            let client = try SyncClient(
                store: store, endpoint: .tcp(hostAndPort), isLive: true, plain: .thisMachine)
            watch(client)
            let end = try client.run { [unowned self] report in
                shared.withLock { $0.report = report }
            } waiting: { [unowned self] cause, _ in
                shared.withLock { $0.waits.append(cause) }
            }
            shared.withLock {
                $0.end = end
                $0.fault = client.fault
            }
        } catch {
            shared.withLock { $0.failure = "\(error)" }
        }
        shared.withLock { $0.isOver = true }
    }

    private func watch(_ client: SyncClient) {
        client.loop.schedule(after: .milliseconds(5)) { [unowned self, unowned client] in
            if shared.withLock({ $0.isAskedToStop }) {
                shared.withLock { $0.isAskedToStop = false }
                client.stop()
            }
            watch(client)
        }
    }

    /// Ends it in order.
    func stop() {
        shared.withLock { $0.isAskedToStop = true }
        _ = waitUntil { state.isOver }
    }
}

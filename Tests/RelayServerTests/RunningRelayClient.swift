#if Encryption
    import DeviceTestSupport
    import Devices
    import Session
    import Storage
    import Synchronization
    import Transport

    /// A device that stays at a relay, on a thread of its own.
    final class RunningRelayClient: Sendable {
        /// The client's state.
        struct State: Sendable {
            var report = SessionReport()
            var waits: [String] = []
            var isAskedToStop = false
            var isOver = false
            var failure: String?
        }

        private let shared = Mutex(State())
        private let device: RelayTestDevice
        private let relay: RelayAddress

        init(_ device: RelayTestDevice, at relay: RelayAddress) throws {
            self.device = device
            self.relay = relay
            guard DetachedThread.start({ [self] in run() }) == nil else {
                throw RuntimeTestError(what: "no thread")
            }
        }

        /// The client's current state.
        var state: State { shared.withLock { $0 } }

        private func run() {
            do {
                let store = try device.stores.open(device.name)
                defer { store.close() }
                let client = try device.client(store, at: relay, isLive: true)
                watch(client)
                _ = try client.run { [unowned self] report in
                    shared.withLock { $0.report = report }
                } waiting: { [unowned self] why, _ in
                    shared.withLock { $0.waits.append(why.words) }
                }
            } catch {
                shared.withLock { $0.failure = "\(error)" }
            }
            shared.withLock { $0.isOver = true }
        }

        private func watch(_ client: SyncClient) {
            client.loop.schedule(after: .milliseconds(5)) { [unowned self, unowned client] in
                let isAsked = shared.withLock { state in
                    defer { state.isAskedToStop = false }
                    return state.isAskedToStop
                }
                if isAsked { client.stop() }
                watch(client)
            }
        }

        /// Asks it to stop, and waits until it has.
        @discardableResult
        func stop() -> Bool {
            shared.withLock { $0.isAskedToStop = true }
            return waitUntil { state.isOver }
        }
    }
#endif

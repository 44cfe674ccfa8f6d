#if Encryption
    import Core
    import Devices
    import Crypto
    import Session
    import Storage
    import Transport
    import Terminal

    /// A device with a store that stays at a relay, on a loop that others use as well.
    final class RelayCaller {
        /// How far it has come.
        private(set) var report = SessionReport()
        /// Told when a change from another device was integrated.
        var onChange: () -> Void = {}

        private let store: Store
        private let loop: EventLoop
        private let runner: ReplicaRunner
        private let member: RelaySpaceMember
        private let certificate: DeviceCertificate
        private var failure: String?

        init(
            _ store: Store, on loop: EventLoop, _ secret: SpaceSecret,
            _ certificate: DeviceCertificate
        ) throws {
            self.store = store
            self.loop = loop
            self.certificate = certificate
            runner = try ReplicaRunner(store: store, on: loop)
            member = .sealed(by: try SpaceSealer(secret, of: try store.summary().space))
        }

        func call(_ relay: RelayAddress) throws {
            let context = try SyncSecurity(certificate: certificate) { $0 == relay.fingerprint }
                .context(peer: "\(relay.hostAndPort)")
            Dialer(
                on: loop, to: relay.hostAndPort, security: context, options: LinkOptions.session
            ) { [unowned self] result in
                do {
                    try runner.converse(
                        overRelay: try result.get(), as: member, isLive: true,
                        listener: ReplicaRunner.Listener(
                            report: { [unowned self] found in
                                let before = report.changedCount
                                report = found
                                if found.changedCount > before { onChange() }
                            },
                            ended: { [unowned self] end, _ in
                                Screen.error("a device has ended: \(end)\n")
                                loop.stop()
                            }))
                } catch {
                    Screen.error("a device cannot call: \(error)\n")
                    loop.stop()
                }
            }
        }

        func edit(_ body: (Transaction) throws -> Void) throws {
            try store.write { try body($0) }
            runner.noticeChanges()
        }

        func close() {
            runner.stop()
            store.close()
        }
    }
#endif

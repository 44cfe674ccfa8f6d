import Transport

#if Encryption
    import Core
    import Crypto
    import DeviceTestSupport
    import Devices
    import Session
    import Synchronization
    import Testing

    @Suite("Strangers that a server hears", .timeLimit(.minutes(30)))
    struct HeldStrangersTests {
        @Test(
            "of the peers that are heard for a code one address has 16, the newest, and keeps no device out"
        )
        func crowd() throws {
            let folder = TemporaryStores()
            for name in ["a", "b"] { try folder.create(name).close() }
            let (own, member) = (try DeviceCertificate(), try DeviceCertificate())
            let server = try RunningServer(
                "a", in: folder, certificate: own, trusting: [member.fingerprint],
                strangers: .stranger)
            defer { server.stop() }
            let crowd = try Crowd(of: 20, calling: try server.hostAndPort)
            try crowd.run { crowd.closedCount >= 4 }
            #expect(crowd.openCount == 16)
            #expect(crowd.openIndexes == Array(4..<20), "the oldest go")
            // Nobody who is trusted is kept out by them.
            let store = try folder.open("b")
            defer { store.close() }
            let client = try SyncClient(
                store: store, endpoint: .tls(try server.hostAndPort, own.fingerprint),
                security: SyncSecurity(certificate: member) { _ in false })
            #expect(try client.run() == .finished)
        }
    }

    /// Connections by unknown keys, one after the other, which say nothing.
    private final class Crowd {
        private let loop: EventLoop
        private var strangers: [Stranger] = []

        init(of count: Int, calling hostAndPort: HostAndPort) throws {
            loop = try EventLoop()
            let security = SyncSecurity(certificate: try DeviceCertificate()) { _ in true }
            connect(count, hostAndPort, try security.context(peer: ""))
        }

        private func connect(_ count: Int, _ hostAndPort: HostAndPort, _ context: SecureContext) {
            guard count > 0 else { return }
            Dialer(
                on: loop, to: hostAndPort, timeout: .seconds(10), security: context,
                options: .session
            ) { [unowned self] result in
                guard case .success(let link) = result else { return }
                let stranger = Stranger(link)
                strangers.append(stranger)
                connect(count - 1, hostAndPort, context)
            }
        }

        var closedCount: Int { strangers.count { $0.link == nil } }
        var openCount: Int { strangers.count - closedCount }
        var openIndexes: [Int] { strangers.indices.filter { strangers[$0].link != nil } }

        /// Runs until something holds, and a little longer.
        func run(_ isDone: @escaping () -> Bool) throws {
            func look(_ left: Int) {
                loop.schedule(after: .milliseconds(20)) { [unowned self] in
                    if left == 0 { return loop.stop() }
                    look(isDone() ? min(left - 1, 10) : left - 1)
                }
            }
            look(400)
            try loop.run()
        }
    }

    private final class Stranger: LinkDelegate {
        private(set) var link: Link?

        init(_ link: Link) {
            self.link = link
            link.start(self)
        }

        func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {}
        func linkDrained(_ link: Link) {}
        func linkClosed(_ link: Link, _ reason: Link.Ending) { self.link = nil }
    }
#endif

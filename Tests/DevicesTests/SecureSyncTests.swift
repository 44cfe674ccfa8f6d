#if Encryption
    import DeviceTestSupport
    import Devices
    import Crypto
    import Session
    import Storage
    import Testing
    import Transport

    @Suite("Sync over TLS", .timeLimit(.minutes(30)))
    struct SecureSyncTests {
        private let laptop: DeviceCertificate
        private let phone: DeviceCertificate

        init() throws {
            laptop = try DeviceCertificate()
            phone = try DeviceCertificate()
        }

        /// Syncs the phone's store with the server, as the device of a certificate.
        private func sync(
            _ folder: TemporaryStores, _ endpoint: Endpoint, as certificate: DeviceCertificate,
            plain: PlainTCP = .nowhere
        ) throws -> SessionEnd {
            let store = try folder.open("b")
            defer { store.close() }
            let client = try SyncClient(
                store: store, endpoint: endpoint,
                security: SyncSecurity(certificate: certificate) { _ in false }, plain: plain)
            return try client.run()
        }

        @Test("devices that trust each other sync; others learn why they do not")
        func syncing() throws {
            let folder = TemporaryStores()
            for name in ["a", "b"] {
                let store = try folder.create(name)
                try TemporaryStores.add(name, to: store)
                store.close()
            }
            let server = try RunningServer(
                "a", in: folder, certificate: laptop, trusting: [phone.fingerprint])
            defer { server.stop() }
            let hostAndPort = try server.hostAndPort
            let endpoint = Endpoint.tls(hostAndPort, laptop.fingerprint)
            guard
                case .space = try SpaceProbe.ask(
                    endpoint, security: SyncSecurity(certificate: phone) { _ in false })
            else {
                Issue.record("the server does not tell its space")
                return
            }
            #expect(try sync(folder, endpoint, as: phone) == .finished)
            let store = try folder.open("b")
            #expect(try TemporaryStores.titles(store) == ["a", "b"])
            store.close()

            let stranger = try DeviceCertificate()
            let name = hostAndPort.description
            #expect(
                throws: TransportError.security(
                    .refusedByPeer(own: stranger.fingerprint), peer: name)
            ) { try sync(folder, endpoint, as: stranger) }
            let wrong = Endpoint.tls(hostAndPort, stranger.fingerprint)
            #expect(
                throws: TransportError.security(.untrustedPeer(laptop.fingerprint), peer: name)
            ) { try sync(folder, wrong, as: phone) }
            #expect(waitUntil { server.state.refusals.count == 2 })
            // On this machine too.
            #expect(throws: TransportError.security(.peerWantsTLS, peer: name)) {
                try sync(folder, .tcp(hostAndPort), as: stranger, plain: .thisMachine)
            }
            #expect(throws: TransportError.security(.untrustedPeer(laptop.fingerprint), peer: name))
            {
                try sync(folder, .tcp(hostAndPort), as: phone)
            }
            #expect(server.state.faults.isEmpty)
        }

        @Test("a server of a space without keys takes plain TCP on this machine beside TLS")
        func plainSpace() throws {
            let folder = TemporaryStores()
            try folder.create("a").close()
            try folder.create("b").close()
            let server = try RunningServer(
                "a", in: folder, certificate: laptop, trusting: [phone.fingerprint],
                plain: .thisMachine)
            defer { server.stop() }
            let hostAndPort = try server.hostAndPort
            let stranger = try DeviceCertificate()
            let unkeyed = Endpoint.tcp(hostAndPort)
            #expect(try sync(folder, unkeyed, as: stranger, plain: .thisMachine) == .finished)
            let secure = Endpoint.tls(hostAndPort, laptop.fingerprint)
            #expect(try sync(folder, secure, as: phone) == .finished)
        }
    }
#endif

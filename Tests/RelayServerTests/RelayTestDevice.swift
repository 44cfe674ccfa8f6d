#if Encryption
    import Core
    import Glibc
    import DeviceTestSupport
    import Devices
    import Crypto
    import Session
    import Storage
    import Transport

    /// A device of the one space of the tests, which syncs through a relay.
    struct RelayTestDevice {
        /// How a sync went.
        struct Outcome {
            let end: SessionEnd
            let report: SessionReport
        }

        static let space = SpaceID(value: 7)
        static let usualSecret: SpaceSecret? = secret(1)

        /// A secret that consists of one byte.
        static func secret(_ byte: UInt8, generation: UInt32 = 1) -> SpaceSecret? {
            SpaceSecret(bytes: [UInt8](repeating: byte, count: 32), generation: generation)
        }

        let name: String
        let stores: TemporaryStores
        let certificate: DeviceCertificate
        var secret = RelayTestDevice.usualSecret
        var token: String?
        var succession: [UInt8]?

        init(_ name: String, in stores: TemporaryStores) throws {
            self.name = name
            self.stores = stores
            certificate = try DeviceCertificate()
            try stores.create(name).close()
        }

        /// Edits the store.
        func add(_ titles: [String]) throws {
            let store = try stores.open(name)
            defer { store.close() }
            for title in titles { try TemporaryStores.add(title, to: store) }
        }

        /// The titles in the store.
        func titles() throws -> [String] {
            let store = try stores.open(name)
            defer { store.close() }
            return try TemporaryStores.titles(store)
        }

        /// A client of the store, which the caller closes.
        func client(
            _ store: Store, at relay: RelayAddress, isLive: Bool = false
        ) throws -> SyncClient {
            let member: RelaySpaceMember
            if let secret {
                member = .sealed(
                    by: try SpaceSealer(secret, of: Self.space, succession: succession),
                    token: token)
            } else {
                member = .plain(token: token)
            }
            return try SyncClient(
                store: store, contact: .relay(relay, member), isLive: isLive,
                security: SyncSecurity(certificate: certificate) { _ in false },
                plain: relay.fingerprint == nil ? .thisMachine : .nowhere)
        }

        /// One whole sync.
        @discardableResult
        func sync(with relay: RelayAddress) throws -> Outcome {
            let store = try stores.open(name)
            defer { store.close() }
            let client = try client(store, at: relay)
            var last = SessionReport()
            let end = try client.run { last = $0 }
            if let fault = client.fault { throw fault }
            return Outcome(end: end, report: last)
        }
    }
#endif

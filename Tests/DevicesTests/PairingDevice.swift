import Transport

#if Encryption
    import Core
    import Glibc
    import Devices
    import Crypto
    import Storage

    /// A device of the space under test, in a folder that goes with it.
    final class PairingDevice {
        let folder: String
        let store: Store
        let member: SpaceMember
        let fingerprint: Fingerprint

        init(_ name: String, in space: SpaceID? = nil, secret: SpaceSecret?) throws {
            folder = "/tmp/tandem-pairing-\(getpid())-\(SystemEnvironment.random())"
            store = try Store.create(
                folder: folder, schema: [], space: space, deviceName: name,
                environment: SystemEnvironment.environment())
            fingerprint = try DeviceCertificate().fingerprint
            member = try SpaceMember(store, fingerprint) { keyring in
                if let secret { keyring.add(secret) }
            }
            try member.refresh()
        }

        deinit {
            store.close()
            let disk = SystemEnvironment.environment().disk
            for name in [
                "store.db", "store.db-wal", "store.db-shm", "identity", "lock", "keyring",
                "keyring.lock",
            ] { disk.remove(folder + "/" + name) }
            rmdir(folder)
        }

        /// Takes in everything that another device has.
        func hear(_ other: PairingDevice) throws {
            let answer = try other.store.read(
                from: .sequence(0), peerHas: PeerHoldings(), isFull: true)
            _ = try store.integrate(
                answer.changes, from: other.store.replica, checkpoint: nil)
            try member.refresh()
        }
    }
#endif

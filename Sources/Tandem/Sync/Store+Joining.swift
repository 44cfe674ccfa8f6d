import Causality
import Pairing
import Runtime
import Sealing
import Security
import Storage
import Transport
import Wire

/// Being let in by another device.
extension Store {
    /// Joins the space of another device with a code that was made there, and syncs for the first time.
    ///
    /// A store that is in the folder already keeps its records, and brings them into the space; devices with
    /// which it was in a space before stay behind.
    /// - Parameters:
    ///   - code: what ``invite(at:seconds:relayToken:)`` gave over there; blanks and lines do not matter.
    ///   - folder: where the store is or is to be made.
    ///   - schema: the app's collections.
    ///   - deviceName: what other devices call this one, if the store has to be made.
    ///   - options: how the store is opened.
    /// - Returns: the store, open.
    /// - Throws: `badInvitation`, `refused`, `unreachable`, `noEncryption`, and what ``open(deviceName:)``
    ///   throws. If only the first sync failed, nothing is thrown: ``sync(with:allowsPlainTCP:)`` and
    ///   ``SyncService`` know the addresses from now on.
    public static func join(
        _ code: String, at folder: String, schema: Schema, deviceName: String,
        options: StoreOptions = StoreOptions()
    ) throws(TandemError) -> Store {
        do {
            let code = try PairingCode(parsing: code)
            try code.check(now: SystemWorld.wallMilliseconds())
            try SystemWorld.environment().disk.makeFolder(folder)
            guard let certificate = try SpaceAccess.certificate(in: folder) else {
                throw noEncryption
            }
            // Asked first: who is refused has changed nothing here.
            let direct = try introduce(code, SyncSecurity(certificate: certificate) { _ in false })
            let store = Store(at: folder, schema: schema, options: options)
            try store.open(in: code, deviceName)
            try enter(code, try store.opened(), certificate.fingerprint)
            store.syncFirst(direct)
            return store
        } catch {
            throw TandemError(any: error)
        }
    }

    // MARK: Being let in

    /// Shows the code to the device that made it.
    ///
    /// - Returns: the addresses to sync with: where it let this one in, and relays.
    private static func introduce(
        _ code: PairingCode, _ security: SyncSecurity
    ) throws -> [String] {
        var found = code.addresses.filter { $0.kind == .relay }.map {
            RelayAddress($0.place, fingerprint: $0.fingerprint).description
        }
        var failure: (any Error)?
        for address in code.addresses where address.kind == .device {
            do {
                let refusal = try Introduction.perform(
                    at: address.place, address.fingerprint, security: security
                ) { binding in approach(code, binding) }
                if let refusal {
                    throw TandemError(
                        .refused, refusal.message, side: .peer, next: refusal.advice)
                }
                found.insert("\(Endpoint.tls(address.place, address.fingerprint))", at: 0)
                return found
            } catch let error as TransportError {
                failure = error
            }
        }
        if found.isEmpty {
            throw failure
                ?? TandemError(
                    .badInvitation, "the code has no address in it", side: .user,
                    next: "have a new one made")
        }
        return found
    }

    private static func approach(_ code: PairingCode, _ binding: [UInt8]) -> Approach? {
        var approach = Approach(
            space: code.space, replica: ReplicaID(value: UInt128(SystemWorld.random() | 1)),
            features: [], generation: code.secret?.generation ?? 0,
            token: Hexadecimal.text(code.invite))
        #if Encryption
            if let secret = code.secret {
                guard let sealer = try? SpaceSealer(secret, of: code.space),
                    let access = try? sealer.access(on: binding)
                else { return nil }
                approach.access = access
            }
        #endif
        return approach
    }

    // MARK: The store

    /// Opens what is in the folder, or makes a store of the code's space.
    private func open(in code: PairingCode, _ deviceName: String) throws {
        if SystemWorld.environment().disk.exists(StorePaths(folder: folder).database) {
            try open(deviceName: nil)
            return
        }
        try use(
            try Storage.Store.create(
                folder: folder, schema: try schema.tables(), space: code.space,
                policy: code.policy, deviceName: deviceName,
                environment: SystemWorld.environment(), options: options.engine))
    }

    /// Takes the store into the space, with the keys from the code.
    private static func enter(
        _ code: PairingCode, _ engine: Storage.Store, _ own: Fingerprint
    ) throws {
        let isMoved = engine.space != code.space
        if isMoved { try engine.enter(space: code.space, policy: code.policy) }
        let member = try Membership(engine, own) { keyring in
            if let secret = code.secret { keyring.add(secret) } else { keyring.isPlain = true }
            for address in code.addresses {
                switch address.kind {
                case .relay:
                    let relay = RelayAddress(address.place, fingerprint: address.fingerprint)
                    if keyring.relays[relay.description] == nil {
                        keyring.relays[relay.description] = ""
                    }
                case .device:
                    keyring.peers.insert("\(Endpoint.tls(address.place, address.fingerprint))")
                }
            }
        }
        if isMoved { try member.distrustOthers() }
        try member.refresh(invite: code.invite)
    }

    private func syncFirst(_ addresses: [String]) {
        for address in addresses {
            // Whoever cannot be reached now is reached later: the keys are here.
            _ = try? sync(with: address)
        }
    }
}

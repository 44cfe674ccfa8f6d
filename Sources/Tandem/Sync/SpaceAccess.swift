import Crypto
import Devices
import Storage
import Transport

/// Who this device is in its space, whom it trusts, and how others are reached.
struct SpaceAccess {
    let store: Storage.Store
    /// Nil if this build has no encryption.
    let security: SyncSecurity?
    /// Nil if this device was never paired.
    let member: Membership?

    init(_ store: Storage.Store) throws {
        self.store = store
        guard let certificate = try Self.certificate(in: store.paths.folder) else {
            (security, member) = (nil, nil)
            return
        }
        security = Self.security(store, certificate)
        member = try Membership(store, certificate.fingerprint)
        try member?.refresh()
    }

    /// What this device proves to be; made if there is nothing yet.
    static func certificate(in folder: String) throws -> DeviceCertificate? {
        do {
            return try DeviceCertificate.kept(at: DeviceCertificate.path(in: folder))
        } catch CertificateFault.notBuiltIn {
            return nil
        }
    }

    private static func security(
        _ store: Storage.Store, _ certificate: DeviceCertificate
    ) -> SyncSecurity {
        let own = certificate.fingerprint
        // Read each time, so that pairing and revoking take effect at once.
        var security = SyncSecurity(certificate: certificate) { _ in false }
        security.judge = { shown in
            if let member = try? Membership(store, own) { return member.judge(shown) }
            return .unknown
        }
        security.introduce = { approach, shown, binding in
            guard let member = try? Membership(store, own) else { return nil }
            try? member.refresh()
            return member.introduce(approach, shown, binding: binding)
        }
        return security
    }

    /// Why a device is refused in a session: by its key, or over a link that asks for none by who it says
    /// it is.
    var refusal: ReplicaRunner.Refusal {
        let store = store
        return { stated, shown in
            // What cannot be read lets nobody in, as with keys.
            guard let book = try? DeviceBook(store) else { return .unknownMembers }
            return book.refusal(stated, shown)
        }
    }

    /// The addresses of relays and devices that pairing has made known.
    var knownAddresses: [String] {
        guard let member else { return [] }
        return member.keyring.relays.keys.sorted() + member.keyring.peers.sorted()
    }

    /// How whoever has that address is reached.
    func contact(_ address: String) throws -> Contact {
        guard RelayAddress.isMeant(by: address) else {
            return .device(try Endpoint(parsing: address))
        }
        let relay = try RelayAddress(parsing: address)
        let token = token(for: relay)
        return .relay(
            relay, try member?.relayMembership(at: relay, token: token) ?? .plain(token: token))
    }

    /// What permits to make a new space on a relay, if it asks for it.
    func token(for relay: RelayAddress) -> String? {
        member?.keyring.relays[relay.description].flatMap { $0.isEmpty ? nil : $0 }
    }
}

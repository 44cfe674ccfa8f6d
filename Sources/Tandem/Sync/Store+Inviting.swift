import Crypto
import Devices
import Storage
import Transport

/// Letting another device in.
extension Store {
    /// Makes a code that lets one more device into this store's space.
    ///
    /// The first invitation makes the space's secret: from then on what relays hold is sealed.
    /// - Parameters:
    ///   - addresses: where this device is called (`host:port`, while a ``SyncService`` listens there), and
    ///     relays through which both can meet (`relay://host:port#fingerprint`); at least one.
    ///   - seconds: how long the code is good.
    ///   - relayToken: what the relays ask for before they take a new space; nil for nothing.
    /// - Throws: `badAddress`; `refused` if the keys of the space are on another device; `noEncryption`,
    ///   `inputOutput`, `diskFull`, `notOpen`.
    public func invite(
        at addresses: [String], seconds: Int = 900, relayToken: String? = nil
    ) throws(TandemError) -> Invitation {
        let engine = try opened()
        do {
            let places = try addresses.map { try Self.place($0) }
            guard !places.isEmpty, places.count <= PairingCode.addressCountMax else {
                throw TandemError(
                    .badAddress, "an invitation has 1 to \(PairingCode.addressCountMax) addresses",
                    side: .app, next: "say where the other device can find this one, or a relay")
            }
            guard let certificate = try SpaceAccess.certificate(in: folder) else {
                throw Self.noEncryption
            }
            let member = try Self.member(engine, certificate.fingerprint)
            try member.update { keyring in
                for case .relay(let relay) in places {
                    keyring.relays[relay.description] = relayToken ?? ""
                }
            }
            return try Self.invite(
                engine, member, places.map { $0.address(certificate.fingerprint) }, seconds)
        } catch {
            throw TandemError(any: error)
        }
    }

    static var noEncryption: TandemError {
        TandemError(
            .noEncryption, "this build has no encryption, and pairing needs it", side: .machine,
            next: "build with the trait Encryption")
    }

    /// Where an invitation leads.
    private enum Place {
        case relay(RelayAddress)
        case device(HostAndPort)

        func address(_ own: Fingerprint) -> PairingCode.Address {
            switch self {
            case .relay(let relay):
                PairingCode.Address(.relay, relay.place, relay.fingerprint ?? own)
            case .device(let place): PairingCode.Address(.device, place, own)
            }
        }
    }

    private static func place(_ text: String) throws -> Place {
        guard RelayAddress.isMeant(by: text) else { return .device(try HostAndPort(parsing: text)) }
        let relay = try RelayAddress(parsing: text)
        guard relay.fingerprint != nil else {
            throw TandemError(
                .badAddress, "'\(text)' has no fingerprint", side: .user,
                next: "write the relay's address with its #fingerprint, as it prints it")
        }
        return .relay(relay)
    }

    /// What this device has as a member; the first one makes the space's secret.
    private static func member(
        _ engine: Storage.Store, _ own: Fingerprint
    ) throws -> Membership {
        if let member = try Membership(engine, own) { return member }
        let others = try DeviceBook(engine).devices.filter {
            $0.generation > 0 && !$0.isRevoked && !$0.replicas.contains(engine.replica)
        }
        if let other = others.first {
            throw TandemError(
                .refused, "the keys of this space are on \(other.name), not here", side: .user,
                next: "invite from there, and join here")
        }
        let secret = SpaceSecret(
            bytes: Keyring.random(byteCount: SpaceSecret.byteCount),
            generation: SpaceSecret.firstGeneration)
        let member = try Membership(engine, own) { keyring in
            if let secret { keyring.add(secret) }
        }
        try member.refresh()
        return member
    }

    private static func invite(
        _ engine: Storage.Store, _ member: Membership, _ addresses: [PairingCode.Address],
        _ seconds: Int
    ) throws -> Invitation {
        let now = SystemWorld.wallMilliseconds() / 1000
        let summary = try engine.summary()
        let code = PairingCode(
            space: summary.space, policy: summary.policy, secret: member.keyring.secret,
            invite: Keyring.random(byteCount: PairingCode.inviteByteCount),
            expiry: UInt32(clamping: now + Int64(seconds)), addresses: addresses)
        try member.update { keyring in
            keyring.invitations.removeAll { Int64($0.expiry) < now - 30 * 86_400 }
            keyring.invitations.append(
                Keyring.Invitation(id: code.invite, expiry: code.expiry))
        }
        return Invitation(code)
    }
}

import Core
import Crypto
import Storage
import Transport

/// Lets devices into the space of a device, and takes them out.
package struct DevicePairing {
    /// Where a device that was invited finds the space.
    package enum Address: Sendable {
        /// This device, while it answers there.
        case device(HostAndPort)
        /// A relay at which both meet.
        case relay(RelayAddress)

        /// Reads `host:port`, or the address of a relay.
        package init(parsing text: String) throws(TransportError) {
            self =
                RelayAddress.isMeant(by: text)
                ? .relay(try RelayAddress(parsing: text)) : .device(try HostAndPort(parsing: text))
        }
    }

    /// A code, and which relays have not heard of the space yet.
    package struct Invitation {
        /// The code for the other device.
        package let code: PairingCode
        /// The relays in the code that were not reached just now, and why.
        package let unmet: [(relay: HostAndPort, why: any Error)]
    }

    /// A device that was taken out of the space, or a secret that was changed.
    package struct Revocation {
        /// The device; nil if only the secret was changed.
        package let device: DeviceDirectory.Device?
        /// The generation of the present secret; 0 in a plain space.
        package let generation: UInt32
        /// The other devices that stay.
        package let remaining: [DeviceDirectory.Device]
        /// The relays that are known, and why they could not be told; nil if they were.
        package let relays: [(address: String, failure: (any Error)?)]
    }

    /// How long a code is good unless told otherwise; seconds.
    package static let invitationSeconds = 900
    /// An invitation is forgotten so long after it ran out; seconds.
    private static let forgottenSeconds: Int64 = 30 * 86_400

    private let device: Device
    private var store: Store { device.store }

    init(_ device: Device) { self.device = device }

    // MARK: Inviting

    /// Makes a code that lets one more device in; the first one makes the space's secret.
    ///
    /// Relays that are known already stand in the code as well, as far as there is room, and all of them are synced
    /// with: a relay has to know the space, and what is in it, before somebody comes with the code.
    /// - Parameters:
    ///   - addresses: where the other device finds the space, the best first.
    ///   - token: what the relays among these ask for before they take a new space.
    ///   - now: the wall clock's time; milliseconds since 1970-01-01 UTC.
    /// - Throws: `noEncryption`, `keysElsewhere`, `noAddress`, `tooManyAddresses`, `noFingerprint`, `revoked`.
    package func invite(
        at addresses: [Address], token: String? = nil, seconds: Int = invitationSeconds, now: Int64
    ) throws -> Invitation {
        let access = try device.access()
        guard let security = access.security else { throw DeviceFault.noEncryption }
        let own = security.certificate.fingerprint
        guard addresses.count <= PairingCode.addressCountMax else {
            throw DeviceFault.tooManyAddresses
        }
        for case .relay(let relay) in addresses where relay.fingerprint == nil {
            throw DeviceFault.noFingerprint(address: relay.description)
        }
        let member = try access.member ?? makeKeys(own)
        try member.update { keyring in
            for case .relay(let relay) in addresses {
                keyring.relays[relay.description] = token ?? ""
            }
        }
        let codeAddresses = try Self.codeAddresses(addresses, member, own)
        guard !codeAddresses.isEmpty else { throw DeviceFault.noAddress }
        let code = try code(at: codeAddresses, member, seconds: seconds, now: now / 1000)
        let sync = DeviceSync(device, try device.access())
        var unmet: [(relay: HostAndPort, why: any Error)] = []
        for codeAddress in codeAddresses where codeAddress.kind == .relay {
            let relay = RelayAddress(codeAddress.hostAndPort, fingerprint: codeAddress.fingerprint)
            do {
                let (end, report) = try sync.session(with: .relay(relay))
                if let fault = DeviceFault(end, report, with: "\(relay.hostAndPort)") {
                    throw fault
                }
            } catch {
                unmet.append((relay.hostAndPort, error))
            }
        }
        try device.refuseIfRevoked()
        return Invitation(code: code, unmet: unmet)
    }

    private func code(
        at codeAddresses: [PairingCode.Address], _ member: SpaceMember, seconds: Int, now: Int64
    ) throws -> PairingCode {
        let summary = try store.summary()
        let code = PairingCode(
            space: summary.space, policy: summary.policy, secret: member.keyring.secret,
            invite: Keyring.random(byteCount: PairingCode.inviteByteCount),
            expiry: UInt32(clamping: now + Int64(seconds)), addresses: codeAddresses)
        try member.update { keyring in
            keyring.invitations.removeAll { Int64($0.expiry) < now - Self.forgottenSeconds }
            keyring.invitations.append(
                Keyring.Invitation(id: code.invite, expiry: code.expiry))
        }
        return code
    }

    private static func codeAddresses(
        _ addresses: [Address], _ member: SpaceMember, _ own: Fingerprint
    ) throws -> [PairingCode.Address] {
        var found: [PairingCode.Address] = []
        let known = try member.keyring.relays.keys.sorted().map {
            Address.relay(try RelayAddress(parsing: $0))
        }
        for address in addresses + known where found.count < PairingCode.addressCountMax {
            let one: PairingCode.Address
            switch address {
            case .device(let hostAndPort): one = PairingCode.Address(.device, hostAndPort, own)
            case .relay(let relay):
                guard let fingerprint = relay.fingerprint else { continue }
                one = PairingCode.Address(.relay, relay.hostAndPort, fingerprint)
            }
            if !found.contains(one) { found.append(one) }
        }
        return found
    }

    /// The keys of a device whose store is older than they are.
    private func makeKeys(_ own: Fingerprint) throws -> SpaceMember {
        let others = try device.directory().devices.filter {
            $0.generation > 0 && !$0.isRevoked && !$0.replicas.contains(store.replica)
        }
        if let other = others.first { throw DeviceFault.keysElsewhere(on: other.name) }
        return try Self.makeKeys(of: store, own, isPlain: false)
    }

    /// Makes the first secret of a space, unless it is to have none, and what others know of this device.
    static func makeKeys(
        of store: Store, _ own: Fingerprint, isPlain: Bool
    ) throws -> SpaceMember {
        let secret = SpaceSecret(
            bytes: Keyring.random(byteCount: SpaceSecret.byteCount),
            generation: SpaceSecret.firstGeneration)
        let member = try SpaceMember(store, own) { keyring in
            if isPlain { keyring.isPlain = true }
            if let secret, !isPlain { keyring.add(secret) }
        }
        try member.refresh()
        return member
    }

    // MARK: Revoking

    /// The device that a word names and that can be taken out.
    ///
    /// - Throws: `noEncryption`, `noKeys`, `noSuchDevice`, `severalDevices`, `ownDevice`, `neverPaired`,
    ///   `revokedAlready`.
    package func revocable(_ word: String) throws -> DeviceDirectory.Device {
        _ = try device.access().requireMember()
        let found = try device.directory().find(word)
        guard let only = found.first else { throw DeviceFault.noSuchDevice(word) }
        guard found.count == 1 else { throw DeviceFault.severalDevices(word, found) }
        try check(only)
        return only
    }

    private func check(_ target: DeviceDirectory.Device) throws {
        if target.replicas.contains(store.replica) { throw DeviceFault.ownDevice }
        guard target.fingerprint != nil else { throw DeviceFault.neverPaired(target) }
        if target.isRevoked { throw DeviceFault.revokedAlready(target) }
    }

    /// Takes a device out of the space for good, and changes the space's secret.
    ///
    /// Relays are synced with before, as they may know of devices that are not known here yet and drop what they
    /// have under the old secret, and after it, to bring them the new one.
    /// - Parameters:
    ///   - target: the device; nil to change the secret alone.
    ///   - syncsWithRelays: whether to do so.
    /// - Throws: `plainSpace`, `revoked`, and as `revocable`.
    package func revoke(
        _ target: DeviceDirectory.Device?, syncsWithRelays: Bool = true
    ) throws -> Revocation {
        let access = try device.access()
        let member = try access.requireMember()
        if let target {
            try check(target)
        } else if member.keyring.secret == nil {
            throw DeviceFault.plainSpace
        }
        let relays = syncsWithRelays ? member.keyring.relays.keys.sorted() : []
        let sync = DeviceSync(device, access)
        for relay in relays { _ = meet(relay, sync) }
        try device.refuseIfRevoked()
        #if Encryption
            try member.revoke(target)
        #endif
        let told = relays.map { (address: $0, failure: meet($0, sync)) }
        let remaining = try device.directory().devices.filter {
            !$0.isRevoked && $0.fingerprint != nil && !$0.replicas.contains(store.replica)
        }
        return Revocation(
            device: target, generation: member.keyring.generation, remaining: remaining,
            relays: told)
    }

    /// Syncs with a relay; gives why it could not be.
    private func meet(_ relay: String, _ sync: DeviceSync) -> (any Error)? {
        do {
            let (end, report) = try sync.session(with: PeerAddress(parsing: relay))
            // Deletes that are held here keep nothing from leaving: the relay was told.
            if case .failed(let error, .ours) = end, error.known == .deletesHeld { return nil }
            return DeviceFault(end, report, with: relay)
        } catch {
            return error
        }
    }
}

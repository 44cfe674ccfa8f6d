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

    /// A device that was taken out of the space, or a secret that was changed.
    package struct Revocation {
        /// The device; nil if only the secret was changed.
        package let device: DeviceDirectory.Device?
        /// The generation of the present secret; 0 in a plain space.
        package let generation: UInt32
        /// The other devices that stay, and can open the new secret.
        package let remaining: [DeviceDirectory.Device]
        /// The devices that stay and cannot open the new secret yet: the revoked device has a copy of their keyring.
        package let sharers: [DeviceDirectory.Device]
        /// The rest of a sentence that begins with the name of a sharer.
        package static let sharerWords =
            "cannot open the new secret, as the removed device has a copy of its keyring. It makes a new key, and gets the "
            + "secret when it syncs with another device; a relay cannot give it"
        /// The relays that are known, and why they could not be told; nil if they were.
        package let relays: [(address: String, failure: (any Error)?)]
        /// The counts of the take-back; nil if none was asked for.
        package let takenBack: TakenBack?
    }

    private let device: Device
    private var store: Store { device.store }

    init(_ device: Device) { self.device = device }

    // MARK: Inviting

    /// Makes a code that lets one more device in, and waits with it; the first one makes the space's secret.
    ///
    /// Relays that are known already are handed over as well, as far as there is room, and all of them are synced
    /// with: a relay has to know the space, and what is in it, before somebody comes.
    /// - Parameters:
    ///   - addresses: where the other device finds the space, the best first; at the first of them both meet.
    ///   - token: what the relays among these ask for before they take a new space.
    ///   - seconds: how long the code is good, at most `WaitingInvitation.secondsMax`.
    ///   - admitsFirst: whether whoever comes first with the code is admitted, and nobody types digits.
    /// - Returns: the invitation; `open` it before the code is shown.
    /// - Throws: `noEncryption`, `keysElsewhere`, `noAddress`, `tooManyAddresses`, `noFingerprint`, `revoked`.
    package func invite(
        at addresses: [Address], token: String? = nil,
        seconds: Int = WaitingInvitation.secondsStandard, admitsFirst: Bool = false
    ) throws -> WaitingInvitation {
        let access = try device.access()
        guard let security = access.security else { throw DeviceFault.noEncryption }
        let own = security.certificate.fingerprint
        guard addresses.count <= PairingHandover.addressCountMax else {
            throw DeviceFault.tooManyAddresses
        }
        for case .relay(let relay) in addresses where relay.fingerprint == nil {
            throw DeviceFault.noFingerprint(address: relay.description)
        }
        let member = try access.member ?? makeKeys(own)
        let handed = try Self.handed(addresses, member, own)
        guard let first = handed.first else { throw DeviceFault.noAddress }
        let relays = addresses.compactMap { address in
            if case .relay(let relay) = address { relay } else { nil }
        }
        let unmet = try meet(relays, token: token, handed, member)
        try device.refuseIfRevoked()
        let relay = RelayAddress(first.hostAndPort, fingerprint: first.fingerprint)
        #if Encryption
            let key = try security.certificate.publicKey()
        #else
            let key: [UInt8] = []
        #endif
        let store = store
        return try WaitingInvitation(
            device, member, at: first.hostAndPort, relay: first.kind == .relay ? relay : nil,
            seconds: min(max(1, seconds), WaitingInvitation.secondsMax), admitsFirst: admitsFirst,
            unmet: unmet
        ) {
            // The secret may have changed since the code was made.
            guard let keyring = try? Keyring.read(in: store.paths.folder),
                keyring.space == store.space, let summary = try? store.summary()
            else { return nil }
            return PairingHandover(
                space: summary.space, policy: summary.policy, secret: keyring.secret,
                addresses: handed, inviter: key)
        }
    }

    /// Syncs with the relays of an invitation, and remembers those that are named for the first time: each has answered
    /// at its own address by then, whatever becomes of this process meanwhile, as the address may be mistyped.
    ///
    /// - Parameter named: the relays that the invitation names.
    /// - Returns: the relays that were known before and did not answer, and why.
    /// - Throws: why a relay that is named for the first time did not answer. Such a relay is no meeting point, and the
    ///   joining device gets no address of it.
    private func meet(
        _ named: [RelayAddress], token: String?, _ handed: [PairingHandover.Address],
        _ member: SpaceMember
    ) throws -> [(relay: HostAndPort, why: any Error)] {
        let known = member.keyring.relays
        var access = try device.access()
        for relay in named { access.namedTokens[relay.description] = token }
        let sync = DeviceSync(device, access)
        func reach(_ relay: RelayAddress) throws {
            let (end, report) = try sync.session(with: .relay(relay))
            if let fault = DeviceFault(end, report, with: "\(relay.hostAndPort)") { throw fault }
        }
        let fresh = named.filter { known[$0.description] == nil }
        // One by one: a known address of the same relay would answer in its stead.
        for relay in fresh { try reach(relay) }
        try member.update { keyring in
            for relay in fresh { keyring.relays[relay.description] = token ?? "" }
        }
        var unmet: [(relay: HostAndPort, why: any Error)] = []
        for case .relay(let relay) in PairingHandover.peers(of: handed)
        where !fresh.contains(where: { $0.fingerprint == relay.fingerprint }) {
            do {
                try reach(relay)
            } catch {
                unmet.append((relay.hostAndPort, error))
            }
        }
        // Another token of a relay that is known counts once the relay has taken it.
        if let token {
            try member.update { keyring in
                for relay in named where !unmet.contains(where: { $0.relay == relay.hostAndPort }) {
                    keyring.relays[relay.description] = token
                }
            }
        }
        return unmet
    }

    private static func handed(
        _ addresses: [Address], _ member: SpaceMember, _ own: Fingerprint
    ) throws -> [PairingHandover.Address] {
        var found: [PairingHandover.Address] = []
        let known = try member.keyring.relays.keys.sorted().map {
            Address.relay(try RelayAddress(parsing: $0))
        }
        for address in addresses + known {
            let parts: [PairingHandover.Address]
            switch address {
            case .device(let hostAndPort): parts = [.init(.device, hostAndPort, own)]
            case .relay(let relay):
                guard let fingerprint = relay.fingerprint else { continue }
                parts = relay.hostsAndPorts.map { .init(.relay, $0, fingerprint) }
            }
            found += parts.filter { !found.contains($0) }
        }
        return Array(found.prefix(PairingHandover.addressCountMax))
    }

    /// The keys of a device whose store is older than they are.
    private func makeKeys(_ own: Fingerprint) throws -> SpaceMember {
        if let other = try device.directory().keyHolder(besides: store.replica) {
            throw DeviceFault.keysElsewhere(on: other.name)
        }
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
    /// - Parameter takesBack: whether what it did is to be taken back; of a revoked device that can be done again.
    /// - Throws: `noEncryption`, `noKeys`, `noSuchDevice`, `severalDevices`, `ownDevice`, `neverPaired`,
    ///   `revokedAlready`.
    package func revocable(
        _ word: String, takesBack: Bool = false
    ) throws -> DeviceDirectory.Device {
        let member = try device.access().requireMember()
        var found = DeviceDirectory.find(
            word, in: try device.directory().devices + device.unseenDevices(member.keyring))
        // One that was revoked is not meant if another one is still there.
        if !takesBack, found.contains(where: { !$0.isRevoked }) {
            found.removeAll(where: \.isRevoked)
        }
        guard let only = found.first else { throw DeviceFault.noSuchDevice(word) }
        guard found.count == 1 else { throw DeviceFault.severalDevices(word, found) }
        try check(only, takesBack)
        return only
    }

    private func check(_ target: DeviceDirectory.Device, _ takesBack: Bool) throws {
        if target.replicas.contains(store.replica) { throw DeviceFault.ownDevice }
        guard target.fingerprint != nil else { throw DeviceFault.neverPaired(target) }
        if target.isRevoked, !takesBack { throw DeviceFault.revokedAlready(target) }
    }

    /// Counts what would be taken back of a device's doings, as far as they are known here; nothing is written.
    ///
    /// - Parameter since: as in `revoke`.
    package func rehearseTakeBack(
        _ target: DeviceDirectory.Device, since: Int64? = nil
    ) throws -> TakenBack {
        try store.rehearseTakeBack(
            Set(target.replicas), of: target.fingerprint?.bytes ?? [], since: since)
    }

    /// Takes a device out of the space for good, and changes the space's secret.
    ///
    /// Relays are synced with before, as they may know of devices that are not known here yet and drop what they
    /// have under the old secret, and after it, to bring them the new one.
    ///
    /// All that the device did is taken back by new writes, if asked for: of a device that is revoked already, what has come
    /// since. Its deletes are refused from then on, whichever way they come; what a relay has behind them comes as it is told,
    /// and is taken back then.
    /// - Parameters:
    ///   - target: the device; nil to change the secret alone.
    ///   - takesBack: whether what it did is taken back.
    ///   - since: the time from which on, by the device's clock; milliseconds since 1970-01-01 UTC, nil for all of it.
    ///   - syncsWithRelays: whether to do so.
    /// - Throws: `plainSpace`, `revoked`, `lastGeneration`, and as `revocable`.
    package func revoke(
        _ target: DeviceDirectory.Device?, takesBack: Bool = false, since: Int64? = nil,
        syncsWithRelays: Bool = true
    ) throws -> Revocation {
        let access = try device.access()
        let member = try access.requireMember()
        if let target {
            try check(target, takesBack)
        } else if member.keyring.secret == nil {
            throw DeviceFault.plainSpace
        }
        if target?.isRevoked != true { try member.requireNextGeneration() }
        let relays = syncsWithRelays ? member.keyring.relays.keys.sorted() : []
        let sync = DeviceSync(device, access)
        for relay in relays { _ = meet(relay, sync) }
        try device.refuseIfRevoked()
        let sharers = try target.map { try device.directory().sharers(ofKeyOf: $0) } ?? []
        #if Encryption
            if target?.isRevoked != true { try member.revoke(target) }
        #endif
        var takenBack: TakenBack?
        if takesBack, let target { takenBack = try takeBack(target, since: since) }
        var told = relays.map { (address: $0, failure: meet($0, sync)) }
        if takesBack, let target, told.contains(where: { $0.failure == nil }) {
            // Changes may have come behind deletes that were held until now.
            let more = try takeBack(target, since: since)
            takenBack?.add(later: more)
            if !more.isEmpty { told = relays.map { (address: $0, failure: meet($0, sync)) } }
        }
        let remaining = try device.directory().devices.filter {
            !$0.isRevoked && $0.fingerprint != nil && !$0.replicas.contains(store.replica)
        }
        return Revocation(
            device: target, generation: member.keyring.generation,
            remaining: remaining.filter { !sharers.contains($0) },
            sharers: remaining.filter { sharers.contains($0) }, relays: told, takenBack: takenBack)
    }

    private func takeBack(
        _ target: DeviceDirectory.Device, since: Int64?
    ) throws -> TakenBack {
        // A sync just now may have shown that it has more replicas.
        let known = target.fingerprint.flatMap { try? device.directory()[$0] } ?? target
        let replicas = Set(known.replicas).subtracting([store.replica])
        try store.refuseAllDeletes(by: replicas)
        try store.bringBackRefused()
        return try store.takeBack(replicas, of: known.fingerprint?.bytes ?? [], since: since)
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

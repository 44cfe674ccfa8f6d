import Core
import Crypto
import Storage
import Transport

/// Keys, trust and known addresses of a device: who it proves to be, whom it lets in, how others are reached.
package struct DeviceAccess {
    /// The store.
    package let store: Store
    /// This device's key, and whom it lets in; nil if this program has no encryption.
    package let security: SyncSecurity?
    /// The space's secrets; nil if this device was never paired.
    package let member: SpaceMember?
    /// Tokens of relays that are named now, by address; they count before those that are remembered.
    var namedTokens: [String: String] = [:]

    /// Reads what this device has, makes its key if there is none yet, and takes in what others left for it.
    package init(_ store: Store) throws {
        self.store = store
        guard let listed = try Self.security(in: store.paths.folder) else {
            (security, member) = (nil, nil)
            return
        }
        security = Self.security(of: store, listed)
        member = try SpaceMember(store, listed.certificate.fingerprint)
        try member?.refresh()
    }

    /// Returns this device's certificate; made if there is none yet, nil if this program has no
    /// encryption.
    package static func certificate(in folder: String) throws -> DeviceCertificate? {
        do {
            return try DeviceCertificate.kept(at: DeviceCertificate.path(in: folder))
        } catch CertificateFault.notBuiltIn {
            return nil
        }
    }

    /// Returns the certificate in a folder that need not be there, as that of a relay.
    package static func certificate(making folder: String) throws -> DeviceCertificate? {
        try SystemEnvironment.environment().disk.makeFolder(folder)
        return try certificate(in: folder)
    }

    /// Makes the TLS settings: this device's certificate, and the list of trusted devices beside
    /// the store, which need not exist.
    ///
    /// - Returns: nil if this program has no encryption.
    package static func security(in folder: String) throws -> SyncSecurity? {
        guard let certificate = try certificate(in: folder) else { return nil }
        let path = TrustedDevices.path(in: folder)
        // A damaged list is told now; whoever damages it later lets nobody in.
        _ = try TrustedDevices(contentsOf: path)
        return SyncSecurity(certificate: certificate) { fingerprint in
            // Read each time, so that pairing and revoking take effect at once.
            (try? TrustedDevices(contentsOf: path))?.contains(fingerprint) ?? false
        }
    }

    /// The same, and that it trusts the devices of the space.
    private static func security(of store: Store, _ listed: SyncSecurity) -> SyncSecurity {
        var security = listed
        let own = listed.certificate.fingerprint
        security.judge = { shown in
            var found = Admission.unknown
            if let member = try? SpaceMember(store, own) {
                found = member.judge(shown)
            } else if let directory = try? DeviceDirectory(store), directory.isRevoked(shown) {
                // Known although this device itself was never paired.
                return .unknown
            }
            if case .refused = found { return found }
            if case .trusted = listed.judge(shown) { return .trusted }
            return found
        }
        return security
    }

    /// Returns this device's membership in its space.
    ///
    /// - Throws: `noKeys` if it was never paired; `noEncryption`.
    package func requireMember() throws -> SpaceMember {
        if let member { return member }
        throw security == nil ? DeviceFault.noEncryption : DeviceFault.noKeys
    }

    // MARK: Plain TCP

    /// Where plain TCP may carry this device's sessions: nowhere unless its space is known to have no keys.
    ///
    /// - Parameter allowsLeaving: whether the user allows it to leave this machine.
    /// - Throws: `spaceHasKeys` if the user allows what the space forbids.
    package func plain(leavingThisMachine allowsLeaving: Bool) throws -> PlainTCP {
        guard Self.hasNoKeys(store) else {
            if allowsLeaving { throw DeviceFault.spaceHasKeys }
            return .nowhere
        }
        return allowsLeaving ? .anywhere : .thisMachine
    }

    /// Whether a store's space is known to have no keys.
    ///
    /// A device that came without a code has no keyring, and cannot know what the others have.
    private static func hasNoKeys(_ store: Store) -> Bool {
        if let keyring = try? Keyring.read(in: store.paths.folder), keyring.space == store.space {
            return keyring.isPlain && keyring.secret == nil
        }
        #if Encryption
            return false
        #else
            // This program makes no keys. A device that has some says so in its record.
            return (try? DeviceDirectory(store))?.devices.allSatisfy { $0.generation == 0 } ?? false
        #endif
    }

    /// Why a device is refused in a session: by its key, or over a link that asks for none by who it says it is.
    package static func refusal(in store: Store) -> ReplicaRunner.Refusal {
        { stated, shown in
            // A directory that cannot be read admits nobody, as with keys.
            guard let directory = try? DeviceDirectory(store) else { return .unknownMembers }
            if let error = directory.refusal(stated, shown) { return error }
            // A store that cannot be read now says so at the next question of the session.
            return try? directory.spenderRefusal(stated, shown, in: store)
        }
    }

    // MARK: Addresses

    /// The addresses of relays and devices that pairing has made known, relays first.
    package var knownAddresses: [String] {
        member.map { Self.addresses($0.keyring) } ?? []
    }

    /// The addresses in a keyring, relays first.
    static func addresses(_ keyring: Keyring) -> [String] {
        keyring.relays.keys.sorted() + keyring.peers.sorted()
    }

    /// Forgets a relay or a device's address that pairing has made known.
    ///
    /// With a relay, what is remembered of a former one at the same place is forgotten as well.
    ///
    /// - Parameter word: the whole address, its host and port, or the beginning of a relay's id; as the status shows them.
    /// - Returns: the addresses that are forgotten.
    /// - Throws: `noKeys`, `noSuchAddress`, `severalAddresses`, `severalDevices`; a `KeyringFault`.
    package func forget(_ word: String) throws -> [String] {
        let member = try requireMember()
        let met = try store.knownAddresses().filter { RelayAddress.isMeant(by: $0.address) }
        let lost = met.map(\.address).filter { !knownAddresses.contains($0) }
        let exact = (knownAddresses + lost).filter { $0 == word }
        var meant = exact.isEmpty ? knownAddresses.filter { Self.isMeant($0, by: word) } : exact
        // One of them may have been mistyped, and another be the good one.
        if meant.count > 1 { throw DeviceFault.severalAddresses(word, meant) }
        if meant.isEmpty { meant = lost.filter { Self.isMeant($0, by: word) } }
        if meant.isEmpty {
            meant = met.filter { Self.isMeant($0.replica, by: word) }.map(\.address)
        }
        if meant.isEmpty, let name = try forgetUnpaired(word) { return [name] }
        guard !meant.isEmpty else {
            throw DeviceFault.noSuchAddress(word, known: knownAddresses + lost)
        }
        try member.update { keyring in
            for address in meant {
                keyring.relays[address] = nil
                keyring.peers.remove(address)
            }
        }
        let former = lost.filter { address in
            meant.contains { Self.haveCommonHost(address, $0) }
        }
        let gone = Set(meant + former).filter { RelayAddress.isMeant(by: $0) }
        try store.forgetRelays(at: gone.sorted())
        ControlClient.notify(store.paths.folder)
        return meant
    }

    /// Takes a device that was never paired from the list of devices, on every device; nil if the word names none.
    ///
    /// It cannot be revoked, as it has no key. One that still syncs loses no record, and has no name here any more.
    private func forgetUnpaired(_ word: String) throws -> String? {
        let unpaired = try DeviceDirectory(store).devices.filter {
            $0.fingerprint == nil && !$0.replicas.contains(store.replica)
        }
        let found = DeviceDirectory.find(word, in: unpaired)
        guard let device = found.first else { return nil }
        if found.count > 1 { throw DeviceFault.severalDevices(word, found) }
        try store.edit { transaction throws(StoreFault) in
            for replica in device.replicas {
                try transaction.delete(RecordName(deviceOf: replica))
                try transaction.purge(RecordName(deviceOf: replica))
            }
        }
        try store.forgetContacts(with: device.replicas)
        return device.name
    }

    /// Whether a word is the beginning of a relay's id, or what the status shows of the relay, which ends with it.
    private static func isMeant(_ relay: ReplicaID, by word: String) -> Bool {
        let inner = word.split(separator: "(").last.map { $0.prefix { $0 != ")" } } ?? ""
        let digits = inner.lowercased().filter { $0 != "-" }
        return digits.count >= 4 && digits.allSatisfy(\.isHexDigit)
            && Hexadecimal.text(relay.bytes).hasPrefix(digits)
    }

    /// Whether two addresses of relays have a host and port in common, and name another key.
    private static func haveCommonHost(_ address: String, _ other: String) -> Bool {
        guard let one = try? RelayAddress(parsing: address),
            let two = try? RelayAddress(parsing: other), let key = one.fingerprint,
            let otherKey = two.fingerprint
        else { return false }
        return key != otherKey && one.hostsAndPorts.contains { two.hostsAndPorts.contains($0) }
    }

    /// Whether an address has the hosts and ports that a word says, or one of them: without the fingerprint that tells
    /// two apart that have these in common.
    private static func isMeant(_ address: String, by word: String) -> Bool {
        func hosts(_ text: String) -> Substring {
            var rest = Substring(text)
            if rest.hasPrefix("relay ") { rest = rest.dropFirst("relay ".count) }
            if rest.hasPrefix("relay://") { rest = rest.dropFirst("relay://".count) }
            return rest.prefix { $0 != "#" }
        }
        let (own, said) = (hosts(address), hosts(word))
        return own == said || own.split(separator: ",").contains(said)
    }

    /// Replaces a relay's known address by the one that a person named: the relay has the space's present secret, and the
    /// two addresses have a host and port in common, but another key or other hosts and ports.
    ///
    /// - Returns: the addresses of before.
    func replaceAddress(with relay: RelayAddress) throws -> [String] {
        guard let member else { return [] }
        defer { try? forgetLost(besides: relay, member) }
        guard member.keyring.relays[relay.description] == nil else { return [] }
        defer { ControlClient.notify(store.paths.folder) }
        let former = member.keyring.relays.keys.filter { address in
            guard let known = try? RelayAddress(parsing: address) else { return false }
            return known.fingerprint != nil && relay.fingerprint != nil
                && known.hostsAndPorts.contains { relay.hostsAndPorts.contains($0) }
        }
        guard !former.isEmpty else { return [] }
        try member.update { keyring in
            for address in former.sorted() {
                keyring.relays[relay.description] = keyring.relays.removeValue(forKey: address)
            }
        }
        try store.forgetRelays(at: former.sorted())
        return former.sorted()
    }

    /// Forgets the relays that were met where another one with another key is now, and that are known no more.
    private func forgetLost(besides relay: RelayAddress, _ member: SpaceMember) throws {
        let lost = try store.knownAddresses().map(\.address).filter {
            member.keyring.relays[$0] == nil && Self.haveCommonHost($0, relay.description)
        }
        try store.forgetRelays(at: lost)
    }

    /// How a peer is reached, and what a relay is shown.
    package func contact(_ peer: PeerAddress) throws -> Contact {
        switch peer {
        case .device(let endpoint): return .device(endpoint)
        case .relay(let relay):
            let token = token(for: relay)
            return .relay(
                relay, try member?.relayMembership(at: relay, token: token) ?? .plain(token: token))
        }
    }

    /// Returns the token that permits to make a new space on a relay, if the relay asks for one.
    package func token(for relay: RelayAddress) -> String? {
        let token = namedTokens[relay.description] ?? member?.keyring.relays[relay.description]
        return token.flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: The list of trusted devices

    /// Trusts a device by its key alone, without pairing.
    package static func trust(_ fingerprint: Fingerprint, name: String, in folder: String) throws {
        try change(in: folder) { $0.trust(fingerprint, name: name) }
    }

    /// Takes a device from that list.
    package static func distrust(_ fingerprint: Fingerprint, in folder: String) throws {
        try change(in: folder) { $0.distrust(fingerprint) }
    }

    private static func change(
        in folder: String, _ change: (inout TrustedDevices) -> Void
    ) throws {
        let path = TrustedDevices.path(in: folder)
        var list = try TrustedDevices(contentsOf: path)
        change(&list)
        try list.write(to: path)
    }
}

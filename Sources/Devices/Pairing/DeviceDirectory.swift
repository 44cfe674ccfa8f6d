import Core
import Crypto
import Storage

/// The devices of a space, read from their records.
package struct DeviceDirectory: Sendable {
    /// A device: all replicas that show one certificate.
    package struct Device: Equatable, Sendable {
        /// Its name.
        package var name: String
        /// The fingerprint that the device proves to own; nil for a device that was never paired.
        package var fingerprint: Fingerprint?
        /// Its replicas, the latest first; none of a device that was admitted with a code and not seen yet.
        package var replicas: [ReplicaID]
        /// Its public X25519 keys, the latest first.
        package var exchangeKey: [UInt8]?
        /// The generation of the secret that it says it knows; 0 for none.
        package var generation: UInt32
        /// By which key relays know that secret; nil if it has not said so.
        package var verifier: [UInt8]?
        /// The invitation by which it came.
        package var invite: [UInt8]?
        /// Whether it was taken out of the space.
        package var isRevoked: Bool
        /// Whether another device had used its invitation before.
        package var isLateUser: Bool
        /// How many deletes wait there for a person's word, as it has said itself.
        package var heldDeleteCount: Int
        /// When a person answered there the deletes that were held; milliseconds since 1970, nil if none ever were or some
        /// still are.
        var deletesAnswered: Int64?
        /// The envelopes in its records.
        package var envelopes: [[UInt8]]
        /// When its record was last written; milliseconds since 1970.
        var time: Int64
        /// When it said by which invitation it came: for who was first.
        var inviteMark: (Int64, ReplicaID)?

        package static func == (left: Device, right: Device) -> Bool {
            left.fingerprint == right.fingerprint && left.replicas == right.replicas
        }
    }

    /// All of them, by name.
    package private(set) var devices: [Device] = []
    /// The fingerprints that are out.
    private var revoked: Set<Fingerprint> = []
    /// The ones among them that no record names any more: the store remembers that one did.
    package private(set) var unnamedRevoked: [Fingerprint] = []
    /// The X25519 keys in records of revoked devices, each with the fingerprints there.
    private var exposed: [[UInt8]: Set<Fingerprint>] = [:]

    /// The most records that are looked through for one of the same key.
    private static let listedCountMax = 16

    /// Nobody.
    package init() {}

    /// Reads the records of a store.
    package init(_ store: Store) throws(StoreFault) {
        let all = try store.deviceRecords()
        // Of a purged record there is what was written apart from the purge: a revocation counts.
        for stored in all { revoked.formUnion(Self.marks(in: stored)) }
        unnamedRevoked = try store.lostRevocations().compactMap { Fingerprint(bytes: $0) }
            .filter { !revoked.contains($0) }
        if !unnamedRevoked.isEmpty {
            revoked.formUnion(unnamedRevoked)
            // Devices that are still known come first: they would be let in elsewhere.
            let shown = Set(all.compactMap { Self.device($0).fingerprint })
            unnamedRevoked.sort { shown.contains($0) && !shown.contains($1) }
        }
        let records = all.filter { !$0.verdict.isPurged }
        // A table costs its making, and hardly anybody has many devices.
        var indexes: [Fingerprint: Int] = [:]
        let isTabled = records.count > Self.listedCountMax
        for stored in records {
            var device = Self.device(stored)
            device.isRevoked = device.fingerprint.map(revoked.contains) ?? false
            if device.isRevoked, let key = device.exchangeKey, let fingerprint = device.fingerprint
            {
                exposed[key, default: []].insert(fingerprint)
            }
            guard let fingerprint = device.fingerprint else {
                devices.append(device)
                continue
            }
            let known =
                isTabled
                ? indexes[fingerprint] : devices.firstIndex { $0.fingerprint == fingerprint }
            if let known {
                devices[known] = Self.united(devices[known], device)
            } else {
                if isTabled { indexes[fingerprint] = devices.count }
                devices.append(device)
            }
        }
        markLateUsers()
        devices.sort { ($0.name, $0.replicas[0]) < ($1.name, $1.replicas[0]) }
    }

    /// Whether a revoked device can open what is closed for an X25519 key, as with a copied keyring.
    ///
    /// - Parameter fingerprint: a device whose own records do not count.
    package func isExposed(_ key: [UInt8], besides fingerprint: Fingerprint? = nil) -> Bool {
        exposed[key]?.contains { $0 != fingerprint } ?? false
    }

    /// The other devices that can open what is closed for a device: copies of its keyring, or it is one.
    package func sharers(ofKeyOf device: Device) -> [Device] {
        guard let key = device.exchangeKey else { return [] }
        return devices.filter {
            $0.exchangeKey == key && $0 != device && $0.fingerprint != nil && !$0.isRevoked
        }
    }

    /// A device other than a replica that says it knows the space's secret; nil if none does.
    package func keyHolder(besides replica: ReplicaID) -> Device? {
        devices.first {
            $0.generation > 0 && !$0.isRevoked && !$0.replicas.contains(replica)
        }
    }

    /// The fingerprints that a record says are out.
    private static func marks(in stored: Record) -> [Fingerprint] {
        Store.revokedKeys(in: stored.record).compactMap { Fingerprint(bytes: $0) }
    }

    /// Whether a record says that a device is out.
    static func isMarked(_ stored: Record) -> Bool { !marks(in: stored).isEmpty }

    private static func device(_ stored: Record) -> Device {
        func bytes(_ field: UInt32) -> [UInt8]? {
            guard case .bytes(let bytes)? = stored[field] else { return nil }
            return bytes
        }
        var generation: UInt32 = 0
        if case .int(let number)? = stored[DeviceField.generation] {
            generation = UInt32(exactly: number) ?? 0
        }
        var held = 0
        if case .int(let number)? = stored[DeviceField.held] {
            held = max(0, Int(clamping: number))
        }
        let answered =
            held == 0
            ? stored.record.survivors(of: .number(DeviceField.held)).last?.write.timestamp
                .milliseconds : nil
        let replica = ReplicaID(value: stored.id.value)
        var name = "device \(String(replica.uuidText.prefix(8)))"
        if case .text(let text)? = stored[DeviceField.name], !text.isEmpty { name = text }
        let invited = stored.record.survivors(of: .number(DeviceField.invite)).first
        return Device(
            name: name, fingerprint: bytes(DeviceField.fingerprint).flatMap(Fingerprint.init),
            replicas: [replica],
            exchangeKey: bytes(DeviceField.exchangeKey).flatMap { $0.count == 32 ? $0 : nil },
            generation: generation, verifier: bytes(DeviceField.verifier),
            invite: bytes(DeviceField.invite), isRevoked: false,
            isLateUser: false, heldDeleteCount: held, deletesAnswered: answered,
            envelopes: stored.record.elements(of: .number(DeviceField.envelopes)).compactMap {
                if case .bytes(let bytes) = $0 { bytes } else { nil }
            },
            time: stored.record.survivors(of: .number(DeviceField.name)).last?
                .write.timestamp.milliseconds ?? 0,
            inviteMark: invited.map {
                ($0.write.timestamp.milliseconds, $0.write.dot.replica)
            })
    }

    private static func united(_ one: Device, _ other: Device) -> Device {
        let (new, old) = one.time >= other.time ? (one, other) : (other, one)
        var result = new
        result.replicas += old.replicas
        result.exchangeKey = new.exchangeKey ?? old.exchangeKey
        result.generation = max(new.generation, old.generation)
        result.verifier = new.generation >= old.generation ? new.verifier : old.verifier
        result.invite = new.invite ?? old.invite
        result.inviteMark = new.inviteMark ?? old.inviteMark
        result.envelopes += old.envelopes
        // A copy that came later does not speak for the original.
        result.heldDeleteCount = max(new.heldDeleteCount, old.heldDeleteCount)
        result.deletesAnswered = [new.deletesAnswered, old.deletesAnswered].compactMap { $0 }.max()
        return result
    }

    /// Of several devices with one invitation the first stays; the same one on every device.
    private mutating func markLateUsers() {
        var first: [[UInt8]: (mark: (Int64, ReplicaID), index: Int)] = [:]
        for (index, device) in devices.enumerated() {
            guard let invite = device.invite, let mark = device.inviteMark else { continue }
            guard let before = first[invite] else {
                first[invite] = (mark, index)
                continue
            }
            if mark < before.mark {
                devices[before.index].isLateUser = true
                first[invite] = (mark, index)
            } else {
                devices[index].isLateUser = true
            }
        }
    }

    // MARK: Who is let in

    /// Whether a device with this key belongs to the space.
    package func trusts(_ fingerprint: Fingerprint) -> Bool {
        guard let device = self[fingerprint] else { return false }
        return !device.isRevoked && !device.isLateUser
    }

    /// Whether a device with this key was taken out of the space.
    package func isRevoked(_ fingerprint: Fingerprint) -> Bool { revoked.contains(fingerprint) }

    /// Why a device is refused, however it comes; nil if it is not.
    ///
    /// A key says who it is. Without one its own word counts, as nobody revoked should come in by mistake; who
    /// lies about it is kept out by what guards the link, or by nothing.
    package func refusal(_ stated: ReplicaID, _ shown: Fingerprint?) -> PeerError? {
        guard let shown else { return self[stated]?.isRevoked == true ? .revoked : nil }
        if isRevoked(shown) { return .revoked }
        return self[shown]?.isLateUser == true ? .invitationUsed(by: nil) : nil
    }

    /// The device with that key.
    package subscript(fingerprint: Fingerprint) -> Device? {
        devices.first { $0.fingerprint == fingerprint }
    }

    /// The device that a replica is.
    package subscript(replica: ReplicaID) -> Device? {
        devices.first { $0.replicas.contains(replica) }
    }

    /// The devices that a word may mean: a name, or the beginning of a fingerprint or replica id.
    package static func find(_ word: String, in devices: [Device]) -> [Device] {
        let named = devices.filter { $0.name == word }
        if !named.isEmpty { return named }
        let digits = word.lowercased().filter { $0 != "-" }
        guard digits.count >= 4, digits.allSatisfy(\.isHexDigit) else { return [] }
        return devices.filter { device in
            let own = device.fingerprint.map { Hexadecimal.text($0.bytes) } ?? ""
            return own.hasPrefix(digits)
                || device.replicas.contains { Hexadecimal.text($0.bytes).hasPrefix(digits) }
        }
    }
}

/// The fields in a device's record, besides its name.
///
/// Source: Protocol/11-Pairing.md.
enum DeviceField {
    static let name = DeviceFieldNumber.name
    /// The fingerprint of its certificate: 32 bytes.
    static let fingerprint = DeviceFieldNumber.fingerprint
    /// Its public X25519 key: 32 bytes.
    static let exchangeKey = DeviceFieldNumber.exchangeKey
    /// The id of the invitation by which it came: 16 bytes.
    static let invite = DeviceFieldNumber.mailbox
    /// A set of fingerprints: such a device is revoked, whatever is assigned to the element.
    static let revoked = Store.revokedField
    /// A set of envelopes with later secrets, closed for this device.
    static let envelopes = DeviceFieldNumber.envelopes
    /// The generation of the secret that it knows.
    static let generation = DeviceFieldNumber.generation
    /// How many deletes it holds until a person confirms them.
    static let held = Store.heldField
    /// The public key by which relays know the secret that it knows: 32 bytes.
    static let verifier = DeviceFieldNumber.verifier
}

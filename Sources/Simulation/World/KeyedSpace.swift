import Core
import Relay
import Replica
import Storage

/// Stands for a secret of a space: there may be several of one generation, made by devices that had not heard of each
/// other.
struct KeyedSecret: Hashable, Comparable, Sendable {
    let generation: UInt32
    /// Its rank among the secrets of its generation, by their bytes; 0 for the one that was made first.
    let rank: Int8

    init(_ generation: UInt32, rank: Int8 = 0) {
        self.generation = generation
        self.rank = rank
    }

    /// The secret that a space begins with.
    static let first = KeyedSecret(1)
    /// The secret of a space without encryption.
    static let none = KeyedSecret(0)

    /// Its name among those of all generations.
    fileprivate var name: String { rank == 0 ? "\(generation)" : "\(generation) \(rank)" }

    /// The greater one is taken by devices that know both.
    static func < (left: KeyedSecret, right: KeyedSecret) -> Bool {
        (left.generation, left.rank) < (right.generation, right.rank)
    }
}

/// Stands for real proofs of access: whoever knows the secret of a space makes and checks them alike.
struct KeyedAccess: RelayAccess {
    /// The proof of a device of the space that has a secret.
    ///
    /// - Parameter former: the earlier secret with which it signs that it follows.
    static func access(
        to space: SpaceID, _ secret: KeyedSecret, after former: KeyedSecret
    ) -> RelayHello.Access {
        RelayHello.Access(
            verifier: verifier(of: space, secret), proof: proof(of: space, secret),
            succession: secret.generation > 1
                ? succession(in: space, from: former, to: secret) : nil)
    }

    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool {
        guard let secret = Self.secret(verifier, of: space, generation) else { return false }
        return proof == Self.proof(of: space, secret)
    }

    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool {
        guard let former = Self.secret(verifier, of: space, Self.former(in: succession)),
            former.generation < generation,
            let secret = Self.secret(successor, of: space, generation)
        else { return false }
        return succession == Self.succession(in: space, from: former, to: secret)
    }

    /// The public key of a secret; its first byte tells the rank where that is not 0.
    static func verifier(of space: SpaceID, _ secret: KeyedSecret) -> [UInt8] {
        var verifier = bytes(of: space, "verifier \(secret.name)", 32)
        if secret.rank != 0 { verifier[0] = UInt8(bitPattern: secret.rank) }
        return verifier
    }

    /// The secret of a generation that has this public key; nil if none has.
    static func secret(
        _ verifier: [UInt8], of space: SpaceID, _ generation: UInt32
    ) -> KeyedSecret? {
        let ranks = [0] + verifier.prefix(1).map { Int8(bitPattern: $0) }
        return ranks.lazy.map { KeyedSecret(generation, rank: $0) }.first {
            Self.verifier(of: space, $0) == verifier
        }
    }

    private static func proof(of space: SpaceID, _ secret: KeyedSecret) -> [UInt8] {
        bytes(of: space, "proof \(secret.name)", 64)
    }

    private static func succession(
        in space: SpaceID, from former: KeyedSecret, to secret: KeyedSecret
    ) -> [UInt8] {
        let isUsual = former.rank == 0 && former.generation + 1 == secret.generation
        let name = isUsual ? secret.name : "\(secret.name) after \(former.name)"
        let former = former.generation
        return bytes(of: space, "succession \(name)", 60)
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: former >> $0) }
    }

    /// The generation of the secret with which a succession says that it was signed.
    private static func former(in succession: [UInt8]) -> UInt32 {
        succession.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(of space: SpaceID, _ what: String, _ count: Int) -> [UInt8] {
        var chance = Chance(seed: UInt64(truncatingIfNeeded: space.value), what)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
    }
}

/// Stands for the envelopes with later secrets in the records of devices, and for what devices state there of
/// the secret that they have.
///
/// Whoever the record is of can open what is in it; that others cannot is not of interest here, as nobody
/// looks. A device that has stated nothing has the first secret.
enum KeyedEnvelope {
    /// The field that holds the envelopes.
    private static let envelopes: UInt32 = 7
    /// The field in which a device states the generation of its secret.
    private static let generation: UInt32 = 8
    private static let mark = Array("envelope".utf8)

    /// Puts a secret into a record.
    static func closing(_ secret: KeyedSecret) -> Assignment {
        var bytes = stride(from: UInt32(24), through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: secret.generation >> $0)
        }
        if secret.rank != 0 { bytes.append(UInt8(bitPattern: secret.rank)) }
        return Assignment(.element(.number(envelopes), .bytes(mark + bytes)), .bool(true))
    }

    /// States which secret a device has: its generation, and in the bits above the public key, of which the rank is enough.
    static func stating(_ secret: KeyedSecret) -> Assignment {
        let rank = Int64(UInt8(bitPattern: secret.rank)) << 32
        return Assignment(.number(Self.generation), .int(Int64(secret.generation) | rank))
    }

    /// The secrets that wait in a record, the least first.
    static func secrets(in record: RecordState) -> [KeyedSecret] {
        record.elements(of: .number(envelopes)).compactMap { value -> KeyedSecret? in
            guard case .bytes(let bytes) = value, bytes.starts(with: mark) else { return nil }
            let content = bytes.dropFirst(mark.count)
            return KeyedSecret(
                content.prefix(4).reduce(0) { $0 << 8 | UInt32($1) },
                rank: content.dropFirst(4).first.map { Int8(bitPattern: $0) } ?? 0)
        }.sorted()
    }

    /// The secrets in a record that a device takes: none that is too far above the latest that it knows.
    static func taken(
        from record: RecordState, knowing known: KeyedSecret
    ) -> [KeyedSecret] {
        secrets(in: record).filter {
            $0.generation <= known.generation
                || $0.generation - known.generation <= WireLimits.generationStepMax
        }
    }

    /// The secret that is stated in a record.
    static func statedSecret(in record: RecordState) -> KeyedSecret {
        guard case .int(let number)? = record.visible(.number(generation)),
            let rank = UInt8(exactly: number >> 32)
        else { return .first }
        return KeyedSecret(
            UInt32(truncatingIfNeeded: number), rank: Int8(bitPattern: rank))
    }
}

/// Stands for the real rekey messages of a device: under each older secret that it knows, the records of the devices that
/// may have no later one.
///
/// Each record counts for itself: one of a replica id that its device has given up states nothing any more, and so
/// may be in rekey messages for ever.
final class KeyedRekeyMailbox: RekeyMailbox {
    private let space: SpaceID
    private let own: KeyedSecret
    private let older: [KeyedSecret]

    /// - Parameters:
    ///   - own: the secret that the device shows.
    ///   - known: all secrets that it knows.
    init(_ space: SpaceID, own: KeyedSecret, known: Set<KeyedSecret>) {
        self.space = space
        self.own = own
        older = known.filter { $0 < own }.sorted().suffix(WireLimits.rekeyMessageCountMax)
    }

    func rekeyMessages(from store: Store) throws(StoreFault) -> [RekeyMessage] {
        if older.isEmpty { return [] }
        let records = try store.deviceRecords()
        var rekeyMessages: [RekeyMessage] = []
        for secret in older {
            let late = Self.late(records, secret)
            if late.isEmpty { continue }
            let content = Message.encode(
                .changes(ChangeBatch(changes: Store.changes(of: late), through: nil)))
            let bytes = KeyedSeal(space: space, secret).seal(rekeyMessage: content)
            guard bytes.count <= WireLimits.rekeyMessageByteCountMax else { continue }
            rekeyMessages.append(
                RekeyMessage(
                    generation: secret.generation,
                    verifier: KeyedAccess.verifier(of: space, secret), bytes: bytes))
        }
        return rekeyMessages
    }

    func open(_ rekeyMessage: RekeyMessage) -> [Change]? {
        guard rekeyMessage.verifier == KeyedAccess.verifier(of: space, own) else { return nil }
        return Self.open(rekeyMessage, in: space)
    }

    /// The changes in a rekey message; nil if nobody of the space wrote it.
    static func open(_ rekeyMessage: RekeyMessage, in space: SpaceID) -> [Change]? {
        guard
            let secret = KeyedAccess.secret(
                rekeyMessage.verifier, of: space, rekeyMessage.generation),
            let content = KeyedSeal(space: space, secret).open(rekeyMessage: rekeyMessage.bytes),
            case .changes(let batch)? = try? Message.decode(content)
        else { return nil }
        return batch.changes
    }

    /// The replicas that find a later secret in the rekey message for a secret, by secrets.
    func readers(from store: Store) throws(StoreFault) -> [KeyedSecret: Set<ReplicaID>] {
        if older.isEmpty { return [:] }
        let records = try store.deviceRecords()
        var readers: [KeyedSecret: Set<ReplicaID>] = [:]
        for secret in older {
            let late = Self.late(records, secret)
            if late.isEmpty { continue }
            let served = late.filter {
                (KeyedEnvelope.taken(from: $0.record, knowing: secret).last ?? .none) > secret
            }
            readers[secret] = Set(served.map { ReplicaID(value: $0.id.value) })
        }
        return readers
    }

    /// The records of those who have stated no later generation: the same on every device that has the same records.
    private static func late(_ records: [Record], _ secret: KeyedSecret) -> [Record] {
        records.filter { stored in
            !stored.verdict.isDeleted
                && KeyedEnvelope.statedSecret(in: stored.record).generation <= secret.generation
        }
    }
}

/// Stands for real sealing, of which only the promise matters here: what was changed or moved does
/// not open, and nothing readable is left.
///
/// The same in every build, with or without a library of ciphers.
final class KeyedSeal: SpaceSeal {
    private static let markByteCount = 16
    /// Stands in for the id of a record.
    private static let rekeyMessageContext = RecordID(value: 0x6c65_7474_6572)
    private let hash: SipHash

    init(space: SpaceID, _ secret: KeyedSecret) {
        let rank = UInt64(UInt8(bitPattern: secret.rank)) << 24
        let key =
            UInt64(truncatingIfNeeded: space.value) &+ UInt64(secret.generation - 1) << 32 &+ rank
        hash = SipHash(key0: key, key1: ~key)
    }

    func relayName(of name: RecordName) -> RecordName {
        RecordName(.relayed, RecordID(value: hash.hash128(name.bytes)))
    }

    func seal(_ content: [UInt8], of relayName: RecordName, clock: VersionVector) -> [UInt8] {
        closed(content, hash.content(relayName.id, clock, content))
    }

    func open(_ sealed: [UInt8], of relayName: RecordName, clock: VersionVector) -> [UInt8]? {
        let content = Self.hidden(sealed.dropFirst(Self.markByteCount))
        return seal(content, of: relayName, clock: clock) == sealed ? content : nil
    }

    func seal(
        _ content: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
    ) -> [UInt8] {
        let clock = VersionVector(
            unsorted: [VersionVector.Entry(replica: key.about ?? key.replica, counter: number)])
        let speaker = RecordID(value: key.about == nil ? key.replica.value : ~key.replica.value)
        return closed(content, hash.content(speaker, clock, content))
    }

    func open(_ sealed: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64) -> [UInt8]? {
        let content = Self.hidden(sealed.dropFirst(Self.markByteCount))
        return seal(content, ofRow: key, numbered: number) == sealed ? content : nil
    }

    func seal(rekeyMessage: [UInt8]) -> [UInt8] {
        closed(rekeyMessage, hash.content(Self.rekeyMessageContext, VersionVector(), rekeyMessage))
    }

    func open(rekeyMessage sealed: [UInt8]) -> [UInt8]? {
        let rekeyMessage = Self.hidden(sealed.dropFirst(Self.markByteCount))
        return seal(rekeyMessage: rekeyMessage) == sealed ? rekeyMessage : nil
    }

    private func closed(_ bytes: [UInt8], _ mark: UInt128) -> [UInt8] {
        let head = stride(from: 120, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: mark >> UInt128($0))
        }
        return head + Self.hidden(bytes[...])
    }

    private static func hidden(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map { $0 ^ 0xa5 } }
}

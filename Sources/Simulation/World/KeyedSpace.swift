import Core
import Relay
import Replica
import Storage

/// Stands for real proofs of access: whoever knows the secret of a space makes and checks them alike.
struct KeyedAccess: RelayAccess {
    /// The proof of a device of the space that has the secret of a generation.
    static func access(to space: SpaceID, generation: UInt32) -> RelayHello.Access {
        RelayHello.Access(
            verifier: verifier(of: space, generation), proof: proof(of: space, generation),
            succession: generation > 1 ? succession(in: space, to: generation) : nil)
    }

    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool {
        verifier == Self.verifier(of: space, generation)
            && proof == Self.proof(of: space, generation)
    }

    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool {
        generation > 1 && verifier == Self.verifier(of: space, generation - 1)
            && successor == Self.verifier(of: space, generation)
            && succession == Self.succession(in: space, to: generation)
    }

    /// The public key of the secret of a generation.
    static func verifier(of space: SpaceID, _ generation: UInt32) -> [UInt8] {
        bytes(of: space, "verifier \(generation)", 32)
    }

    private static func proof(of space: SpaceID, _ generation: UInt32) -> [UInt8] {
        bytes(of: space, "proof \(generation)", 64)
    }

    private static func succession(in space: SpaceID, to generation: UInt32) -> [UInt8] {
        bytes(of: space, "succession \(generation)", 64)
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

    /// Puts the secret of a generation into a record.
    static func closing(_ generation: UInt32) -> Assignment {
        let bytes = stride(from: UInt32(24), through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: generation >> $0)
        }
        return Assignment(.element(.number(envelopes), .bytes(mark + bytes)), .bool(true))
    }

    /// States that a device has the secret of a generation.
    static func stating(_ generation: UInt32) -> Assignment {
        Assignment(.number(Self.generation), .int(Int64(generation)))
    }

    /// The generations of the secrets that wait in a record, the earliest first.
    static func generations(in record: RecordState) -> [UInt32] {
        record.elements(of: .number(envelopes)).compactMap { value -> UInt32? in
            guard case .bytes(let bytes) = value, bytes.starts(with: mark) else { return nil }
            return bytes.dropFirst(mark.count).reduce(0) { $0 << 8 | UInt32($1) }
        }.sorted()
    }

    /// The generation that is stated in a record.
    static func statedGeneration(in record: RecordState) -> UInt32 {
        guard case .int(let number)? = record.visible(.number(generation)) else { return 1 }
        return UInt32(exactly: number) ?? 1
    }
}

/// Stands for the real rekey messages of a device: under each older secret that it knows, the records of the devices that
/// may have no later one.
///
/// Each record counts for itself: one of a replica id that its device has given up states nothing any more, and so
/// may be in rekey messages for ever.
final class KeyedRekeyMailbox: RekeyMailbox {
    private let space: SpaceID
    private let own: UInt32
    private let older: [UInt32]

    /// - Parameters:
    ///   - own: the generation of the secret that the device shows.
    ///   - known: those of all secrets that it knows.
    init(_ space: SpaceID, own: UInt32, known: Set<UInt32>) {
        self.space = space
        self.own = own
        older = known.filter { $0 < own }.sorted().suffix(WireLimits.rekeyMessageCountMax)
    }

    func rekeyMessages(from store: Store) throws(StoreFault) -> [RekeyMessage] {
        if older.isEmpty { return [] }
        let records = try store.deviceRecords()
        var rekeyMessages: [RekeyMessage] = []
        for generation in older {
            let late = Self.late(records, generation, at: store.replica)
            if late.isEmpty { continue }
            let content = Message.encode(
                .changes(ChangeBatch(changes: Store.changes(of: late), through: nil)))
            let bytes = seal(generation).seal(rekeyMessage: content)
            guard bytes.count <= WireLimits.rekeyMessageByteCountMax else { continue }
            rekeyMessages.append(
                RekeyMessage(
                    generation: generation,
                    verifier: KeyedAccess.verifier(of: space, generation), bytes: bytes))
        }
        return rekeyMessages
    }

    func open(_ rekeyMessage: RekeyMessage) -> [Change]? {
        guard rekeyMessage.verifier == KeyedAccess.verifier(of: space, own) else { return nil }
        return Self.open(rekeyMessage, in: space)
    }

    /// The changes in a rekey message; nil if nobody of the space wrote it.
    static func open(_ rekeyMessage: RekeyMessage, in space: SpaceID) -> [Change]? {
        let seal = KeyedSeal(space: space, generation: rekeyMessage.generation)
        guard let content = seal.open(rekeyMessage: rekeyMessage.bytes),
            case .changes(let batch)? = try? Message.decode(content)
        else { return nil }
        return batch.changes
    }

    /// The replicas that find a later secret in the rekey message for a generation, by generations.
    func readers(from store: Store) throws(StoreFault) -> [UInt32: Set<ReplicaID>] {
        if older.isEmpty { return [:] }
        let records = try store.deviceRecords()
        var readers: [UInt32: Set<ReplicaID>] = [:]
        for generation in older {
            let late = Self.late(records, generation, at: store.replica)
            if late.isEmpty { continue }
            let served = late.filter {
                (KeyedEnvelope.generations(in: $0.record).last ?? 0) > generation
            }
            readers[generation] = Set(served.map { ReplicaID(value: $0.id.value) })
        }
        return readers
    }

    /// The records of those who have stated no later generation.
    private static func late(
        _ records: [Record], _ generation: UInt32, at own: ReplicaID
    ) -> [Record] {
        records.filter { stored in
            stored.id.value != own.value && !stored.verdict.isDeleted
                && KeyedEnvelope.statedGeneration(in: stored.record) <= generation
        }
    }

    private func seal(_ generation: UInt32) -> KeyedSeal {
        KeyedSeal(space: space, generation: generation)
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

    init(space: SpaceID, generation: UInt32) {
        let secret = UInt64(truncatingIfNeeded: space.value) &+ UInt64(generation - 1) << 32
        hash = SipHash(key0: secret, key1: ~secret)
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

    func seal(statement: [UInt8], of replica: ReplicaID) -> [UInt8] {
        let speaker = RecordID(value: ~replica.value)
        return closed(statement, hash.content(speaker, VersionVector(), statement))
    }

    func open(statement sealed: [UInt8], of replica: ReplicaID) -> [UInt8]? {
        let statement = Self.hidden(sealed.dropFirst(Self.markByteCount))
        return seal(statement: statement, of: replica) == sealed ? statement : nil
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

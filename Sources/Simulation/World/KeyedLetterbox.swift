import Core
import Replica
import Storage

/// Stands for the real letters of a device: under each older secret that it knows, the records of the devices that
/// may have no later one.
///
/// Each record counts for itself: one of a replica id that its device has given up states nothing any more, and so
/// may be in letters for ever.
final class KeyedLetterbox: Letterbox {
    private let space: SpaceID
    private let own: UInt32
    private let older: [UInt32]

    /// - Parameters:
    ///   - own: the generation of the secret that the device shows.
    ///   - known: those of all secrets that it knows.
    init(_ space: SpaceID, own: UInt32, known: Set<UInt32>) {
        self.space = space
        self.own = own
        older = known.filter { $0 < own }.sorted().suffix(WireLimits.letterCountMax)
    }

    func letters(from store: Store) throws(StoreFault) -> [Letter] {
        if older.isEmpty { return [] }
        let records = try store.deviceRecords()
        var letters: [Letter] = []
        for generation in older {
            let late = Self.late(records, generation, at: store.replica)
            if late.isEmpty { continue }
            let content = Message.encode(
                .changes(ChangeBatch(changes: Store.changes(of: late), through: nil)))
            let bytes = seal(generation).seal(letter: content)
            guard bytes.count <= WireLimits.letterByteCountMax else { continue }
            letters.append(
                Letter(
                    generation: generation,
                    verifier: KeyedAccess.verifier(of: space, generation), bytes: bytes))
        }
        return letters
    }

    func open(_ letter: Letter) -> [Change]? {
        guard letter.verifier == KeyedAccess.verifier(of: space, own) else { return nil }
        return Self.open(letter, in: space)
    }

    /// The changes in a letter; nil if nobody of the space wrote it.
    static func open(_ letter: Letter, in space: SpaceID) -> [Change]? {
        let seal = KeyedSeal(space: space, generation: letter.generation)
        guard let content = seal.open(letter: letter.bytes),
            case .changes(let batch)? = try? Message.decode(content)
        else { return nil }
        return batch.changes
    }

    /// Who finds a later secret in the letter for a generation, by generations.
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
        _ records: [StoredRecord], _ generation: UInt32, at own: ReplicaID
    ) -> [StoredRecord] {
        records.filter { stored in
            stored.id.value != own.value && !stored.verdict.isDeleted
                && KeyedEnvelope.statedGeneration(in: stored.record) <= generation
        }
    }

    private func seal(_ generation: UInt32) -> KeyedSeal {
        KeyedSeal(space: space, generation: generation)
    }
}

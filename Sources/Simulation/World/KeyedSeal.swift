import Core
import Replica

/// Stands for real sealing, of which only the promise matters here: what was changed or moved does
/// not open, and nothing readable is left.
///
/// The same in every build, with or without a library of ciphers.
final class KeyedSeal: SpaceSeal {
    private static let markByteCount = 16
    /// Stands in for the id of a record.
    private static let letterPlace = RecordID(value: 0x6c65_7474_6572)
    private let hash: SipHash

    init(space: SpaceID, generation: UInt32) {
        let secret = UInt64(truncatingIfNeeded: space.value) &+ UInt64(generation - 1) << 32
        hash = SipHash(key0: secret, key1: ~secret)
    }

    func seal(_ body: [UInt8], of id: RecordID, clock: VersionVector) -> [UInt8] {
        closed(body, hash.content(id, clock, body))
    }

    func open(_ sealed: [UInt8], of id: RecordID, clock: VersionVector) -> [UInt8]? {
        let body = Self.hidden(sealed.dropFirst(Self.markByteCount))
        return seal(body, of: id, clock: clock) == sealed ? body : nil
    }

    func seal(statement: [UInt8], of replica: ReplicaID) -> [UInt8] {
        let speaker = RecordID(value: ~replica.value)
        return closed(statement, hash.content(speaker, VersionVector(), statement))
    }

    func open(statement sealed: [UInt8], of replica: ReplicaID) -> [UInt8]? {
        let statement = Self.hidden(sealed.dropFirst(Self.markByteCount))
        return seal(statement: statement, of: replica) == sealed ? statement : nil
    }

    func seal(letter: [UInt8]) -> [UInt8] {
        closed(letter, hash.content(Self.letterPlace, VersionVector(), letter))
    }

    func open(letter sealed: [UInt8]) -> [UInt8]? {
        let letter = Self.hidden(sealed.dropFirst(Self.markByteCount))
        return seal(letter: letter) == sealed ? letter : nil
    }

    private func closed(_ bytes: [UInt8], _ mark: UInt128) -> [UInt8] {
        let head = stride(from: 120, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: mark >> UInt128($0))
        }
        return head + Self.hidden(bytes[...])
    }

    private static func hidden(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map { $0 ^ 0xa5 } }
}

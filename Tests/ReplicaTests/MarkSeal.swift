import Core
import Replica

/// Stands for real sealing where only its promise matters: changed or moved data does not open.
final class MarkSeal: SpaceSeal {
    private static let markByteCount = 16
    private let hash: SipHash

    init(secret: UInt64) {
        hash = SipHash(key0: secret, key1: ~secret)
    }

    func seal(_ body: [UInt8], of id: RecordID, clock: VersionVector) -> [UInt8] {
        closed(body, hash.content(id, clock, body))
    }

    func open(_ sealed: [UInt8], of id: RecordID, clock: VersionVector) -> [UInt8]? {
        let body = hidden(sealed.dropFirst(Self.markByteCount))
        return seal(body, of: id, clock: clock) == sealed ? body : nil
    }

    func seal(statement: [UInt8], of replica: ReplicaID) -> [UInt8] {
        closed(
            statement, hash.content(RecordID(value: replica.value), VersionVector(), statement))
    }

    func open(statement sealed: [UInt8], of replica: ReplicaID) -> [UInt8]? {
        let statement = hidden(sealed.dropFirst(Self.markByteCount))
        return seal(statement: statement, of: replica) == sealed ? statement : nil
    }

    private func closed(_ bytes: [UInt8], _ mark: UInt128) -> [UInt8] {
        let head = stride(from: 120, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: mark >> UInt128($0))
        }
        return head + hidden(bytes[...])
    }

    private func hidden(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map { $0 ^ 0xa5 } }
}

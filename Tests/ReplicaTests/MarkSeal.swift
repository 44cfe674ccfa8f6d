import Core
import Replica

/// Stands for real sealing where only its promise matters: changed or moved data does not open.
final class MarkSeal: SpaceSeal {
    private static let markByteCount = 16
    private let hash: SipHash
    /// How many names were worked out.
    private(set) var nameCount = 0

    init(secret: UInt64) {
        hash = SipHash(key0: secret, key1: ~secret)
    }

    func relayName(of name: RecordName) -> RecordName {
        nameCount += 1
        return RecordName(.relayed, RecordID(value: hash.hash128(name.bytes)))
    }

    func seal(_ content: [UInt8], of relayName: RecordName, clock: VersionVector) -> [UInt8] {
        closed(content, hash.content(relayName.id, clock, content))
    }

    func open(_ sealed: [UInt8], of relayName: RecordName, clock: VersionVector) -> [UInt8]? {
        let content = hidden(sealed.dropFirst(Self.markByteCount))
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
        let content = hidden(sealed.dropFirst(Self.markByteCount))
        return seal(content, ofRow: key, numbered: number) == sealed ? content : nil
    }

    private func closed(_ bytes: [UInt8], _ mark: UInt128) -> [UInt8] {
        let head = stride(from: 120, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: mark >> UInt128($0))
        }
        return head + hidden(bytes[...])
    }

    private func hidden(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map { $0 ^ 0xa5 } }
}

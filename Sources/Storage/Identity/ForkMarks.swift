import Core

/// The part of a store that knows which replica ids were forked: a device that was set back had written under such an id
/// twice, and gave the second writes a new id.
///
/// In records with such writes the clock's entry of the old id was lowered to the fork point, which may be more than
/// the device ever wrote there. So what devices stated of the old id before adds up nowhere again, and is no sign that a
/// relay withholds anything. The device says in its record that the old id was forked.
///
/// Any member can write into any record of a device. So a mark counts only if who wrote it shows the key that the old
/// id's record shows; where no device shows a key, anybody's counts.
///
/// Source: Protocol/10-Relay.md, rule 30.
final class ForkMarks {
    /// The field of a device's record with the ids that it forked: a set of bytes, 16 each.
    ///
    /// Source: Protocol/11-Pairing.md §3.
    private static let number: UInt32 = 13
    /// What a device shows of itself, and shows again under a new id: its two keys, and which secret it knows.
    ///
    /// Without these the device would write them later, and the mark would leave after what was moved.
    private static let shown: [UInt32] = [TakeBackMarks.keyNumber, 4, 8, 11]
    /// Keys and their fingerprints have 32 bytes.
    private static let shownByteCountMax = 64

    private let members: SpaceMembers

    init(_ store: Store) { members = store.members }

    /// What the record of a device's new id says as that id is taken for a forked one.
    ///
    /// - Parameter device: the record of the old id's device; nil if there is none.
    static func marks(forking old: ReplicaID, _ device: Record?) -> [Assignment] {
        let bytes = withUnsafeBytes(of: old.value.bigEndian, Array.init)
        let shown = Self.shown.compactMap { number in
            device.flatMap { own(number, by: old, in: $0) }.map { Assignment(.number(number), $0) }
        }
        return shown + [Assignment(.element(.number(number), .bytes(bytes)), .bool(true))]
    }

    /// What the old id itself wrote into a field of its record, if that can be one of these values.
    ///
    /// Any member can write there: another's key must not become that of the new id, nor may a value that cannot be
    /// written keep the device from its new id.
    private static func own(_ number: UInt32, by old: ReplicaID, in device: Record) -> Value? {
        for survivor in device.record.survivors(of: .number(number))
        where survivor.write.dot.replica == old {
            switch survivor.value {
            case .int: return survivor.value
            case .bytes(let bytes) where bytes.count <= shownByteCountMax: return survivor.value
            default: break
            }
        }
        return nil
    }

    /// The ids that their devices marked as forked.
    func replicas() throws(StoreFault) -> Set<ReplicaID> {
        let devices = try members.deviceRecords()
        var keys: [ReplicaID: [UInt8]] = [:]
        for device in devices {
            keys[ReplicaID(value: device.id.value)] = TakeBackMarks.key(shownIn: device)
        }
        var found: Set<ReplicaID> = []
        for write in devices.lazy.flatMap(\.record.writes) {
            for assignment in write.assignments {
                guard case .element(.number(Self.number), .bytes(let bytes)) = assignment.field,
                    bytes.count == 16
                else { continue }
                let old = ReplicaID(value: bytes.reduce(0) { $0 << 8 | UInt128($1) })
                let isOwn = keys[old].map { $0 == keys[write.dot.replica] } ?? keys.isEmpty
                if isOwn { found.insert(old) }
            }
        }
        return found
    }
}

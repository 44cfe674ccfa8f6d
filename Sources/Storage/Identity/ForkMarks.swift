import Core

/// The part of a store that knows which replica ids were forked: a device that was set back had written under such an id
/// twice, and gave the second writes a new id.
///
/// In records with such writes the clock's entry of the old id was lowered to the fork point, which may be more than
/// the device ever wrote there. So what devices stated of the old id before adds up nowhere again, and is no sign that a
/// relay withholds anything. The device says in its record that the old id was forked. Any member can write into any
/// record of a device; so a mark counts only if who wrote it shows the key that the old id's record shows.
///
/// Source: Protocol/10-Relay.md, rule 30.
final class ForkMarks {
    /// The field of a device's record with the ids that it forked: a set of bytes, 16 each.
    ///
    /// Source: Protocol/11-Pairing.md §3.
    private static let number: UInt32 = 13

    private let members: SpaceMembers

    init(_ store: Store) { members = store.members }

    /// The element that marks an id as forked.
    static func mark(_ old: ReplicaID) -> Assignment {
        let bytes = withUnsafeBytes(of: old.value.bigEndian, Array.init)
        return Assignment(.element(.number(number), .bytes(bytes)), .bool(true))
    }

    /// The ids that their devices marked as forked.
    func replicas() throws(StoreFault) -> Set<ReplicaID> {
        let devices = try members.deviceRecords()
        var found: Set<ReplicaID> = []
        for device in devices {
            for case .element(.number(Self.number), .bytes(let bytes)) in device.record.fields
            where bytes.count == 16 {
                let old = ReplicaID(value: bytes.reduce(0) { $0 << 8 | UInt128($1) })
                let element = Field.element(.number(Self.number), .bytes(bytes))
                let key = TakeBackMarks.key(of: old, in: devices)
                let isOwn = device.record.survivors(of: element).contains { survivor in
                    TakeBackMarks.key(of: survivor.write.dot.replica, in: devices) == key
                }
                if isOwn { found.insert(old) }
            }
        }
        return found
    }
}

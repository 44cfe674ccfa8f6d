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
    static let number: UInt32 = 13
    /// The fields in which a device shows itself, and shows itself again under a new id: its two keys, and which secret it knows.
    ///
    /// Without these the device would write them later, and the mark would leave after what was moved.
    private static let shown = [
        TakeBackMarks.keyNumber, DeviceFieldNumber.exchangeKey, DeviceFieldNumber.generation,
        DeviceFieldNumber.verifier,
    ]
    /// Keys and their fingerprints have 32 bytes.
    private static let shownByteCountMax = 64

    private let members: SpaceMembers

    init(_ store: Store) { members = store.members }

    /// The assignments in the record of a device's new id, as that is taken for a forked one.
    ///
    /// - Parameter device: the record of the old id's device; nil if there is none.
    static func marks(forking old: ReplicaID, _ device: Record?) -> [Assignment] {
        let shown = Self.shown.compactMap { number in
            device?.ownValues(of: .number(number)).first(where: canBeShown)
                .map { Assignment(.number(number), $0) }
        }
        return shown + [Assignment(.element(.number(number), .bytes(old.bytes)), .bool(true))]
    }

    /// Whether a value of the old record can be one of these.
    ///
    /// Any member can write there: a value that cannot be written must not keep the device from its new id.
    private static func canBeShown(_ value: Value) -> Bool {
        switch value {
        case .int: true
        case .bytes(let bytes): bytes.count <= shownByteCountMax
        default: false
        }
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
                    let old = ReplicaID(bytes: bytes)
                else { continue }
                let isOwn = keys[old].map { $0 == keys[write.dot.replica] } ?? keys.isEmpty
                if isOwn { found.insert(old) }
            }
        }
        return found
    }
}

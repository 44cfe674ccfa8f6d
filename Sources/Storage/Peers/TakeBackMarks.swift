import Core

/// The part of a store that knows the deletes of take-backs: the mass-delete guard does not count them.
///
/// A device that takes back what a revoked one did marks it in its own record: an element of a set with the key of the
/// revoked device and the time that all writes of the take-back have. Only deletes of records to which the revoked
/// device alone wrote are such, so that a mark covers nothing of anybody else.
///
/// Any member can write into any record of a device. So a key counts only if the record's own replica wrote it, a mark
/// only if its own replica wrote it with the deletes, and no mark covers records of this store's own device.
final class TakeBackMarks {
    /// The field of a device's record with its take-backs: a set of bytes, a key of 32 bytes and a timestamp of 8.
    ///
    /// Source: Protocol/11-Pairing.md §3.
    static let number: UInt32 = 10
    /// The field of a device's record that shows its key.
    static let keyNumber = DeviceFieldNumber.fingerprint

    private let records: Records
    private let members: SpaceMembers
    private let knowledge: Knowledge
    private let revokedKeys: RevokedKeys
    /// The take-back that was found last, and the replicas of the device that it is about.
    private var found: (replica: ReplicaID, timestamp: HybridTimestamp, authors: Set<ReplicaID>)?

    init(_ store: Store) {
        records = store.records
        members = store.members
        knowledge = store.knowledge
        revokedKeys = store.revokedKeys
    }

    /// The element that marks a take-back.
    static func field(_ key: [UInt8], _ timestamp: HybridTimestamp) -> Field {
        .element(.number(number), .bytes(key + bytes(timestamp)))
    }

    private static func bytes(_ timestamp: HybridTimestamp) -> [UInt8] {
        withUnsafeBytes(of: timestamp.rawValue.bigEndian, Array.init)
    }

    /// Whether a merge has deleted a record by nothing but a take-back, of a record of the revoked device alone.
    func covers(_ merged: RecordState, replacing old: Record) throws(StoreFault) -> Bool {
        guard old.collection != .devices, !old.verdict.isDeleted,
            knowledge.deletionRule.verdict(on: merged).isDeleted
        else { return false }
        let deletes = merged.survivors(of: .deleted).filter { !$0.value.isNull }
        for (write, _) in deletes {
            // Most deletes are of records to which their author wrote before.
            if old.record.clock.counter(of: write.dot.replica) > 0 { return false }
            let authors = try authors(takenBackBy: write)
            let isOfDevice = old.record.clock.entries.allSatisfy { authors.contains($0.replica) }
            if !isOfDevice { return false }
        }
        return !deletes.isEmpty
    }

    /// The replicas whose doings a write takes back; none if it is of no take-back.
    private func authors(takenBackBy write: Write) throws(StoreFault) -> Set<ReplicaID> {
        let (replica, timestamp) = (write.dot.replica, write.timestamp)
        if let found, found.replica == replica, found.timestamp == timestamp {
            return found.authors
        }
        guard let device = try records.find(RecordName(deviceOf: replica)),
            let key = Self.key(in: device, at: timestamp)
        else { return [] }
        var authors: Set<ReplicaID> = []
        var isRevoked = try revokedKeys.contains(key)
        for other in try members.deviceRecords() {
            if Self.shows(key, in: other) { authors.insert(ReplicaID(value: other.id.value)) }
            let mark = Field.element(.number(RevokedKeys.number), .bytes(key))
            if other.record.fields.contains(mark) { isRevoked = true }
        }
        // All replicas with this device's key, also former ones of this store.
        guard isRevoked, !authors.contains(knowledge.replica) else { return [] }
        found = (replica, timestamp, authors)
        return authors
    }

    /// The key that the replica of a device's record has itself written; nil if there is none.
    static func key(shownIn device: Record) -> [UInt8]? {
        for case .bytes(let key) in device.ownValues(of: .number(keyNumber)) { return key }
        return nil
    }

    /// Whether the replica of a device's record has itself written that this is its key.
    private static func shows(_ key: [UInt8], in device: Record) -> Bool {
        device.ownValues(of: .number(keyNumber)).contains(.bytes(key))
    }

    private static func key(in device: Record, at timestamp: HybridTimestamp) -> [UInt8]? {
        let suffix = bytes(timestamp)
        var found: [UInt8]?
        device.record.forEachRegister { field, survivors in
            guard found == nil, case .element(.number(number), .bytes(let bytes)) = field,
                bytes.count > suffix.count, bytes.suffix(suffix.count).elementsEqual(suffix),
                survivors.contains(where: { survivor in
                    survivor.write.dot.replica.value == device.id.value
                        && survivor.write.timestamp == timestamp
                })
            else { return }
            found = Array(bytes.dropLast(suffix.count))
        }
        return found
    }
}

import Core
import Devices
import Storage

/// Something on which devices disagree, for a person to decide.
///
/// Nothing is lost meanwhile: one value is shown, the same on every device, and the others are kept.
/// ``WriteTransaction/resolve(_:_:with:)`` ends it for an attribute. What was deleted while another device edited
/// it is decided by restoring or deleting it once more, and what was purged meanwhile by
/// ``WriteTransaction/copyFromPurged(_:)`` or a forced ``WriteTransaction/purge(_:isForced:)``.
public struct Conflict: Hashable, Sendable {
    /// One of the values.
    public struct Candidate: Hashable, Sendable {
        /// The value.
        public let value: Value
        /// The name of the device that gave it.
        public let device: String
        /// Whether that is this device.
        public let isOwn: Bool
        /// When it was given, by that device's clock; milliseconds since 1970-01-01 UTC.
        public let time: Int64
    }

    /// A kind of disagreement of devices.
    public enum Kind: Hashable, Sendable {
        /// An attribute has several values.
        case attribute
        /// The record was deleted while another device edited or restored it.
        case wasDeleted
        /// The record was purged while another device edited it: the record's values are those which that device
        /// wrote, and nothing else shows them.
        case editedAfterPurge
    }

    /// The kind of disagreement.
    public let kind: Kind
    /// The record, as it is shown.
    public let record: Record
    /// The attribute; nil if the conflict is one of the whole record.
    public let attribute: String?
    /// The values, the one that is shown first.
    public let candidates: [Candidate]
}

/// Conflicts between devices.
extension TandemStore {
    /// Returns the conflicts between devices, all of them or those of one record.
    ///
    /// - Throws: `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func conflicts(of name: RecordName? = nil) throws(TandemError) -> [Conflict] {
        let device = try openDevice()
        return try TandemError.mapping { () throws(StoreFault) in
            var conflicts: [Conflict] = []
            for table in device.store.collections.dropFirst()
            where name == nil || table.id == name?.collection {
                let request = FetchRequest(
                    table.id, scope: .conflicted, where: name.map { .oneOf([$0.id]) } ?? .all)
                for stored in try device.store.fetch(request) {
                    conflicts += try Self.conflicts(of: stored, device)
                }
            }
            return conflicts
        }
    }

    private static func conflicts(
        of stored: Record, _ device: Device
    ) throws(StoreFault) -> [Conflict] {
        var found: [Conflict] = []
        if stored.verdict.isContested {
            found.append(
                Conflict(kind: .wasDeleted, record: stored, attribute: nil, candidates: []))
        }
        if stored.standing == .editedAfterPurge {
            found.append(
                Conflict(kind: .editedAfterPurge, record: stored, attribute: nil, candidates: []))
        }
        // Field conflicts of a deleted record are listed when it is restored.
        if stored.verdict.isDeleted { return found }
        for conflict in stored.record.fieldConflicts {
            guard case .text(let name) = conflict.field.name else { continue }
            var candidates: [Conflict.Candidate] = []
            for candidate in conflict.candidates {
                let replica = candidate.dot.replica
                candidates.append(
                    Conflict.Candidate(
                        value: candidate.value,
                        device: try device.name(of: replica),
                        isOwn: replica == device.store.replica,
                        time: candidate.timestamp.milliseconds))
            }
            found.append(
                Conflict(
                    kind: .attribute, record: stored, attribute: name, candidates: candidates))
        }
        return found
    }
}

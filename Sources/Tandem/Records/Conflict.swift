import Core
import Devices
import Storage

/// Something on which devices disagree, for a person to decide.
///
/// Nothing is lost meanwhile: one value is shown, the same on every device, and the others are kept.
/// ``WriteTransaction/resolve(_:_:with:)`` ends it for an attribute. What was deleted while another device edited
/// it is decided by restoring or deleting it once more.
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

    /// The record, as it is shown.
    public let record: Record
    /// The attribute; nil if the record was deleted while another device edited or restored it.
    public let attribute: String?
    /// The values, the one that is shown first.
    public let candidates: [Candidate]
}

/// Conflicts between devices.
extension TandemStore {
    /// Returns the conflicts between devices, all of them or those of one record.
    ///
    /// - Throws: `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func conflicts(of id: RecordID? = nil) throws(TandemError) -> [Conflict] {
        let device = try openDevice()
        return try TandemError.mapping { () throws(StoreFault) in
            var conflicts: [Conflict] = []
            for table in device.store.collections.dropFirst() {
                let request = FetchRequest(
                    table.id, scope: .conflicted, where: id.map { .oneOf([$0]) } ?? .all)
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
            found.append(Conflict(record: stored, attribute: nil, candidates: []))
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
            found.append(Conflict(record: stored, attribute: name, candidates: candidates))
        }
        return found
    }
}

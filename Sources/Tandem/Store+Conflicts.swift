import Core
import Storage

/// Conflicts between devices.
extension Store {
    /// Returns the conflicts between devices, all of them or those of one record.
    ///
    /// - Throws: `busy`, `damaged`, `schemaChanged`, `notOpen`.
    public func conflicts(of id: RecordID? = nil) throws(TandemError) -> [Conflict] {
        let engine = try opened()
        return try TandemError.mapping { () throws(StoreFault) in
            var conflicts: [Conflict] = []
            for table in engine.collections.dropFirst() {
                let request = Storage.FetchRequest(
                    table.id, scope: .conflicted, where: id.map { .oneOf([$0.value]) } ?? .all)
                for stored in try engine.fetch(request) {
                    conflicts += try Self.conflicts(of: stored, engine)
                }
            }
            return conflicts
        }
    }

    private static func conflicts(
        of stored: StoredRecord, _ engine: Storage.Store
    ) throws(StoreFault) -> [Conflict] {
        let record = Record(stored)
        var found: [Conflict] = []
        if stored.verdict.isContested {
            found.append(Conflict(record: record, attribute: nil, candidates: []))
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
                        value: Value(candidate.value),
                        device: try engine.deviceName(of: replica) ?? "another device",
                        isOwn: replica == engine.replica,
                        time: candidate.timestamp.milliseconds))
            }
            found.append(Conflict(record: record, attribute: name, candidates: candidates))
        }
        return found
    }
}

import Core
import Storage

/// What devices disagree on.
extension ToDoStore {
    /// What devices disagree on, all of it or of one to-do.
    package func conflicts(of id: RecordID? = nil) throws(StoreFault) -> [ToDoConflict] {
        // Counting goes along an index; most of the time there is nothing.
        if id == nil, try conflictedCount() == 0 { return [] }
        let found = try store.fetch(
            FetchRequest(
                ToDoSchema.collection, scope: .conflicted,
                where: id.map { .oneOf([$0]) } ?? .all))
        if found.isEmpty { return [] }
        let authors = Authors(
            own: try store.summary().replica,
            former: Set(try store.identityChanges().map(\.old)),
            folders: try store.memos(in: FolderSignature.drawer))
        var conflicts: [ToDoConflict] = []
        for stored in found {
            let title = ToDoMapping.item(stored).title
            func add(_ kind: ToDoConflict.Kind, base: Value? = nil) {
                conflicts.append(
                    ToDoConflict(
                        id: stored.id, title: title, isDeleted: stored.verdict.isDeleted,
                        kind: kind, base: base))
            }
            if stored.verdict.isContested { add(.wasDeleted) }
            // Those of a deleted to-do are listed when it is back.
            if stored.verdict.isDeleted { continue }
            for conflict in stored.record.fieldConflicts {
                add(
                    .field(conflict.field, try candidates(conflict, of: stored.id, authors)),
                    base: try store.conflictBase(of: conflict.field, in: stored.id))
            }
        }
        return conflicts
    }

    /// Who of the authors is this device.
    private struct Authors {
        /// This replica.
        let own: ReplicaID
        /// Those that this store was before it took a new identity.
        let former: Set<ReplicaID>
        /// The folders that writes of its own were taken from.
        let folders: [String: [UInt8]]
    }

    private func candidates(
        _ conflict: FieldConflict, of id: RecordID, _ authors: Authors
    ) throws(StoreFault) -> [ToDoConflict.Candidate] {
        let replicas = conflict.candidates.map(\.dot.replica)
        // A store that is a copy shares its former id with the original, which goes on using it.
        let mine = replicas.contains(authors.own) ? [authors.own] : authors.former
        var candidates: [ToDoConflict.Candidate] = []
        for candidate in conflict.candidates {
            let folder = authors.folders[FolderSignature.name(id, candidate.dot)]
            let author = try deviceName(candidate.dot.replica)
            if folder == nil, Self.isPutBack(candidate, in: conflict) {
                candidates.append(
                    try putBack(candidate, by: author, conflict.field, of: id, authors.own))
                continue
            }
            let device = folder.map { String(decoding: $0, as: UTF8.self) } ?? author
            candidates.append(
                ToDoConflict.Candidate(
                    value: candidate.value, device: device,
                    isMine: folder == nil && mine.contains(candidate.dot.replica),
                    time: candidate.timestamp.milliseconds))
        }
        return candidates
    }

    /// Ends several conflicts, all of them or none.
    package func resolve(
        _ decisions: [(id: RecordID, field: Field, value: Value)]
    ) throws(StoreFault) {
        try store.edit { transaction throws(StoreFault) in
            for decision in decisions {
                try transaction.resolve(decision.id, decision.field, with: decision.value)
            }
        }
    }

    /// Ends a field's conflict with a value, on every device.
    ///
    /// - Returns: whether anything was written.
    /// - Throws: `recordDeleted` if the to-do is in the trash.
    @discardableResult
    package func resolve(
        _ id: RecordID, _ field: Field, with value: Value
    ) throws(StoreFault)
        -> Bool
    {
        try store.edit { transaction throws(StoreFault) in
            try transaction.resolve(id, field, with: value)
        }
    }
}

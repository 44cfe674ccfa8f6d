import Core
import Storage

/// Something on which two devices disagree, for a person to decide.
package struct ToDoConflict: Hashable, Sendable {
    /// One of the values.
    package struct Candidate: Hashable, Sendable {
        /// The value.
        package let value: Value
        /// The name of the device that gave it; of who put it back, if that is all that is known.
        package let device: String
        /// Whether that is this device.
        package let isMine: Bool
        /// When it was given, by that device's clock; milliseconds since 1970-01-01 UTC.
        package let time: Int64
        /// The action that put the value back: undoing a decision or restoring the to-do; nil if
        /// the value is as it was given.
        package var putBack: PutBack?
    }

    /// How a value came back into a conflict.
    package struct PutBack: Hashable, Sendable {
        /// The name of the device that wrote it again.
        package let device: String
        /// Whether that is this device.
        package let isMine: Bool
        /// When, by that device's clock; milliseconds since 1970-01-01 UTC.
        package let time: Int64
        /// Whether the journal here has the device that gave it first, and the time.
        package let isOriginKnown: Bool
    }

    /// The subject.
    package enum Kind: Hashable, Sendable {
        /// A field has several values; the one that is shown comes first.
        case field(Field, [Candidate])
        /// The to-do was deleted while another device edited or restored it.
        case wasDeleted
        /// The to-do was purged while another device edited it; what that device wrote is kept.
        case editedAfterPurge([KeptField])
    }

    /// A field of a purged to-do with the values that were written while apart from the purge.
    package struct KeptField: Hashable, Sendable {
        /// The field.
        package let field: Field
        /// Its different values; the one that is shown first comes first.
        package let values: [Candidate]
    }

    /// The author of a write.
    package struct Author: Hashable, Sendable {
        /// The name of the device, or of the folder that it took the write from.
        package let device: String
        /// Whether that is this device.
        package let isMine: Bool
        /// When, by that device's clock; milliseconds since 1970-01-01 UTC.
        package let time: Int64
        /// Whether it deleted the to-do for good: to keep it deleted is to purge it once more.
        package var didPurge = false
    }

    /// A write of a device to a to-do that another one deleted without having seen it.
    package struct UnseenEdit: Hashable, Sendable {
        /// The device that wrote it.
        package let author: Author
        /// The field; `deleted` where it was brought back from the trash.
        package let field: Field
        /// The value.
        package let value: Value
    }

    /// The deletes, where they are the subject; the latest last.
    package var deleters: [Author] = []
    /// The writes of others that no delete had seen, in the order of the fields.
    package var unseenEdits: [UnseenEdit] = []

    /// The to-do.
    package let id: RecordID
    /// Its title, as shown.
    package let title: String
    /// Whether it is in the list, in the trash or purged now.
    package let standing: RecordStanding
    /// The subject.
    package var kind: Kind
    /// The field's value before the devices diverged; `.null` if it had none, nil if this is not
    /// known here.
    package var base: Value?
}

/// The open conflicts.
extension ToDoStore {
    /// The open conflicts, all or those of one to-do.
    package func conflicts(of id: RecordID? = nil) throws(StoreFault) -> [ToDoConflict] {
        // Counting goes along an index; most of the time there is nothing.
        if id == nil, try conflictedCount() == 0 { return [] }
        let found = try store.fetch(
            FetchRequest(
                ToDoSchema.collection, scope: .conflicted,
                where: id.map { .oneOf([$0]) } ?? .all))
        return try conflicts(among: found) { ToDoMapping.item($0).title }
    }

    /// The open conflicts of records.
    ///
    /// - Parameter title: names one of them.
    func conflicts(
        among found: [Record], title: (Record) -> String
    ) throws(StoreFault) -> [ToDoConflict] {
        if found.isEmpty { return [] }
        let authors = Authors(
            own: try store.summary().replica,
            former: Set(try store.identityChanges().map(\.old)),
            folders: try store.localMetadata(in: WriteSignature.namespace))
        var conflicts: [ToDoConflict] = []
        for stored in found {
            let title = title(stored)
            func add(_ kind: ToDoConflict.Kind, base: Value? = nil) {
                conflicts.append(
                    ToDoConflict(
                        id: stored.id, title: title, standing: stored.standing,
                        kind: kind, base: base))
            }
            if stored.verdict.isContested {
                add(.wasDeleted)
                try tell(&conflicts[conflicts.count - 1], of: stored, authors)
            }
            if stored.standing == .editedAfterPurge {
                add(.editedAfterPurge(try keptFields(of: stored, authors)))
            }
            // The conflicts of a deleted to-do are listed when it is back.
            if stored.verdict.isDeleted { continue }
            for conflict in stored.record.fieldConflicts {
                add(
                    .field(conflict.field, try candidates(conflict, of: stored.id, authors)),
                    base: try store.journal.conflictBase(of: conflict.field, in: stored.id))
            }
        }
        return conflicts
    }

    /// The authors that are this device.
    private struct Authors {
        /// This replica.
        let own: ReplicaID
        /// The replicas that this store was before it took a new identity.
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
            let folder = authors.folders[WriteSignature.name(id, candidate.dot)]
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

    /// Tells who deleted a to-do, and what others wrote meanwhile.
    private func tell(
        _ conflict: inout ToDoConflict, of stored: Record, _ authors: Authors
    ) throws(StoreFault) {
        func author(of write: Write) throws(StoreFault) -> ToDoConflict.Author {
            let folder = authors.folders[WriteSignature.name(stored.id, write.dot)]
            let replica = write.dot.replica
            let name = try deviceName(replica)
            return ToDoConflict.Author(
                device: folder.map { String(decoding: $0, as: UTF8.self) } ?? name,
                isMine: folder == nil
                    && (replica == authors.own || authors.former.contains(replica)),
                time: write.timestamp.milliseconds)
        }
        let purges = Set(stored.record.survivors(of: .purged).map(\.write.dot))
        for case (let write, .clock) in stored.record.survivors(of: .deleted) {
            var deleter = try author(of: write)
            deleter.didPurge = purges.contains(write.dot)
            conflict.deleters.append(deleter)
        }
        let rule = DeletionRule(try store.summary().policy)
        let edits = rule.contesting(stored.record)
        let restores = Set(edits.filter { $0.assignment.field == .deleted }.map(\.write.dot))
        for (write, assignment) in edits {
            // A restore writes every field again.
            if restores.contains(write.dot), assignment.field != .deleted { continue }
            conflict.unseenEdits.append(
                ToDoConflict.UnseenEdit(
                    author: try author(of: write), field: assignment.field,
                    value: assignment.value))
        }
        conflict.unseenEdits.sort { ($0.field, $0.author.time) < ($1.field, $1.author.time) }
    }

    private func keptFields(
        of stored: Record, _ authors: Authors
    ) throws(StoreFault) -> [ToDoConflict.KeptField] {
        let kept = stored.record.heldValues
        var fields: [ToDoConflict.KeptField] = []
        for field in kept.fields {
            let conflict = FieldConflict(field: field, candidates: kept.candidates(of: field))
            fields.append(
                ToDoConflict.KeptField(
                    field: field, values: try candidates(conflict, of: stored.id, authors)))
        }
        return fields
    }

    /// Copies what was written to purged to-dos while apart from the purge into new ones, and lets go of it there.
    ///
    /// - Returns: the copies, in order; none for a to-do that has nothing to copy.
    package func copyFromPurged(_ ids: [RecordID]) throws(StoreFault) -> [RecordID] {
        try store.edit { transaction throws(StoreFault) in
            var copies: [RecordID] = []
            for id in ids {
                if let copy = try transaction.copyFromPurged(id) { copies.append(copy) }
            }
            return copies
        }
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

import Core

/// The writes that make a record as it was before a change.
struct UndoPlan {
    let record: RecordName
    /// Whether it is to be deleted or restored; nil if it is to stay as it is.
    var isDeleted: Bool?
    var assignments: [Assignment] = []
    /// Fields that were in conflict: their values, the one that was shown first.
    var conflicts: [(field: Field, values: [Value])] = []
    /// Values that a delete had not seen: they are written beside the delete that stands, or beside one that is made first.
    var contests: [(field: Field, values: [Value])] = []
    var obstacles: [UndoOutcome.Obstacle] = []

    /// A plan that changes nothing.
    init(_ record: RecordName) { self.record = record }

    /// - Parameters:
    ///   - stored: the record as it is now.
    ///   - entries: the change's entries about it, the latest first.
    ///   - isOwn: whether a replica is this store's.
    init(_ stored: Record, _ entries: [JournalEntry], isOwn: (ReplicaID) -> Bool) {
        record = stored.name
        if stored.standing.isPurged {
            obstacles.append(.init(record: record, field: .purged, reason: .purged))
            return
        }
        if entries.contains(where: { $0.kind == .made }) {
            undoMaking(of: stored, entries, isOwn)
            return
        }
        if entries.contains(where: \.isDecisionOnDelete) {
            undoDecision(on: stored, entries, isOwn)
            return
        }
        undoDeletion(of: stored, entries, isOwn)
        let willBeDeleted = isDeleted ?? stored.verdict.isDeleted
        for (field, group) in Self.grouped(entries) {
            if willBeDeleted, isDeleted == nil {
                obstacles.append(.init(record: record, field: field, reason: .deleted))
            } else {
                undo(field, of: stored, group, isOwn)
            }
        }
    }

    private static func grouped(_ entries: [JournalEntry]) -> [(Field, [JournalEntry])] {
        var groups: [(Field, [JournalEntry])] = []
        for entry in entries where entry.field > .purged && entry.kind != .erased {
            if let position = groups.firstIndex(where: { $0.0 == entry.field }) {
                groups[position].1.append(entry)
            } else {
                groups.append((entry.field, [entry]))
            }
        }
        return groups
    }

    private mutating func undoMaking(
        of stored: Record, _ entries: [JournalEntry], _ isOwn: (ReplicaID) -> Bool
    ) {
        if stored.verdict.isDeleted { return }
        isDeleted = true
        let author = entries.last?.author
        let foreign = stored.record.writes.last {
            !isOwn($0.dot.replica) && $0.dot.replica != author
        }
        guard let foreign, let field = foreign.assignments.first?.field else { return }
        obstacles.append(
            .init(
                record: record, field: field,
                reason: .changedLater(by: foreign.dot.replica, at: foreign.timestamp)))
    }

    /// Puts in question again whether a record stays deleted, or decides it again.
    private mutating func undoDecision(
        on stored: Record, _ entries: [JournalEntry], _ isOwn: (ReplicaID) -> Bool
    ) {
        let rows = Self.deletions(entries)
        guard let newest = rows.first, let decision = rows.last(where: \.isDecisionOnDelete) else {
            return
        }
        let verdict = stored.verdict
        guard .bool(verdict.isDeleted) == newest.after,
            verdict.isContested == (newest.kind == .opened)
        else {
            guard let later = stored.record.survivors(of: .deleted).last?.write else { return }
            obstacles.append(
                .init(
                    record: record, field: .deleted,
                    reason: .changedLater(by: later.dot.replica, at: later.timestamp)))
            return
        }
        if decision.kind == .opened {
            isDeleted = rows.last?.before == .bool(true)
            return
        }
        for (field, group) in Self.grouped(entries.filter { $0.kind == .dropped }) {
            var values: [Value] = []
            for value in group.map({ $0.before ?? .null }) where !values.contains(value) {
                values.append(value)
            }
            contests.append((field, values))
        }
        if verdict.isDeleted {
            // Nothing but a restore stood against the delete.
            if contests.isEmpty { isDeleted = false }
        } else {
            isDeleted = true
            noteObstacle(of: stored, laterThan: newest, isOwn)
            for (field, group) in Self.grouped(entries.filter(\.kind.changesShown)) {
                undo(field, of: stored, group, isOwn)
            }
        }
    }

    private static func deletions(_ entries: [JournalEntry]) -> [JournalEntry] {
        entries.filter { $0.field == .deleted && $0.kind != .erased }
    }

    private mutating func undoDeletion(
        of stored: Record, _ entries: [JournalEntry], _ isOwn: (ReplicaID) -> Bool
    ) {
        let rows = Self.deletions(entries)
        guard let newest = rows.first, case .bool(let was)? = rows.last?.before,
            stored.verdict.isDeleted != was
        else { return }
        isDeleted = was
        if was { noteObstacle(of: stored, laterThan: newest, isOwn) }
    }

    /// Notes what somebody else wrote since: a delete would take it away.
    private mutating func noteObstacle(
        of stored: Record, laterThan entry: JournalEntry, _ isOwn: (ReplicaID) -> Bool
    ) {
        let later = stored.record.writes.last {
            !isOwn($0.dot.replica) && $0.timestamp > entry.timestamp
        }
        guard let later, let field = later.assignments.first?.field else { return }
        obstacles.append(
            .init(
                record: record, field: field,
                reason: .changedLater(by: later.dot.replica, at: later.timestamp)))
    }

    private mutating func undo(
        _ field: Field, of stored: Record, _ entries: [JournalEntry],
        _ isOwn: (ReplicaID) -> Bool
    ) {
        let changes = entries.filter { $0.kind != .dropped && $0.kind != .opened }
        let dropped = entries.filter { $0.kind == .dropped }
        let opened = entries.filter { $0.kind == .opened }
        // An edit that ended or opened a conflict, and kept the shown value, has no other entry.
        let kept = dropped.first?.after ?? opened.first?.before
        let expected = (changes.isEmpty ? kept : changes.first?.after) ?? .null
        let target = (changes.isEmpty ? kept : changes.last?.before) ?? .null
        let shown = stored.record.survivors(of: field).last
        let current = shown?.value ?? .null
        let candidates = field.isElement ? [] : stored.record.candidates(of: field)
        let isAsLeft =
            Set(candidates.map(\.value)) == Set([expected] + opened.compactMap(\.after))
            && candidates.allSatisfy { isOwn($0.dot.replica) }
        if candidates.count > 1, !isAsLeft {
            obstacles.append(.init(record: record, field: field, reason: .inConflict))
        } else if let shown, candidates.count < 2, current != target || !dropped.isEmpty {
            let author = entries[0].author
            let isForeign = !isOwn(shown.write.dot.replica) && shown.write.dot.replica != author
            if isForeign || current != expected {
                obstacles.append(
                    .init(
                        record: record, field: field,
                        reason: .changedLater(
                            by: shown.write.dot.replica, at: shown.write.timestamp)))
            }
        }
        if dropped.isEmpty {
            assignments.append(Assignment(field, target))
        } else {
            var values = [target]
            for entry in dropped {
                if let value = entry.before, !values.contains(value) { values.append(value) }
            }
            conflicts.append((field, values))
        }
    }
}

/// The result of an undo.
package enum UndoOutcome: Hashable, Sendable {
    /// Why something cannot be undone as it is.
    package struct Obstacle: Hashable, Sendable {
        /// The reasons.
        package enum Reason: Hashable, Sendable {
            /// Somebody changed the field later; the undo would take that away.
            case changedLater(by: ReplicaID, at: HybridTimestamp)
            /// The field is in conflict now; it is to be resolved instead.
            case inConflict
            /// The record is in the trash now.
            case deleted
            /// The record was purged, and nothing is left of it.
            case purged

            /// Whether an undo that is forced goes on.
            package var yields: Bool {
                switch self {
                case .changedLater, .inConflict: true
                case .deleted, .purged: false
                }
            }
        }

        /// The record.
        package let record: RecordName
        /// The field.
        package let field: Field
        /// The reason.
        package let reason: Reason

        /// Something in the way.
        package init(record: RecordName, field: Field, reason: Reason) {
            self.record = record
            self.field = field
            self.reason = reason
        }
    }

    /// It was undone by new writes to these records; none if all was as before already.
    case done([RecordName])
    /// Nothing was done: an undo of the change stands.
    case undoneAlready
    /// Nothing was done.
    case refused([Obstacle])
}

/// The rule of a space for a record that one device deletes while another edits it.
public enum DeletePolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// The record stays deleted; the edit is listed as a conflict.
    case deletesWin = 0

    /// The edit brings the record back; the delete is listed as a conflict.
    case editsWin = 1

    /// The name used in settings and on the command line.
    package var name: String {
        switch self {
        case .deletesWin: "deletes-win"
        case .editsWin: "edits-win"
        }
    }

    /// The policy of that name.
    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// A record's standing, from which every list, command and message follows.
public enum RecordStanding: Hashable, Sendable {
    /// Shown.
    case live
    /// Deleted, and can be restored.
    case trashed
    /// Purged: nothing is left of it.
    case purged
    /// Purged, and other devices' values that the purge had not seen are kept: a conflict, which ends when they
    /// are copied into a new record or let go.
    case editedAfterPurge

    /// Whether the record was purged and cannot be restored.
    package var isPurged: Bool { self == .purged || self == .editedAfterPurge }
}

/// Whether a record is deleted: a pure function of the assignments that survive; no clock plays a part.
///
/// Source: Protocol/4-Merge.md.
package struct DeletionRule: Sendable {
    /// The state of a record's deletion.
    package struct Verdict: Hashable, Sendable {
        /// Whether the record is deleted.
        package let isDeleted: Bool

        /// Whether a purge mark survives.
        package let isPurged: Bool

        /// Whether a delete stands against an edit or restore that it had not seen.
        package let isContested: Bool

        /// Whether a purged record holds values that were written while apart from the purge, and nobody
        /// restored it: nothing shows them.
        package let isEditedAfterPurge: Bool

        /// The record's standing: the one place that decides it.
        package var standing: RecordStanding {
            if !isDeleted { return .live }
            // A purge against a restore that it had not seen: the restore can be repeated.
            if !isPurged || isContested { return .trashed }
            return isEditedAfterPurge ? .editedAfterPurge : .purged
        }
    }

    /// The space's rule.
    package let policy: DeletePolicy

    /// Judges by the rule of a space.
    package init(_ policy: DeletePolicy) {
        self.policy = policy
    }

    /// Judges a record.
    package func verdict(on record: RecordState) -> Verdict {
        var seen: VersionVector?
        var isPurged = false
        for write in record.writes {
            // The reserved fields have the smallest numbers, so they stand first.
            for assignment in write.assignments.prefix(2) {
                if assignment.field == .deleted, case .clock(let clock) = assignment.value {
                    if seen == nil { seen = clock } else { seen?.join(clock) }
                } else if assignment.field == .purged, !assignment.value.isNull {
                    isPurged = true
                }
            }
        }
        guard let seen else {
            return Verdict(
                isDeleted: false, isPurged: false, isContested: false, isEditedAfterPurge: false)
        }
        let isContested = record.writes.contains { write in
            !write.isRecovered && !seen.covers(write.dot)
                && write.assignments.contains { contests($0, isPurged: isPurged) }
        }
        let isDeleted = policy == .deletesWin || !isContested
        return Verdict(
            isDeleted: isDeleted, isPurged: isPurged, isContested: isContested,
            isEditedAfterPurge: isPurged && isDeleted && !isContested && record.holdsValue)
    }

    /// The assignments that no surviving delete has seen and that speak against the deletion, with their writes: those
    /// for which a record is contested.
    package func contesting(
        _ record: RecordState
    ) -> [(write: Write, assignment: Assignment)] {
        var seen = VersionVector()
        for case (_, .clock(let clock)) in record.survivors(of: .deleted) { seen.join(clock) }
        let isPurged = verdict(on: record).isPurged
        return record.writes.filter { !$0.isRecovered && !seen.covers($0.dot) }.flatMap { write in
            write.assignments.filter { contests($0, isPurged: isPurged) }.map { (write, $0) }
        }
    }

    /// Whether an assignment that no delete has seen speaks against the deletion.
    private func contests(_ assignment: Assignment, isPurged: Bool) -> Bool {
        switch assignment.field {
        case .deleted: assignment.value.isNull
        case .purged: false
        default: !isPurged
        }
    }
}

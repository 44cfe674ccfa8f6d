import Core

/// The rules under test, each of which can be swapped for a broken one.
struct MergeRules {
    typealias Verdict = HistoryModel.Judgement

    var merged: (RecordState, RecordState) -> RecordState = { RecordMerge.merged($0, $1) }

    var verdict: (RecordState, DeletePolicy) -> Verdict = { record, policy in
        let verdict = DeletionRule(policy).verdict(on: record)
        return Verdict(
            isDeleted: verdict.isDeleted, isPurged: verdict.isPurged,
            isContested: verdict.isContested, isEditedAfterPurge: verdict.isEditedAfterPurge)
    }

    /// Whether a purge leaves its mark and its delete.
    var purgeLeavesMark = true

    /// Whether a restore writes all fields again.
    var restoresWhole = true

    /// Runs one move; nil if it was refused or wrote nothing.
    func apply(_ move: Move, to record: RecordState, by author: Author) -> RecordState? {
        let edit = LocalEdit(policy: author.policy, timestamp: author.timestamp)
        var dots = LocalEdit.DotSource(replica: author.replica, counter: author.counter)
        do throws(LocalEdit.Refusal) {
            switch move {
            case .save(let assignments, let resolves):
                if verdict(record, author.policy).isDeleted { return nil }
                return try edit.save(assignments, to: record, resolves: resolves, dots: &dots)
            case .delete: return try edit.delete(record, dots: &dots)
            case .purge:
                let after = try edit.purge(record, isForced: true, dots: &dots)
                return purgeLeavesMark
                    ? after : after.map { RecordState(clock: $0.clock, writes: []) }
            case .restore:
                let after = try edit.restore(record, dots: &dots)
                return restoresWhole
                    ? after : after.map { _ in flagged(record, dots.replica, author) }
            }
        } catch {
            return nil
        }
    }

    /// A restore that writes the flag alone.
    private func flagged(
        _ record: RecordState, _ replica: ReplicaID, _ author: Author
    ) -> RecordState {
        var result = record
        for index in result.writes.indices {
            result.writes[index].assignments.removeAll {
                $0.field == .deleted || $0.field == .purged
            }
        }
        result.writes.removeAll(where: \.assignments.isEmpty)
        let dot = Dot(replica: replica, counter: author.counter + 1)
        var given = [Assignment(.deleted, .null)]
        if record.visible(.purged) != nil { given.append(Assignment(.purged, .null)) }
        result.writes.append(
            Write(dot: dot, timestamp: author.timestamp, assignments: given))
        result.writes.sort { $0.dot < $1.dot }
        result.clock.include(dot.counter, of: replica)
        return result
    }
}

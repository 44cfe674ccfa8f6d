import Core

/// Compares what a replica holds with what really happened.
struct StateCheck {
    let model: HistoryModel
    let rules: MergeRules
    let policy: DeletePolicy
    let title: Field

    /// The first thing that is wrong with a state, or nil.
    func fault(in state: ReplicaState) -> String? {
        let expected = model.record(state.ghost)
        let record = state.record
        if record != expected { return difference(record, expected) }
        if !record.isWellFormed { return "malformed: \(record.clock)" }
        return judgementFault(state) ?? viewFault(state) ?? copyFault(state)
    }

    /// Checks the standing, and the copy of what was written while apart from a purge.
    private func copyFault(_ state: ReplicaState) -> String? {
        let expected = model.judgement(state.ghost, policy)
        let record = state.record
        let verdict = DeletionRule(policy).verdict(on: record)
        // Under a broken rule the other checks tell.
        if verdict.isDeleted != rules.verdict(record, policy).isDeleted { return nil }
        let standing = verdict.standing
        let due: RecordStanding =
            !expected.isDeleted
            ? .live
            : expected.isEditedAfterPurge
                ? .editedAfterPurge
                : expected.isPurged && !expected.isContested ? .purged : .trashed
        if standing != due { return "standing: \(standing), not \(due)" }
        guard expected.isEditedAfterPurge else { return nil }
        let edit = LocalEdit(policy: policy, timestamp: .zero)
        func dots() -> LocalEdit.DotSource {
            LocalEdit.DotSource(replica: ReplicaID(value: .max), counter: 0)
        }
        var (one, two) = (dots(), dots())
        if (try? edit.purge(record, isForced: false, dots: &one)) != nil {
            return "purge: not asked"
        }
        guard let copy = edit.copy(of: record, dots: &two) else { return "copy: nothing" }
        let copied = model.copied(state.ghost)
        if !copy.isWellFormed || Set(copy.fields) != Set(copied.keys) {
            return "copy: \(copy.fields)"
        }
        for (field, values) in copied where copy.candidates(of: field).map(\.value) != values {
            return "copy: \(field)"
        }
        if Set(record.heldValues.writes.map(\.dot)) != model.copiedDots(state.ghost) {
            return "copy: named after other writes"
        }
        guard let bare = try? edit.purge(record, isForced: true, dots: &one),
            DeletionRule(policy).verdict(on: bare).standing == .purged
        else { return "purge: nothing let go" }
        return nil
    }

    /// Names what was lost or kept too long.
    private func difference(_ record: RecordState, _ expected: RecordState) -> String {
        if record.clock != expected.clock { return "clock: \(record.clock)" }
        let have = Set(
            record.writes.flatMap { write in write.assignments.map { Pair(write.dot, $0) } })
        let want = Set(
            expected.writes.flatMap { write in write.assignments.map { Pair(write.dot, $0) } })
        if let lost = want.subtracting(have).min() { return "lost: \(lost)" }
        if let stale = have.subtracting(want).min() { return "stale: \(stale)" }
        return "order: \(record.writes.map(\.dot))"
    }

    private struct Pair: Hashable, Comparable, CustomStringConvertible {
        let dot: Dot
        let assignment: Assignment

        init(_ dot: Dot, _ assignment: Assignment) {
            self.dot = dot
            self.assignment = assignment
        }

        static func < (left: Pair, right: Pair) -> Bool {
            left.dot == right.dot
                ? left.assignment.field < right.assignment.field : left.dot < right.dot
        }

        var description: String { "\(dot) \(assignment.field)=\(assignment.value)" }
    }

    private func judgementFault(_ state: ReplicaState) -> String? {
        if state.ghost.isEmpty { return nil }
        let found = rules.verdict(state.record, policy)
        let expected = model.judgement(state.ghost, policy)
        if found.isDeleted != expected.isDeleted {
            return expected.isDeleted ? "resurrected" : "wrongly deleted"
        }
        if found != expected { return "verdict: \(found), not \(expected)" }
        let hadTitle = state.ghost.contains { number in
            model.events[number].given.contains { $0.field == title }
        }
        if !found.isDeleted, hadTitle, state.record.visible(title) == nil { return "husk" }
        if found.isDeleted {
            let late = Move.save([Assignment(title, .text("late"))], resolves: true)
            let author = Author(
                replica: ReplicaID(value: .max), counter: 0, timestamp: .zero, policy: policy)
            if rules.apply(late, to: state.record, by: author) != nil { return "stale save taken" }
        }
        return nil
    }

    /// Checks the shown values and the listed conflicts.
    private func viewFault(_ state: ReplicaState) -> String? {
        for field in state.record.fields {
            let values = model.values(of: field, state.ghost)
            if state.record.visible(field) != values.first { return "shown: \(field)" }
            if state.record.candidates(of: field).map(\.value) != values {
                return "candidates: \(field)"
            }
        }
        let listed = Set(state.record.fieldConflicts.map(\.field))
        return listed == model.conflicts(state.ghost) ? nil : "conflicts: \(listed)"
    }

    /// Whether the bytes of a body are those of the model's record, and come back whole.
    func bodyFault(in state: ReplicaState) -> String? {
        let bytes = BodyCodec.encode(state.record, in: .number(1))
        let expected = model.record(state.ghost)
        guard bytes == BodyCodec.encode(expected, in: .number(1)) else { return "bytes" }
        let back = try? BodyCodec.decode(bytes, clock: state.record.clock)
        return back?.record == state.record || state.ghost.isEmpty ? nil : "bytes do not come back"
    }
}

/// A replica's record, and the writes that the replica has truly seen.
struct ReplicaState: Hashable {
    let record: RecordState
    /// The numbers of the writes seen, sorted.
    let ghost: [Int]

    static let empty = ReplicaState(record: RecordState(), ghost: [])
}

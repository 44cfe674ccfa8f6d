import Core

/// A record as a device holds it, against what it must be.
extension RecordHistory {
    /// Looks whether a device holds exactly what must be left.
    func judge(_ record: Record, against view: RecordView) throws(Violation) {
        var next = 0
        for write in record.writes {
            for assignment in write.assignments {
                guard next < view.survivors.count else { throw surplus(assignment, write, view) }
                let survivor = view.survivors[next]
                let due = entries[survivor.entry].write
                let isSame =
                    due.dot == write.dot
                    && due.assignments[survivor.assignment] == assignment
                    && due.timestamp == write.timestamp && due.isRecovered == write.isRecovered
                if !isSame { throw difference(record, view) }
                next += 1
            }
        }
        if next < view.survivors.count { throw difference(record, view) }
        // Of each field a replica id has one value at most, but for the values in conflict that
        // restores wrote side by side.
        let survivorMax = registers.count * (chains.count + restoreCount)
        if view.survivors.count > survivorMax {
            throw Violation(
                .unbounded,
                "\(view.survivors.count) assignments are kept, and no more than"
                    + " \(survivorMax) can matter")
        }
    }

    /// What is wrong with a record that is not as it must be.
    private func difference(_ record: Record, _ view: RecordView) -> Violation {
        for survivor in view.survivors {
            let due = write(of: survivor)
            let (field, value) = (field(of: survivor), value(of: survivor))
            guard let write = record.writes.first(where: { $0.dot == due.dot }),
                let held = write.value(of: field)
            else {
                let isMark = !value.isNull && (field == .deleted || field == .purged)
                return Violation(
                    isMark ? .resurrection : .lostWrite, "\(field) = \(value) of \(due.dot) is lost"
                )
            }
            if held != value {
                return Violation(
                    .unsound, "\(field) of \(due.dot) is \(held), and was written as \(value)")
            }
            if write.timestamp != due.timestamp || write.isRecovered != due.isRecovered {
                return Violation(.diverged, "\(due.dot) has another time or mark than was written")
            }
        }
        for write in record.writes {
            for assignment in write.assignments {
                let isDue = view.survivors.contains {
                    $0.dot == write.dot && field(of: $0) == assignment.field
                }
                if !isDue { return surplus(assignment, write, view) }
            }
        }
        return Violation(.diverged, "its writes are not in order")
    }

    private func surplus(
        _ assignment: Assignment, _ write: Write, _ view: RecordView
    ) -> Violation {
        let words = "\(assignment.field) = \(assignment.value) of \(write.dot)"
        let isKnown = entries.contains { entry in
            entry.write.dot == write.dot && entry.write.assignments.contains(assignment)
        }
        if !isKnown { return Violation(.unsound, "\(words) was never written") }
        if !view.clock.covers(write.dot) {
            return Violation(.unsound, "\(words) lies beyond the record's clock")
        }
        return Violation(.resurrection, "\(words) is back, though it was replaced")
    }

    /// Looks whether people are shown what they must be.
    ///
    /// - Parameter isThorough: whether also where the record leaves no choice.
    func judge(
        _ record: Record, _ verdict: DeletionRule.Verdict, against view: RecordView,
        _ policy: DeletePolicy, isThorough: Bool
    ) throws(Violation) {
        let due = judgement(view, policy)
        if due.isDeleted != verdict.isDeleted {
            throw due.isDeleted
                ? Violation(.resurrection, "it is alive, and must be deleted")
                : Violation(.lostWrite, "it is deleted, and must be alive")
        }
        if due.isPurged != verdict.isPurged {
            throw Violation(.diverged, "it is \(verdict.isPurged ? "" : "not ")taken for purged")
        }
        if due.isContested != verdict.isContested {
            throw due.isContested
                ? Violation(.lostWrite, "nobody is told of what speaks against its deletion")
                : Violation(.diverged, "its deletion is said to be contested, and is not")
        }
        let groups = rivals(view, least: isThorough ? 1 : 2)
        if groups.isEmpty { return }
        for group in groups {
            let (field, value) = (field(of: group[0]), value(of: group[0]))
            let shown = record.visible(field)
            if shown != value {
                throw Violation(
                    .diverged,
                    "\(field) shows \(shown.map { "\($0)" } ?? "nothing"), and must show \(value)")
            }
        }
        try judgeConflicts(record, conflicts(among: groups))
    }

    private func judgeConflicts(
        _ record: Record, _ due: [ExpectedRecord.Conflict]
    ) throws(Violation) {
        let listed = record.fieldConflicts
        for conflict in due {
            guard let found = listed.first(where: { $0.field == conflict.field }) else {
                throw Violation(.lostWrite, "the conflict on \(conflict.field) is not listed")
            }
            let values = found.candidates.map(\.value)
            if let lost = conflict.values.first(where: { !values.contains($0) }) {
                throw Violation(
                    .lostWrite, "\(lost) is not listed in the conflict on \(conflict.field)")
            }
            if values != conflict.values {
                throw Violation(.diverged, "the conflict on \(conflict.field) lists other values")
            }
        }
        if listed.count > due.count {
            throw Violation(.diverged, "a conflict is listed where there is none")
        }
    }
}

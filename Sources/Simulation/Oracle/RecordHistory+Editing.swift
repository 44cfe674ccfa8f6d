import Core

/// The writes of an edit, against those that it must make.
extension RecordHistory {
    /// Looks whether an edit wrote what it must.
    ///
    /// - Parameters:
    ///   - form: what was typed in; nil if that is not known.
    ///   - past: what was left of the record before.
    func judge(
        _ writes: [Write], _ kind: WriteHistory.Kind, _ form: WriteHistory.Form?, past: RecordView,
        _ policy: DeletePolicy
    ) throws(Violation) {
        switch kind {
        case .edit:
            if judgement(past, policy).isDeleted {
                throw Violation(.resurrection, "a save on it was carried out though it is deleted")
            }
            if writes.count != 1 {
                throw Violation(.unsound, "an edit made \(writes.count) writes")
            }
            if writes[0].assignments.contains(where: { $0.field <= .purged }) {
                throw Violation(
                    .unsound, "an edit wrote a field that only deletes and purges write")
            }
            if let form { try judge(writes[0], form, past: past) }
        case .delete, .purge:
            try judgeDelete(writes, isPurge: kind == .purge, past: past.clock)
        case .restore: try judgeRestore(writes, past: past, policy)
        case .copy:
            if !past.clock.isEmpty {
                throw Violation(.unsound, "a copy was written over what was there")
            }
        case .takeBack: try judgeTakeBack(writes, past: past.clock)
        case .late: return
        case .lateDelete: try judgeLateDelete(writes, past: past)
        }
    }

    /// Looks whether an edit that wrote nothing had nothing to write.
    func judgeNothing(
        _ kind: WriteHistory.Kind, _ form: WriteHistory.Form?, past: RecordView,
        _ policy: DeletePolicy
    ) throws(Violation) {
        let before = judgement(past, policy)
        switch kind {
        case .edit:
            guard let form else { return }
            if past.clock.isEmpty { throw Violation(.lostWrite, "it was made and is not there") }
            guard let lost = due(form, past: past).first else { return }
            throw Violation(.lostWrite, "\(lost.field) = \(lost.value) was saved, and not written")
        case .delete, .lateDelete:
            if before.isDeleted, !before.isContested { return }
            throw Violation(.resurrection, "a delete left no mark")
        case .copy: throw Violation(.lostWrite, "a copy was made and is not there")
        case .takeBack: return
        case .late:
            try judgeTyped(
                form, leaving: past.survivors.map { Assignment(field(of: $0), value(of: $0)) })
        case .restore:
            if !before.isDeleted, !before.isContested { return }
            throw Violation(.lostWrite, "a restore brought nothing back")
        case .purge:
            let isBare = past.survivors.allSatisfy { field(of: $0) <= .purged }
            if before.isPurged, isBare, !before.isContested { return }
            throw Violation(.resurrection, "a purge left no mark")
        }
    }

    /// Looks whether a save wrote just what was changed in the form.
    private func judge(
        _ write: Write, _ form: WriteHistory.Form, past: RecordView
    ) throws(Violation) {
        let due = due(form, past: past)
        if let lost = due.first(where: { !write.assignments.contains($0) }) {
            throw Violation(.lostWrite, "\(lost.field) = \(lost.value) was saved, and not written")
        }
        if let other = write.assignments.first(where: { !due.contains($0) }) {
            throw Violation(
                .unsound, "a save wrote \(other.field) = \(other.value), which nobody changed")
        }
    }

    /// The writes of a save: no value that is shown already, unless it is chosen to end a conflict, and
    /// no nothing where there never was anything.
    private func due(_ form: WriteHistory.Form, past: RecordView) -> [Assignment] {
        let groups = rivals(past, least: 1)
        var due: [Assignment] = []
        for (position, assignment) in form.assignments.enumerated() {
            let isLast = !form.assignments[(position + 1)...].contains {
                $0.field == assignment.field
            }
            guard isLast else { continue }
            let group = groups.first { field(of: $0[0]) == assignment.field }
            let isChange: Bool
            if let group {
                let values = values(of: group)
                isChange = values[0] != assignment.value || (form.resolves && values.count > 1)
            } else {
                isChange = !assignment.value.isNull
            }
            if isChange { due.append(assignment) }
        }
        return due
    }

    /// A take-back gives fields nothing but values that they had before, and its deletes have seen all else in it.
    private func judgeTakeBack(_ writes: [Write], past: VersionVector) throws(Violation) {
        for write in writes {
            guard case .clock(let seen)? = write.value(of: .deleted) else { continue }
            var due = Oracle.past(of: write, among: writes, .takeBack, past)
            due.include(write.dot.counter, of: write.dot.replica)
            if !seen.covers(due) {
                throw Violation(
                    .resurrection, "a take-back's delete says that it saw \(seen), and saw \(due)")
            }
        }
        for assignment in writes.flatMap(\.assignments) where assignment.field > .purged {
            let wasThere = entries.contains { $0.write.assignments.contains(assignment) }
            if wasThere || assignment.value.isNull { continue }
            throw Violation(
                .unsound,
                "a take-back wrote \(assignment.field) = \(assignment.value), which never was there"
            )
        }
        if writes.contains(where: { $0.value(of: .purged)?.isNull == false }) {
            throw Violation(.lostWrite, "a take-back purged it")
        }
    }

    func judgeDelete(
        _ writes: [Write], isPurge: Bool, past: VersionVector
    )
        throws(Violation)
    {
        let word = isPurge ? "purge" : "delete"
        guard writes.count == 1, case .clock(let seen)? = writes[0].value(of: .deleted) else {
            throw Violation(.resurrection, "a \(word) left no mark")
        }
        if isPurge, writes[0].value(of: .purged) != .bool(true) {
            throw Violation(.resurrection, "a purge left no mark of its own")
        }
        var due = past
        due.include(writes[0].dot.counter, of: writes[0].dot.replica)
        if !seen.covers(due) {
            throw Violation(.resurrection, "a \(word) says that it saw \(seen), and saw \(due)")
        }
        if seen != due {
            throw Violation(.lostWrite, "a \(word) says that it saw \(seen), and only saw \(due)")
        }
        if writes[0].assignments.count != (isPurge ? 2 : 1) {
            throw Violation(.unsound, "a \(word) wrote other fields")
        }
    }

    /// A restore writes everything again, a field in conflict once for each value, by a write each.
    private func judgeRestore(
        _ writes: [Write], past: RecordView, _ policy: DeletePolicy
    ) throws(Violation) {
        let isWhole = past.survivors.contains { field(of: $0) == .deleted && value(of: $0).isNull }
        if judgement(past, policy).isPurged, !isWhole {
            throw Violation(.resurrection, "what was purged was brought back")
        }
        var due: [Assignment] = []
        for group in rivals(past, least: 1) {
            let field = field(of: group[0])
            switch field {
            case .deleted: due.append(Assignment(.deleted, .null))
            case .purged: due.append(Assignment(.purged, .null))
            default: for value in values(of: group) { due.append(Assignment(field, value)) }
            }
        }
        var found = writes.flatMap(\.assignments)
        for assignment in due {
            guard let position = found.firstIndex(of: assignment) else {
                throw Violation(
                    .lostWrite,
                    "a restore did not bring back \(assignment.field) = \(assignment.value)")
            }
            found.remove(at: position)
        }
        if let other = found.first {
            throw Violation(
                .resurrection, "a restore brought \(other.field) = \(other.value), which was gone")
        }
    }
}

/// A copy of what was written to a purged record, against what it must have.
extension RecordHistory {
    /// Looks whether a copy has every value that is kept, each once, and no other.
    ///
    /// - Parameter past: what was left of the purged record before.
    func judgeCopy(
        _ writes: [Write], of past: RecordView, _ policy: DeletePolicy
    ) throws(Violation) {
        if !judgement(past, policy).isEditedAfterPurge {
            throw Violation(
                .resurrection, "it was copied, and nothing was written apart from a purge")
        }
        var found = writes.flatMap(\.assignments)
        for group in rivals(past, least: 1) {
            for value in values(of: group.filter(isValue)) {
                let due = Assignment(field(of: group[0]), value)
                guard let position = found.firstIndex(of: due) else {
                    throw Violation(.lostWrite, "\(due.field) = \(due.value) is not in its copy")
                }
                found.remove(at: position)
            }
        }
        if let other = found.first {
            throw Violation(.unsound, "its copy has \(other.field) = \(other.value) as well")
        }
    }
}

/// A record of which some writes have numbers that may name two: what can be said of it all the same.
///
/// A write whose own number is certain is covered by a clock only if it is included, so it is held
/// unless something replaced it. A clock does not show whether a write of a suspicious
/// dot is included: what it may have replaced may be there or not.
extension RecordHistory {
    /// A device that held a write when its dot became suspicious.
    struct Holder: Hashable {
        let deviceIndex: Int
        /// How many times writes may have been taken from it by then.
        let lossCount: Int
    }

    /// Takes note that dots of a replica id became suspicious.
    func suspect(_ replica: ReplicaID, above counter: UInt64) {
        isSuspicious =
            isSuspicious
            || entries.contains {
                !$0.isStruck && $0.write.dot.replica == replica && $0.write.dot.counter > counter
            }
    }

    /// Takes note that a store goes on for a second time after a number, and of who has what was there.
    func part(
        _ replica: ReplicaID, above counter: UInt64, fork: Int, isEven: Bool,
        holders: (Dot) -> [Holder]
    ) {
        self.isEven = isEven
        for position in entries.indices where !entries[position].isStruck {
            let dot = entries[position].write.dot
            guard dot.replica == replica, dot.counter > counter else { continue }
            setPast(position, fork: fork, holders: holders(dot))
        }
    }

    /// Looks at what is certain of a record as a device holds it.
    func judgeSuspected(
        _ record: RecordState, _ verdict: DeletionRule.Verdict, _ history: WriteHistory,
        _ policy: DeletePolicy
    ) throws(Violation) {
        var mustBeDeleted = false
        for entry in entries where !entry.isStruck {
            let dot = entry.write.dot
            if history.isSuspicious(dot) || !record.clock.covers(dot) { continue }
            let held = record.writes.first { $0.dot == dot }
            for assignment in entry.write.assignments {
                let fate = fate(of: assignment, dot, at: record.clock, history)
                let words = "\(assignment.field) = \(assignment.value) of \(dot)"
                let value = held?.value(of: assignment.field)
                switch (fate, value) {
                case (.replaced, .some):
                    throw Violation(.resurrection, "\(words) is back, though it was replaced")
                case (.due, nil): throw Violation(.lostWrite, "\(words) is lost")
                case (_, let value?) where !Self.isSame(value, assignment.value):
                    throw Violation(.unsound, "\(words) is \(value)")
                case (.due, _):
                    if assignment.field == .deleted, !assignment.value.isNull {
                        mustBeDeleted = true
                    }
                default: continue
                }
            }
        }
        if mustBeDeleted, policy == .deletesWin, !verdict.isDeleted {
            throw Violation(.resurrection, "it is alive, and must be deleted")
        }
    }

    /// Whether a value is what was written; what a delete had seen may have got new numbers since.
    private static func isSame(_ held: Value, _ written: Value) -> Bool {
        if case .clock = held, case .clock = written { return true }
        return held == written
    }

    private enum Fate { case due, replaced, open }

    /// Checks an assignment whose own number is certain.
    private func fate(
        of assignment: Assignment, _ dot: Dot, at clock: VersionVector, _ history: WriteHistory
    ) -> Fate {
        var fate = Fate.due
        for other in entries where other.write.past.covers(dot) {
            guard Self.replaces(other.write, assignment.field) else { continue }
            if history.isSuspicious(other.write.dot) || other.isStruck {
                fate = .open
            } else if clock.covers(other.write.dot) {
                return .replaced
            }
        }
        return fate
    }

    private static func replaces(_ write: WriteHistory.Entry, _ field: Field) -> Bool {
        write.kind == .purge || write.assignments.contains { $0.field == field }
    }

    // MARK: Both pasts

    /// The writes under suspicious dots that all must hold in the end, in either past.
    ///
    /// - Parameter isIntact: whether a device is there and has lost nothing since.
    func dueOfPasts(_ history: WriteHistory, isIntact: (Holder) -> Bool) -> [Assignment] {
        if entries.contains(where: { $0.write.kind == .purge }) { return [] }
        var due: [Assignment] = []
        for (position, entry) in entries.enumerated() where !entry.isStruck {
            let dot = entry.write.dot
            guard history.isSuspicious(dot), entry.holders.contains(where: isIntact),
                !isOutnumbered(entry, history)
            else { continue }
            for assignment in entry.write.assignments where assignment.field > .purged {
                if !mayBeReplaced(assignment.field, entry, position, history) {
                    due.append(assignment)
                }
            }
        }
        return due
    }

    /// Whether the other past counts as having seen an entry, as it wrote to the record under a later
    /// number.
    ///
    /// So does one with the same number, but where all else about the record is the same.
    private func isOutnumbered(_ entry: Entry, _ history: WriteHistory) -> Bool {
        let dot = entry.write.dot
        let isEven =
            isEven && !entries.contains { $0.fork > 0 && !history.isSuspicious($0.write.dot) }
        return entries.contains { other in
            other.fork != entry.fork && other.write.dot.replica == dot.replica
                && other.write.dot.counter >= dot.counter + (isEven ? 1 : 0)
        }
    }

    private func mayBeReplaced(
        _ field: Field, _ entry: Entry, _ position: Int, _ history: WriteHistory
    ) -> Bool {
        let dot = entry.write.dot
        for (number, other) in entries.enumerated() where number != position {
            guard Self.replaces(other.write, field) else { continue }
            if other.write.past.covers(dot) { return true }
            // It may have seen it under another number.
            let past = other.write.past.entries
            if past.contains(where: { history.isRenamed($0.replica) }) { return true }
        }
        return false
    }
}

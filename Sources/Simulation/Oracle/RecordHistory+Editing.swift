import Core

/// What an edit wrote, against what it must write.
extension RecordHistory {
    /// Looks whether an edit wrote what it must.
    ///
    /// - Parameters:
    ///   - form: what was typed in; nil if that is not known.
    ///   - past: what was left of the record before.
    func judge(
        _ writes: [Write], _ kind: History.Kind, _ form: History.Form?, past: RecordView,
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
        }
    }

    /// Looks whether an edit that wrote nothing had nothing to write.
    func judgeNothing(
        _ kind: History.Kind, _ form: History.Form?, past: RecordView, _ policy: DeletePolicy
    ) throws(Violation) {
        let before = judgement(past, policy)
        switch kind {
        case .edit:
            guard let form else { return }
            if past.clock.isEmpty { throw Violation(.lostWrite, "it was made and is not there") }
            guard let lost = due(form, past: past).first else { return }
            throw Violation(.lostWrite, "\(lost.field) = \(lost.value) was saved, and not written")
        case .delete:
            if before.isDeleted, !before.isContested { return }
            throw Violation(.resurrection, "a delete left no mark")
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
        _ write: Write, _ form: History.Form, past: RecordView
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

    /// What a save must write: not what is shown already, unless that is chosen to end a conflict, and
    /// no nothing where there never was anything.
    private func due(_ form: History.Form, past: RecordView) -> [Assignment] {
        let groups = rivals(past, least: 1)
        var due: [Assignment] = []
        for (place, assignment) in form.assignments.enumerated() {
            let isLast = !form.assignments[(place + 1)...].contains {
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

    private func judgeDelete(
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
            guard let place = found.firstIndex(of: assignment) else {
                throw Violation(
                    .lostWrite,
                    "a restore did not bring back \(assignment.field) = \(assignment.value)")
            }
            found.remove(at: place)
        }
        if let other = found.first {
            throw Violation(
                .resurrection, "a restore brought \(other.field) = \(other.value), which was gone")
        }
    }
}

import Core

/// The expected state of a record at a clock, by its true history.
package struct ExpectedRecord: Hashable, Sendable {
    /// An assignment that no later write has replaced.
    package struct Survivor: Hashable, Sendable {
        /// Which field.
        package let field: Field
        /// The value it was given.
        package let value: Value
        /// By which write.
        package let dot: Dot
        /// When.
        package let timestamp: HybridTimestamp

        /// An assignment that is still there.
        package init(field: Field, value: Value, dot: Dot, timestamp: HybridTimestamp) {
            self.field = field
            self.value = value
            self.dot = dot
            self.timestamp = timestamp
        }
    }

    /// A field to which devices gave different values without having seen each other's.
    package struct Conflict: Hashable, Sendable {
        /// Which field.
        package let field: Field
        /// The different values, the one that is shown first.
        package let values: [Value]
    }

    /// The writes that are left, by dot and field.
    package var survivors: [Survivor] = []
    /// The value that each field shows, by field.
    package var visible: [Assignment] = []
    /// The fields in conflict, by field; not listed to people while the record is deleted.
    package var conflicts: [Conflict] = []
    /// Whether it is deleted.
    package var isDeleted = false
    /// Whether a delete stands against an edit or restore that it had not seen: `wasDeleted`.
    package var isContested = false
    /// Whether it was purged, and nobody who had seen that brought it back.
    package var isPurged = false
    /// Whether values are kept that were written while apart from its purge: `editedAfterPurge`.
    package var isEditedAfterPurge = false
}

/// The visible state that a record must have, from the writes that are left.
extension RecordHistory {
    /// The expected verdict on a deletion.
    struct Judgement: Hashable {
        var isDeleted = false
        var isPurged = false
        var isContested = false
        var isEditedAfterPurge = false
    }

    /// The write of a survivor.
    func write(of survivor: RecordView.Survivor) -> WriteHistory.Entry {
        entries[survivor.entry].write
    }

    /// The field of a survivor.
    func field(of survivor: RecordView.Survivor) -> Field {
        registers[entries[survivor.entry].registers[survivor.assignment]]
    }

    /// The value of a survivor.
    func value(of survivor: RecordView.Survivor) -> Value {
        entries[survivor.entry].write.assignments[survivor.assignment].value
    }

    /// Whether the record is deleted, by what happened alone.
    func judgement(_ view: RecordView, _ policy: DeletePolicy) -> Judgement {
        var gone = view.purges
        for survivor in view.survivors
        where isDelete(survivor.entry) && field(of: survivor) == .deleted {
            gone.append(survivor.entry)
        }
        if gone.isEmpty { return Judgement() }
        let isPurged = !view.purges.isEmpty
        let isContested = view.survivors.contains { survivor in
            let write = entries[survivor.entry].write
            if isDelete(survivor.entry) || write.isRecovered { return false }
            if isPurged, !write.isRestore { return false }
            return !gone.contains { entries[$0].write.past.covers(write.dot) }
        }
        let isRestored = view.survivors.contains { survivor in
            let write = entries[survivor.entry].write
            return write.isRestore && !write.isRecovered && field(of: survivor) == .deleted
        }
        return Judgement(
            isDeleted: policy == .deletesWin || !isContested, isPurged: isPurged,
            isContested: isContested,
            isEditedAfterPurge: isPurged && !isRestored && view.survivors.contains(where: isValue))
    }

    /// Whether a survivor is no mark of a delete or purge, and did not clear its field.
    func isValue(_ survivor: RecordView.Survivor) -> Bool {
        field(of: survivor) > .purged && !value(of: survivor).isNull
    }

    private func isDelete(_ entry: Int) -> Bool { entries[entry].write.isDelete }

    /// The surviving assignments by field, of each field the shown one first; only of fields with as
    /// many of them at least.
    func rivals(_ view: RecordView, least: Int = 2) -> [[RecordView.Survivor]] {
        if view.survivors.count < least { return [] }
        var indexes = [Int](repeating: -1, count: registers.count)
        var groups: [[RecordView.Survivor]] = []
        for survivor in view.survivors {
            let register = entries[survivor.entry].registers[survivor.assignment]
            if indexes[register] < 0 {
                indexes[register] = groups.count
                groups.append([survivor])
            } else {
                groups[indexes[register]].append(survivor)
            }
        }
        return groups.filter { $0.count >= least }.map { group in
            group.count < 2 ? group : group.sorted { isShown($0, over: $1) }
        }
    }

    private func isShown(
        _ left: RecordView.Survivor, over right: RecordView.Survivor
    ) -> Bool {
        let (mine, theirs) = (entries[left.entry].write, entries[right.entry].write)
        if mine.timestamp != theirs.timestamp { return mine.timestamp > theirs.timestamp }
        return mine.dot > theirs.dot
    }

    /// The different values of a field's survivors, in their order.
    func values(of group: [RecordView.Survivor]) -> [Value] {
        var values: [Value] = []
        for survivor in group where !values.contains(value(of: survivor)) {
            values.append(value(of: survivor))
        }
        return values
    }

    /// The fields in conflict with their values: neither elements of sets nor deletes are.
    func conflicts(_ view: RecordView) -> [ExpectedRecord.Conflict] {
        conflicts(among: rivals(view))
    }

    /// The fields in conflict of those that several assignments are left of.
    func conflicts(among groups: [[RecordView.Survivor]]) -> [ExpectedRecord.Conflict] {
        var conflicts: [ExpectedRecord.Conflict] = []
        for group in groups where group.count > 1 {
            let field = field(of: group[0])
            if field.isElement || field == .deleted || field == .purged { continue }
            let values = values(of: group)
            if values.count > 1 {
                conflicts.append(ExpectedRecord.Conflict(field: field, values: values))
            }
        }
        return conflicts.sorted { $0.field < $1.field }
    }

    /// All that must be true of the record.
    func expected(_ view: RecordView, _ policy: DeletePolicy) -> ExpectedRecord {
        let judgement = judgement(view, policy)
        return ExpectedRecord(
            survivors: view.survivors.map { survivor in
                ExpectedRecord.Survivor(
                    field: field(of: survivor), value: value(of: survivor), dot: survivor.dot,
                    timestamp: write(of: survivor).timestamp)
            },
            visible: rivals(view, least: 1).map { group in
                Assignment(field(of: group[0]), value(of: group[0]))
            }.sorted { $0.field < $1.field },
            conflicts: conflicts(view), isDeleted: judgement.isDeleted,
            isContested: judgement.isContested, isPurged: judgement.isPurged,
            isEditedAfterPurge: judgement.isEditedAfterPurge)
    }
}

/// A record as a device holds it, against what it must be.
extension RecordHistory {
    /// Looks whether a device holds exactly what must be left.
    func judge(_ record: RecordState, against view: RecordView) throws(Violation) {
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
        // restores and copies wrote side by side.
        let survivorMax = registers.count * (chains.count + siblingCount)
        if view.survivors.count > survivorMax {
            throw Violation(
                .unbounded,
                "\(view.survivors.count) assignments are kept, and no more than"
                    + " \(survivorMax) can matter")
        }
    }

    /// The difference of a record from its expected state.
    private func difference(_ record: RecordState, _ view: RecordView) -> Violation {
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
        _ record: RecordState, _ verdict: DeletionRule.Verdict, against view: RecordView,
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
        if due.isEditedAfterPurge != verdict.isEditedAfterPurge {
            throw due.isEditedAfterPurge
                ? Violation(.lostWrite, "nobody is told of what was written apart from its purge")
                : Violation(.diverged, "it is said to be edited after its purge, and is not")
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
        _ record: RecordState, _ due: [ExpectedRecord.Conflict]
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

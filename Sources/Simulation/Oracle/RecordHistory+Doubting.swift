import Core

/// A record of which some writes have numbers that may name two: what can be said of it all the same.
///
/// A write whose own number is certain is covered by a clock only if it is included, so it is held
/// unless something replaced it. Whether a write of a doubtful number is included nobody can tell from
/// a clock: what it may have replaced may be there or not.
extension RecordHistory {
    /// A device that held a write when its number came into doubt.
    struct Witness: Hashable {
        let lane: Int
        /// How many times writes may have been taken from it by then.
        let lossCount: Int
    }

    /// Takes note that numbers of a replica id came into doubt.
    func doubt(_ replica: ReplicaID, above counter: UInt64) {
        isDoubtful =
            isDoubtful
            || entries.contains {
                !$0.isStruck && $0.write.dot.replica == replica && $0.write.dot.counter > counter
            }
    }

    /// Takes note that a store goes on for a second time after a number, and of who has what was there.
    func part(
        _ replica: ReplicaID, above counter: UInt64, fork: Int, isEven: Bool,
        witnesses: (Dot) -> [Witness]
    ) {
        self.isEven = isEven
        for place in entries.indices where !entries[place].isStruck {
            let dot = entries[place].write.dot
            guard dot.replica == replica, dot.counter > counter else { continue }
            setPast(place, fork: fork, witnesses: witnesses(dot))
        }
    }

    /// Looks at what is certain of a record as a device holds it.
    func judgeInDoubt(
        _ record: Record, _ verdict: DeletionRule.Verdict, _ history: History,
        _ policy: DeletePolicy
    ) throws(Violation) {
        var mustBeDeleted = false
        for entry in entries where !entry.isStruck {
            let dot = entry.write.dot
            if history.isDoubtful(dot) || !record.clock.covers(dot) { continue }
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

    /// What must have become of an assignment whose own number is certain.
    private func fate(
        of assignment: Assignment, _ dot: Dot, at clock: VersionVector, _ history: History
    ) -> Fate {
        var fate = Fate.due
        for other in entries where other.write.past.covers(dot) {
            guard Self.replaces(other.write, assignment.field) else { continue }
            if history.isDoubtful(other.write.dot) || other.isStruck {
                fate = .open
            } else if clock.covers(other.write.dot) {
                return .replaced
            }
        }
        return fate
    }

    private static func replaces(_ write: History.Entry, _ field: Field) -> Bool {
        write.kind == .purge || write.assignments.contains { $0.field == field }
    }

    // MARK: Both pasts

    /// What was written under doubtful numbers and must be held by all in the end, in either past.
    ///
    /// - Parameter isIntact: whether a device is there and has lost nothing since.
    func dueOfPasts(_ history: History, isIntact: (Witness) -> Bool) -> [Assignment] {
        if entries.contains(where: { $0.write.kind == .purge }) { return [] }
        var due: [Assignment] = []
        for (place, entry) in entries.enumerated() where !entry.isStruck {
            let dot = entry.write.dot
            guard history.isDoubtful(dot), entry.witnesses.contains(where: isIntact),
                !isOutnumbered(entry, history)
            else { continue }
            for assignment in entry.write.assignments where assignment.field > .purged {
                if !mayBeReplaced(assignment.field, entry, place, history) {
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
    private func isOutnumbered(_ entry: Entry, _ history: History) -> Bool {
        let dot = entry.write.dot
        let isEven =
            isEven && !entries.contains { $0.fork > 0 && !history.isDoubtful($0.write.dot) }
        return entries.contains { other in
            other.fork != entry.fork && other.write.dot.replica == dot.replica
                && other.write.dot.counter >= dot.counter + (isEven ? 1 : 0)
        }
    }

    private func mayBeReplaced(
        _ field: Field, _ entry: Entry, _ place: Int, _ history: History
    ) -> Bool {
        let dot = entry.write.dot
        for (number, other) in entries.enumerated() where number != place {
            guard Self.replaces(other.write, field) else { continue }
            if other.write.past.covers(dot) { return true }
            // It may have seen it under another number.
            let past = other.write.past.entries
            if past.contains(where: { history.isRenamed($0.replica) }) { return true }
        }
        return false
    }
}

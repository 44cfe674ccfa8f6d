import Core

/// Entries for the changes that an edit or a merge made visible, from the record before and the one after.
extension Journal {
    /// The most values of one field beside the shown one that a merge notes: a member may give a field thousands, and they
    /// would leave no room for what is to be undone.
    static let besideCountMax = 64

    /// Notes an edit made here at a reading of the clock.
    func note(
        edit new: RecordState, of old: Record, at timestamp: HybridTimestamp
    ) throws(StoreFault) {
        if old.collection == .devices { return }
        let own = knowledge.replica
        // A write that only takes a delete back leaves none.
        let dot = Dot(replica: own, counter: new.clock.counter(of: own))
        if old.record.clock.covers(dot) { return }
        let last =
            new.writes.last { isOwn($0, after: old.record) }
            ?? Write(dot: dot, timestamp: timestamp, assignments: [])
        let verdict = knowledge.deletionRule.verdict(on: new)
        if verdict.isPurged, verdict.isDeleted {
            try erase(old.name)
            return try append(old.name, .purged, .erased, last, before: nil, after: nil)
        }
        try noteMaking(of: old)
        var changed: Set<Field> = []
        for write in new.writes where isOwn(write, after: old.record) {
            changed.formUnion(write.assignments.map(\.field))
        }
        try noteDeletion(of: old, verdict, .local, last)
        let changes = old.record.changes(to: new, of: changed)
        for change in changes {
            try noteIfChanged(change, of: old.name, .local, last)
            if !change.field.isElement { try noteDecision(change, of: old.name, last) }
        }
        try noteDecision(onDeleteOf: old, verdict, changes, last)
    }

    /// Notes that an edit decided whether a record that one device deleted and another one edited stays deleted, or that it put
    /// this in question again.
    private func noteDecision(
        onDeleteOf old: Record, _ verdict: DeletionRule.Verdict, _ changes: [RegisterChange],
        _ write: Write
    ) throws(StoreFault) {
        let kind: JournalEntry.Kind
        if old.verdict.isContested, !verdict.isContested {
            kind = .dropped
            let against = knowledge.deletionRule.contesting(old.record).map(\.assignment)
            for assignment in against.filter({ $0.field > .purged }).prefix(Self.besideCountMax) {
                // If the record is back, it was decided for these.
                try append(
                    old.name, assignment.field, .dropped, write, before: assignment.value,
                    after: verdict.isDeleted ? nil : assignment.value)
            }
        } else if !old.verdict.isContested, verdict.isContested,
            changes.allSatisfy({ $0.before.last?.value == $0.after.last?.value })
        {
            kind = .opened
        } else {
            return
        }
        try append(
            old.name, .deleted, kind, write, before: .bool(old.verdict.isDeleted),
            after: .bool(verdict.isDeleted))
    }

    /// Notes which values an edit took out of a conflict, or put back into one.
    private func noteDecision(
        _ change: RegisterChange, of name: RecordName, _ write: Write
    ) throws(StoreFault) {
        let (before, after) = (change.candidatesBefore, change.candidatesAfter)
        if before.count > 1, after.count < 2 {
            for candidate in before.dropFirst() {
                try append(
                    name, change.field, .dropped, write, before: candidate.value,
                    after: change.after.last?.value)
            }
            try forgetBase(of: change.field, in: name)
        } else if before.count < 2, after.count > 1 {
            for candidate in after.dropFirst() {
                try append(
                    name, change.field, .opened, write, before: before.first?.value,
                    after: candidate.value)
            }
        }
    }

    private func isOwn(_ write: Write, after old: RecordState) -> Bool {
        write.dot.replica == knowledge.replica
            && write.dot.counter > old.clock.counter(of: knowledge.replica)
    }

    /// Notes the changes that a merge has made visible.
    func note(
        merge incoming: RecordState, into old: Record, giving new: RecordState
    ) throws(StoreFault) {
        if old.collection == .devices { return }
        let verdict = knowledge.deletionRule.verdict(on: new)
        if verdict.isPurged, verdict.isDeleted {
            // Of what was made here and never edited something is left as well: an undo must not pass over it.
            if old.record.onlyWrite?.dot.replica == knowledge.replica { try noteMaking(of: old) }
            return try erase(old.name)
        }
        try noteMaking(of: old)
        if let write = new.survivors(of: .deleted).last?.write {
            try noteDeletion(of: old, verdict, .merged, write)
        }
        var history = FieldHistory(of: old.name)
        let changed = Self.changedFields(from: old.record, to: new)
        for change in old.record.changes(to: new, of: changed) {
            // The conflict first: the values that this merge brings are no base.
            if !change.field.isElement { try noteConflict(change, incoming, old, &history) }
            if let shown = change.after.last {
                let isAbove = !change.field.isElement && change.isShownKept
                try noteIfChanged(change, of: old.name, isAbove ? .above : .merged, shown.write)
            }
        }
    }

    /// The fields whose surviving assignments are others than before.
    private static func changedFields(
        from old: RecordState, to new: RecordState
    ) -> Set<Field> {
        var changed: Set<Field> = []
        func gather(_ record: RecordState, besides other: RecordState) {
            var position = 0
            for write in record.writes {
                while position < other.writes.count, other.writes[position].dot < write.dot {
                    position += 1
                }
                let isThere =
                    position < other.writes.count && other.writes[position].dot == write.dot
                let same = isThere ? other.writes[position] : nil
                if same == write { continue }
                for assignment in write.assignments
                where same?.value(of: assignment.field) != assignment.value {
                    changed.insert(assignment.field)
                }
            }
        }
        gather(old, besides: new)
        gather(new, besides: old)
        return changed
    }

    private func noteConflict(
        _ change: RegisterChange, _ incoming: RecordState, _ old: Record,
        _ history: inout FieldHistory
    ) throws(StoreFault) {
        let (before, after) = (change.candidatesBefore, change.candidatesAfter)
        if after.count < 2 {
            if before.count > 1 { try forgetBase(of: change.field, in: old.name) }
            return
        }
        let known = Set(before.map(\.value))
        let others = after.dropFirst().filter { !known.contains($0.value) }
        for candidate in others.prefix(Self.besideCountMax) {
            let write = Write(
                dot: candidate.dot, timestamp: candidate.timestamp, assignments: [])
            try append(
                old.name, change.field, .beside, write, before: after[0].value,
                after: candidate.value)
        }
        if before.count > 1 { return }
        if let base = try base(of: change, in: old, and: incoming, &history) {
            try keepBase(base, of: change.field, in: old.name)
        }
    }

    private func noteDeletion(
        of old: Record, _ verdict: DeletionRule.Verdict, _ source: JournalEntry.Kind,
        _ write: Write
    ) throws(StoreFault) {
        if old.verdict.isDeleted == verdict.isDeleted { return }
        try append(
            old.name, .deleted, source, write, before: .bool(old.verdict.isDeleted),
            after: .bool(verdict.isDeleted), previous: Self.author(of: .deleted, in: old))
    }

    private func noteIfChanged(
        _ change: RegisterChange, of name: RecordName, _ source: JournalEntry.Kind, _ write: Write
    ) throws(StoreFault) {
        let (before, after) = (change.before.last, change.after.last)
        if before?.value ?? .null == after?.value ?? .null { return }
        try append(
            name, change.field, source, write, before: before?.value, after: after?.value,
            previous: before?.write.dot.replica)
    }

    /// The replica whose write is shown in a field.
    private static func author(of field: Field, in record: Record) -> ReplicaID? {
        record.record.survivors(of: field).last?.write.dot.replica
    }

    /// Notes, before a record's first entry, its making: by whom and when, if the record still shows that.
    func noteMaking(of old: Record) throws(StoreFault) {
        guard let write = old.record.onlyWrite, try !hasEntries(of: old.name) else { return }
        try append(old.name, .deleted, .made, write, before: nil, after: nil)
    }

    /// The value that a field showed before the two sides went apart; nil if that is not known here.
    ///
    /// The last value here that the other side had seen and that is no part of the conflict itself. If
    /// the other side had merged the conflict already it has seen all of this side's values: then the
    /// result may be one in between.
    private func base(
        of change: RegisterChange, in old: Record, and incoming: RecordState,
        _ history: inout FieldHistory
    ) throws(StoreFault) -> Value? {
        guard let shown = change.before.last else { return .null }
        let candidates = Set(change.candidatesAfter.map(\.dot))
        func isBase(_ dot: Dot) -> Bool {
            incoming.clock.covers(dot) && !candidates.contains(dot)
        }
        if isBase(shown.write.dot) { return shown.value }
        let isTogether = old.record.clock.entries.contains {
            incoming.clock.counter(of: $0.replica) > 0
        }
        if !isTogether { return .null }
        let entries = try history.entries(of: change.field, in: self)
        for entry in entries where isBase(Dot(replica: entry.author, counter: entry.counter)) {
            return entry.after ?? .null
        }
        // Before the first entry stood the value that the record was made with, or arrived with.
        guard let first = entries.last, try start() == nil else { return nil }
        return first.before ?? .null
    }
}

extension RecordState {
    /// The write that made the record, if the record has no other.
    var onlyWrite: Write? {
        guard writes.count == 1, clock.entries.count == 1, !writes[0].isDelete,
            writes[0].dot.counter == clock.entries[0].counter
        else { return nil }
        return writes[0]
    }
}

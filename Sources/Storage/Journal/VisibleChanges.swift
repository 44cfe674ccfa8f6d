import Core

/// Entries for the changes that an edit or a merge made visible, from the record before and the one after.
extension Journal {
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
        for field in changed.sorted() where field > .purged {
            let shown = new.visible(field)
            try noteIfChanged(field, of: old, to: shown, .local, last)
            if field.isElement { continue }
            try noteDecision(field, old, new, shown: shown, last)
        }
    }

    /// Notes which values an edit took out of a conflict, or put back into one.
    private func noteDecision(
        _ field: Field, _ old: Record, _ new: RecordState, shown: Value?, _ write: Write
    ) throws(StoreFault) {
        let (before, after) = (old.record.candidates(of: field), new.candidates(of: field))
        if before.count > 1, after.count < 2 {
            for candidate in before.dropFirst() {
                try append(
                    old.name, field, .dropped, write, before: candidate.value, after: shown)
            }
            try forgetBase(of: field, in: old.name)
        } else if before.count < 2, after.count > 1 {
            for candidate in after.dropFirst() {
                try append(
                    old.name, field, .opened, write, before: before.first?.value,
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
        if verdict.isPurged, verdict.isDeleted { return try erase(old.name) }
        try noteMaking(of: old)
        if let write = new.survivors(of: .deleted).last?.write {
            try noteDeletion(of: old, verdict, .merged, write)
        }
        for field in Self.changedFields(from: old.record, to: new) where field > .purged {
            // The conflict first: the values that this merge brings are no base.
            if !field.isElement { try noteConflict(field, incoming, old, new) }
            if let shown = new.survivors(of: field).last {
                let isAbove = !field.isElement && Self.isShownKept(field, of: old, in: new)
                try noteIfChanged(
                    field, of: old, to: shown.value, isAbove ? .above : .merged, shown.write)
            }
        }
    }

    /// Whether the value that a field showed before survives: then nobody who gave another one had seen it.
    private static func isShownKept(
        _ field: Field, of old: Record, in new: RecordState
    ) -> Bool {
        guard let before = old.record.survivors(of: field).last else { return false }
        return new.survivors(of: field).contains { $0.write.dot == before.write.dot }
    }

    /// The fields whose surviving assignments are others than before.
    private static func changedFields(from old: RecordState, to new: RecordState) -> [Field] {
        var changed: Set<Field> = []
        func gather(_ record: RecordState, besides other: RecordState) {
            for write in record.writes {
                let same = other.writes.first { $0.dot == write.dot }
                if same == write { continue }
                for assignment in write.assignments
                where same?.value(of: assignment.field) != assignment.value {
                    changed.insert(assignment.field)
                }
            }
        }
        gather(old, besides: new)
        gather(new, besides: old)
        return changed.sorted()
    }

    private func noteConflict(
        _ field: Field, _ incoming: RecordState, _ old: Record, _ new: RecordState
    ) throws(StoreFault) {
        let before = old.record.candidates(of: field)
        let after = new.candidates(of: field)
        if after.count < 2 {
            if before.count > 1 { try forgetBase(of: field, in: old.name) }
            return
        }
        for candidate in after.dropFirst()
        where !before.contains(where: { $0.value == candidate.value }) {
            guard let write = new.writes.first(where: { $0.dot == candidate.dot }) else { continue }
            try append(
                old.name, field, .beside, write, before: after[0].value, after: candidate.value)
        }
        if before.count > 1 { return }
        if let base = try base(of: field, in: old, and: incoming, giving: new) {
            try keepBase(base, of: field, in: old.name)
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
        _ field: Field, of old: Record, to shown: Value?, _ source: JournalEntry.Kind,
        _ write: Write
    ) throws(StoreFault) {
        let before = old.record.visible(field)
        if before ?? .null == shown ?? .null { return }
        try append(
            old.name, field, source, write, before: before, after: shown,
            previous: Self.author(of: field, in: old))
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
        of field: Field, in old: Record, and incoming: RecordState, giving merged: RecordState
    ) throws(StoreFault) -> Value? {
        guard let shown = old.record.survivors(of: field).last else { return .null }
        let candidates = Set(merged.candidates(of: field).map(\.dot))
        func isBase(_ dot: Dot) -> Bool {
            incoming.clock.covers(dot) && !candidates.contains(dot)
        }
        if isBase(shown.write.dot) { return shown.value }
        let isTogether = old.record.clock.entries.contains {
            incoming.clock.counter(of: $0.replica) > 0
        }
        if !isTogether { return .null }
        let entries = try entries(of: old.name).filter {
            $0.field == field && $0.kind.changesShown
        }
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

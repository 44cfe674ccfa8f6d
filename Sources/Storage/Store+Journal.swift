import Core

/// The journal: one row for each field change that became visible here, local and bounded.
///
/// What a record was made with is not in it, as the record itself tells that. A purge empties the
/// record's rows.
extension Store {
    /// Every so many entries the oldest are looked at.
    private static let pruneInterval: Int64 = 64
    /// What an entry takes besides its values, near enough.
    private static let entryByteCount: Int64 = 64

    /// Notes an edit made here.
    func journal(edit new: Record, of old: StoredRecord) throws(StoreFault) {
        if collections[place(of: old.collection)].id == .devices { return }
        guard let last = new.writes.last(where: { isOwn($0, after: old.record) }) else { return }
        let verdict = DeletionRule(state.policy).verdict(on: new)
        if verdict.isPurged, verdict.isDeleted { return try eraseJournal(of: old.id) }
        try journalMaking(of: old)
        var changed: Set<Field> = []
        for write in new.writes where isOwn(write, after: old.record) {
            changed.formUnion(write.assignments.map(\.field))
        }
        try journalDeletion(
            of: old, verdict, source: .local, write: last)
        for field in changed.sorted() where field > .purged {
            let shown = new.visible(field)
            try journalIfChanged(field, of: old, to: shown, source: .local, write: last)
            if field.isElement { continue }
            try journalDecision(field, old, new, shown: shown, write: last)
        }
    }

    /// Notes which values an edit took out of a conflict, or put back into one.
    private func journalDecision(
        _ field: Field, _ old: StoredRecord, _ new: Record, shown: Value?, write: Write
    ) throws(StoreFault) {
        let (before, after) = (old.record.candidates(of: field), new.candidates(of: field))
        if before.count > 1, after.count < 2 {
            for candidate in before.dropFirst() {
                try append(
                    old.id, field, .dropped, write, before: candidate.value, after: shown)
            }
            try forgetBase(of: field, in: old.id)
        } else if before.count < 2, after.count > 1 {
            for candidate in after.dropFirst() {
                try append(
                    old.id, field, .opened, write, before: before.first?.value,
                    after: candidate.value)
            }
        }
    }

    private func isOwn(_ write: Write, after old: Record) -> Bool {
        write.dot.replica == state.replica
            && write.dot.counter > old.clock.counter(of: state.replica)
    }

    /// Notes what a merge has made visible.
    func journal(
        merge incoming: Record, into old: StoredRecord, giving new: Record
    )
        throws(StoreFault)
    {
        if collections[place(of: old.collection)].id == .devices { return }
        let verdict = DeletionRule(state.policy).verdict(on: new)
        if verdict.isPurged, verdict.isDeleted { return try eraseJournal(of: old.id) }
        try journalMaking(of: old)
        if let write = new.survivors(of: .deleted).last?.write {
            try journalDeletion(of: old, verdict, source: .merged, write: write)
        }
        for field in changedFields(from: old.record, to: new) where field > .purged {
            // First: what this brings is no base.
            if !field.isElement { try journalConflict(field, incoming, old, new) }
            if let shown = new.survivors(of: field).last {
                try journalIfChanged(
                    field, of: old, to: shown.value, source: .merged, write: shown.write)
            }
        }
    }

    /// The fields whose surviving assignments are others than before.
    private func changedFields(from old: Record, to new: Record) -> [Field] {
        var changed: Set<Field> = []
        func gather(_ record: Record, besides other: Record) {
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

    private func journalConflict(
        _ field: Field, _ incoming: Record, _ old: StoredRecord, _ new: Record
    ) throws(StoreFault) {
        let before = old.record.candidates(of: field)
        let after = new.candidates(of: field)
        if after.count < 2 {
            if before.count > 1 { try forgetBase(of: field, in: old.id) }
            return
        }
        for candidate in after.dropFirst()
        where !before.contains(where: { $0.value == candidate.value }) {
            guard let write = new.writes.first(where: { $0.dot == candidate.dot }) else { continue }
            try append(
                old.id, field, .beside, write, before: after[0].value, after: candidate.value)
        }
        if before.count > 1 { return }
        if let base = try base(of: field, in: old, and: incoming, giving: new) {
            try keepBase(base, of: field, in: old.id)
        }
    }

    private func journalDeletion(
        of old: StoredRecord, _ verdict: DeletionRule.Verdict, source: JournalEntry.Kind,
        write: Write
    ) throws(StoreFault) {
        if old.verdict.isDeleted == verdict.isDeleted { return }
        try append(
            old.id, .deleted, source, write, before: .bool(old.verdict.isDeleted),
            after: .bool(verdict.isDeleted))
    }

    private func journalIfChanged(
        _ field: Field, of old: StoredRecord, to shown: Value?, source: JournalEntry.Kind,
        write: Write
    ) throws(StoreFault) {
        let before = old.record.visible(field)
        if before ?? .null == shown ?? .null { return }
        try append(old.id, field, source, write, before: before, after: shown)
    }

    /// Before a record's first entry: that it was made, by whom and when, if it shows that still.
    private func journalMaking(of old: StoredRecord) throws(StoreFault) {
        guard let write = old.record.onlyWrite else { return }
        let row = try connection.statement("SELECT 1 FROM journal WHERE record = ? LIMIT 1")
        row.bind(1, identifier: old.id.value)
        let isKnown = try row.step()
        row.reset()
        if isKnown { return }
        try append(old.id, .deleted, .made, write, before: nil, after: nil)
    }

    private func append(
        _ id: RecordID, _ field: Field, _ kind: JournalEntry.Kind, _ write: Write,
        before: Value?, after: Value?
    ) throws(StoreFault) {
        var tail: JournalTail
        if let known = journalTail { tail = known } else { tail = try readJournalTail() }
        var name = CanonicalWriter()
        BodyCodec.write(field, to: &name)
        let (old, new) = (before?.canonicalBytes, after?.canonicalBytes)
        tail.number += 1
        tail.reach +=
            Self.entryByteCount + Int64(name.bytes.count + (old?.count ?? 0) + (new?.count ?? 0))
        let row = try connection.statement(
            "INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        row.bind(1, tail.number)
        row.bind(2, identifier: id.value)
        row.bind(3, name.bytes)
        row.bind(4, kind.rawValue)
        row.bind(5, Int64(state.replicas.placeOrNew(of: write.dot.replica)))
        row.bind(6, write.dot.counter)
        row.bind(7, write.timestamp.rawValue)
        row.bind(8, tail.arrived)
        bind(old, at: 9, in: row)
        bind(new, at: 10, in: row)
        row.bind(11, tail.reach)
        try row.run()
        journalTail = tail
        if tail.number % Self.pruneInterval == 0 { try pruneJournal(tail) }
    }

    private func bind(_ bytes: [UInt8]?, at place: Int32, in row: PreparedStatement) {
        if let bytes { row.bind(place, bytes) } else { row.bindNull(place) }
    }

    private func readJournalTail() throws(StoreFault) -> JournalTail {
        var tail = JournalTail(arrived: environment.wallMilliseconds())
        let row = try connection.statement(
            "SELECT number, reach FROM journal ORDER BY number DESC LIMIT 1")
        defer { row.reset() }
        if try row.step() { (tail.number, tail.reach) = (row.int(0), row.int(1)) }
        return tail
    }

    /// Drops the oldest entries that are too many, or whose bytes are.
    private func pruneJournal(_ tail: JournalTail) throws(StoreFault) {
        let oldest = try connection.statement(
            "SELECT number FROM journal WHERE reach > ? ORDER BY number LIMIT 1")
        oldest.bind(1, tail.reach - options.journalByteCountMax)
        let kept = try oldest.step() ? oldest.int(0) : 0
        oldest.reset()
        let row = try connection.statement("DELETE FROM journal WHERE number < ?")
        row.bind(1, max(kept, tail.number - options.journalEntryCountMax + 1))
        try row.run()
    }

    /// Leaves of a purged record's entries only that they were.
    private func eraseJournal(of id: RecordID) throws(StoreFault) {
        let row = try connection.statement(
            """
            UPDATE journal SET kind = \(JournalEntry.Kind.erased.rawValue), field = x'00',
                before = NULL, after = NULL WHERE record = ?
            """)
        row.bind(1, identifier: id.value)
        try row.run()
        let bases = try connection.statement("DELETE FROM conflict_base WHERE record = ?")
        bases.bind(1, identifier: id.value)
        try bases.run()
    }
}

extension Record {
    /// The write that made the record, if that alone is what it is.
    var onlyWrite: Write? {
        guard writes.count == 1, clock.entries.count == 1, !writes[0].isDelete,
            writes[0].dot.counter == clock.entries[0].counter
        else { return nil }
        return writes[0]
    }
}

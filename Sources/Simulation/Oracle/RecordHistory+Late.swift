import Core

/// Edits by somebody who had not seen all of a record, such as a client's with an old text.
extension RecordHistory {
    /// The clock of what a late write replaced: the assignments of its fields that are gone.
    func replaced(by write: Write, in record: RecordState, past: RecordView) -> VersionVector {
        replaced(by: write, in: record) { body in
            for survivor in past.survivors { body(survivor.dot, field(of: survivor)) }
        }
    }

    /// The same, where only the record as it was seen before can tell.
    static func replaced(
        by write: Write, in record: RecordState, before: RecordState
    ) -> VersionVector {
        var clock = VersionVector()
        for other in before.writes {
            for assignment in other.assignments
            where isReplaced(assignment.field, of: other.dot, by: write, in: record) {
                clock.include(other.dot.counter, of: other.dot.replica)
            }
        }
        return clock
    }

    private func replaced(
        by write: Write, in record: RecordState,
        _ forEach: ((Dot, Field) -> Void) -> Void
    ) -> VersionVector {
        var clock = VersionVector()
        forEach { dot, field in
            if Self.isReplaced(field, of: dot, by: write, in: record) {
                clock.include(dot.counter, of: dot.replica)
            }
        }
        return clock
    }

    private static func isReplaced(
        _ field: Field, of dot: Dot, by write: Write, in record: RecordState
    ) -> Bool {
        guard write.value(of: field) != nil else { return false }
        return !record.writes.contains { $0.dot == dot && $0.value(of: field) != nil }
    }

    /// Looks whether a late edit wrote what was typed and nothing else, and replaced nothing that its author had not seen.
    func judgeLate(
        _ writes: [Write], in record: RecordState, _ form: WriteHistory.Form?, past: RecordView
    ) throws(Violation) {
        let assigned = writes.flatMap(\.assignments)
        if let reserved = assigned.first(where: { $0.field <= .purged }) {
            throw Violation(.unsound, "a late edit wrote the field \(reserved.field)")
        }
        guard let form else { return }
        let other = assigned.first { assignment in
            // A new record says when it was made.
            !past.clock.isEmpty && !form.assignments.contains(assignment)
                && !(form.author?.earlier.contains(assignment) ?? true)
        }
        if let other {
            throw Violation(
                .unsound, "a late edit wrote \(other.field) = \(other.value), which nobody typed")
        }
        try judgeTyped(
            form, leaving: record.writes.flatMap { write in write.assignments })
        guard let author = form.author else { return }
        for survivor in past.survivors {
            let field = field(of: survivor)
            for write in writes
            where author.certain.covers(survivor.dot) && write.value(of: field) != nil {
                if !Self.isReplaced(field, of: survivor.dot, by: write, in: record) {
                    throw Violation(
                        .unsound,
                        "a late edit of \(field) left \(value(of: survivor)) of \(survivor.dot) beside it, which its"
                            + " author had seen")
                }
            }
            for write in writes where !author.hasSeen(survivor.dot) {
                if Self.isReplaced(field, of: survivor.dot, by: write, in: record) {
                    throw Violation(
                        .lostWrite,
                        "a late edit of \(field) replaced \(value(of: survivor)) of \(survivor.dot), which"
                            + " its author had not seen")
                }
            }
        }
    }

    /// Looks whether a late delete left its mark, and wrote nothing else but values again that were there.
    func judgeLateDelete(_ writes: [Write], past: RecordView) throws(Violation) {
        try judgeDelete(Array(writes.prefix(1)), isPurge: false, past: past.clock)
        let there = past.survivors.map { Assignment(field(of: $0), value(of: $0)) }
        for again in writes.dropFirst().flatMap(\.assignments) where !there.contains(again) {
            throw Violation(
                .unsound, "a late delete wrote \(again.field) = \(again.value), which was not there"
            )
        }
    }

    /// Looks whether what was typed is there, unless it was once: then whoever typed it may have been replaced since.
    func judgeTyped(
        _ form: WriteHistory.Form?, leaving left: [Assignment]
    ) throws(Violation) {
        // A property that is left out may be one that the client never knew.
        for typed in form?.assignments ?? [] where !typed.value.isNull && !left.contains(typed) {
            let wasThere = entries.contains { $0.write.assignments.contains(typed) }
            if wasThere { continue }
            throw Violation(
                .lostWrite, "\(typed.field) = \(typed.value) was typed, and not written")
        }
    }
}

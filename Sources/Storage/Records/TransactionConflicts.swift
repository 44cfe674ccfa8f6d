import Core

/// Edits by somebody who had seen less than the store holds.
extension Transaction {
    /// Saves fields by somebody who had seen the writes in `seen` alone; what they had not seen stays beside
    /// their values, as a conflict.
    ///
    /// Unlike a save in the full sense it is taken for a record in the trash, too: there it stands against
    /// the delete, if they had not seen that.
    /// - Parameter bases: what they had seen in the fields, to be shown beside a conflict.
    /// - Returns: whether anything was written.
    @discardableResult
    package func update(
        _ name: RecordName, _ assignments: [Assignment], seen: VersionVector, bases: [Field: Value]
    ) throws(StoreFault) -> Bool {
        guard let old = try record(name) else { throw .noSuchRecord }
        let sorted = assignments.sorted { $0.field < $1.field }
        try check(sorted)
        let isChanged = try change(old) { record, dots throws(LocalEdit.Refusal) in
            edit.save(sorted, to: record, seen: seen, dots: &dots)
        }
        guard isChanged, let new = try record(name) else { return isChanged }
        for assignment in sorted where !assignment.field.isElement {
            let field = assignment.field
            let isOpened =
                old.record.candidates(of: field).count < 2
                && new.record.candidates(of: field).count > 1
            if isOpened, let base = bases[field] {
                try store.journal.keepBase(base, of: field, in: name)
            }
        }
        return true
    }

    /// Puts a record in the trash for somebody who had seen the writes in `seen` alone; what was written
    /// since then stands against that.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    package func delete(_ name: RecordName, seen: VersionVector) throws(StoreFault) -> Bool {
        guard let old = try record(name) else { throw .noSuchRecord }
        return try change(old, limit: .body) { record, dots throws(LocalEdit.Refusal) in
            try edit.delete(record, seen: seen, dots: &dots)
        }
    }
}

/// Conflicts that are opened again.
extension Transaction {
    /// Gives a field several values, beside each other: the conflict that was resolved is open again, on
    /// every device.
    ///
    /// - Parameter values: the one that is to be shown first.
    func put(
        _ values: [Value], beside field: Field, of name: RecordName
    ) throws(StoreFault) {
        guard let old = try record(name) else { throw .noSuchRecord }
        // The value that is shown comes last: at equal timestamps the highest counter is shown.
        let layers = values.reversed().map { [Assignment(field, $0)] }
        _ = try change(old) { record, dots throws(LocalEdit.Refusal) in
            edit.apply(layers, to: record, dots: &dots)
        }
    }
}

/// A field to which devices gave different values without having seen each other's.
package struct FieldConflict: Hashable, Sendable {
    /// One of the values, with its true author and time.
    package struct Candidate: Hashable, Sendable {
        /// The value.
        package let value: Value

        /// The write that gave it; of equal values the one that is shown last.
        package let dot: Dot

        /// When it was given.
        package let timestamp: HybridTimestamp
    }

    /// Which field.
    package let field: Field

    /// The different values, the one that is shown first; two or more.
    package let candidates: [Candidate]
}

extension Record {
    /// The fields in conflict, sorted.
    ///
    /// Elements of sets are decided and not listed, nor are deletes.
    package var fieldConflicts: [FieldConflict] {
        if writes.count < 2 { return [] }
        let all = writes.flatMap { $0.assignments.map(\.field) }.sorted()
        var conflicts: [FieldConflict] = []
        // Few fields are in more than one write: only at those is worth looking, each once.
        for index in all.indices.dropFirst() where all[index] == all[index - 1] {
            let field = all[index]
            if index > 1, all[index - 2] == field { continue }
            if field.isElement || field == .deleted || field == .purged { continue }
            let candidates = candidates(of: field)
            if candidates.count < 2 { continue }
            conflicts.append(FieldConflict(field: field, candidates: candidates))
        }
        return conflicts
    }

    /// The different surviving values of a field, the one that is shown first.
    package func candidates(of field: Field) -> [FieldConflict.Candidate] {
        var candidates: [FieldConflict.Candidate] = []
        for (write, value) in survivors(of: field).reversed()
        where !candidates.contains(where: { $0.value == value }) {
            candidates.append(
                FieldConflict.Candidate(value: value, dot: write.dot, timestamp: write.timestamp))
        }
        return candidates
    }
}

/// The surviving assignments of one register before a change of its record, and after it.
package struct RegisterChange: Sendable {
    /// Which register.
    package let field: Field

    /// The assignments before, the one that was shown last.
    package fileprivate(set) var before: [(write: Write, value: Value)] = []

    /// The assignments afterwards, the one that is shown last.
    package fileprivate(set) var after: [(write: Write, value: Value)] = []

    /// The different values before, the one that was shown first.
    package var candidatesBefore: [FieldConflict.Candidate] { RecordState.candidates(before) }

    /// The different values afterwards, the one that is shown first.
    package var candidatesAfter: [FieldConflict.Candidate] { RecordState.candidates(after) }

    /// Whether the value that was shown before survives: then nobody who gave another one had seen it.
    package var isShownKept: Bool {
        guard let shown = before.last else { return false }
        return after.contains { $0.write.dot == shown.write.dot }
    }
}

extension RecordState {
    /// The changes of some registers from this state to a later one, sorted by register; not of the fields 0 and 1.
    ///
    /// - Complexity: O(n log n) in the assignments of both, however many registers are asked for.
    package func changes(to later: RecordState, of fields: Set<Field>) -> [RegisterChange] {
        var changes = fields.filter { $0 > .purged }.sorted().map { RegisterChange(field: $0) }
        forEachSurvivors(of: changes.map(\.field)) { changes[$0].before = $1 }
        later.forEachSurvivors(of: changes.map(\.field)) { changes[$0].after = $1 }
        return changes
    }

    /// Gives the surviving assignments of registers that are sorted, each with its position among them.
    func forEachSurvivors(
        of fields: [Field], _ body: (Int, [(write: Write, value: Value)]) -> Void
    ) {
        // A merge changes two or three fields as a rule: these are looked up without a walk through all.
        if fields.count < 8 {
            for (position, field) in fields.enumerated() { body(position, survivors(of: field)) }
            return
        }
        var position = 0
        forEachRegister { field, survivors in
            while position < fields.count, fields[position] < field { position += 1 }
            if position < fields.count, fields[position] == field { body(position, survivors) }
        }
    }
}

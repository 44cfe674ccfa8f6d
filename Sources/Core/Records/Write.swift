/// One write to one record: the assignments made together that still matter.
///
/// Shape: assignments sorted by field, no field twice.
package struct Write: Hashable, Sendable {
    /// Who wrote, and as which of its writes.
    package let dot: Dot

    /// When; for showing and for ordering concurrent values.
    package var timestamp: HybridTimestamp

    /// Whether the write was given a new dot after its replica was found rolled back; it revives nothing.
    package var isRecovered: Bool

    /// The assignments, sorted by field.
    package var assignments: [Assignment]

    /// A write whose assignments are sorted by field.
    package init(
        dot: Dot, timestamp: HybridTimestamp, isRecovered: Bool = false, assignments: [Assignment]
    ) {
        self.dot = dot
        self.timestamp = timestamp
        self.isRecovered = isRecovered
        self.assignments = assignments
    }

    /// Whether it deletes: then it holds the clock that its writer had seen.
    ///
    /// The reserved fields have the smallest numbers, so they stand first.
    package var isDelete: Bool {
        guard let first = assignments.first, case .clock = first.value else { return false }
        return first.field == .deleted
    }

    /// What this write gave to `field`, if that still matters.
    package func value(of field: Field) -> Value? {
        for assignment in assignments where assignment.field == field { return assignment.value }
        return nil
    }

    /// Whether the write comes after `other` in the order that picks the visible value.
    package func isShown(over other: Write) -> Bool {
        timestamp == other.timestamp ? dot > other.dot : timestamp > other.timestamp
    }
}

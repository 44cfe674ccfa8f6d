import Core

/// A record to find or make by its id, which was derived from a unique key.
package struct UpsertItem: Hashable, Sendable {
    /// The derived id.
    package let id: RecordID
    /// The values that it is given.
    package let assignments: [Assignment]

    /// A record to find or make.
    package init(id: RecordID, _ assignments: [Assignment]) {
        self.id = id
        self.assignments = assignments
    }
}

/// One record that was to be found or made, before and after.
package struct UpsertStep {
    /// Its index among those that were asked for.
    package let index: Int
    /// The record as it was before; nil if there was none.
    package let before: Record?
    /// The values that it was given; references lead to what stands for purged records.
    package let assignments: [Assignment]
    /// The outcome.
    package let outcome: UpsertOutcome
}

/// The outcome for one record that was to be found or made.
public enum UpsertOutcome: Hashable, Sendable {
    /// It was made.
    case inserted(RecordID)
    /// It was there and changed.
    case updated(RecordID)
    /// It was there and shows all that already.
    case unchanged(RecordID)
    /// It is in the trash here and was left so.
    case skippedDeleted(RecordID)
    /// It was purged here, and was not made anew.
    case skippedPurged(RecordID)

    /// The record.
    public var id: RecordID {
        switch self {
        case .inserted(let id), .updated(let id), .unchanged(let id), .skippedDeleted(let id),
            .skippedPurged(let id):
            id
        }
    }
}

import Storage

/// The result for one item of an import.
public enum ImportOutcome: Hashable, Sendable {
    /// The record was made.
    case inserted(RecordID)
    /// It was there and changed.
    case updated(RecordID)
    /// It was there and shows all that already; nothing was written.
    case unchanged(RecordID)
    /// It is in the trash here and was left there.
    case skippedDeleted(RecordID)

    /// The record.
    public var id: RecordID {
        switch self {
        case .inserted(let id), .updated(let id), .unchanged(let id), .skippedDeleted(let id): id
        }
    }

    init(_ outcome: UpsertOutcome) {
        self =
            switch outcome {
            case .inserted(let id): .inserted(RecordID(id))
            case .updated(let id): .updated(RecordID(id))
            case .unchanged(let id): .unchanged(RecordID(id))
            case .skippedDeleted(let id): .skippedDeleted(RecordID(id))
            }
    }
}

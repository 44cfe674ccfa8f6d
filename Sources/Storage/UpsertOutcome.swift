import Core

/// What became of one record that was to be found or made.
package enum UpsertOutcome: Hashable, Sendable {
    /// It was made.
    case inserted(RecordID)
    /// It was there and changed.
    case updated(RecordID)
    /// It was there and shows all that already.
    case unchanged(RecordID)
    /// It is deleted here and was left so.
    case skippedDeleted(RecordID)
}

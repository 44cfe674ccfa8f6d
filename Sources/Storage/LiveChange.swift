import Core

/// One step from the old rows of a live result to the new ones; steps are applied in order, each to what
/// the one before it left.
package enum LiveChange: Hashable, Sendable {
    /// The row at this place goes.
    case deleteRow(at: LivePlace)
    /// A row comes, and is at this place then.
    case insertRow(StoredRecord, at: LivePlace)
    /// The row at the first place is taken out and put in, so that it is at the second place then.
    case moveRow(from: LivePlace, to: LivePlace)
    /// The row at this place stays there and shows something else.
    case updateRow(StoredRecord, at: LivePlace)
    /// A section without rows comes, and is at this place then; rows follow.
    case insertSection(Value?, at: Int)
    /// The section at this place goes; it has no rows any more.
    case deleteSection(at: Int)
}

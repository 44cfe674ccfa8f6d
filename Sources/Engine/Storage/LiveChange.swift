/// One step from the old rows of a live result to the new ones; steps are applied in order, each to what
/// the one before it left.
package enum LiveChange: Hashable, Sendable {
    /// The row at this place goes.
    case delete(at: Int)
    /// A row comes, and is at this place then.
    case insert(StoredRecord, at: Int)
    /// The row at the first place is taken out and put in, so that it is at the second place then.
    case move(from: Int, to: Int)
    /// The row at this place stays there and shows something else.
    case update(StoredRecord, at: Int)
}

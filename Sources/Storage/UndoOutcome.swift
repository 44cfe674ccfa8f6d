import Core

/// What came of an undo.
package enum UndoOutcome: Hashable, Sendable {
    /// Why something cannot be undone as it is.
    package struct Obstacle: Hashable, Sendable {
        /// The reasons.
        package enum Reason: Hashable, Sendable {
            /// Somebody changed the field later; the undo would take that away.
            case changedLater(by: ReplicaID, at: HybridTimestamp)
            /// The field is in conflict now; it is to be resolved instead.
            case inConflict
            /// The record is in the trash now.
            case deleted
            /// The record was purged, and nothing is left of it.
            case purged

            /// Whether an undo that is forced goes on.
            package var yields: Bool {
                switch self {
                case .changedLater, .inConflict: true
                case .deleted, .purged: false
                }
            }
        }

        /// The record.
        package let record: RecordID
        /// The field.
        package let field: Field
        /// What stands in the way.
        package let reason: Reason

        /// Something in the way.
        package init(record: RecordID, field: Field, reason: Reason) {
            self.record = record
            self.field = field
            self.reason = reason
        }
    }

    /// It was undone by new writes to these records; none if all was as before already.
    case done([RecordID])
    /// Nothing was done.
    case refused([Obstacle])
}

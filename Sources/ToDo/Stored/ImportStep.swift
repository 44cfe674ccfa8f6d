import Records
import Storage

/// What an import does, or would do, with one entry of a file.
package struct ImportStep: Sendable {
    /// Made, updated, left as it was, or left in the trash.
    package let outcome: UpsertOutcome
    /// The title, as the file says it.
    package let title: String
    /// What changes of a to-do that is updated.
    package let changes: [ItemDifference]

    /// What becomes of one entry.
    package init(outcome: UpsertOutcome, title: String, changes: [ItemDifference] = []) {
        self.outcome = outcome
        self.title = title
        self.changes = changes
    }

    /// The to-do.
    package var id: RecordID {
        switch outcome {
        case .inserted(let id), .updated(let id), .unchanged(let id), .skippedDeleted(let id): id
        }
    }
}

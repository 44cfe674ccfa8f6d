import Core
import Storage

/// What an import does, or would do, with one entry of a file.
package struct ImportStep: Sendable {
    /// Made, updated, left as it was, or left in the trash.
    package let outcome: UpsertOutcome
    /// The title, as the file says it.
    package let title: String
    /// What changes of a to-do that is updated; known of a rehearsal alone.
    package var changes: [ItemDifference]
    /// The fields that said something else here, which the file's value replaces.
    package let replaced: [String]
    /// The fields whose open conflict the file's value ends; known of a rehearsal alone.
    package var decided: [String] = []
    /// What the to-do goes on saying although the file's table says less, as an import clears nothing.
    package var kept: [String]
    /// Whether the file says that it was in the trash: it is made there; if it is here, it is left as it
    /// is, alive or not.
    package let isTrash: Bool

    /// What becomes of one entry.
    package init(
        outcome: UpsertOutcome, title: String, changes: [ItemDifference] = [],
        replaced: [String] = [], kept: [String] = [], isTrash: Bool = false
    ) {
        self.outcome = outcome
        self.title = title
        self.changes = changes
        self.replaced = replaced
        self.kept = kept
        self.isTrash = isTrash
    }

    /// The to-do.
    package var id: RecordID {
        switch outcome {
        case .inserted(let id), .updated(let id), .unchanged(let id), .skippedDeleted(let id): id
        }
    }
}

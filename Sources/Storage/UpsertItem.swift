import Core

/// A record to find or make by its id, which was derived from a unique key.
package struct UpsertItem: Hashable, Sendable {
    /// The derived id.
    package let id: RecordID
    /// What it is given.
    package let assignments: [Assignment]

    /// A record to find or make.
    package init(id: RecordID, _ assignments: [Assignment]) {
        self.id = id
        self.assignments = assignments
    }
}

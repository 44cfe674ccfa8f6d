import Core

/// What a record must be at a clock, by what really happened.
package struct ExpectedRecord: Hashable, Sendable {
    /// An assignment that no later write has replaced.
    package struct Survivor: Hashable, Sendable {
        /// Which field.
        package let field: Field
        /// What it was given.
        package let value: Value
        /// By which write.
        package let dot: Dot
        /// When.
        package let timestamp: HybridTimestamp

        /// An assignment that is still there.
        package init(field: Field, value: Value, dot: Dot, timestamp: HybridTimestamp) {
            self.field = field
            self.value = value
            self.dot = dot
            self.timestamp = timestamp
        }
    }

    /// A field to which devices gave different values without having seen each other's.
    package struct Conflict: Hashable, Sendable {
        /// Which field.
        package let field: Field
        /// The different values, the one that is shown first.
        package let values: [Value]
    }

    /// What is left, by dot and field.
    package var survivors: [Survivor] = []
    /// The value that each field shows, by field.
    package var visible: [Assignment] = []
    /// The fields in conflict, by field; not listed to people while the record is deleted.
    package var conflicts: [Conflict] = []
    /// Whether it is deleted.
    package var isDeleted = false
    /// Whether a delete stands against an edit or restore that it had not seen: `wasDeleted`.
    package var isContested = false
    /// Whether it was purged, and nobody who had seen that brought it back.
    package var isPurged = false
}

/// A record as a device holds it at one moment, in words.
package struct RecordGlimpse: Hashable, Sendable {
    /// Its clock: for each replica id, named after its device, the highest counter.
    package var clock: [String]
    /// Field and shown value, in order of the fields.
    package var values: [String]
    /// Each open conflict with the values that compete.
    package var conflicts: [String]
    /// Whether it is listed, deleted or purged.
    package var state: ItemState

    /// A record in words.
    package init(clock: [String], values: [String], conflicts: [String], state: ItemState) {
        self.clock = clock
        self.values = values
        self.conflicts = conflicts
        self.state = state
    }
}

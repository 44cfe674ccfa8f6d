/// A device has uploaded all it has: how far that reaches, and what it states of itself.
package struct Upload: Hashable, Sendable {
    /// How far into its own sequence the device has uploaded.
    package var through: Checkpoint
    /// Its statement, for the other devices; sealed in a space with encryption.
    package var statement: [UInt8]

    /// All that there was.
    package init(through: Checkpoint, statement: [UInt8]) {
        self.through = through
        self.statement = statement
    }
}

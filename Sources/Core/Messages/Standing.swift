/// A relay has sent all it has: how far that reaches, and what devices last stated of themselves.
package struct Standing: Hashable, Sendable {
    /// What one device stated, as it gave it to the relay.
    package struct Notice: Hashable, Sendable {
        /// Who stated it.
        package var replica: ReplicaID
        /// The statement; sealed in a space with encryption.
        package var bytes: [UInt8]

        /// What `replica` stated.
        package init(replica: ReplicaID, bytes: [UInt8]) {
            self.replica = replica
            self.bytes = bytes
        }
    }

    /// How far into its sequence the relay has read for this device.
    package var through: Checkpoint
    /// The statements that are new to this session, sorted by replica.
    package var notices: [Notice]

    /// All that there was.
    package init(through: Checkpoint, notices: [Notice]) {
        self.through = through
        self.notices = notices
    }
}

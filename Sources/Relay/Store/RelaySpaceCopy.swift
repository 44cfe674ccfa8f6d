import Core

/// Everything that a store has of a space but its versions, to be put into another store as it is.
package struct RelaySpaceCopy: Hashable, Sendable {
    /// How far a device has uploaded, with the arrival number at which it was noted.
    package struct Uploaded: Hashable, Sendable {
        /// The device.
        package let replica: ReplicaID
        /// How far into its own sequence.
        package let checkpoint: Checkpoint
        /// The last arrival number then.
        package let arrival: UInt64
    }

    /// A version with what the store keeps beside it.
    package struct Version: Hashable, Sendable {
        /// Its arrival number.
        package let sequence: UInt64
        /// The version.
        package let change: Change
        /// The hash under which it came, or was last said to be unreadable.
        package let hash: UInt128
        /// The arrival number under which it was said to be unreadable; negative if it was damaged since; nil if never.
        package let unreadable: Int64?
    }

    /// The space as it was.
    package var head: RelaySpaceHead
    /// The sum of the hashes of all summary rows, modulo 2^128.
    package var rowSum: UInt128
    /// The epochs, oldest first.
    package var epochs: [RelayEpoch]
    /// All summary rows, by arrival number.
    package var rows: [RelayRows.Numbered]
    /// How far devices have uploaded.
    package var uploaded: [Uploaded]
    /// The rekey messages, oldest first.
    package var rekeyMessages: [RekeyMessage]
    /// The devices that were let in since the present generation began.
    package var devices: [RelayDevice]
}

import Core

/// What is known of a store, for people.
package struct StoreSummary: Hashable, Sendable {
    /// A device that this one synced with.
    package struct Peer: Hashable, Sendable {
        /// The device's replica.
        package let replica: ReplicaID
        /// When it was last in sync, by this device's clock; milliseconds since 1970-01-01 UTC.
        package let lastContact: Int64
        /// Whether it stated something that it did not send.
        package let isSuspect: Bool
    }

    /// The space.
    package let space: SpaceID
    /// The space's rule.
    package let policy: DeletePolicy
    /// This replica.
    package let replica: ReplicaID
    /// What the other devices call this one.
    package let deviceName: String
    /// How many writes this replica made.
    package let counter: UInt64
    /// The last arrival number.
    package let sequence: UInt64
    /// What is integrated or parked.
    package let knowledge: VersionVector
    /// The devices that this one synced with, the latest first.
    package let peers: [Peer]
    /// The sum of the hashes of all records.
    package let digest: UInt128
    /// How many changes are set aside.
    package let parkedCount: Int
}

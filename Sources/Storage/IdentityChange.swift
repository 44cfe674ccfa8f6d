import Core

/// A replica id that a store gave up for a new one.
package struct IdentityChange: Hashable, Sendable {
    /// The id given up.
    package let old: ReplicaID
    /// The id taken.
    package let new: ReplicaID
    /// Why, in words.
    package let reason: String
    /// When, by this device's clock; milliseconds since 1970-01-01 UTC.
    package let time: Int64
}

import Core

/// Why this replica's identity is in doubt, other than by what a peer remembers of it.
package enum DoubtReason: Hashable, Sendable {
    /// A peer greeted with this replica's own id, in that opening of its store and with so many writes of
    /// its own: a copy, or this very store.
    case sameReplica(opening: EpochStart, counter: UInt64)
}

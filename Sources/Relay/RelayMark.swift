import Core

/// Where a store stood when this process closed it.
///
/// A file that stands just there has not been put in place by anybody else.
package struct RelayMark: Hashable, Sendable {
    private let relay: ReplicaID
    private let epoch: EpochID
    private let sequence: UInt64
    /// Whether the last epoch was this process's own.
    let hasOwnEpoch: Bool

    init(_ state: RelayStoreState) {
        relay = state.relay
        epoch = state.epoch
        sequence = state.sequence
        hasOwnEpoch = state.hasOwnEpoch
    }

    /// Whether the store is as it was.
    func fits(_ state: RelayStoreState) -> Bool {
        relay == state.relay && epoch == state.epoch && sequence == state.sequence
    }
}

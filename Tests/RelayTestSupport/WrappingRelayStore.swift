import Core
import Relay
import Storage

/// A store for a test that changes how another one answers: all but the three calls of the engine go to that one.
package protocol WrappingRelayStore: RelayStore {
    /// The kind of the other store.
    associatedtype Wrapped: RelayStore
    /// The other store.
    var store: Wrapped { get }
}

extension WrappingRelayStore {
    /// The limits of the other store.
    package var limits: RelayLimits {
        get { store.limits }
        set { store.limits = newValue }
    }
    /// The totals of the other store.
    package var totals: RelayStoreTotals { store.totals }

    /// Closes what the other store has open of a space.
    package func forget(_ space: SpaceID) { store.forget(space) }
    /// Closes the other store.
    package func close() { store.close() }
    /// A space as it is now.
    package func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead? {
        try store.head(of: space)
    }
    /// The versions of one record.
    package func versions(
        of record: RecordName, in space: SpaceID
    ) throws(StoreFault) -> [Change] {
        try store.versions(of: record, in: space)
    }
    /// The summary rows of a device.
    package func rows(
        of replica: ReplicaID, in space: SpaceID
    ) throws(StoreFault) -> [SummaryRow] {
        try store.rows(of: replica, in: space)
    }
    /// The devices that were let in.
    package func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice] {
        try store.devices(of: space)
    }
    /// The findings about a space.
    package func examine(_ space: SpaceID) throws(StoreFault) -> [RelayFinding] {
        try store.examine(space)
    }
}

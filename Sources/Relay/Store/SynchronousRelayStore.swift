import Core
import Storage

/// A store that answers each call before it returns.
///
/// The conformance suite asks every store in this way, also those that need not.
package protocol SynchronousRelayStore: RelayStore {
    /// Decides whether a device is let into its space, and does what was decided.
    ///
    /// - Parameters:
    ///   - visitor: the device; nil if it has proved no key.
    ///   - decide: takes the space, nil if there is none, and the number of other spaces.
    func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?,
        _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
    ) throws(StoreFault) -> RelayAdmission

    /// Keeps uploads in their order, in one transaction.
    func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayCommit

    /// Reads versions in the order of their numbers, and the summary rows behind them if nothing is left.
    func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayReading
}

extension SynchronousRelayStore {
    /// Decides whether a device is let in, and answers inside of the call.
    package func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?, _ decide: @escaping Decide,
        then: @escaping (Result<RelayAdmission, StoreFault>) -> Void
    ) {
        then(
            Result { () throws(StoreFault) in
                try admit(relayHello, from: visitor, decide)
            })
    }

    /// Keeps uploads, and answers inside of the call.
    package func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey,
        then: @escaping (Result<RelayCommit, RelayStoreFault>) -> Void
    ) {
        then(Result { () throws(RelayStoreFault) in try commit(uploads, to: key) })
    }

    /// Reads, and answers inside of the call.
    package func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey,
        then: @escaping (Result<RelayReading, RelayStoreFault>) -> Void
    ) {
        then(Result { () throws(RelayStoreFault) in try read(request, of: key) })
    }

    /// Every call is answered by now.
    package func settle() {}
}

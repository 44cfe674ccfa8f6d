import Core

/// Closes what leaves for a relay, so that nobody without the space's secret can read or change it,
/// and opens what comes from one.
package protocol SpaceSeal: AnyObject {
    /// The body of a change, bound to its record and clock.
    func seal(_ body: [UInt8], of id: RecordID, clock: VersionVector) throws(SealFailure) -> [UInt8]

    /// The body again; nil if it is not what a device of the space sealed for that record and clock.
    func open(_ sealed: [UInt8], of id: RecordID, clock: VersionVector) -> [UInt8]?

    /// A statement, bound to its speaker.
    func seal(statement: [UInt8], of replica: ReplicaID) throws(SealFailure) -> [UInt8]

    /// The statement again; nil if that replica did not seal it.
    func open(statement sealed: [UInt8], of replica: ReplicaID) -> [UInt8]?
}

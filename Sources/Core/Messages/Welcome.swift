/// A relay's answer to an approach: which store of the space it has, and how far it and the device know
/// each other.
package struct Welcome: Hashable, Sendable {
    /// The lowest version of the protocol that the relay speaks.
    package var versionMin = WireLimits.versionMin
    /// The highest version of the protocol that the relay speaks.
    package var versionMax = WireLimits.versionMax
    /// The id of the relay's store of this space and generation; a store made anew has another.
    package var relay: ReplicaID
    /// The opening of that store and the arrival number from which on it reads.
    package var start: Checkpoint
    /// The last arrival number given.
    package var reached: UInt64
    /// How far into the device's own sequence it was uploaded to this store; nil if nothing was.
    package var uploaded: Checkpoint?
    /// The letters that it has for devices with older secrets; nil if it keeps none.
    package var letters: [Letter.Mark]?

    /// An answer in the versions spoken here.
    package init(
        relay: ReplicaID, start: Checkpoint, reached: UInt64, uploaded: Checkpoint? = nil,
        letters: [Letter.Mark]? = nil
    ) {
        self.relay = relay
        self.start = start
        self.reached = reached
        self.uploaded = uploaded
        self.letters = letters
    }
}

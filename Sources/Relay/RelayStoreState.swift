import Core

/// What of a relay's store is in memory.
struct RelayStoreState: Hashable, Sendable {
    /// The id of the store of this space and generation.
    var relay: ReplicaID
    /// The generation of the space's secret; 0 without encryption.
    var generation: UInt32
    /// The key that devices prove to have; empty without encryption.
    var verifier: [UInt8]
    /// The last arrival number given.
    var sequence: UInt64 = 0
    /// The bytes of all versions, statements and letters.
    var byteCount = 0
    /// How many records there are.
    var recordCount = 0
    /// How many versions there are.
    var versionCount = 0
    /// The letters for devices with older secrets, oldest first.
    var letters: [RelayLetter] = []
    /// The openings known, oldest first; never empty.
    var epochs: [RelayEpoch] = []
    /// Whether the last of these is this opening's own.
    var hasOwnEpoch = false

    /// The opening in which the store speaks: until something is written, that of who wrote last.
    var epoch: EpochID { epochs.last?.id ?? EpochID(value: 3) }
}

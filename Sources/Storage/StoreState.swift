import Core

/// The few facts of a store that every transaction reads, held in memory while nobody else writes.
struct StoreState {
    var space = SpaceID(value: 0)
    var policy = DeletePolicy.deletesWin
    var hash = SipHash()
    /// This replica's place in the table of replicas.
    var ownPlace = 0 { didSet { isOwnerChanged = true } }
    /// The last arrival number given.
    var sequence: UInt64 = 0
    /// The same as the database has it.
    var savedSequence: UInt64 = 0
    /// The sum of H(canonical bytes) over all records.
    var digest: UInt128 = 0
    var clock = HybridClock()
    var deviceName = "" { didSet { isOwnerChanged = true } }
    /// Whether what hardly ever changes was changed in this transaction.
    var isOwnerChanged = false
    var replicas = ReplicaTable(hash: SipHash())
    /// The joined clocks of parked changes, by record.
    var parked: [RecordID: VersionVector] = [:]
    /// The openings of this store under its present id, oldest first.
    var epochs: [Epoch] = []

    /// One opening of this store for writing.
    struct Epoch: Hashable {
        let number: Int64
        let id: EpochID
        /// The last arrival number before it.
        let firstSequence: UInt64
        /// This replica's counter before it.
        let firstCounter: UInt64
        /// Whether a peer may have heard of it.
        var isNamed: Bool
    }

    /// This replica.
    var replica: ReplicaID { replicas[ownPlace].replica }

    /// How many writes this replica has made.
    var counter: UInt64 { replicas[ownPlace].counter }

    /// The opening that names what is sent now.
    var opening: EpochStart {
        guard let last = epochs.last else {
            return EpochStart(epoch: EpochID(value: 0), counter: 0)
        }
        return EpochStart(epoch: last.id, counter: last.firstCounter)
    }

    /// What this store states.
    var statement: Statement {
        let clocks = parked.isEmpty ? nil : replicas.integratedClocks
        return Statement(
            entries: replicas.statementEntries, digest: Digest(contents: digest, clocks: clocks))
    }
}

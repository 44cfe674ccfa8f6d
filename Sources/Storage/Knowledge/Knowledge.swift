import Core

/// The part of a store that knows which replica of which space it is, and what it has of every
/// replica: counters, checksums and incarnations.
///
/// Owns the tables `state`, `replica` and `peer_epoch`. Counts the clocks of deferred changes into the
/// checksums, and so holds these in memory beside the table of replicas.
final class Knowledge: StorePart {
    private let database: Database
    private var state = StoreState()
    private var kept: StoreState?

    init(_ database: Database) {
        self.database = database
    }

    // MARK: What it holds

    /// The space that the store is of.
    var space: SpaceID { state.space }
    /// The space's rule for deletes.
    var policy: DeletePolicy { state.policy }
    /// This replica.
    var replica: ReplicaID { state.replica }
    /// How many writes this replica has made.
    var counter: UInt64 { state.counter }
    /// This replica's number in the table of replicas.
    var ownNumber: Int { state.ownIndex }
    /// The name of this device on the others.
    var deviceName: String { state.deviceName }
    /// The last arrival number given.
    var sequence: UInt64 { state.sequence }
    /// The sum of the hashes of all records.
    var digest: UInt128 { state.digest }
    /// The hash of the space.
    var hash: SipHash { state.hash }
    /// Every replica id in clocks here, by its small number.
    var replicas: ReplicaTable { state.replicas }
    /// The joined clocks of deferred changes, by record.
    var deferredClocks: [RecordName: VersionVector] { state.deferred }
    /// The rule by which a record is deleted.
    var deletionRule: DeletionRule { DeletionRule(state.policy) }
    /// The state summary for a peer.
    var stateSummary: StateSummary { summary.stateSummary }
    /// The same, and the sum of the hashes of its entries.
    var summary: (stateSummary: StateSummary, sum: UInt128) {
        state.replicas.countSummary()
        return state.summary
    }
    /// The number of the last change of the state summary.
    var summarySequence: UInt64 { state.replicas.summarySequence }
    /// The entry of a replica, if it has a number.
    func entry(of replica: ReplicaID) -> ReplicaTable.Entry? {
        state.replicas.index(of: replica).map { state.replicas[$0] }
    }

    /// The clock in a column; nil if it is damaged.
    func clock(in row: PreparedStatement, _ column: Int32) -> VersionVector? {
        row.withBytes(column) { RowCodec.clock($0, state.replicas) }
    }

    /// A clock as rows hold it; replicas that it names first get a number.
    func clockBytes(_ clock: VersionVector) -> [UInt8] {
        RowCodec.clockBytes(clock, &state.replicas)
    }

    /// The small number of a replica in rows; a new one is given if need be.
    func number(of replica: ReplicaID) -> Int {
        state.replicas.indexOrNew(of: replica)
    }

    /// The replica with a number that a row names; nil if there is none.
    func replica(numbered number: Int64) -> ReplicaID? {
        guard let index = Int(exactly: number), state.replicas.entries.indices.contains(index)
        else {
            return nil
        }
        return state.replicas[index].replica
    }

    /// The most peers that are remembered of which no write is here.
    static let strangerCountMax = 2048

    /// The small number of a peer that is to be remembered; nil if it is one of too many without a write here.
    func number(ofPeer peer: ReplicaID) -> Int? {
        if let number = state.replicas.index(of: peer) { return number }
        let strangerCount = state.replicas.entries.count { $0.seen == 0 && $0.counter == 0 }
        return strangerCount < Self.strangerCountMax ? number(of: peer) : nil
    }

    // MARK: Records

    /// Gives the next arrival number.
    func nextSequence() -> UInt64 {
        state.sequence += 1
        return state.sequence
    }

    /// Reads the hybrid clock for writes of this replica.
    func nextTimestamp() -> HybridTimestamp {
        state.clock.next(wallMilliseconds: database.environment.wallMilliseconds())
    }

    /// Notes how many writes this replica has made.
    func setOwnCounter(_ counter: UInt64) {
        if counter == state.counter { return }
        state.replicas.change(state.ownIndex) { $0.counter = counter }
    }

    /// Gives a record's new state the next arrival number, and keeps checksums, digest and clock in step.
    func arrive(
        _ name: RecordName, _ record: RecordState, _ body: [UInt8], replacing old: Record?
    ) {
        state.sequence += 1
        for write in record.writes { state.clock.observe(write.timestamp) }
        let hidden = state.deferred.isEmpty ? nil : state.deferred[name]
        let before = old?.record.clock ?? VersionVector()
        state.replicas.account(
            name, from: hidden.map { before.joined(with: $0) } ?? before,
            to: hidden.map { record.clock.joined(with: $0) } ?? record.clock)
        if let hidden {
            state.replicas.accountDeferred(name, deferred: hidden, integrated: before, isGone: true)
            state.replicas.accountDeferred(name, deferred: hidden, integrated: record.clock)
        }
        state.digest &+= state.hash.content(name.id, record.clock, body)
        if let old {
            let oldBody = BodyCodec.encode(old.record, in: old.collection)
            state.digest &-= state.hash.content(name.id, old.record.clock, oldBody)
        }
    }

    // MARK: Deferred changes

    /// Puts the joined clock of a record's deferred changes in place of the one before, in the
    /// checksums too.
    func setDeferred(
        _ name: RecordName, _ hidden: VersionVector?, beside integrated: VersionVector
    ) {
        let none = VersionVector()
        let before = state.deferred[name] ?? none
        state.deferred[name] = hidden
        state.replicas.account(
            name, from: integrated.joined(with: before), to: integrated.joined(with: hidden ?? none)
        )
        state.replicas.accountDeferred(name, deferred: before, integrated: integrated, isGone: true)
        state.replicas.accountDeferred(name, deferred: hidden ?? none, integrated: integrated)
    }

    /// Takes the clocks of deferred changes, as they were read.
    func loadDeferred(_ clocks: [RecordName: VersionVector]) {
        state.deferred = clocks
    }

    /// Counts anew the share of all deferred changes in the checksums.
    func countDeferred(
        beside integrated: (RecordName) throws(StoreFault) -> VersionVector
    ) throws(StoreFault) {
        state.replicas.forgetDeferred()
        for (name, hidden) in state.deferred {
            state.replicas.accountDeferred(
                name, deferred: hidden, integrated: try integrated(name))
        }
    }

    /// Puts sums in place that were counted anew from the records.
    func replaceSums(_ sums: RecordSums) {
        let checksums = sums.checksums
        for entry in checksums.entries { _ = state.replicas.indexOrNew(of: entry.replica) }
        for number in state.replicas.entries.indices {
            let checksum =
                checksums.index(of: state.replicas[number].replica).map { checksums[$0].checksum }
                ?? 0
            if checksum != state.replicas[number].checksum {
                state.replicas.change(number) { $0.checksum = checksum }
            }
        }
        state.digest = sums.digest
        // Written without a new arrival number: no record changed.
        state.isDigestChanged = true
    }

    // MARK: Incarnations of other replicas

    /// Notes an incarnation of a replica whose writes up to a counter belong to it or to older ones.
    func note(_ start: Incarnation, of replica: ReplicaID, upTo counter: UInt64) {
        state.replicas.note(start, of: replica, upTo: counter)
    }

    /// Forgets the incarnation of a replica if writes come of which it is not known in which one they
    /// were made.
    func suspectIncarnation(of replica: ReplicaID, before counter: UInt64) {
        state.replicas.suspectIncarnation(of: replica, before: counter)
    }

    /// The incarnations of a peer that are known here, for the peer's suspicion about itself.
    func history(of peer: ReplicaID) throws(StoreFault) -> History {
        guard let number = state.replicas.index(of: peer) else {
            return History(replica: peer, counter: 0, incarnations: [])
        }
        let rows = try database.connection.statement(
            """
            SELECT epoch, first_counter FROM peer_epoch WHERE replica = ?
            ORDER BY first_counter DESC, epoch LIMIT \(WireLimits.epochCountMax)
            """)
        rows.bind(1, Int64(number))
        defer { rows.reset() }
        var incarnations: [Incarnation] = []
        while try rows.step() {
            incarnations.append(
                Incarnation(epoch: EpochID(value: rows.unsigned(0)), counter: rows.unsigned(1)))
        }
        return History(
            replica: peer, counter: state.replicas[number].seen,
            incarnations: incarnations.reversed())
    }

    // MARK: Vouching

    /// Takes over a peer's word that all writes of a replica up to a counter are here.
    func raise(_ replica: ReplicaID, to counter: UInt64) {
        let number = state.replicas.indexOrNew(of: replica)
        if state.replicas[number].counter >= counter { return }
        state.replicas.change(number) { $0.counter = counter }
    }

    // MARK: Who the store is

    /// Whether the store is of a space yet; inside of the transaction that makes it.
    func isCreated() throws(StoreFault) -> Bool {
        try database.connection.number("SELECT count(*) FROM state") > 0
    }

    /// Becomes the first replica here of a space.
    func create(_ space: SpaceID, _ policy: DeletePolicy, deviceName: String) throws(StoreFault) {
        let row = try database.connection.statement(
            "INSERT INTO state VALUES (1, ?, ?, zeroblob(16), 0, ?)")
        row.bind(1, identifier: space.value)
        row.bind(2, Int64(policy.rawValue))
        row.bind(3, deviceName)
        try row.run()
        try StoreState.makeStoreRow(on: database.connection)
        state.space = space
        state.policy = policy
        state.deviceName = deviceName
        state.ownIndex = number(of: ReplicaID(value: database.environment.random128()))
        try state.saveReplicas(to: database.connection)
    }

    /// Takes the store into another space; nothing of its records changes.
    func enter(_ space: SpaceID, _ policy: DeletePolicy) throws(StoreFault) {
        state.space = space
        state.policy = policy
        let row = try database.connection.statement("UPDATE state SET space = ?, policy = ?")
        row.bind(1, identifier: space.value)
        row.bind(2, Int64(policy.rawValue))
        try row.run()
    }

    /// Notes the name of this device on the others.
    func setDeviceName(_ name: String) {
        state.deviceName = name
    }

    /// Takes a new replica id; the old one stays in the table like any other's.
    ///
    /// - Parameter incarnations: those of the old id, if its writes stay under it: peers that saw less
    ///   must not tell otherwise.
    func becomeNewReplica(after incarnations: [Incarnation]) throws(StoreFault) {
        for incarnation in incarnations {
            state.replicas.change(state.ownIndex) { entry in
                entry.incarnation = incarnation
                entry.isIncarnationNew = true
            }
            try state.saveReplicas(to: database.connection)
        }
        state.ownIndex = number(of: ReplicaID(value: database.environment.random128()))
        // Written at once: the new epoch refers to it.
        try state.saveReplicas(to: database.connection)
    }

    /// Sets a former id of this store back to the write after which its writes got a new id.
    func cutOff(_ former: ReplicaID, above fork: UInt64) {
        // Deferred changes keep their clocks: they were not written here.
        let hidden = state.deferred.values.map { $0.counter(of: former) }.max() ?? 0
        state.replicas.change(number(of: former)) { entry in
            entry.counter = min(entry.counter, fork)
            entry.seen = max(min(entry.seen, fork), hidden)
            entry.incarnation = nil
        }
    }

    // MARK: Transactions

    func load() throws(StoreFault) {
        state = try StoreState.load(from: database.connection)
    }

    func begin() {
        // The table of replicas keeps its own changes.
        state.replicas.end()
        var rest = state
        rest.replicas = ReplicaTable(hash: state.hash)
        kept = rest
    }

    func save() throws(StoreFault) -> Bool {
        let hasArrivals = state.hasArrivals
        try state.save(to: database.connection)
        return hasArrivals
    }

    func rollBack() {
        guard var old = kept else { return }
        state.replicas.rollBack()
        swap(&old.replicas, &state.replicas)
        state = old
    }

    func end() {
        kept = nil
        state.replicas.end()
    }
}

import Core

/// The part of a store that gives up its replica id for a new one, when another store may have the
/// same.
///
/// Owns the table `identity_change`.
final class ReplicaIdentity {
    /// A stranger may greet with our id as often as he likes; a copy does so once.
    static let identityChangeMillisecondsMin: Int64 = 3_600_000
    /// The most new ids that a peer's word brings about within `peerChangeMilliseconds`; then the peer is refused.
    static let peerChangeCountMax = 2
    /// The time for which a new id counts against the peer that brought it about; milliseconds.
    static let peerChangeMilliseconds: Int64 = 86_400_000

    /// Why the store took a new replica id while it was open, or as it was opened; nil if it kept its own.
    private(set) var suspicion: CloneSuspicion?

    private let database: Database
    private let knowledge: Knowledge
    private let incarnations: Incarnations
    private let records: Records
    private let identity: CloneDetector
    private unowned let store: Store

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        incarnations = store.incarnations
        records = store.records
        identity = store.identity
        self.store = store
    }

    // MARK: The ids given up

    /// The ids that this store gave up, oldest first.
    func changes() throws(StoreFault) -> [IdentityChange] {
        let rows = try database.connection.statement(
            "SELECT old, new, reason, time FROM identity_change ORDER BY number")
        defer { rows.reset() }
        var changes: [IdentityChange] = []
        while try rows.step() {
            changes.append(
                IdentityChange(
                    old: ReplicaID(value: rows.identifier(0) ?? 0),
                    new: ReplicaID(value: rows.identifier(1) ?? 0),
                    reason: CloneSuspicion(rawValue: rows.text(2)) ?? .unknown,
                    time: rows.int(3)))
        }
        return changes
    }

    /// Remembers when and why the id was given up.
    private func note(
        changeFrom old: ReplicaID, because suspicion: CloneSuspicion, toldBy peer: [UInt8]? = nil
    ) throws(StoreFault) {
        let row = try database.connection.statement(
            "INSERT INTO identity_change(old, new, reason, time, peer) VALUES (?, ?, ?, ?, ?)")
        row.bind(1, identifier: old.value)
        row.bind(2, identifier: knowledge.replica.value)
        row.bind(3, suspicion.rawValue)
        row.bind(4, database.environment.wallMilliseconds())
        if let peer { row.bind(5, peer) } else { row.bindNull(5) }
        try row.run()
    }

    // MARK: Peers that bring changes about

    /// The peers by whose word this store took so many new ids within a day that they are refused.
    func spenders() throws(StoreFault) -> [IdentitySpender] {
        let now = database.environment.wallMilliseconds()
        let rows = try database.connection.statement(
            """
            SELECT peer, time FROM identity_change WHERE peer IS NOT NULL AND abs(?1 - time) <= ?2
            ORDER BY time DESC
            """)
        rows.bind(1, now)
        rows.bind(2, Self.peerChangeMilliseconds)
        defer { rows.reset() }
        var times: [[UInt8]: [Int64]] = [:]
        while try rows.step() { times[rows.bytes(0), default: []].append(rows.int(1)) }
        return times.compactMap { peer, times in
            guard times.count >= Self.peerChangeCountMax else { return nil }
            return IdentitySpender(
                peer: peer, changeCount: times.count,
                end: times[Self.peerChangeCountMax - 1] + Self.peerChangeMilliseconds)
        }.sorted { $0.peer.lexicographicallyPrecedes($1.peer) }
    }

    /// Forgets that new ids were taken by a peer's word.
    func forgive(_ peer: [UInt8]) throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            let row = try database.connection.statement(
                "UPDATE identity_change SET peer = NULL WHERE peer = ?")
            row.bind(1, peer)
            try row.run()
        }
    }

    /// Remembers that this store is another replica than the damaged one that it was made from.
    ///
    /// - Parameter old: the id of the damaged store, if it could be read.
    func noteRescue(of old: ReplicaID?) throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            let known = try database.connection.statement(
                "UPDATE identity_change SET reason = ? WHERE new = ? RETURNING old")
            known.bind(1, CloneSuspicion.rescued.rawValue)
            known.bind(2, identifier: knowledge.replica.value)
            var olds: Set<ReplicaID> = []
            while try known.step() {
                if let id = known.identifier(0) { olds.insert(ReplicaID(value: id)) }
            }
            guard let old, !olds.contains(old) else { return }
            try note(changeFrom: old, because: .rescued)
        }
    }

    // MARK: At opening

    /// Takes a new replica id and epoch.
    ///
    /// Nothing is given new dots: the writes in the file were made before the suspicion, and the old id
    /// stays in clocks and knowledge like any other's.
    ///
    /// The identity file names the new id before that is committed, and vouches for no other: a process that is killed
    /// before the commit suspects again, one that is killed after it does not.
    func adoptNew(because suspicion: CloneSuspicion) throws(StoreFault) {
        let name = knowledge.deviceName
        let marks = database.environment.shownMarks(store.paths.folder, knowledge.space)
        try database.transactUnprepared { () throws(StoreFault) in
            try database.refresh()
            let old = knowledge.replica
            try knowledge.becomeNewReplica(after: incarnations.epochs.map(\.start))
            try note(changeFrom: old, because: suspicion)
            try introduce(as: name, marks: marks)
            try database.save()
            // A greater number may be noted of what this file was before.
            identity.note(sequence: knowledge.sequence)
            try incarnations.rewriteIdentityFile(taking: suspicion)
        }
        try database.connection.flushLog()
        self.suspicion = suspicion
        database.onChange?()
    }

    /// Begins the first epoch of a new id, and names its device.
    private func introduce(as name: String, marks: [Assignment] = []) throws(StoreFault) {
        try incarnations.startOver()
        let transaction = Transaction(store)
        try transaction.nameDevice(name, marks: marks)
        transaction.finish()
    }

    // MARK: In a session

    /// Whether an epoch is one of those remembered in which this replica wrote under its present id.
    func isOwn(_ epoch: EpochID) throws(StoreFault) -> Bool {
        try database.catchUp()
        return incarnations.epochs.contains { $0.id == epoch }
    }

    /// Whether a peer's memory of this replica is not of its own past.
    ///
    /// - Parameters:
    ///   - counter: the highest counter of ours that the peer has integrated.
    ///   - epoch: our epoch in which that was given, if the peer knows it.
    func isSuspicious(counter: UInt64, epoch: EpochID?) throws(StoreFault) -> Bool {
        try database.catchUp()
        if counter > knowledge.counter { return true }
        guard let epoch else { return false }
        let epochs = incarnations.epochs
        guard let index = epochs.firstIndex(where: { $0.id == epoch }) else {
            // An epoch older than those remembered is no suspicion; one that we never had is.
            return epochs.count < Incarnations.epochCountMax
        }
        return counter > incarnations.endCounter(ofEpochAt: index)
    }

    /// Compares a peer's knowledge of this replica's incarnations with its own, and takes a new id if they
    /// are of different pasts: writes under the old id after the last common one get new dots.
    ///
    /// - Parameters:
    ///   - isCertain: whether a new id is taken in any case, as when a peer greets with ours.
    ///   - peer: the device key of the peer by whose word this is, or what stands for one; nil if that is not known.
    /// - Returns: whether a new id was taken.
    func resolve(
        _ history: History, isCertain: Bool, toldBy peer: [UInt8]?
    ) throws(StoreFault) -> Bool {
        let suspicion: CloneSuspicion = isCertain ? .peerHasOurID : .peerKnowsOther
        let isForked = try database.transactUnprepared { () throws(StoreFault) in
            try database.refresh()
            guard history.replica == knowledge.replica,
                let fork = fork(history, isCertain: isCertain)
            else { return false }
            if isCertain, try tookNewLately() { return false }
            let old = knowledge.replica
            try rewriteFork(above: fork)
            try note(changeFrom: old, because: suspicion, toldBy: peer)
            try database.save()
            // As where a store is opened with a suspicion: a process that is killed after the commit has the new id.
            try incarnations.rewriteIdentityFile(taking: suspicion)
            return true
        }
        if !isForked { return false }
        self.suspicion = suspicion
        try database.connection.flushLog()
        database.onChange?()
        return true
    }

    /// Takes a new id if changes name writes of this replica that it never made: it was set back.
    func resolve(writesIn changes: [Change]) throws(StoreFault) {
        let own = knowledge.replica
        let counter = changes.map { $0.clock.counter(of: own) }.max() ?? 0
        guard counter > 0, try isSuspicious(counter: counter, epoch: nil) else { return }
        _ = try resolve(
            History(replica: own, counter: counter, incarnations: []), isCertain: false, toldBy: nil
        )
    }

    private func tookNewLately() throws(StoreFault) -> Bool {
        let since =
            database.environment.wallMilliseconds() - Self.identityChangeMillisecondsMin
        let row = try database.connection.statement(
            "SELECT 1 FROM identity_change WHERE reason = ? AND time > ?")
        row.bind(1, CloneSuspicion.peerHasOurID.rawValue)
        row.bind(2, since)
        defer { row.reset() }
        return try row.step()
    }

    /// The last counter that both pasts share; nil if the peer's is part of ours.
    private func fork(_ history: History, isCertain: Bool) -> UInt64? {
        let known = incarnations.epochs
        var common: (mine: Int, theirs: Int)?
        for (theirs, incarnation) in history.incarnations.enumerated() {
            if let mine = known.firstIndex(where: { $0.id == incarnation.epoch }) {
                common = (mine, theirs)
            }
        }
        guard let common else {
            // Nothing in common is known: what both may share lies before either's opening.
            let theirs = history.incarnations.first?.counter ?? history.counter
            let mine = known.last?.firstCounter ?? 0
            let isSuspicion =
                isCertain || history.counter > knowledge.counter || !history.incarnations.isEmpty
            return isSuspicion ? min(theirs, mine) : nil
        }
        let end = incarnations.endCounter(ofEpochAt: common.mine)
        if common.theirs + 1 < history.incarnations.count {
            return min(end, history.incarnations[common.theirs + 1].counter)
        }
        return history.counter > end || isCertain ? end : nil
    }

    /// Gives new dots, under a new id, to what this replica wrote above `fork`; drops all checkpoints.
    private func rewriteFork(above fork: UInt64) throws(StoreFault) {
        let (name, old) = (knowledge.deviceName, knowledge.replica)
        var counters: Set<UInt64> = []
        var touched: [Record] = []
        for collectionIndex in database.collections.indices {
            try records.forEachRecord(in: collectionIndex) { stored throws(StoreFault) in
                guard stored.record.clock.counter(of: old) > fork else { return }
                touched.append(stored)
                for write in stored.record.writes
                where write.dot.replica == old && write.dot.counter > fork {
                    counters.insert(write.dot.counter)
                }
            }
        }
        try knowledge.becomeNewReplica(after: [])
        let forkRewrite = ForkRewrite(
            old: old, fork: fork, new: knowledge.replica, counters: counters.sorted())
        knowledge.setOwnCounter(UInt64(counters.count))
        // Before all that is moved: a device that gets that has got the mark.
        let device = try records.find(RecordName(deviceOf: old))
        try introduce(as: name, marks: ForkMarks.marks(forking: old, device))
        for stored in touched {
            try records.put(
                stored.name, forkRewrite.moved(stored.record), replacing: stored)
        }
        knowledge.cutOff(old, above: fork)
        try store.checkpoints.forgetAll()
        try store.outgoing.forgetRelays()
        try store.summaryRows.forgetAll()
        try store.metadata.forgetAll()
    }
}

import Core

/// Who this replica is, and what happens when that comes into doubt.
extension Store {
    /// Takes a new replica id and epoch.
    ///
    /// Nothing is given new dots: what is in the file was written before the doubt, and the old id
    /// stays in clocks and knowledge like any other's.
    ///
    /// The new id is on the disk before the stamp says so: a crash between the two doubts again.
    func takeNewIdentity(because doubt: IdentityDoubt) throws(StoreFault) {
        let name = state.deviceName
        try transact { () throws(StoreFault) in
            try refresh()
            try keepOpenings()
            let old = state.replica
            try becomeNewReplica()
            try noteIdentityChange(from: old, because: doubt)
            try addEpoch(EpochID(value: environment.drawBits() | 1))
            let transaction = Transaction(self)
            try transaction.nameDevice(name)
            try transaction.finish()
            try state.save(to: connection)
        }
        try connection.flushLog()
        // A greater number is noted of what this file was before: the doubt is settled, and is not to come again.
        identity.note(sequence: state.sequence)
        try rewriteStamp()
        self.doubt = doubt
        onChange?()
    }

    /// Remembers the openings under the old id as those of another: its writes belong to them, and
    /// peers that saw less must not tell otherwise.
    private func keepOpenings() throws(StoreFault) {
        for epoch in state.epochs {
            state.replicas.change(state.ownPlace) { entry in
                entry.opening = EpochStart(epoch: epoch.id, counter: epoch.firstCounter)
                entry.isOpeningNew = true
            }
            try state.saveReplicas(to: connection)
        }
    }

    private func becomeNewReplica() throws(StoreFault) {
        let id = ReplicaID(value: environment.random128())
        state.ownPlace = state.replicas.placeOrNew(of: id)
        state.epochs = []
        // Written at once: the new epoch refers to it.
        try state.saveReplicas(to: connection)
    }

    /// Remembers when and why the id was given up, for people.
    func noteIdentityChange(
        from old: ReplicaID, because doubt: IdentityDoubt
    )
        throws(StoreFault)
    {
        let row = try connection.statement(
            "INSERT INTO identity_change(old, new, reason, time) VALUES (?, ?, ?, ?)")
        row.bind(1, identifier: old.value)
        row.bind(2, identifier: state.replica.value)
        row.bind(3, "\(doubt)")
        row.bind(4, environment.wallMilliseconds())
        try row.run()
    }

    /// The ids that this store gave up, oldest first.
    package func identityChanges() throws(StoreFault) -> [IdentityChange] {
        let rows = try connection.statement(
            "SELECT old, new, reason, time FROM identity_change ORDER BY number")
        defer { rows.reset() }
        var changes: [IdentityChange] = []
        while try rows.step() {
            changes.append(
                IdentityChange(
                    old: ReplicaID(value: rows.identifier(0) ?? 0),
                    new: ReplicaID(value: rows.identifier(1) ?? 0), reason: rows.text(2),
                    time: rows.int(3)))
        }
        return changes
    }

    /// Whether an epoch is one of those remembered in which this replica wrote under its present id.
    package func isOwn(_ epoch: EpochID) throws(StoreFault) -> Bool {
        try catchUp()
        return state.epochs.contains { $0.id == epoch }
    }

    /// Whether what a peer remembers of this replica is not of its own past.
    ///
    /// - Parameters:
    ///   - counter: the highest counter of ours that the peer has integrated.
    ///   - epoch: our epoch in which that was given, if the peer knows it.
    package func isDoubtful(counter: UInt64, epoch: EpochID?) throws(StoreFault) -> Bool {
        try catchUp()
        if PlantedFault.echoIgnored.isPlanted { return false }
        if counter > state.counter { return true }
        guard let epoch else { return false }
        guard let place = state.epochs.firstIndex(where: { $0.id == epoch }) else {
            // An epoch older than those remembered is no doubt; one that we never had is.
            return state.epochs.count < Self.epochCountMax
        }
        return counter > end(ofEpochAt: place)
    }

    /// This replica's counter when an epoch ended; the present counter for the last one.
    private func end(ofEpochAt place: Int) -> UInt64 {
        place + 1 < state.epochs.count ? state.epochs[place + 1].firstCounter : state.counter
    }

    /// What this store knows of a peer's openings, for the peer's doubt about itself.
    package func history(of peer: ReplicaID) throws(StoreFault) -> History {
        try reading { () throws(StoreFault) in try knownHistory(of: peer) }
    }

    private func knownHistory(of peer: ReplicaID) throws(StoreFault) -> History {
        guard let place = state.replicas.place(of: peer) else {
            return History(replica: peer, counter: 0, openings: [])
        }
        let rows = try connection.statement(
            """
            SELECT epoch, first_counter FROM peer_epoch WHERE replica = ?
            ORDER BY first_counter DESC, epoch LIMIT \(WireLimits.epochCountMax)
            """)
        rows.bind(1, Int64(place))
        defer { rows.reset() }
        var openings: [EpochStart] = []
        while try rows.step() {
            openings.append(
                EpochStart(epoch: EpochID(value: rows.unsigned(0)), counter: rows.unsigned(1)))
        }
        return History(
            replica: peer, counter: state.replicas[place].seen, openings: openings.reversed())
    }

    /// Compares a peer's knowledge of this replica's openings with its own, and takes a new id if they
    /// are of different pasts: writes under the old id after the last common opening get new dots.
    ///
    /// - Parameter isCertain: whether a new id is taken in any case, as when a peer greets with ours.
    /// - Returns: whether a new id was taken.
    package func settle(_ history: History, isCertain: Bool = false) throws(StoreFault) -> Bool {
        let isForked = try transact { () throws(StoreFault) in
            try refresh()
            guard history.replica == state.replica,
                let fork = fork(history, isCertain: isCertain)
            else { return false }
            if isCertain, try tookNewIdentityLately() { return false }
            let (name, old) = (state.deviceName, state.replica)
            try redot(above: fork)
            try noteIdentityChange(from: old, because: isCertain ? .peerHasOurID : .peerKnowsOther)
            try addEpoch(EpochID(value: environment.drawBits() | 1))
            let transaction = Transaction(self)
            try transaction.nameDevice(name)
            try transaction.finish()
            try state.save(to: connection)
            return true
        }
        if !isForked { return false }
        doubt = isCertain ? .peerHasOurID : .peerKnowsOther
        try connection.flushLog()
        // Until here a crash doubts again, at open, as the stamp still names the old id.
        try transact { () throws(StoreFault) in try rewriteStamp() }
        onChange?()
        return true
    }

    /// A stranger may greet with our id as often as he likes; a copy does so once.
    package static let identityChangeMillisecondsMin: Int64 = 3_600_000

    private func tookNewIdentityLately() throws(StoreFault) -> Bool {
        let since = environment.wallMilliseconds() - Self.identityChangeMillisecondsMin
        let row = try connection.statement(
            "SELECT 1 FROM identity_change WHERE reason = ? AND time > ?")
        row.bind(1, "\(IdentityDoubt.peerHasOurID)")
        row.bind(2, since)
        defer { row.reset() }
        return try row.step()
    }

    /// The last counter that both pasts share; nil if the peer's is part of ours.
    private func fork(_ history: History, isCertain: Bool) -> UInt64? {
        let known = state.epochs
        var common: (mine: Int, theirs: Int)?
        for (theirs, opening) in history.openings.enumerated() {
            if let mine = known.firstIndex(where: { $0.id == opening.epoch }) {
                common = (mine, theirs)
            }
        }
        guard let common else {
            // Nothing in common is known: what both may share lies before either's opening.
            let theirs = history.openings.first?.counter ?? history.counter
            let mine = known.last?.firstCounter ?? 0
            let isDoubt = isCertain || history.counter > state.counter || !history.openings.isEmpty
            return isDoubt ? min(theirs, mine) : nil
        }
        let end = end(ofEpochAt: common.mine)
        if common.theirs + 1 < history.openings.count {
            return min(end, history.openings[common.theirs + 1].counter)
        }
        return history.counter > end || isCertain ? end : nil
    }

    /// Gives new dots, under a new id, to what this replica wrote above `fork`; drops all checkpoints.
    private func redot(above fork: UInt64) throws(StoreFault) {
        let old = state.replica
        let oldPlace = state.ownPlace
        var counters: Set<UInt64> = []
        var touched: [StoredRecord] = []
        for place in collections.indices {
            try forEachRecord(in: place) { stored throws(StoreFault) in
                guard stored.record.clock.counter(of: old) > fork else { return }
                touched.append(stored)
                for write in stored.record.writes
                where write.dot.replica == old && write.dot.counter > fork {
                    counters.insert(write.dot.counter)
                }
            }
        }
        try becomeNewReplica()
        let redotting = Redotting(
            old: old, fork: fork, new: state.replica, counters: counters.sorted())
        for stored in touched {
            try put(
                stored.id, stored.collection, redotting.moved(stored.record), replacing: stored)
        }
        state.replicas.change(state.ownPlace) { $0.counter = UInt64(counters.count) }
        // Changes that are set aside keep their clocks: they were not written here.
        let hidden = state.parked.values.map { $0.counter(of: old) }.max() ?? 0
        state.replicas.change(oldPlace) { entry in
            entry.counter = min(entry.counter, fork)
            entry.seen = max(min(entry.seen, fork), hidden)
            entry.opening = nil
        }
        if PlantedFault.checkpointsOutliveFork.isPlanted { return }
        fetched = [:]
        try connection.execute(
            "DELETE FROM checkpoint; DELETE FROM relay_mark; DELETE FROM memo_note")
    }

    /// Gives every record of a table that arrived after a number to `body`, in order of arrival.
    func forEachRecord(
        in place: Int, after sequence: UInt64 = 0,
        _ body: (StoredRecord) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        let rows = try connection.statement(collections[place].statements.arrivals)
        rows.bind(1, sequence)
        defer { rows.reset() }
        while try rows.step() { try body(try stored(rows, place)) }
    }
}

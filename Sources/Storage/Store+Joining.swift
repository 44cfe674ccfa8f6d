import Core

/// What peers state of themselves.
extension Store {
    /// What came of a statement.
    package struct Joining: Hashable, Sendable {
        /// A tally that had to agree did not, for the second time in a row.
        package var isWithheld = false
        /// A tally that had to agree did not: what was read of the peer is forgotten.
        package var isMismatched = false
        /// That calls for a full exchange.
        package var isRepairDue = false
        /// Contents differ although the histories are the same.
        package var isDiverged = false
        /// This store vouches for more than before.
        package var hasLearned = false
    }

    /// Takes over what a peer vouches for, entry by entry, where the tallies agree; remembers how far
    /// the peer was read, or forgets it where a tally had to agree and does not.
    package func join(
        _ statement: Statement, from peer: ReplicaID, through: Checkpoint
    )
        throws(StoreFault) -> Joining
    {
        try take([statement], from: peer, through: through, openings: [], isReadAnew: false).result
    }

    /// Takes over what several devices vouch for, whose statements a relay forwarded.
    ///
    /// - Parameters:
    ///   - relay: who was read, and is forgotten or remembered.
    ///   - through: how far; nil to forget in any case.
    ///   - openings: the newest openings that these devices know of each other, and up to which counter
    ///     writes are from these or from older ones: whoever is set back later learns of them from this
    ///     store.
    ///   - isReadAnew: whether the relay will be read anew in any case: then nothing is remembered.
    package func join(
        _ statements: [Statement], from relay: ReplicaID, through: Checkpoint?,
        openings: [(opening: ChangeBatch.Opening, counter: UInt64)] = [], isReadAnew: Bool = false
    )
        throws(StoreFault) -> Joining
    {
        var (result, differing) = try take(
            statements, from: relay, through: through, openings: openings, isReadAnew: isReadAnew)
        // A relay that is read anew in any case has all to be had in that.
        result.isRepairDue = false
        if result.isDiverged, through != nil, !result.isMismatched {
            result.isRepairDue = try noteDifferences(differing, at: relay)
        }
        return result
    }

    /// Takes over what is vouched for; gives as well the statements from whose contents those here differ.
    private func take(
        _ statements: [Statement], from peer: ReplicaID, through: Checkpoint?,
        openings: [(opening: ChangeBatch.Opening, counter: UInt64)], isReadAnew: Bool
    ) throws(StoreFault) -> (result: Joining, differing: [Statement]) {
        // Statements that tell nothing new cost no write.
        let known = try reading { () throws(StoreFault) in
            guard let through, statements.allSatisfy({ isSettled($0) }),
                try knows(through, of: peer), try !isCounting(peer)
            else { return nil as [Statement]? }
            return statements.filter(differs)
        }
        if let known { return (Joining(isDiverged: !known.isEmpty), known) }
        return try changing { () throws(StoreFault) in
            var result = Joining()
            var mismatches = through == nil && !isReadAnew
            for (opening, counter) in openings {
                // Of writes that this device has not seen nothing can be said.
                guard let place = state.replicas.place(of: opening.replica),
                    place != state.ownPlace, state.replicas[place].seen <= counter
                else { continue }
                state.replicas.note(opening.start, of: opening.replica, upTo: counter)
            }
            for statement in statements {
                for entry in statement.entries {
                    if try !join(entry, &result) { mismatches = true }
                }
            }
            if !mismatches {
                if let through {
                    try remember(through, of: peer, settles: true)
                    try endCounting(peer)
                }
            } else {
                result.isMismatched = true
                let count = try noteMismatch(of: peer)
                result.isWithheld = count >= 2
                result.isRepairDue = Self.isRepairDue(mismatches: count)
            }
            let differing = statements.filter(differs)
            result.isDiverged = !differing.isEmpty
            return (result, differing)
        }
    }

    /// Takes over one entry if the tallies agree; false if they had to and do not.
    private func join(
        _ entry: StatementEntry, _ result: inout Joining
    )
        throws(StoreFault) -> Bool
    {
        if PlantedFault.joinUnverified.isPlanted {
            believe(entry)
            return true
        }
        guard let place = state.replicas.place(of: entry.replica) else { return entry.seen == 0 }
        let mine = state.replicas[place]
        // What the speaker itself does not vouch for, as its author has not, is to be here as well.
        if mine.counter >= entry.counter {
            return max(mine.seen, mine.counter) >= entry.seen || place == state.ownPlace
        }
        // Nobody knows more of this replica's writes than it does itself, unless it is a copy.
        if place == state.ownPlace {
            if PlantedFault.ownWritesTaken.isPlanted { return true }
            throw .foreignOwnWrites
        }
        if mine.tally == entry.tally {
            state.replicas.change(place) { $0.counter = entry.counter }
            result.hasLearned = true
            return true
        }
        return mine.seen > entry.counter && mine.seen >= entry.seen
    }

    /// Whether so many tallies in a row that had to agree and did not call for a full exchange: what the
    /// peer was told of this store keeps it from sending what is missing here.
    ///
    /// Not each time: at the 2nd, the 4th, the 8th, as a peer may really withhold.
    static func isRepairDue(mismatches count: Int64) -> Bool {
        count >= 2 && count & (count - 1) == 0
    }

    private func isSettled(_ statement: Statement) -> Bool {
        statement.entries.allSatisfy { entry in
            guard let place = state.replicas.place(of: entry.replica) else {
                return entry.seen == 0
            }
            let mine = state.replicas[place]
            return mine.counter >= entry.counter
                && (max(mine.seen, mine.counter) >= entry.seen || place == state.ownPlace)
        }
    }

    private func knows(_ through: Checkpoint, of peer: ReplicaID) throws(StoreFault) -> Bool {
        guard let place = state.replicas.place(of: peer) else { return false }
        let row = try connection.statement(
            "SELECT epoch, sequence, mismatches FROM checkpoint WHERE replica = ?")
        row.bind(1, Int64(place))
        defer { row.reset() }
        return try row.step() && row.unsigned(0) == through.epoch.value
            && row.unsigned(1) == through.sequence && row.int(2) == 0
    }

    /// Forgets how far a peer was read, as something of it is missing here.
    ///
    /// - Returns: how many times in a row that has happened.
    private func noteMismatch(of peer: ReplicaID) throws(StoreFault) -> Int64 {
        guard let place = placeOfPeer(peer) else { return 0 }
        let row = try connection.statement(
            """
            INSERT INTO checkpoint VALUES (?1, 0, 0, 1, ?2)
            ON CONFLICT(replica) DO UPDATE
                SET epoch = 0, sequence = 0, mismatches = mismatches + 1, last_contact = ?2
            RETURNING mismatches
            """)
        row.bind(1, Int64(place))
        row.bind(2, environment.wallMilliseconds())
        defer { row.reset() }
        return try row.step() ? row.int(0) : 0
    }

    /// Whether contents differ although nothing explains it: not one side being ahead, not a sync cut short.
    private func differs(from statement: Statement) -> Bool {
        if PlantedFault.contentsNotCompared.isPlanted { return false }
        var allAgree = true
        let theirs = Set(statement.entries.map(\.replica))
        for mine in state.replicas.entries where mine.seen > 0 && !theirs.contains(mine.replica) {
            allAgree = false
        }
        for entry in statement.entries {
            guard let place = state.replicas.place(of: entry.replica) else {
                if entry.seen > 0 { allAgree = false }
                continue
            }
            let mine = state.replicas[place]
            if mine.tally == entry.tally { continue }
            allAgree = false
            let isBehind = mine.seen > mine.counter || !entry.isComplete
            let isBlind = PlantedFault.digestComparedBeyondKnowledge.isPlanted
            if mine.counter == entry.counter, !isBehind || isBlind { return true }
        }
        return statement.digest.contents != state.digest
            && (isAnyAside(statement) ? haveEqualClocks(statement) : allAgree)
    }

    /// Whether this side or the other has something parked.
    private func isAnyAside(_ statement: Statement) -> Bool {
        statement.digest.clocks != nil || !state.parked.isEmpty
    }

    /// Whether, with something parked, the records that are integrated have the same clocks on both sides:
    /// parked changes count in tallies, and hide from them what is integrated.
    private func haveEqualClocks(_ statement: Statement) -> Bool {
        let theirs =
            statement.digest.clocks
            ?? state.hash.clocks(statement.entries.lazy.map { ($0.replica, $0.tally) })
        return theirs == state.replicas.integratedClocks
    }
}

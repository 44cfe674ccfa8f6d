import Core

/// The part of a store that takes over what peers vouch for in their state summaries.
final class StatementJoiner {
    /// The newest incarnation of a replica that a device knows, and the counter up to which writes are
    /// from it or from older ones.
    typealias KnownIncarnation = (incarnation: ChangeBatch.AnnouncedIncarnation, counter: UInt64)

    private let database: Database
    private let knowledge: Knowledge
    private let checkpoints: PeerCheckpoints
    private let outgoing: OutgoingCheckpoints
    private let deleteGuard: MassDeleteGuard
    private let unopened: UnopenedVersions
    private let refusals: DeleteRefusals
    private let aside: SetAsideDeletes

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        checkpoints = store.checkpoints
        outgoing = store.outgoing
        deleteGuard = store.deleteGuard
        unopened = store.unopened
        refusals = store.refusals
        aside = store.aside
    }

    /// Takes over what a peer vouches for, entry by entry, where the checksums agree; remembers how far
    /// the peer was read, or forgets it where a checksum had to agree and does not.
    func join(
        _ statement: StateSummary, from peer: ReplicaID, through: Checkpoint,
        summarySequence: UInt64?
    ) throws(StoreFault) -> Joining {
        try join(
            [Vouched(statement)], from: peer, through, summarySequence, [], isReadAnew: false,
            isRelay: false
        ).result
    }

    /// The same for a summary of which most entries are known to agree: it costs what is open.
    func join(
        open: [StateSummaryEntry], of statement: StateSummary, sum: UInt128, from peer: ReplicaID,
        through: Checkpoint, summarySequence: UInt64?
    ) throws(StoreFault) -> Joining {
        let vouched = Vouched(statement: statement, open: open, sum: sum)
        return try join(
            [vouched], from: peer, through, summarySequence, [], isReadAnew: false, isRelay: false
        ).result
    }

    /// Takes over what several devices vouch for, whose summaries a relay forwarded.
    ///
    /// - Parameters:
    ///   - relay: the relay that was read, and is forgotten or remembered.
    ///   - through: how far; nil to forget in any case.
    ///   - incarnations: the newest incarnations that these devices know of each other: a device that is set
    ///     back later learns of them from this store.
    ///   - isReadAnew: whether the relay will be read anew in any case: then nothing is remembered.
    func join(
        _ statements: [StateSummary], from relay: ReplicaID, through: Checkpoint?,
        incarnations: [KnownIncarnation], isReadAnew: Bool
    ) throws(StoreFault) -> Joining {
        var (result, differing) = try join(
            statements.map { Vouched($0) }, from: relay, through, nil, incarnations,
            isReadAnew: isReadAnew, isRelay: true)
        // A relay that is read anew in any case has all to be had in that.
        result.isRepairDue = false
        if result.isDiverged, through != nil, !result.isMismatched {
            result.isRepairDue = try outgoing.noteDifferences(
                differing, at: relay, forgetting: checkpoints)
        }
        return result
    }

    /// Takes over what is vouched for; gives as well the summaries from whose contents those here differ.
    ///
    /// The summary sequence of a peer is remembered only if nothing that it vouches for is left: what is left
    /// would else never be listed again.
    private func join(
        _ statements: [Vouched], from peer: ReplicaID, _ through: Checkpoint?,
        _ summarySequence: UInt64?,
        _ incarnations: [KnownIncarnation], isReadAnew: Bool, isRelay: Bool
    ) throws(StoreFault) -> (result: Joining, differing: [StateSummary]) {
        // Summaries that tell nothing new cost no write.
        let known = try database.reading { () throws(StoreFault) in
            guard let through, statements.allSatisfy({ $0.open.allSatisfy(knowledge.isSettled) }),
                try checkpoints.knows(through, summarySequence: summarySequence, of: peer),
                try !deleteGuard.isCounting(peer),
                try !refusals.isEnding(), try isRelay ? unopened.isEmpty(at: peer) : true
            else { return nil as [StateSummary]? }
            return statements.filter(knowledge.differs).map(\.statement)
        }
        if let known {
            var result = Joining(isDiverged: !known.isEmpty)
            if !isRelay { result.open = statements.flatMap(\.open).filter(knowledge.isOpen) }
            return (result, known)
        }
        return try database.changing { () throws(StoreFault) in
            var result = Joining()
            var mismatches = through == nil && !isReadAnew
            // Writes of these are missing, and it is known why: the relay keeps nothing back, and has nothing
            // more to give.
            let excused = try isRelay ? excusedReplicas(at: peer) : []
            var isExcused = false
            var isUndecided = false
            note(incarnations)
            for statement in statements {
                for entry in statement.open {
                    switch try knowledge.join(entry) {
                    case .agrees: break
                    case .learned: result.hasLearned = true
                    case .undecided: isUndecided = true
                    case .mismatches where excused.contains(entry.replica): isExcused = true
                    case .mismatches: mismatches = true
                    }
                }
            }
            if !mismatches {
                if let through {
                    try checkpoints.remember(
                        through, of: peer, settles: !isExcused,
                        summarySequence: isUndecided || isExcused ? nil : summarySequence)
                    try deleteGuard.endCounting(peer)
                    try refusals.endExchange()
                    for settled in try aside.settledPeers() {
                        try aside.forget(settled)
                        try deleteGuard.forget(settled)
                    }
                }
            } else {
                result.isMismatched = true
                let count = try checkpoints.noteMismatch(of: peer)
                result.isWithheld = count >= 2
                result.isRepairDue = PeerCheckpoints.isRepairDue(mismatchCount: count)
            }
            if !excused.isEmpty { try unopened.forgetKnown(at: peer) }
            if !isRelay { result.open = statements.flatMap(\.open).filter(knowledge.isOpen) }
            let differing = statements.filter(knowledge.differs).map(\.statement)
            result.isDiverged = !differing.isEmpty
            return (result, differing)
        }
    }

    /// The replicas of which writes are missing here because they cannot be opened, or are deletes that wait for an
    /// answer.
    private func excusedReplicas(at relay: ReplicaID) throws(StoreFault) -> Set<ReplicaID> {
        var found = try unopened.replicas(at: relay)
        for (_, clock) in try aside.clocks(of: relay) {
            for entry in clock.entries { found.insert(entry.replica) }
        }
        return found
    }

    private func note(_ incarnations: [KnownIncarnation]) {
        for (incarnation, counter) in incarnations {
            // Of writes that this device has not seen nothing can be said.
            guard let number = knowledge.replicas.index(of: incarnation.replica),
                number != knowledge.ownNumber, knowledge.replicas[number].seen <= counter
            else { continue }
            knowledge.note(incarnation.start, of: incarnation.replica, upTo: counter)
        }
    }
}

/// A peer's state summary, and its entries that may differ from those here.
private struct Vouched {
    let statement: StateSummary
    /// The entries that are not known to agree with those here.
    let open: [StateSummaryEntry]
    /// The sum of the hashes of all entries; nil if all are open.
    let sum: UInt128?

    init(_ statement: StateSummary) {
        self.statement = statement
        open = statement.entries
        sum = nil
    }

    init(statement: StateSummary, open: [StateSummaryEntry], sum: UInt128) {
        self.statement = statement
        self.open = open
        self.sum = sum
    }
}

/// A peer's state summary against what is here.
extension Knowledge {
    /// The outcome of one entry of a peer's summary.
    enum EntryVerdict {
        /// Nothing of it is missing here, and nothing new is vouched for.
        case agrees
        /// Nothing of it is missing here; from now on this store vouches for more.
        case learned
        /// It vouches for more than this store does, which holds later writes: the checksums cannot agree.
        case undecided
        /// Something of it is missing here, although the peer was read to its end.
        case mismatches
    }

    /// Takes over one entry of a peer's summary if the checksums agree.
    ///
    /// - Throws: `foreignOwnWrites` if the peer has writes of this replica that it never made.
    func join(_ entry: StateSummaryEntry) throws(StoreFault) -> EntryVerdict {
        guard let number = replicas.index(of: entry.replica) else {
            return entry.seen == 0 ? .agrees : .mismatches
        }
        let mine = replicas[number]
        // Writes that the speaker itself does not vouch for, as their author has not, are to be here too.
        if mine.counter >= entry.counter {
            let isHere = max(mine.seen, mine.counter) >= entry.seen || number == ownNumber
            return isHere ? .agrees : .mismatches
        }
        // Nobody knows more of this replica's writes than it does itself, unless it is a copy.
        if number == ownNumber { throw .foreignOwnWrites }
        // Equal checksums vouch for the records that are here and for no write above them: a peer that
        // states more would have everyone pass over the writes to come.
        if mine.checksum == entry.checksum, entry.counter <= mine.seen {
            raise(entry.replica, to: entry.counter)
            return .learned
        }
        return mine.seen > entry.counter && mine.seen >= entry.seen ? .undecided : .mismatches
    }

    /// Whether a peer's entry vouches for nothing that this store does not vouch for.
    func isSettled(_ entry: StateSummaryEntry) -> Bool {
        guard let number = replicas.index(of: entry.replica) else { return entry.seen == 0 }
        let mine = replicas[number]
        return mine.counter >= entry.counter
            && (max(mine.seen, mine.counter) >= entry.seen || number == ownNumber)
    }

    /// Whether a peer's entry is to be looked at again, once either side has changed.
    func isOpen(_ entry: StateSummaryEntry) -> Bool {
        !isSettled(entry) || self.entry(of: entry.replica)?.checksum != entry.checksum
    }

    /// Whether contents differ although nothing explains it; of entries that are known to agree nothing is to be
    /// looked at, and equal sums tell that all do.
    fileprivate func differs(from vouched: Vouched) -> Bool {
        let statement = vouched.statement
        guard let sum = vouched.sum, !isAnyDeferred(statement) else {
            return differs(from: statement)
        }
        return vouched.open.contains(where: contradicts)
            || sum == replicas.sum && statement.digest.contents != digest
    }

    /// Whether a peer's entry and the one here have the same writes and other checksums.
    private func contradicts(_ entry: StateSummaryEntry) -> Bool {
        guard let mine = self.entry(of: entry.replica) else { return false }
        let isBehind = mine.seen > mine.counter || !entry.isComplete
        return mine.checksum != entry.checksum && mine.counter == entry.counter && !isBehind
    }

    /// Whether contents differ although nothing explains it: not one side being ahead, not a sync cut short.
    func differs(from statement: StateSummary) -> Bool {
        var allAgree = true
        let theirs = Set(statement.entries.map(\.replica))
        for mine in replicas.entries where mine.seen > 0 && !theirs.contains(mine.replica) {
            allAgree = false
        }
        for entry in statement.entries {
            guard let number = replicas.index(of: entry.replica) else {
                if entry.seen > 0 { allAgree = false }
                continue
            }
            if replicas[number].checksum == entry.checksum { continue }
            allAgree = false
            if contradicts(entry) { return true }
        }
        return statement.digest.contents != digest
            && (isAnyDeferred(statement) ? haveEqualClocks(statement) : allAgree)
    }

    /// Whether this side or the other has deferred changes.
    private func isAnyDeferred(_ statement: StateSummary) -> Bool {
        statement.digest.clocks != nil || !deferredClocks.isEmpty
    }

    /// Whether, with changes deferred, the records that are integrated have the same clocks on both sides:
    /// deferred changes count in checksums, and hide from them what is integrated.
    private func haveEqualClocks(_ statement: StateSummary) -> Bool {
        let theirs =
            statement.digest.clocks
            ?? hash.clocks(statement.entries.lazy.map { ($0.replica, $0.checksum) })
        return theirs == replicas.integratedClocks
    }
}

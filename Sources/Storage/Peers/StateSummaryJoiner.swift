import Core

/// The part of a store that takes over what peers vouch for in their state summaries.
final class StateSummaryJoiner {
    private let database: Database
    private let knowledge: Knowledge
    private let checkpoints: PeerCheckpoints
    private let deleteGuard: MassDeleteGuard
    private let refusals: DeleteRefusals
    private let heldChanges: HeldChanges

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        checkpoints = store.checkpoints
        deleteGuard = store.deleteGuard
        refusals = store.refusals
        heldChanges = store.heldChanges
    }

    /// Takes over what a peer vouches for, entry by entry, where the checksums agree; remembers how far
    /// the peer was read, or forgets it where a checksum had to agree and does not.
    func join(
        _ stateSummary: StateSummary, from peer: ReplicaID, through: Checkpoint,
        summarySequence: UInt64?
    ) throws(StoreFault) -> Joining {
        try join(Vouched(stateSummary), from: peer, through, summarySequence)
    }

    /// The same for a summary of which most entries are known to agree: it costs what is open.
    func join(
        open: [StateSummaryEntry], of stateSummary: StateSummary, sum: UInt128,
        from peer: ReplicaID,
        through: Checkpoint, summarySequence: UInt64?
    ) throws(StoreFault) -> Joining {
        try join(
            Vouched(stateSummary: stateSummary, open: open, sum: sum), from: peer, through,
            summarySequence)
    }

    private func join(
        _ vouched: Vouched, from peer: ReplicaID, _ through: Checkpoint,
        _ summarySequence: UInt64?
    ) throws(StoreFault) -> Joining {
        // A summary that tells nothing new costs no write.
        let isKnown = try database.reading { () throws(StoreFault) in
            guard vouched.open.allSatisfy(knowledge.isSettled),
                try checkpoints.knows(through, summarySequence: summarySequence, of: peer),
                try !deleteGuard.isCounting(peer)
            else { return false }
            return try !refusals.isEnding()
        }
        if isKnown { return try database.reading { () in result(Joining(), vouched) } }
        return try database.changing { () throws(StoreFault) in
            // The session is about to end, and the next one compares all that this one did.
            if !checkpoints.isSpeaker { return result(Joining(), vouched) }
            var joining = Joining()
            var isUndecided = false
            for entry in vouched.open {
                switch try knowledge.join(entry) {
                case .agrees: break
                case .learned: joining.hasLearned = true
                case .undecided: isUndecided = true
                case .mismatches: joining.isMismatched = true
                }
            }
            if joining.isMismatched {
                let count = try checkpoints.noteMismatch(of: peer)
                joining.isWithheld = count >= 2
                joining.isRepairDue = PeerCheckpoints.isRepairDue(mismatchCount: count)
            } else {
                // What is left of the summary would never be listed again.
                try checkpoints.remember(
                    through, of: peer, isAgreed: true,
                    summarySequence: isUndecided ? nil : summarySequence)
                try deleteGuard.endCounting(peer)
                try refusals.endExchange()
                for settled in try heldChanges.settledPeers() {
                    try heldChanges.forget(settled)
                    try deleteGuard.forget(settled)
                }
            }
            return result(joining, vouched)
        }
    }

    /// Adds what is to be looked at again, and whether contents differ.
    private func result(_ joining: Joining, _ vouched: Vouched) -> Joining {
        var result = joining
        result.open = vouched.open.filter(knowledge.isOpen)
        result.isDiverged = knowledge.differs(from: vouched)
        return result
    }
}

/// A peer's state summary, and its entries that may differ from those here.
private struct Vouched {
    let stateSummary: StateSummary
    /// The entries that are not known to agree with those here.
    let open: [StateSummaryEntry]
    /// The sum of the hashes of all entries; nil if all are open.
    let sum: UInt128?

    init(_ stateSummary: StateSummary) {
        self.stateSummary = stateSummary
        open = stateSummary.entries
        sum = nil
    }

    init(stateSummary: StateSummary, open: [StateSummaryEntry], sum: UInt128) {
        self.stateSummary = stateSummary
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
        let stateSummary = vouched.stateSummary
        guard let sum = vouched.sum, !isAnyDeferred(stateSummary) else {
            return differs(from: stateSummary)
        }
        return vouched.open.contains(where: contradicts)
            || sum == replicas.sum && stateSummary.digest.contents != digest
    }

    /// Whether a peer's entry and the one here have the same writes and other checksums.
    func contradicts(_ entry: StateSummaryEntry) -> Bool {
        guard let mine = self.entry(of: entry.replica) else { return false }
        let isBehind = mine.seen > mine.counter || !entry.isComplete
        return mine.checksum != entry.checksum && mine.counter == entry.counter && !isBehind
    }

    /// Whether contents differ from those of a device of which only digests are known, although the histories are the
    /// same.
    func differs(fromSum sum: UInt128, _ other: Digest) -> Bool {
        if other.contents == digest { return false }
        let isEqual = sum == summary.sum
        if other.clocks == nil, deferredClocks.isEmpty { return isEqual }
        // Equal sums are of equal checksums.
        let theirs =
            other.clocks
            ?? (isEqual
                ? hash.clocks(replicas.entries.lazy.map { ($0.replica, $0.checksum) }) : nil)
        return theirs == replicas.integratedClocks
    }

    /// Whether contents differ although nothing explains it: not one side being ahead, not a sync cut short.
    func differs(from stateSummary: StateSummary) -> Bool {
        var allAgree = true
        let theirs = Set(stateSummary.entries.map(\.replica))
        for mine in replicas.entries where mine.seen > 0 && !theirs.contains(mine.replica) {
            allAgree = false
        }
        for entry in stateSummary.entries {
            guard let number = replicas.index(of: entry.replica) else {
                if entry.seen > 0 { allAgree = false }
                continue
            }
            if replicas[number].checksum == entry.checksum { continue }
            allAgree = false
            if contradicts(entry) { return true }
        }
        return stateSummary.digest.contents != digest
            && (isAnyDeferred(stateSummary) ? haveEqualClocks(stateSummary) : allAgree)
    }

    /// Whether this side or the other has deferred changes.
    private func isAnyDeferred(_ stateSummary: StateSummary) -> Bool {
        stateSummary.digest.clocks != nil || !deferredClocks.isEmpty
    }

    /// Whether, with changes deferred, the records that are integrated have the same clocks on both sides:
    /// deferred changes count in checksums, and hide from them what is integrated.
    private func haveEqualClocks(_ stateSummary: StateSummary) -> Bool {
        let theirs =
            stateSummary.digest.clocks
            ?? hash.clocks(stateSummary.entries.lazy.map { ($0.replica, $0.checksum) })
        return theirs == replicas.integratedClocks
    }
}

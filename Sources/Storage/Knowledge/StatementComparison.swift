import Core

/// A peer's state summary against what is here.
extension Knowledge {
    /// The outcome of one entry of a peer's summary.
    enum EntryVerdict {
        /// Nothing of it is missing here, and nothing new is vouched for.
        case agrees
        /// Nothing of it is missing here; from now on this store vouches for more.
        case learned
        /// Something of it is missing here, although the peer was read to its end.
        case mismatches
    }

    /// Takes over one entry of a peer's summary if the checksums agree.
    ///
    /// - Throws: `foreignOwnWrites` if the peer has writes of this replica that it never made.
    func join(_ entry: StateSummaryEntry) throws(StoreFault) -> EntryVerdict {
        guard let number = replicas.place(of: entry.replica) else {
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
        if mine.checksum == entry.checksum {
            raise(entry.replica, to: entry.counter)
            return .learned
        }
        return mine.seen > entry.counter && mine.seen >= entry.seen ? .agrees : .mismatches
    }

    /// Whether a peer's summary vouches for nothing that this store does not vouch for.
    func isSettled(_ statement: StateSummary) -> Bool {
        statement.entries.allSatisfy { entry in
            guard let number = replicas.place(of: entry.replica) else { return entry.seen == 0 }
            let mine = replicas[number]
            return mine.counter >= entry.counter
                && (max(mine.seen, mine.counter) >= entry.seen || number == ownNumber)
        }
    }

    /// Whether contents differ although nothing explains it: not one side being ahead, not a sync cut short.
    func differs(from statement: StateSummary) -> Bool {
        var allAgree = true
        let theirs = Set(statement.entries.map(\.replica))
        for mine in replicas.entries where mine.seen > 0 && !theirs.contains(mine.replica) {
            allAgree = false
        }
        for entry in statement.entries {
            guard let number = replicas.place(of: entry.replica) else {
                if entry.seen > 0 { allAgree = false }
                continue
            }
            let mine = replicas[number]
            if mine.checksum == entry.checksum { continue }
            allAgree = false
            let isBehind = mine.seen > mine.counter || !entry.isComplete
            if mine.counter == entry.counter, !isBehind { return true }
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

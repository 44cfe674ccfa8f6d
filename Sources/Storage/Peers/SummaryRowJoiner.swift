import Core

/// The part of a store that takes over what devices vouch for in their summary rows at a relay.
///
/// Source: Protocol/10-Relay.md.
final class SummaryRowJoiner {
    private let database: Database
    private let knowledge: Knowledge
    private let checkpoints: PeerCheckpoints
    private let outgoing: OutgoingCheckpoints
    private let deleteGuard: MassDeleteGuard
    private let unopened: UnopenedVersions
    private let refusals: DeleteRefusals
    private let heldChanges: HeldChanges
    private let rows: SummaryRows
    private let lacks: RelayLacks
    private let forks: ForkMarks

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        checkpoints = store.checkpoints
        outgoing = store.outgoing
        deleteGuard = store.deleteGuard
        unopened = store.unopened
        refusals = store.refusals
        heldChanges = store.heldChanges
        rows = store.summaryRows
        lacks = store.lacks
        forks = store.forks
    }

    /// Takes over what is vouched for, row by row, where the checksums agree; remembers how far the relay was read, or
    /// forgets it where a checksum had to agree and does not.
    func join(_ request: SummaryRowsRequest) throws(StoreFault) -> SummaryRowsAnswer {
        let known = try database.reading { () throws(StoreFault) in
            guard try isSettled(request) else { return nil as SummaryRowsAnswer? }
            let (seen, differing) = try compare(request)
            return differing.isEmpty ? SummaryRowsAnswer(joining: Joining(), seen: seen) : nil
        }
        if let known { return known }
        return try database.changing { () throws(StoreFault) in
            // The session is about to end, and the next one reads the rows anew.
            if !checkpoints.isSpeaker {
                return SummaryRowsAnswer(joining: Joining(), seen: try compare(request).seen)
            }
            if request.startsOver, request.isRunStart { try rows.forget(request.relay) }
            if request.isFromStart, request.isRunStart {
                try unopened.forgetAltered(at: request.relay)
            }
            // Without a checkpoint the relay sends these rows again, so they are not kept.
            if request.through != nil { try rows.keep(request.rows, at: request.relay) }
            note(request.rows)
            if !request.isRunEnd { return try joinFirst(request) }
            let (result, differing) = try joinEntries(request)
            var answer = try answer(result, request, differing)
            answer.uploadingAgain = try takeRequests(request)
            return answer
        }
    }

    /// Joins rows behind which further ones of the same run come: of what does not add up, and of how far the relay was
    /// read, the last ones decide.
    private func joinFirst(
        _ request: SummaryRowsRequest
    ) throws(StoreFault) -> SummaryRowsAnswer {
        let outcome = try joinEntries(
            request, try lacks.find(request.relay), try excusedReplicas(at: request.relay))
        var answer = SummaryRowsAnswer(joining: Joining())
        answer.joining.hasLearned = outcome.hasLearned
        // Rows that are not kept are not compared again.
        if request.through == nil {
            let (seen, differing) = try compare(request)
            answer.seen = seen
            answer.joining.isDiverged = !(differing + outcome.differing).isEmpty
        }
        answer.uploadingAgain = try takeRequests(request)
        return answer
    }

    /// Whether nothing is to be written: there is no news, and nothing waits.
    private func isSettled(_ request: SummaryRowsRequest) throws(StoreFault) -> Bool {
        guard let through = request.through, request.rows.isEmpty, !request.startsOver,
            request.isRunEnd
        else { return false }
        if let sum = request.rowSum, try rows.sum(at: request.relay) != sum { return false }
        guard try rows.isSettled(at: request.relay),
            try checkpoints.knows(through, summarySequence: nil, of: request.relay),
            try !deleteGuard.isCounting(request.relay), try !refusals.isEnding()
        else { return false }
        return try unopened.isEmpty(at: request.relay)
    }

    /// What came of the entries that waited.
    private struct Outcome {
        var hasLearned = false
        /// The rows that do not add up, but for those of which that was known.
        var missing: [SummaryRow.Key] = []
        /// Whether some do not add up of which it was known: the relay was read from its start for them in vain.
        var isLacking = false
        /// The rows that do not add up, and it is known why.
        var excused: [SummaryRows.Unsettled] = []
        /// The entries from which checksums here differ although nothing explains it.
        var differing: [SummaryRowContent] = []
    }

    /// Joins the entries that wait; gives as well those from which checksums here differ although nothing explains it.
    private func joinEntries(
        _ request: SummaryRowsRequest
    ) throws(StoreFault) -> (Joining, [SummaryRowContent]) {
        let lack = try lacks.find(request.relay)
        // Writes of these are missing, and it is known why: the relay keeps nothing back, and has nothing more to give.
        let excused = try excusedReplicas(at: request.relay)
        let outcome = try joinEntries(request, lack, excused)
        let joining = try conclude(request, outcome, lack)
        if !excused.isEmpty { try unopened.forgetKnown(at: request.relay) }
        return (joining, outcome.differing)
    }

    private func joinEntries(
        _ request: SummaryRowsRequest, _ lack: RelayLacks.Lack?, _ excused: Set<ReplicaID>
    ) throws(StoreFault) -> Outcome {
        var outcome = Outcome()
        var forked: Set<ReplicaID>?
        for row in try waiting(request, lack) {
            switch try knowledge.join(row.entry) {
            case .agrees, .undecided: break
            case .learned: outcome.hasLearned = true
            case .mismatches where excused.contains(row.entry.replica):
                outcome.excused.append(row)
                continue
            case .mismatches:
                if forked == nil { forked = try forks.replicas() }
                if forked?.contains(row.entry.replica) == true {
                    // Nothing will make it add up but a newer row of the key.
                    try rows.settle(row.key, at: request.relay)
                } else if row.isMissing {
                    outcome.isLacking = true
                } else {
                    outcome.missing.append(row.key)
                }
                continue
            }
            if knowledge.contradicts(row.entry) {
                outcome.differing.append(.entry(row.entry, nil))
            }
            if knowledge.isSettled(row.entry) { try rows.settle(row.key, at: request.relay) }
        }
        return outcome
    }

    /// Remembers how far the relay was read; or forgets it, so that what it still has comes again.
    private func conclude(
        _ request: SummaryRowsRequest, _ outcome: Outcome, _ lack: RelayLacks.Lack?
    ) throws(StoreFault) -> Joining {
        let relay = request.relay
        var result = Joining()
        result.hasLearned = outcome.hasLearned
        // A relay that lost rows, or kept some back, has nothing to draw them out by but its sum. Rows of this device
        // that another process states now differ as well until all come anew.
        var difference = lack?.rowSumDifference ?? 0
        if let sum = request.rowSum, request.through != nil {
            difference = sum &- (try rows.sum(at: relay))
        }
        let hasOtherSum = difference != 0 && difference != lack?.rowSumDifference
        var isLacking = outcome.isLacking || difference != 0 && !hasOtherSum
        let isMissing =
            !outcome.missing.isEmpty || request.through == nil && !request.isReadAnew
        let isWithheld = isMissing || hasOtherSum && request.startsOver || isLacking
        var isMismatched = isMissing || hasOtherSum
        let isSuspect =
            try checkpoints.checkpoint(of: relay).mismatchCount > 0 || lack?.isExcused == false
        let besideUnopened = try besideUnopened(outcome, request)
        let isAltering = try isAltering(relay, lack)
        var isDue = false
        if isMismatched, request.isFromStart, request.through != nil, isSuspect {
            // Read so a second time, the relay has nothing more to give: what it gave counts as read.
            for key in outcome.missing { try rows.noteMissing(key, at: relay) }
            try lacks.noteReading(of: relay, rowSumDifference: difference)
            isMismatched = false
            isLacking = true
        } else if isLacking || isAltering || !besideUnopened.isEmpty, !request.isFromStart,
            request.through != nil, let lack, lacks.isReadingDue(lack)
        {
            isDue = !isMismatched
            isMismatched = true
            try lacks.beginReading(of: relay)
        }
        if isMismatched {
            result.isMismatched = true
            result.isOfRowSumAlone = !isWithheld
            if isWithheld || hasOtherSum {
                result.isWithheld = try checkpoints.noteMismatch(of: relay) >= 2 && isWithheld
            } else {
                try checkpoints.drop(relay)
            }
            // Rows that are missing stay so until one session has read all: should the link break before, the next ones
            // wait again.
            if !isDue { try rows.forget(relay) }
            return result
        }
        guard let through = request.through else { return result }
        try checkpoints.remember(
            through, of: relay, isAgreed: outcome.excused.isEmpty && !isLacking && !isAltering,
            isSuspect: isLacking || isAltering)
        result.isWithheld = isLacking
        try note(besideUnopened, relay, lack, isLacking: isLacking, isRead: request.isFromStart)
        if isLacking, let lack, lack.rowSumDifference != difference {
            try lacks.noteReading(of: relay, rowSumDifference: difference)
        } else if !isLacking, !isAltering, besideUnopened.isEmpty, lack != nil {
            let hadMissing = try !rows.missing(at: relay).isEmpty
            try rows.forgetMissing(at: relay)
            try lacks.forget(relay, hadMissing: hadMissing)
        }
        try noteAltering(isAltering, relay, isRead: request.isFromStart)
        if request.isFromStart { try lacks.endReading(of: relay) }
        try endWaits(for: relay)
        return result
    }

    /// Ends what waited for a whole exchange with a relay.
    private func endWaits(for relay: ReplicaID) throws(StoreFault) {
        try deleteGuard.endCounting(relay)
        try refusals.endExchange()
        for settled in try heldChanges.settledPeers() {
            try heldChanges.forget(settled)
            try deleteGuard.forget(settled)
        }
    }

    /// The excused entries that a version which cannot be opened excuses; none while the relay is to be read anew anyhow.
    ///
    /// The relay may have lost other writes of these replicas, or keep them back, and a forged version is never replaced: so
    /// the relay is read from its start, and asked, as for entries that nothing excuses, but not at once.
    private func besideUnopened(
        _ outcome: Outcome, _ request: SummaryRowsRequest
    ) throws(StoreFault) -> [SummaryRows.Unsettled] {
        if outcome.excused.isEmpty || request.through == nil { return [] }
        let replicas = try unopened.replicas(at: request.relay)
        return outcome.excused.filter { replicas.contains($0.entry.replica) }
    }

    /// Takes note that excused entries do not add up, and once the relay was read from its start for that, that they are
    /// missing.
    private func note(
        _ besideUnopened: [SummaryRows.Unsettled], _ relay: ReplicaID, _ lack: RelayLacks.Lack?,
        isLacking: Bool, isRead: Bool
    ) throws(StoreFault) {
        if besideUnopened.isEmpty { return }
        let isReadForThem = isRead && lack.map { $0.isReading || lacks.isReadingDue($0) } ?? false
        if isReadForThem {
            for row in besideUnopened { try rows.noteMissing(row.key, at: relay) }
        }
        guard !isLacking, isReadForThem || lack?.isExcused != true else { return }
        try lacks.noteReading(of: relay, rowSumDifference: 0, isExcused: true)
    }

    /// Whether a relay has sent what it does not have, and was not read from its start without such since.
    private func isAltering(
        _ relay: ReplicaID, _ lack: RelayLacks.Lack?
    ) throws(StoreFault) -> Bool {
        if try unopened.hasAltered(at: relay) { return true }
        return lack?.isAltering == true ? try !unopened.areAllKept(at: relay) : false
    }

    /// Takes note that a run has ended, and whether the relay still sends what it does not have.
    private func noteAltering(
        _ isAltering: Bool, _ relay: ReplicaID, isRead: Bool
    ) throws(StoreFault) {
        if !isAltering {
            try lacks.endAltering(of: relay)
        } else if let lack = try lacks.find(relay) {
            if isRead {
                try lacks.noteReading(
                    of: relay, rowSumDifference: lack.rowSumDifference, isExcused: lack.isExcused)
            }
        } else {
            _ = try lacks.noteAltering(of: relay)
        }
    }

    /// The replicas of which writes are missing here because they cannot be opened, or are deletes that wait for an
    /// answer.
    private func excusedReplicas(at relay: ReplicaID) throws(StoreFault) -> Set<ReplicaID> {
        var found = try unopened.replicas(at: relay)
        for (_, clock) in try heldChanges.clocks(of: relay) {
            for entry in clock.entries { found.insert(entry.replica) }
        }
        return found
    }

    /// Takes other devices' requests for writes that they lack although they have read the relay from its start.
    ///
    /// - Returns: the replicas with the counters above which their writes are to be uploaded again. How far the relay has
    ///   this store is forgotten then: a session that is cut short leaves it to the next one.
    private func takeRequests(
        _ request: SummaryRowsRequest
    ) throws(StoreFault) -> [ReplicaID: UInt64] {
        var found: [ReplicaID: UInt64] = [:]
        if request.through == nil { return found }
        for row in request.rows where row.key.replica != knowledge.replica {
            guard case .entry(let theirs, _, let asked?) = row.content,
                asked > RelayLacks.emptyRequest,
                let mine = knowledge.entry(of: theirs.replica),
                // Who has no more than the speaker lacks the same.
                max(mine.seen, mine.counter) > theirs.counter,
                mine.counter != theirs.counter || mine.checksum != theirs.checksum
                    || max(mine.seen, mine.counter) != theirs.seen,
                try lacks.isAnswered(row.hash, at: request.relay)
            else { continue }
            found[theirs.replica] = min(found[theirs.replica] ?? .max, theirs.counter)
        }
        if !found.isEmpty { try outgoing.forgetUploads(to: request.relay) }
        return found
    }

    /// The entries of other devices to join: all that wait, or those that came if nothing is remembered of the relay.
    private func waiting(
        _ request: SummaryRowsRequest, _ lack: RelayLacks.Lack?
    ) throws(StoreFault) -> [SummaryRows.Unsettled] {
        if request.through != nil {
            let missing = try lack == nil ? [] : rows.missing(at: request.relay)
            return try rows.unsettled(at: request.relay) + missing
        }
        return request.rows.compactMap { row in
            guard row.key.replica != knowledge.replica, case .entry(let entry, _, _) = row.content
            else { return nil }
            return SummaryRows.Unsettled(key: row.key, entry: entry)
        }
    }

    /// Takes note of the newest incarnations that other devices know: a device that is set back later learns of its own
    /// from this store.
    private func note(_ rows: [HeardSummaryRow]) {
        for case .entry(let entry, let incarnation?, _) in rows.lazy.compactMap(\.content) {
            // Of writes that this device has not seen nothing can be said.
            guard let number = knowledge.replicas.index(of: entry.replica),
                number != knowledge.ownNumber, knowledge.replicas[number].seen <= entry.seen
            else { continue }
            knowledge.note(incarnation, of: entry.replica, upTo: entry.seen)
        }
    }

    /// Adds what the digests of the other devices tell: which of them have what is here, and whether contents differ.
    private func answer(
        _ joining: Joining, _ request: SummaryRowsRequest, _ differing: [SummaryRowContent]
    ) throws(StoreFault) -> SummaryRowsAnswer {
        let (seen, others) = try compare(request)
        var answer = SummaryRowsAnswer(joining: joining, seen: seen)
        let differing = differing + others
        if differing.isEmpty { return answer }
        answer.joining.isDiverged = true
        if request.through != nil, !joining.isMismatched {
            answer.joining.isRepairDue = try outgoing.noteDifferences(
                differing, at: request.relay, forgetting: checkpoints)
        }
        return answer
    }

    /// How far other devices have this store, and the digests from which contents here differ.
    private func compare(
        _ request: SummaryRowsRequest
    ) throws(StoreFault) -> (seen: [ReplicaID: UInt64], differing: [SummaryRowContent]) {
        var seen: [ReplicaID: UInt64] = [:]
        var differing: [SummaryRowContent] = []
        for (replica, sum, digest) in try digests(request) {
            seen[replica] = try rows.seenThrough(sum)
            if knowledge.differs(fromSum: sum, digest) {
                differing.append(.digests(sum: sum, digest))
            }
        }
        return (seen, differing)
    }

    private func digests(
        _ request: SummaryRowsRequest
    ) throws(StoreFault) -> [(replica: ReplicaID, sum: UInt128, digest: Digest)] {
        if request.through != nil { return try rows.digests(at: request.relay) }
        return request.rows.compactMap { row in
            guard row.key.replica != knowledge.replica,
                case .digests(let sum, let digest) = row.content
            else { return nil }
            return (row.key.replica, sum, digest)
        }
    }
}

/// A question to the store: adopt what devices state of themselves in rows that came through a relay.
package struct SummaryRowsRequest: Hashable, Sendable {
    /// The relay's store of the space.
    package var relay: ReplicaID
    /// How far the relay was read; nil if that is to be forgotten, as some of what came was no device's.
    package var through: Checkpoint?
    /// The rows, opened.
    package var rows: [HeardSummaryRow]
    /// The relay's sum of its rows; nil if rows of this device are on their way, or further ones of the relay.
    package var rowSum: UInt128?
    /// Whether the relay was found to withhold something in this session, and will be read anew.
    package var isReadAnew: Bool
    /// Whether all rows come anew in this run: what is remembered of earlier ones the relay may have lost.
    package var startsOver: Bool
    /// Whether the session reads the relay from its start.
    package var isFromStart: Bool
    /// Whether these are the first rows of a run.
    package var isRunStart: Bool
    /// Whether a run ends with them; else further ones follow, with which they may add up.
    package var isRunEnd: Bool

    /// A question.
    package init(
        relay: ReplicaID, through: Checkpoint?, rows: [HeardSummaryRow], rowSum: UInt128? = nil,
        isReadAnew: Bool = false, startsOver: Bool = false, isFromStart: Bool = false,
        isRunStart: Bool = true, isRunEnd: Bool = true
    ) {
        self.relay = relay
        self.through = through
        self.rows = rows
        self.rowSum = rowSum
        self.isReadAnew = isReadAnew
        self.startsOver = startsOver
        self.isFromStart = isFromStart
        self.isRunStart = isRunStart
        self.isRunEnd = isRunEnd
    }
}

/// The answer to a `SummaryRowsRequest`.
package struct SummaryRowsAnswer: Hashable, Sendable {
    /// The outcome for the rows.
    package var joining: Joining
    /// The last arrival number here up to which a device has everything, by its own word.
    package var seen: [ReplicaID: UInt64] = [:]
    /// The replicas of which others lack writes here, with the counters above which these are to be uploaded again.
    package var uploadingAgain: [ReplicaID: UInt64] = [:]
}

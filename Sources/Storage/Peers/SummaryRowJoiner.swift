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
            if request.startsOver { try rows.forget(request.relay) }
            // Without a checkpoint the relay sends these rows again, so they are not kept.
            if request.through != nil { try rows.keep(request.rows, at: request.relay) }
            note(request.rows)
            let (result, differing) = try joinEntries(request)
            return try answer(result, request, differing)
        }
    }

    /// Whether nothing is to be written: there is no news, and nothing waits.
    private func isSettled(_ request: SummaryRowsRequest) throws(StoreFault) -> Bool {
        guard let through = request.through, request.rows.isEmpty, !request.startsOver else {
            return false
        }
        if let sum = request.rowSum, try rows.sum(at: request.relay) != sum { return false }
        guard try rows.isSettled(at: request.relay),
            try checkpoints.knows(through, summarySequence: nil, of: request.relay),
            try !deleteGuard.isCounting(request.relay), try !refusals.isEnding()
        else { return false }
        return try unopened.isEmpty(at: request.relay)
    }

    /// Joins the entries that wait; gives as well those from which checksums here differ although nothing explains it.
    private func joinEntries(
        _ request: SummaryRowsRequest
    ) throws(StoreFault) -> (Joining, [SummaryRowContent]) {
        let relay = request.relay
        var result = Joining()
        var mismatches = request.through == nil && !request.isReadAnew
        // Writes of these are missing, and it is known why: the relay keeps nothing back, and has nothing more to give.
        let excused = try excusedReplicas(at: relay)
        var forked: Set<ReplicaID>?
        var isExcused = false
        var differing: [SummaryRowContent] = []
        for row in try waiting(request) {
            switch try knowledge.join(row.entry) {
            case .agrees, .undecided: break
            case .learned: result.hasLearned = true
            case .mismatches where excused.contains(row.entry.replica):
                isExcused = true
                continue
            case .mismatches:
                if forked == nil { forked = try forks.replicas() }
                if forked?.contains(row.entry.replica) == true {
                    // Nothing will make it add up but a newer row of the key.
                    try rows.settle(row.key, at: relay)
                } else {
                    mismatches = true
                }
                continue
            }
            if knowledge.contradicts(row.entry) { differing.append(.entry(row.entry, nil)) }
            if knowledge.isSettled(row.entry) { try rows.settle(row.key, at: relay) }
        }
        // A relay that lost rows, or kept some back, has nothing to draw them out by but its sum. Rows of this device
        // that another process states now differ as well until all come anew.
        var isWithheld = mismatches
        if let sum = request.rowSum, request.through != nil, try rows.sum(at: relay) != sum {
            mismatches = true
            if request.startsOver { isWithheld = true }
        }
        if mismatches {
            result.isMismatched = true
            result.isOfRowSumAlone = !isWithheld
            result.isWithheld = try checkpoints.noteMismatch(of: relay) >= 2 && isWithheld
            // With how far the relay was read: what it still has comes again.
            try rows.forget(relay)
        } else if let through = request.through {
            try checkpoints.remember(through, of: relay, isAgreed: !isExcused)
            try deleteGuard.endCounting(relay)
            try refusals.endExchange()
            for settled in try heldChanges.settledPeers() {
                try heldChanges.forget(settled)
                try deleteGuard.forget(settled)
            }
        }
        if !excused.isEmpty { try unopened.forgetKnown(at: relay) }
        return (result, differing)
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

    /// The entries of other devices to join: all that wait, or those that came if nothing is remembered of the relay.
    private func waiting(
        _ request: SummaryRowsRequest
    ) throws(StoreFault) -> [SummaryRows.Unsettled] {
        if request.through != nil { return try rows.unsettled(at: request.relay) }
        return request.rows.compactMap { row in
            guard row.key.replica != knowledge.replica, case .entry(let entry, _) = row.content
            else { return nil }
            return SummaryRows.Unsettled(key: row.key, entry: entry)
        }
    }

    /// Takes note of the newest incarnations that other devices know: a device that is set back later learns of its own
    /// from this store.
    private func note(_ rows: [HeardSummaryRow]) {
        for case .entry(let entry, let incarnation?) in rows.lazy.compactMap(\.content) {
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
    /// Whether all rows come anew: what is remembered of earlier ones the relay may have lost.
    package var startsOver: Bool

    /// A question.
    package init(
        relay: ReplicaID, through: Checkpoint?, rows: [HeardSummaryRow], rowSum: UInt128? = nil,
        isReadAnew: Bool = false, startsOver: Bool = false
    ) {
        self.relay = relay
        self.through = through
        self.rows = rows
        self.rowSum = rowSum
        self.isReadAnew = isReadAnew
        self.startsOver = startsOver
    }
}

/// The answer to a `SummaryRowsRequest`.
package struct SummaryRowsAnswer: Hashable, Sendable {
    /// The outcome for the rows.
    package var joining: Joining
    /// The last arrival number here up to which a device has everything, by its own word.
    package var seen: [ReplicaID: UInt64] = [:]
}

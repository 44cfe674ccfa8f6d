import Core

/// The part of a store that merges changes of a peer.
final class Integrator {
    private let database: Database
    private let knowledge: Knowledge
    private let records: Records
    private let deferred: DeferredChanges
    private let checkpoints: PeerCheckpoints
    private let journal: Journal
    private let deleteGuard: MassDeleteGuard
    private let refusals: DeleteRefusals
    private let copies: Snapshots

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        records = store.records
        deferred = store.deferred
        checkpoints = store.checkpoints
        journal = store.journal
        deleteGuard = store.deleteGuard
        refusals = store.refusals
        copies = store.copies
    }

    /// Merges changes and remembers how far they reach, in one transaction: a crash repeats or
    /// skips nothing.
    ///
    /// A merge that changes nothing gives no new arrival number. A change set that deletes too much is
    /// not merged at all, until `acceptDeletes` has said that it may be.
    ///
    /// - Parameters:
    ///   - checkpoint: how far into the peer's sequence these reach; not remembered while a record is wanted.
    ///   - isRepair: whether records with equal clocks and different contents are united.
    ///   - startsSession: whether it is the first of a session.
    func integrate(
        _ changes: [Change], from peer: ReplicaID, checkpoint: Checkpoint?,
        incarnations: [ChangeBatch.AnnouncedIncarnation], isRepair: Bool, startsSession: Bool
    ) throws(StoreFault) -> Integration {
        var snapshot: String?
        // Twice at most: a snapshot shows the store as it was before.
        while true {
            let (verdict, (merged, arrivals)) = try database.changing(
                deciding: { () throws(StoreFault) -> TransactionEnd<Outcome> in
                    if startsSession { try deleteGuard.beginCounting(peer) }
                    return try records.counting { () throws(StoreFault) in
                        let result = try merge(
                            changes, from: peer, checkpoint, incarnations, isRepair)
                        let arrivals = records.arrivals ?? ArrivalCount()
                        let verdict = try deleteGuard.check(
                            arrivals, from: peer, snapshot: snapshot)
                        let outcome = (verdict, (result, arrivals))
                        guard case .passes = verdict else { return .rollBack(outcome) }
                        return .commit(outcome)
                    }
                })
            switch verdict {
            case .passes: return merged
            case .wantsSnapshot: snapshot = copies.makeIfPossible()
            case .holds(let deleted, let live):
                var result = Integration()
                result.held = try deleteGuard.hold(
                    deleted, of: live, by: arrivals.deleters, from: peer, snapshot: snapshot)
                return result
            }
        }
    }

    private typealias Outcome = (MassDeleteGuard.Verdict, (Integration, ArrivalCount))

    /// Merges changes, inside of a transaction.
    private func merge(
        _ changes: [Change], from peer: ReplicaID, _ checkpoint: Checkpoint?,
        _ incarnations: [ChangeBatch.AnnouncedIncarnation], _ isRepair: Bool
    ) throws(StoreFault) -> Integration {
        var result = Integration()
        let first = knowledge.sequence
        var expectsNew = true
        let named = try replicas(in: changes)
        note(incarnations, of: changes, named, from: peer)
        for change in changes {
            try integrate(change, isRepair, &expectsNew, &result)
        }
        if let checkpoint, result.wanted.isEmpty {
            try checkpoints.remember(checkpoint, of: peer)
        }
        result.arrivals = first...knowledge.sequence
        return result
    }

    /// Notes to which incarnations the writes in changes belong, before they are there.
    private func note(
        _ incarnations: [ChangeBatch.AnnouncedIncarnation], of changes: [Change],
        _ named: Set<ReplicaID>,
        from peer: ReplicaID
    ) {
        var last = VersionVector()
        for change in changes { last.join(change.clock) }
        for incarnation in incarnations
        where named.contains(incarnation.replica)
            || knowledge.replicas.index(of: incarnation.replica) != nil
        {
            // They belong to it or to older ones, but later writes may be here already; only the
            // writer itself knows of no newer one at all.
            let counter =
                incarnation.replica == peer ? UInt64.max : last.counter(of: incarnation.replica)
            knowledge.note(incarnation.start, of: incarnation.replica, upTo: counter)
        }
        let told = Set(incarnations.map(\.replica))
        for entry in last.entries
        where entry.replica != knowledge.replica && !told.contains(entry.replica) {
            knowledge.suspectIncarnation(of: entry.replica, before: entry.counter)
        }
    }

    /// Tries deferred changes again: this version may read what an older one could not.
    func retryDeferred() throws(StoreFault) {
        let ready = try deferred.ready()
        if ready.isEmpty { return }
        try database.changing { () throws(StoreFault) in
            for item in ready { try deferred.remove(item) }
            var result = Integration()
            for item in ready { try integrateAgain(item.change, &result) }
        }
    }

    /// Merges a change that was deferred until now.
    func integrateAgain(_ change: Change, _ result: inout Integration) throws(StoreFault) {
        var expectsNew = false
        try integrate(change, false, &expectsNew, &result)
    }

    // MARK: One change

    /// - Parameter expectsNew: whether the last change was a record not seen before: then the next is
    ///   tried as one first, which saves looking it up.
    private func integrate(
        _ change: Change, _ isRepair: Bool, _ expectsNew: inout Bool,
        _ result: inout Integration
    ) throws(StoreFault) {
        // A dot of this replica that it never gave: from here on two writes could get the same one.
        let isForeign = change.clock.counter(of: knowledge.replica) > knowledge.counter
        if isForeign { throw .foreignOwnWrites }
        let record: RecordState
        do throws(WireFault) {
            record = try change.record()
        } catch {
            if try records.find(change.name)?.record.clock.covers(change.clock) == true { return }
            let reason: DeferralReason =
                error == .outOfRange(.collection)
                ? .otherCollection : .unreadable(detail: "\(error)")
            if try deferred.add(change, because: reason) { result.deferredCount += 1 }
            return
        }
        let isWhole = !record.hasElidedValue
        if expectsNew, isWhole, try insert(change, record, &result) { return }
        guard let old = try records.find(change.name) else {
            guard isWhole else {
                result.wanted.append(change.name)
                return
            }
            expectsNew = true
            _ = try insert(change, record, &result)
            return
        }
        expectsNew = false
        try merge(change, record, into: old, isRepair, &result)
    }

    /// Puts a record that is new here in its table.
    ///
    /// - Returns: false if it is there.
    private func insert(
        _ change: Change, _ record: RecordState, _ result: inout Integration
    ) throws(StoreFault) -> Bool {
        let isPut = try records.put(
            change.name, record, replacing: nil, body: change.body, insertsOnly: true)
        guard isPut else { return false }
        try deferred.dropSuperseded(change.name, by: change.clock)
        result.changedCount += 1
        return true
    }

    private func merge(
        _ change: Change, _ incoming: RecordState, into old: Record, _ isRepair: Bool,
        _ result: inout Integration
    ) throws(StoreFault) {
        let merged =
            isRepair && RecordMerge.canUnite(old.record, incoming)
            ? united(old.record, incoming, of: change.name)
            : RecordMerge.merged(old.record, incoming)
        if merged.hasElidedValue {
            result.wanted.append(change.name)
        } else if merged != old.record {
            try records.put(change.name, merged, replacing: old)
            if try refusals.note(merged, replacing: old) { records.forgetDelete() }
            try journal.note(merge: incoming, into: old, giving: merged)
            try deferred.dropSuperseded(change.name, by: merged.clock)
            result.changedCount += 1
        }
    }

    /// Both sides' assignments; nothing is lost while the space has room for recovered ids.
    private func united(
        _ old: RecordState, _ incoming: RecordState, of name: RecordName
    ) -> RecordState {
        RecordMerge.united(old, incoming) { dot, assignment in
            let recoveredID = knowledge.hash.recoveredID(of: name, dot, assignment)
            return knowledge.hasRoomForStrangers || knowledge.replicas.index(of: recoveredID) != nil
                ? recoveredID : nil
        }
    }

    /// The replicas in the clocks of changes; refused if the table of replicas would grow over its limit,
    /// as the store could not state what it has any more.
    private func replicas(in changes: [Change]) throws(StoreFault) -> Set<ReplicaID> {
        var named: Set<ReplicaID> = []
        for change in changes { for entry in change.clock.entries { named.insert(entry.replica) } }
        let known = knowledge.replicas
        let newCount = named.count { known.index(of: $0) == nil }
        if known.entries.count + newCount > WireLimits.replicaCountMax {
            throw .overLimit(.replicas, max: WireLimits.replicaCountMax)
        }
        return named
    }
}

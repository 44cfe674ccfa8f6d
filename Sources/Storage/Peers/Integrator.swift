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
    private let takeBacks: TakeBackMarks
    private let origins: ReplicaOrigins
    private let unopened: UnopenedVersions
    private let heldChanges: HeldChanges
    private let revokedKeys: RevokedKeys
    private let purgedCopies: PurgedCopies
    private let copies: Snapshots
    /// The peer whose deletes the merge that goes on sets aside, and their makers so far; nil if it sets none aside.
    private var holding: (peer: ReplicaID, deleters: VersionVector)?

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        records = store.records
        deferred = store.deferred
        checkpoints = store.checkpoints
        journal = store.journal
        deleteGuard = store.deleteGuard
        refusals = store.refusals
        takeBacks = store.takeBacks
        origins = store.origins
        heldChanges = store.heldChanges
        revokedKeys = store.revokedKeys
        purgedCopies = store.purgedCopies
        copies = store.copies
        unopened = store.unopened
    }

    /// Merges changes and remembers how far they reach, in one transaction: a crash repeats or
    /// skips nothing.
    ///
    /// A merge that changes nothing gives no new arrival number. A change set that deletes too much is
    /// not merged at all, until `acceptDeletes` has said that it may be.
    ///
    /// - Parameters:
    ///   - checkpoint: how far into the peer's sequence these reach; not remembered while a record is wanted.
    ///   - isRepair: whether two pasts of one replica may meet: records with equal clocks and different contents
    ///     are united, and one that is ahead of another takes its place.
    ///   - startsSession: whether it is the first of a session.
    ///   - relayed: what else there is to know of a batch of a relay.
    ///   - mergesUnheld: whether deletes that are held are set aside, and the rest is merged.
    func integrate(
        _ changes: [Change], from peer: ReplicaID, checkpoint: Checkpoint?,
        incarnations: [ChangeBatch.AnnouncedIncarnation], isRepair: Bool, startsSession: Bool,
        relayed: RelayedBatch, mergesUnheld: Bool
    ) throws(StoreFault) -> Integration {
        // One by one, deletes would pass behind those that are held.
        if mergesUnheld, try deleteGuard.holdsDeletes(of: peer) {
            return try integrateRest(
                changes, from: peer, checkpoint, incarnations, isRepair, relayed)
        }
        let result = try guarded(from: peer, startsSession: startsSession) {
            () throws(StoreFault) in
            try merge(changes, from: peer, checkpoint, incarnations, isRepair, relayed)
        }
        if result.held == nil || !mergesUnheld { return result }
        return try integrateRest(changes, from: peer, checkpoint, incarnations, isRepair, relayed)
    }

    /// Merges in a transaction, unless that would delete too much: then nothing is merged, and the answer has what is held.
    private func guarded(
        from peer: ReplicaID, startsSession: Bool = false,
        _ merge: () throws(StoreFault) -> Integration
    ) throws(StoreFault) -> Integration {
        var snapshot: String?
        // Twice at most: a snapshot shows the store as it was before.
        while true {
            let (verdict, (merged, arrivals)) = try database.changing(
                deciding: { () throws(StoreFault) -> TransactionEnd<Outcome> in
                    if startsSession { try deleteGuard.beginCounting(peer) }
                    return try records.counting { () throws(StoreFault) in
                        let result = try merge()
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
                    deleted, of: live, by: arrivals.deleters, examples: arrivals.examples,
                    from: peer, snapshot: snapshot)
                return result
            }
        }
    }

    private typealias Outcome = (MassDeleteGuard.Verdict, (Integration, ArrivalCount))

    // MARK: Deletes that are set aside

    /// Merges changes, but for those that would delete a record: these are set aside until somebody answers.
    private func integrateRest(
        _ changes: [Change], from peer: ReplicaID, _ checkpoint: Checkpoint?,
        _ incarnations: [ChangeBatch.AnnouncedIncarnation], _ isRepair: Bool,
        _ relayed: RelayedBatch
    ) throws(StoreFault) -> Integration {
        holding = (peer, VersionVector())
        defer { holding = nil }
        var result = try database.changing { () throws(StoreFault) in
            try merge(changes, from: peer, checkpoint, incarnations, isRepair, relayed)
        }
        result.hasMergedUnheld = true
        result.held = try deleteGuard.holdUnmerged(
            try heldChanges.count(of: peer), of: records.counts.liveCount,
            by: holding?.deleters ?? VersionVector(), from: peer)
        return result
    }

    /// Sets a change aside that would delete a record, or purge one in the trash, if deletes of its peer are.
    private func keepsHeld(
        _ change: Change, giving merged: RecordState, replacing old: Record
    ) throws(StoreFault) -> Bool {
        guard let peer = holding?.peer, old.collection != .devices else { return false }
        let verdict = knowledge.deletionRule.verdict(on: merged)
        let isPurge = old.standing == .trashed && verdict.isPurged
        guard isPurge || !old.verdict.isDeleted && verdict.isDeleted else { return false }
        if try refusals.covers(merged) { return false }
        if try takeBacks.covers(merged, replacing: old) { return false }
        if isPurge, try refusals.coversPurge(merged, replacing: old) { return false }
        try heldChanges.add(change, from: peer)
        holding?.deleters.join(merged.deleters)
        return true
    }

    /// Merges the changes of a peer that were set aside, as their deletes were answered.
    func integrateHeld(_ held: HeldDeletes) throws(StoreFault) {
        guard try preparesHeld(held) else { return }
        try database.changing { () throws(StoreFault) in
            try deleteGuard.useUp(try heldChanges.count(of: held.peer), of: held.peer)
            try mergeHeld(held)
        }
    }

    /// Takes a snapshot before the changes of a peer that were set aside are merged, unless there is one.
    ///
    /// - Returns: whether any were.
    func preparesHeld(_ held: HeldDeletes) throws(StoreFault) -> Bool {
        if try heldChanges.count(of: held.peer) == 0 { return false }
        if held.snapshot.isEmpty { _ = copies.makeIfPossible() }
        return true
    }

    /// Merges them in a transaction that goes on.
    func mergeHeld(_ held: HeldDeletes) throws(StoreFault) {
        var result = Integration()
        for change in try heldChanges.changes(of: held.peer) {
            // Whatever it was when they came: of two with one clock a merge would keep the first alone.
            var expectsNew = false
            try integrate(change, true, &expectsNew, &result)
        }
        try heldChanges.forget(held.peer)
    }

    /// Holds deletes that were set aside, and of which it is not known any more that they are held.
    private func holdAgain() throws(StoreFault) {
        for peer in try heldChanges.peers() where try !deleteGuard.holdsDeletes(of: peer) {
            var deleters = VersionVector()
            for change in try heldChanges.changes(of: peer) {
                if let record = try? change.record() { deleters.join(record.deleters) }
            }
            _ = try deleteGuard.holdUnmerged(
                try heldChanges.count(of: peer), of: records.counts.liveCount, by: deleters,
                from: peer)
        }
    }

    /// Merges changes, inside of a transaction.
    private func merge(
        _ changes: [Change], from peer: ReplicaID, _ checkpoint: Checkpoint?,
        _ incarnations: [ChangeBatch.AnnouncedIncarnation], _ isRepair: Bool,
        _ relayed: RelayedBatch
    ) throws(StoreFault) -> Integration {
        var result = Integration()
        let first = knowledge.sequence
        var expectsNew = true
        let named = try replicas(in: changes, from: peer)
        note(incarnations, of: changes, named, from: peer)
        for change in changes {
            let count = result.changedCount
            try integrate(change, isRepair, &expectsNew, &result)
            // It may have room now.
            if result.changedCount > count, knowledge.deferredClocks[change.name] != nil {
                let ready = try deferred.ready(of: change.name)
                try deferred.note(ready)
                try integrateAgain(ready, &result)
            }
        }
        if let checkpoint, result.wanted.isEmpty {
            try checkpoints.remember(checkpoint, of: peer)
        }
        result.arrivals = first...knowledge.sequence
        try note(relayed, of: changes, from: peer)
        return result
    }

    /// Remembers the versions of a relay that could not be opened, and forgets those that are not missed any more.
    private func note(
        _ relayed: RelayedBatch, of changes: [Change], from relay: ReplicaID
    ) throws(StoreFault) {
        if !relayed.unopened.isEmpty { try unopened.remember(relayed.unopened, at: relay) }
        if relayed.names.isEmpty { return }
        if try unopened.isEmpty(at: relay) { return }
        var records: [(relayName: RecordName, clock: VersionVector)] = []
        for (relayName, change) in zip(relayed.names, changes) {
            guard let record = try self.records.find(change.name)?.record else { continue }
            records.append((relayName, record.clock))
        }
        try unopened.forget(records, at: relay)
    }

    /// Notes to which incarnations the writes in changes belong, before they are there.
    private func note(
        _ incarnations: [ChangeBatch.AnnouncedIncarnation], of changes: [Change],
        _ named: Set<ReplicaID>,
        from peer: ReplicaID
    ) {
        let last = VersionVector(unsorted: changes.flatMap(\.clock.entries))
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
    ///
    /// If they would delete too much they stay deferred until somebody has answered, as deletes of the device that wrote
    /// the first of them.
    func retryDeferred() throws(StoreFault) {
        try holdAgain()
        let ready = try deferred.ready()
        if !ready.tried.isEmpty {
            try database.changing { () throws(StoreFault) in try deferred.note(ready) }
        }
        guard let first = ready.sequences.first, let item = try deferred.item(first) else { return }
        let own = knowledge.replica
        let author = try? item.change.record().writes.last { $0.dot.replica != own }
        _ = try guarded(from: author?.dot.replica ?? own) { () throws(StoreFault) in
            var result = Integration()
            try integrateAgain(ready, &result)
            return result
        }
    }

    /// Merges changes that were deferred until now, by their arrival numbers.
    private func integrateAgain(
        _ ready: DeferredChanges.Ready, _ result: inout Integration
    ) throws(StoreFault) {
        for sequence in ready.sequences {
            guard let item = try deferred.item(sequence) else { continue }
            try deferred.remove(item)
            try integrateAgain(item.change, &result)
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
        let canBeNew = isWhole && record.isShortEnough(bodyByteCount: change.body.count)
        if expectsNew, canBeNew, try insert(change, record, &result) { return }
        guard let old = try records.find(change.name) else {
            guard isWhole else {
                result.wanted.append(change.name)
                return
            }
            guard canBeNew else { return try deferOverLimit(change, &result) }
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

    private func deferOverLimit(
        _ change: Change, _ result: inout Integration
    ) throws(StoreFault) {
        if try deferred.add(change, because: .overLimit) { result.deferredCount += 1 }
    }

    private func merge(
        _ change: Change, _ incoming: RecordState, into old: Record, _ isRepair: Bool,
        _ result: inout Integration
    ) throws(StoreFault) {
        let merged =
            isRepair
            ? repaired(old.record, incoming, of: change.name)
            : RecordMerge.merged(old.record, incoming)
        if merged.hasElidedValue {
            result.wanted.append(change.name)
        } else if merged != old.record {
            let body = BodyCodec.encode(merged, in: change.name.collection)
            let fits = merged.isWithinLimits(
                bodyByteCount: body.count, replacing: old.record, in: change.name.collection)
            guard fits else {
                // Somebody could not be sent it. It is kept beside what is there, and tried again when that has room; whole, as
                // it is passed on to others.
                if incoming.hasElidedValue { return result.wanted.append(change.name) }
                return try deferOverLimit(change, &result)
            }
            if try keepsHeld(change, giving: merged, replacing: old) { return }
            try records.put(change.name, merged, replacing: old, body: body)
            if try refusals.note(merged, replacing: old) {
                records.forgetDelete(of: old.name)
            } else if try takeBacks.covers(merged, replacing: old) {
                records.forgetDelete(of: old.name)
            }
            try revokedKeys.note(merged, replacing: old)
            try noteCopy(of: old, givingWayTo: merged)
            try journal.note(merge: incoming, into: old, giving: merged)
            try deferred.dropSuperseded(change.name, by: merged.clock)
            result.changedCount += 1
        }
    }

    /// Notes the copy of values that were kept of a purged record, and of which a purge lets go.
    private func noteCopy(of old: Record, givingWayTo merged: RecordState) throws(StoreFault) {
        guard old.standing == .editedAfterPurge, merged.heldValues.writes.isEmpty else { return }
        let copy = old.name.copy(of: old.record)
        if try records.find(copy) != nil { try purgedCopies.note(copy, of: old.name) }
    }

    /// A record and the incoming one, as a full exchange leaves them on both sides.
    private func repaired(
        _ old: RecordState, _ incoming: RecordState, of name: RecordName
    ) -> RecordState {
        RecordMerge.repaired(old, incoming) { knowledge.hash.recoveredID(of: name, $0, $1) }
    }

    /// The replicas in the clocks of changes; notes which peer brought those that are new here.
    private func replicas(
        in changes: [Change], from peer: ReplicaID
    ) throws(StoreFault) -> Set<ReplicaID> {
        var named: Set<ReplicaID> = []
        for change in changes { for entry in change.clock.entries { named.insert(entry.replica) } }
        let new = named.filter { knowledge.replicas.index(of: $0) == nil }
        // The records of a rekey message are integrated in this replica's own name.
        if peer != knowledge.replica { try origins.note(new.sorted(), from: peer) }
        return named
    }
}

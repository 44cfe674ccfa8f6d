import Core

/// Changes from a peer.
extension Store {
    /// What came of a change set.
    package struct Integration: Hashable, Sendable {
        /// Records of which a value that was left out is missing here.
        package var wanted: [RecordID] = []
        /// How many records changed.
        package var changedCount = 0
        /// How many changes could not be read and were set aside.
        package var parkedCount = 0
        /// Deletes that are held: then nothing of the change set was merged.
        package var held: HeldDeletes?
        /// The store's last arrival numbers, before and after.
        package var arrivals: ClosedRange<UInt64>?
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
    package func integrate(
        _ changes: [Change], from peer: ReplicaID, checkpoint: Checkpoint?,
        openings: [ChangeBatch.Opening] = [], isRepair: Bool = false, startsSession: Bool = false
    ) throws(StoreFault) -> Integration {
        if PlantedFault.checkpointAheadOfChanges.isPlanted, let checkpoint {
            try changing { () throws(StoreFault) in try remember(checkpoint, of: peer) }
        }
        var snapshot: String?
        // Twice at most: a snapshot shows the store as it was before.
        while true {
            var verdict = BrakeVerdict.passes
            do throws(StoreFault) {
                return try changing { () throws(StoreFault) in
                    if startsSession { try beginCounting(peer) }
                    arrivals = ArrivalCount()
                    defer { arrivals = nil }
                    let result = try merge(changes, from: peer, checkpoint, openings, isRepair)
                    if let arrivals {
                        verdict = try weigh(arrivals, from: peer, snapshot: snapshot)
                    }
                    guard case .passes = verdict else { throw .closed }
                    return result
                }
            } catch {
                switch verdict {
                case .passes: throw error
                case .wantsSnapshot: snapshot = snapshotIfPossible()
                case .holds(let deleted, let live):
                    var result = Integration()
                    result.held = try hold(deleted, of: live, from: peer, snapshot: snapshot)
                    return result
                }
            }
        }
    }

    /// Merges changes, inside of a transaction.
    private func merge(
        _ changes: [Change], from peer: ReplicaID, _ checkpoint: Checkpoint?,
        _ openings: [ChangeBatch.Opening], _ isRepair: Bool
    ) throws(StoreFault) -> Integration {
        var result = Integration()
        let first = state.sequence
        var expectsNew = true
        let named = try replicas(in: changes)
        note(openings, of: changes, named, from: peer)
        for change in changes {
            try integrate(change, isRepair, &expectsNew, &result)
        }
        if let checkpoint, result.wanted.isEmpty { try remember(checkpoint, of: peer) }
        if PlantedFault.knowledgeJoinedWithEveryBatch.isPlanted { joinClocks(of: changes) }
        if PlantedFault.tombstonesExpire.isPlanted { try sweepTombstones() }
        result.arrivals = first...state.sequence
        return result
    }

    /// Notes to which openings the writes in changes belong, before they are there.
    private func note(
        _ openings: [ChangeBatch.Opening], of changes: [Change], _ named: Set<ReplicaID>,
        from peer: ReplicaID
    ) {
        var last = VersionVector()
        for change in changes { last.join(change.clock) }
        for opening in openings
        where named.contains(opening.replica) || state.replicas.place(of: opening.replica) != nil {
            // They belong to it or to older ones, but later writes may be here already; only the
            // writer itself knows of no newer one at all.
            let counter =
                opening.replica == peer ? UInt64.max : last.counter(of: opening.replica)
            state.replicas.note(opening.start, of: opening.replica, upTo: counter)
        }
        let told = Set(openings.map(\.replica))
        for entry in last.entries
        where entry.replica != state.replica && !told.contains(entry.replica) {
            state.replicas.doubtOpening(of: entry.replica, before: entry.counter)
        }
    }

    /// Merges a change that was set aside until now.
    func integrateAgain(_ change: Change, _ result: inout Integration) throws(StoreFault) {
        var expectsNew = false
        try integrate(change, false, &expectsNew, &result)
    }

    /// - Parameter expectsNew: whether the last change was a record not seen before: then the next is
    ///   tried as one first, which saves looking it up.
    private func integrate(
        _ change: Change, _ isRepair: Bool, _ expectsNew: inout Bool, _ result: inout Integration
    ) throws(StoreFault) {
        // A dot of this replica that it never gave: from here on two writes could get the same one.
        let isForeign = change.clock.counter(of: state.replica) > state.counter
        if isForeign, !PlantedFault.ownWritesTaken.isPlanted { throw .foreignOwnWrites }
        let decoded: (collection: CollectionID, record: Record)
        do throws(WireFault) {
            decoded = try BodyCodec.decode(change.body, clock: change.clock)
        } catch {
            if PlantedFault.badRecordSkipped.isPlanted { return }
            if try find(change.id)?.record.clock.covers(change.clock) == true { return }
            if try park(change, because: "\(error)") { result.parkedCount += 1 }
            return
        }
        let place = place(of: decoded.collection)
        let isWhole = !decoded.record.hasElidedValue
        if try isElsewhere(change.id, than: place) {
            if !isWhole {
                result.wanted.append(change.id)
            } else if try park(change, because: "its id is in another collection") {
                result.parkedCount += 1
            }
            return
        }
        if expectsNew, isWhole {
            let isPut = try put(
                change.id, decoded.collection, decoded.record, replacing: nil, body: change.body,
                insertsOnly: true)
            if isPut {
                try dropSuperseded(change.id, by: change.clock)
                result.changedCount += 1
                return
            }
        }
        guard let old = try find(change.id, in: place) else {
            guard isWhole else {
                result.wanted.append(change.id)
                return
            }
            expectsNew = true
            try put(
                change.id, decoded.collection, decoded.record, replacing: nil, body: change.body)
            try dropSuperseded(change.id, by: change.clock)
            result.changedCount += 1
            return
        }
        expectsNew = false
        try merge(change, decoded.record, into: old, isRepair, &result)
    }

    private func merge(
        _ change: Change, _ incoming: Record, into old: StoredRecord, _ isRepair: Bool,
        _ result: inout Integration
    ) throws(StoreFault) {
        let isUnited = isRepair && !PlantedFault.repairOnlyMerges.isPlanted
        let merged =
            isUnited && RecordMerge.canUnite(old.record, incoming)
            ? united(old.record, incoming, of: change.id)
            : RecordMerge.merged(old.record, incoming)
        if merged.hasElidedValue {
            result.wanted.append(change.id)
        } else if merged != old.record || PlantedFault.sequenceWithoutChange.isPlanted {
            try put(change.id, old.collection, merged, replacing: old)
            try journal(merge: incoming, into: old, giving: merged)
            try dropSuperseded(change.id, by: merged.clock)
            result.changedCount += 1
        }
    }

    /// Both sides' assignments; nothing is lost while the space has room for the ids of twins.
    private func united(_ old: Record, _ incoming: Record, of id: RecordID) -> Record {
        RecordMerge.united(old, incoming) { dot, assignment in
            let twin = state.hash.twin(of: id, dot, assignment)
            let hasRoom = state.replicas.entries.count < Self.strangerCountMax
            return hasRoom || state.replicas.place(of: twin) != nil ? twin : nil
        }
    }

    /// Whether an id is in use in another collection than the one of `place`.
    ///
    /// Collections other than to-dos are small: devices, and what comes from newer versions. The ids of
    /// small ones are held in memory.
    func isElsewhere(_ id: RecordID, than place: Int) throws(StoreFault) -> Bool {
        for other in collections.indices where other != place {
            if let small = try smallCollections.ids(of: other, on: self) {
                if small.contains(id) { return true }
                continue
            }
            let row = try connection.statement(collections[other].statements.exists)
            lookupCount += 1
            row.bind(1, identifier: id.value)
            defer { row.reset() }
            if try row.step() { return true }
        }
        return false
    }

    /// The replicas in the clocks of changes; refused if the table of replicas would grow over its limit,
    /// as the store could not state what it has any more.
    private func replicas(in changes: [Change]) throws(StoreFault) -> Set<ReplicaID> {
        var named: Set<ReplicaID> = []
        for change in changes { for entry in change.clock.entries { named.insert(entry.replica) } }
        let newCount = named.count { state.replicas.place(of: $0) == nil }
        if state.replicas.entries.count + newCount > WireLimits.replicaCountMax {
            throw .overLimit("the replicas of a space", max: WireLimits.replicaCountMax)
        }
        return named
    }

    /// Strangers that greet and write nothing, and twins, may fill the table of replicas up to here.
    static let strangerCountMax = WireLimits.replicaCountMax / 2

    /// The small number of a peer that is to be remembered; nil if too many strangers were.
    func placeOfPeer(_ peer: ReplicaID) -> Int? {
        if state.replicas.entries.count >= Self.strangerCountMax {
            return state.replicas.place(of: peer)
        }
        return state.replicas.placeOrNew(of: peer)
    }

    /// Remembers how far a peer was read.
    ///
    /// - Parameter settles: whether the peer's statement agreed as well, which ends a suspicion.
    func remember(
        _ checkpoint: Checkpoint, of peer: ReplicaID, settles: Bool = false
    )
        throws(StoreFault)
    {
        guard let place = placeOfPeer(peer) else { return }
        let row = try connection.statement(
            """
            INSERT INTO checkpoint VALUES (?1, ?2, ?3, 0, ?4)
            ON CONFLICT(replica) DO UPDATE SET epoch = ?2, sequence = ?3, last_contact = ?4,
                mismatches = CASE WHEN ?5 THEN 0 ELSE mismatches END
            """)
        row.bind(1, Int64(place))
        row.bind(2, checkpoint.epoch.value)
        row.bind(3, checkpoint.sequence)
        row.bind(4, environment.wallMilliseconds())
        row.bind(5, settles ? Int64(1) : 0)
        try row.run()
    }
}

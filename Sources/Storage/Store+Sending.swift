import Core

/// Changes for a peer, and what this store states of itself.
extension Store {
    /// What a session needs to greet.
    package struct Introduction: Hashable, Sendable {
        /// The space.
        package var space: SpaceID
        /// The space's rule.
        package var policy: DeletePolicy
        /// This replica.
        package var replica: ReplicaID
        /// The opening in which it speaks.
        package var opening: EpochStart
        /// What it has.
        package var statement: Statement
        /// The last arrival number.
        package var sequence: UInt64
        /// What it remembers of the peer that was asked about.
        package var recollection: Recollection?
        /// Whether a full exchange with that peer is due.
        package var isRepairDue = false
    }

    /// What was read for a peer.
    package struct Reading: Hashable, Sendable {
        /// The records that were asked for whole.
        package var wanted: [Change] = []
        /// The changes, in order of arrival.
        package var changes: [Change] = []
        /// How far was read.
        package var through: Checkpoint
        /// The newest known openings of the replicas in the changes' clocks.
        package var openings: [ChangeBatch.Opening] = []
        /// What the store has, if nothing was left after `through` in the same transaction.
        package var statement: Statement?
    }

    /// Where to begin to read.
    package enum ReadStart: Hashable, Sendable {
        /// Where a peer's checkpoint says.
        case checkpoint(Checkpoint?)
        /// After what a relay has: by its own word and by the store's memory, whichever is less. What the
        /// relay was told may be of another past of this device.
        case uploaded(to: ReplicaID, told: Checkpoint?)
        /// After what was fetched from a relay, where that is known; what it lacks of it is read first, whole.
        case fetched(from: ReplicaID)
        /// After an arrival number.
        case sequence(UInt64)
    }

    /// Who this store is and what it has, for a greeting; all of it is on the disk when this returns.
    package func introduction(to peer: ReplicaID?) throws(StoreFault) -> Introduction {
        try speaking { () throws(StoreFault) in
            var result = Introduction(
                space: state.space, policy: state.policy, replica: state.replica,
                opening: state.opening, statement: state.statement, sequence: state.sequence)
            if let peer { try recall(peer, &result) }
            return result
        }
    }

    private func recall(_ peer: ReplicaID, _ result: inout Introduction) throws(StoreFault) {
        var found = Recollection(peer: peer, checkpoint: nil, counter: 0, epoch: nil)
        defer { result.recollection = found }
        guard let place = state.replicas.place(of: peer) else { return }
        let entry = state.replicas[place]
        let isInNewest = entry.opening.map { $0.counter < entry.seen } ?? false
        let row = try connection.statement(
            "SELECT epoch, sequence, mismatches FROM checkpoint WHERE replica = ?")
        row.bind(1, Int64(place))
        defer { row.reset() }
        var checkpoint: Checkpoint?
        if try row.step() {
            if row.unsigned(0) != 0 {
                checkpoint = Checkpoint(
                    epoch: EpochID(value: row.unsigned(0)), sequence: row.unsigned(1))
            }
            result.isRepairDue = Self.isRepairDue(mismatches: row.int(2))
        }
        found = Recollection(
            peer: peer, checkpoint: checkpoint, counter: entry.seen,
            epoch: isInNewest ? entry.opening?.epoch : nil)
    }

    /// Reads the next changes that a peer may lack; every dot in them is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - peerHas: records whose clock this covers are passed over; values under it are left out.
    ///   - wanted: records to read whole, out of turn.
    ///   - isFull: whether every record is read, whole.
    ///   - byteCountMax: the most bytes of bodies; a single longer one is read alone.
    package func read(
        from start: ReadStart, peerHas: VersionVector, wanted: [RecordID] = [],
        isFull: Bool = false, byteCountMax: Int = WireLimits.batchByteCountMax
    ) throws(StoreFault) -> Reading {
        try speaking { () throws(StoreFault) in
            var (start, wanted) = (start, wanted)
            if case .fetched(let relay) = start {
                let fetched = takeFetched(from: relay)
                start = .checkpoint(fetched?.through)
                wanted += fetched?.lacking.sorted() ?? []
            }
            var result = Reading(
                through: Checkpoint(epoch: state.opening.epoch, sequence: try sequence(start)))
            for id in wanted {
                if let stored = try find(id) { result.wanted.append(change(stored, known: nil)) }
            }
            try readOn(&result, peerHas: isFull ? nil : peerHas, byteCountMax: byteCountMax)
            result.openings = openings(of: result.changes + result.wanted)
            return result
        }
    }

    /// Where a checkpoint of a peer leads: to no more than the end of its epoch; to the start if unknown.
    private func sequence(_ start: ReadStart) throws(StoreFault) -> UInt64 {
        switch start {
        case .sequence(let sequence): return sequence
        case .checkpoint(nil): return 0
        case .uploaded(_, nil), .fetched: return 0
        case .uploaded(let relay, let told):
            let remembered = try uploadMark(at: relay)
            return min(try sequence(.checkpoint(told)), try sequence(.checkpoint(remembered)))
        case .checkpoint(let checkpoint?):
            if PlantedFault.checkpointWithoutEpoch.isPlanted {
                return min(checkpoint.sequence, state.sequence)
            }
            guard let place = state.epochs.firstIndex(where: { $0.id == checkpoint.epoch }) else {
                return 0
            }
            let isLast = place + 1 == state.epochs.count
            let end = isLast ? state.sequence : state.epochs[place + 1].firstSequence
            return min(checkpoint.sequence, end)
        }
    }

    /// The most rows that one reading looks at.
    private static let rowCountMax = 4096

    private func readOn(
        _ result: inout Reading, peerHas: VersionVector?, byteCountMax: Int
    )
        throws(StoreFault)
    {
        var feeds: [RowFeed] = []
        for place in collections.indices {
            feeds.append(try RowFeed(self, place: place, after: result.through.sequence))
        }
        if !PlantedFault.parkedNotForwarded.isPlanted {
            feeds.append(try RowFeed(parkedOf: self, after: result.through.sequence))
        }
        defer { for feed in feeds { feed.close() } }
        var byteCount = 0
        for _ in 0..<Self.rowCountMax {
            var next: RowFeed?
            for feed in feeds where feed.sequence != nil {
                if let best = next?.sequence, let mine = feed.sequence, best <= mine { continue }
                next = feed
            }
            guard let next, let sequence = next.sequence else {
                result.through = Checkpoint(epoch: state.opening.epoch, sequence: state.sequence)
                result.statement = state.statement
                return
            }
            if let change = try next.change(peerHas: peerHas) {
                if byteCount > 0, byteCount + change.body.count > byteCountMax { return }
                byteCount += change.body.count + change.clock.entries.count * 8 + 32
                result.changes.append(change)
            }
            result.through = Checkpoint(epoch: state.opening.epoch, sequence: sequence)
            if result.changes.count == WireLimits.changesPerBatchMax { return }
            try next.advance()
        }
    }

    /// A record as it is sent; of writes that `known` covers the values are left out.
    func change(_ stored: StoredRecord, known: VersionVector?) -> Change {
        Change(
            id: stored.id, clock: stored.record.clock,
            body: BodyCodec.encode(stored.record, in: stored.collection, known: known))
    }

    /// The newest opening known of every replica whose writes are here.
    package func newestOpenings() throws(StoreFault) -> [ChangeBatch.Opening] {
        try reading { () throws(StoreFault) in
            state.replicas.entries.filter { $0.seen > 0 || $0.counter > 0 }
                .compactMap { entry in
                    let isOwn = entry.replica == state.replica
                    return (isOwn ? state.opening : entry.opening).map {
                        ChangeBatch.Opening(replica: entry.replica, start: $0)
                    }
                }
                .sorted { $0.replica < $1.replica }
        }
    }

    /// The newest opening of every replica in the clocks of changes, none where none is known.
    private func openings(of changes: [Change]) -> [ChangeBatch.Opening] {
        var replicas: Set<ReplicaID> = []
        for change in changes {
            for entry in change.clock.entries { replicas.insert(entry.replica) }
        }
        return replicas.sorted().map { replica in
            // The hello named an opening of this replica, but another process may have begun a later one.
            if replica == state.replica {
                return ChangeBatch.Opening(replica: replica, start: state.opening)
            }
            let place = state.replicas.place(of: replica)
            let start = place.flatMap { state.replicas[$0].opening }
            return ChangeBatch.Opening(replica: replica, start: start ?? .none)
        }
    }
}

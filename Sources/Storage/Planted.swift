import Core

// Broken variants of this module's rules, for `PlantedFault`; release builds have none of them.

extension Store {
    /// Takes everything that changes have seen for known.
    func joinClocks(of changes: [Change]) {
        for change in changes {
            for entry in change.clock.entries where entry.replica != state.replica {
                raise(entry.replica, to: entry.counter)
            }
        }
    }

    /// Believes statements.
    package func believe(_ statements: [Statement]) throws(StoreFault) {
        try changing { () throws(StoreFault) in
            for statement in statements { for entry in statement.entries { believe(entry) } }
        }
    }

    /// Believes an entry of a statement.
    func believe(_ entry: StatementEntry) {
        if entry.replica == state.replica { return }
        raise(entry.replica, to: entry.counter)
    }

    private func raise(_ replica: ReplicaID, to counter: UInt64) {
        let place = state.replicas.placeOrNew(of: replica)
        if state.replicas[place].counter >= counter { return }
        state.replicas.change(place) { $0.counter = counter }
    }

    /// Drops everything that was set aside.
    func forgetParked() throws(StoreFault) {
        if state.parked.isEmpty { return }
        let items = try parked()
        try changing { () throws(StoreFault) in for item in items { try unpark(item) } }
    }

    /// Forgets the deletes that are older than 30 days, with their records.
    func sweepTombstones() throws(StoreFault) {
        let limit = environment.wallMilliseconds() - 30 * 86_400_000
        for place in collections.indices {
            var old: [StoredRecord] = []
            try forEachRecord(in: place) { stored throws(StoreFault) in
                guard stored.verdict.isDeleted else { return }
                let times = stored.record.survivors(of: .deleted).map {
                    $0.write.timestamp.milliseconds
                }
                if let last = times.max(), last < limit { old.append(stored) }
            }
            for stored in old { try forget(stored, in: place) }
        }
    }

    private func forget(_ stored: StoredRecord, in place: Int) throws(StoreFault) {
        let row = try connection.statement(
            "DELETE FROM \(collections[place].table) WHERE sequence = ?")
        row.bind(1, stored.sequence)
        try row.run()
        smallCollections.forget()
        let hidden = state.parked[stored.id] ?? VersionVector()
        let clock = stored.record.clock
        state.replicas.account(stored.id, from: clock.joined(with: hidden), to: hidden)
        state.replicas.accountAside(stored.id, parked: hidden, integrated: clock, isGone: true)
        state.replicas.accountAside(stored.id, parked: hidden, integrated: VersionVector())
        let body = BodyCodec.encode(stored.record, in: stored.collection)
        state.digest &-= state.hash.content(stored.id, clock, body)
    }
}

import Core

/// Mending what can be made anew from the records.
extension Store {
    /// Makes all indexes anew from the rows.
    package func rebuildIndexes() throws(StoreFault) {
        try changing { () throws(StoreFault) in try connection.run("REINDEX") }
    }

    /// Counts the sums anew that are kept along with the records.
    ///
    /// If a record was changed or lost by something else than this program, the sums tell that to the other
    /// devices from now on: the next sync compares contents, and brings back what they have.
    package func recount() throws(StoreFault) {
        try changing { () throws(StoreFault) in
            let sums = try sums()
            let tallies = sums.tallies
            for entry in tallies.entries where state.replicas.place(of: entry.replica) == nil {
                _ = state.replicas.placeOrNew(of: entry.replica)
            }
            for place in state.replicas.entries.indices {
                let tally =
                    tallies.place(of: state.replicas[place].replica).map { tallies[$0].tally } ?? 0
                if tally != state.replicas[place].tally {
                    state.replicas.change(place) { $0.tally = tally }
                }
            }
            try countParked()
            state.digest = sums.digest
            // The digest is written with the arrival number: what changed is told to nobody else.
            state.savedSequence = .max
        }
    }

    /// Counts the sums from the records.
    ///
    /// - Parameter each: is shown every record on the way.
    func sums(_ each: (StoredRecord) -> Void = { _ in }) throws(StoreFault) -> RecordSums {
        var sums = RecordSums(tallies: ReplicaTable(hash: state.hash))
        for place in collections.indices {
            try forEachRecord(in: place) { stored throws(StoreFault) in
                let body = BodyCodec.encode(stored.record, in: stored.collection)
                sums.digest &+= state.hash.content(stored.id, stored.record.clock, body)
                let aside = state.parked[stored.id] ?? VersionVector()
                sums.tallies.account(
                    stored.id, from: VersionVector(), to: stored.record.clock.joined(with: aside))
                each(stored)
            }
        }
        for (id, clock) in state.parked {
            let stored = try find(id)?.record.clock
            if stored == nil { sums.tallies.account(id, from: VersionVector(), to: clock) }
            sums.tallies.accountAside(id, parked: clock, integrated: stored ?? VersionVector())
        }
        return sums
    }
}

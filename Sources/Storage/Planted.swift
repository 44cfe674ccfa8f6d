import Core

// Broken variants of this module's rules, for `PlantedFault`; release builds have none of them.

extension Knowledge {
    /// Takes everything that changes have seen for known.
    func joinClocks(of changes: [Change]) {
        for change in changes {
            for entry in change.clock.entries where entry.replica != replica {
                raise(entry.replica, to: entry.counter)
            }
        }
    }

    /// Believes an entry of a statement.
    func believe(_ entry: StatementEntry) {
        if entry.replica == replica { return }
        raise(entry.replica, to: entry.counter)
    }
}

extension Store {
    /// Believes statements.
    package func believe(_ statements: [Statement]) throws(StoreFault) {
        try database.changing { () throws(StoreFault) in
            for statement in statements {
                for entry in statement.entries { knowledge.believe(entry) }
            }
        }
    }
}

extension DeferredChanges {
    /// Drops everything that was set aside.
    func removeAll(in database: Database) throws(StoreFault) {
        let items = try all()
        if items.isEmpty { return }
        try database.changing { () throws(StoreFault) in for item in items { try remove(item) } }
    }
}

extension Records {
    /// Forgets the deletes that are older than 30 days, with their records.
    func sweepTombstones() throws(StoreFault) {
        let limit = database.environment.wallMilliseconds() - 30 * 86_400_000
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
        let row = try database.connection.statement(
            "DELETE FROM \(collections[place].table) WHERE sequence = ?")
        row.bind(1, stored.sequence)
        try row.run()
        forgetSmallCollections()
        knowledge.forget(stored)
    }
}

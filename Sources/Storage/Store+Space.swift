import Core

/// A filled store that becomes part of another space.
extension Store {
    /// Takes the store, with all its records and writes, into another space.
    ///
    /// Nothing of a record changes. What peers were read of is forgotten, as none of them is of the new
    /// space; the rows are written anew if its rule for deletes is another.
    ///
    /// - Throws: `inUse` if another program had the store open when this one opened it.
    package func enter(space: SpaceID, policy: DeletePolicy) throws(StoreFault) {
        guard wasOpenedAlone else {
            throw .inUse(by: environment.disk.opener(ofWitness: paths.witness))
        }
        let isNewRule = policy != state.policy
        try changing { () throws(StoreFault) in
            state.space = space
            state.policy = policy
            let row = try connection.statement("UPDATE state SET space = ?, policy = ?")
            row.bind(1, identifier: space.value)
            row.bind(2, Int64(policy.rawValue))
            try row.run()
            try connection.execute(
                "DELETE FROM checkpoint; DELETE FROM relay_mark; DELETE FROM brake_count; DELETE FROM address"
            )
            guard isNewRule else { return }
            for (place, schema) in collections.enumerated() {
                try rebuild(place, writtenAs: schema)
            }
        }
        fetched = [:]
        smallCollections.forget()
    }

    /// The last arrival number in the reserved collection of devices: another one means that a record there
    /// has changed.
    package func deviceSequence() throws(StoreFault) -> UInt64 {
        let row = try connection.statement(
            "SELECT coalesce(max(sequence), 0) FROM \(collections[0].table)")
        defer { row.reset() }
        return try row.step() ? row.unsigned(0) : 0
    }

    /// Every record of the reserved collection of devices, whatever its state.
    package func deviceRecords() throws(StoreFault) -> [StoredRecord] {
        try reading { () throws(StoreFault) in
            var found: [StoredRecord] = []
            try forEachRecord(in: 0) { stored throws(StoreFault) in found.append(stored) }
            return found
        }
    }
}

import Core

/// When a replica was heard of last, as far as this store can tell; milliseconds since 1970-01-01 UTC.
package struct ReplicaSighting: Hashable, Sendable {
    /// The time of its latest write that was found, by its own clock.
    package var lastWrite: Int64?
    /// Whether that is its latest write that is here; else it wrote then or later.
    package var isLastWriteExact = false
    /// It had all that was here at this time, then or later: it has said so at a relay.
    package var hadAll: Int64?
}

extension Store {
    /// The most records of a collection, the last that changed here, in which writes are looked for.
    package static let sightingRecordCountMax = 1000

    /// Looks up when replicas were heard of last.
    ///
    /// Writes are looked for in the records that changed here last, and in all records of devices: a device has written at
    /// least its own.
    package func sightings(
        of replicas: Set<ReplicaID>
    ) throws(StoreFault) -> [ReplicaID: ReplicaSighting] {
        try database.reading { () throws(StoreFault) in
            var found: [ReplicaID: ReplicaSighting] = [:]
            var open = replicas
            for index in records.collections.indices {
                // Records of devices are the first collection, and few.
                let limit: Int64 = index == 0 ? -1 : Int64(Self.sightingRecordCountMax)
                try look(for: &open, in: index, limit, &found)
            }
            for (replica, sum) in try summaryRows.statedSums() where replicas.contains(replica) {
                guard let sequence = try summaryRows.seenThrough(sum),
                    let time = try latestWrite(through: sequence)
                else { continue }
                found[replica, default: ReplicaSighting()].hadAll = max(
                    found[replica]?.hadAll ?? time, time)
            }
            return found
        }
    }

    /// The arrival numbers here up to which other replicas have all, by what they have stated at relays; none of those whose
    /// summary this store never had.
    package func statedSequences() throws(StoreFault) -> [ReplicaID: UInt64] {
        try database.reading { () throws(StoreFault) in
            var found: [ReplicaID: UInt64] = [:]
            for (replica, sum) in try summaryRows.statedSums() {
                guard let sequence = try summaryRows.seenThrough(sum) else { continue }
                found[replica] = max(found[replica] ?? 0, sequence)
            }
            return found
        }
    }

    private func look(
        for open: inout Set<ReplicaID>, in index: Int, _ limit: Int64,
        _ found: inout [ReplicaID: ReplicaSighting]
    ) throws(StoreFault) {
        let schema = records.collections[index]
        let rows = try database.connection.statement(
            """
            SELECT \(schema.statements.columns) FROM \(schema.table)
            ORDER BY sequence DESC LIMIT ?
            """)
        rows.bind(1, limit)
        defer { rows.reset() }
        while !open.isEmpty, try rows.step() {
            for write in try records.stored(rows, index).record.writes
            where open.contains(write.dot.replica) {
                let replica = write.dot.replica
                var sighting = found[replica] ?? ReplicaSighting()
                sighting.lastWrite = max(
                    sighting.lastWrite ?? .min, write.timestamp.milliseconds)
                if let number = knowledge.replicas.index(of: replica),
                    write.dot.counter == knowledge.replicas[number].seen
                {
                    sighting.lastWrite = write.timestamp.milliseconds
                    sighting.isLastWriteExact = true
                    open.remove(replica)
                }
                found[replica] = sighting
            }
        }
    }

    /// The time of the latest write among the records that have not changed since an arrival number: whoever had all up to
    /// it had that write.
    private func latestWrite(through sequence: UInt64) throws(StoreFault) -> Int64? {
        var latest: Int64?
        for (index, schema) in records.collections.enumerated() {
            let row = try database.connection.statement(
                """
                SELECT \(schema.statements.columns) FROM \(schema.table)
                WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1
                """)
            row.bind(1, sequence)
            defer { row.reset() }
            guard try row.step() else { continue }
            for write in try records.stored(row, index).record.writes {
                latest = max(latest ?? .min, write.timestamp.milliseconds)
            }
        }
        return latest
    }
}

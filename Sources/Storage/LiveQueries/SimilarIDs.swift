import Core

/// Ids of which people see the end alone: which others could be meant by it.
package enum SimilarIDs {
    /// How many of an id's bytes people are shown at least.
    package static let endByteCount = 4
    /// In a collection with more records the ends of all are not read for a list.
    ///
    /// There is no index of ends, as each write would pay for it. Among 100,000 records another one ends as the shown one
    /// does once in 43,000 times. Then its end names both, and whoever gives it is asked which one.
    package static let recordCountMax = 2_000
}

extension Store {
    /// The other ids that end with the last four bytes of an id, or begin with these: for each id in order.
    ///
    /// Records in every state count. Beyond `SimilarIDs.recordCountMax` records those that end so are looked for among
    /// these ids alone.
    package func similarIDs(
        to ids: [RecordID], in collection: CollectionID
    ) throws(StoreFault) -> [[RecordID]] {
        try database.reading { () throws(StoreFault) in
            let table = database.collections[records.index(of: collection)].table
            var byEnd: [UInt32: [UInt128]] = [:]
            for id in Set(ids.map(\.value)).union(try allIDs(table) ?? []) {
                byEnd[UInt32(truncatingIfNeeded: id), default: []].append(id)
            }
            let rows = try database.connection.statement(
                "SELECT id FROM \(table) WHERE id BETWEEN ?1 AND ?2")
            var found: [[RecordID]] = []
            found.reserveCapacity(ids.count)
            for id in ids {
                let end = UInt32(truncatingIfNeeded: id.value)
                let first = UInt128(end) << 96
                rows.bind(1, identifier: first)
                rows.bind(2, identifier: first | (UInt128.max >> 32))
                var others = Set(byEnd[end] ?? [])
                defer { rows.reset() }
                while try rows.step() {
                    if let value = rows.identifier(0) { others.insert(value) }
                }
                others.remove(id.value)
                found.append(others.sorted().map { RecordID(value: $0) })
            }
            return found
        }
    }

    /// The ids of all records of a table; nil if they are too many.
    private func allIDs(_ table: String) throws(StoreFault) -> [UInt128]? {
        let rows = try database.connection.statement("SELECT id FROM \(table) LIMIT ?1")
        rows.bind(1, Int64(SimilarIDs.recordCountMax + 1))
        defer { rows.reset() }
        var ids: [UInt128] = []
        while try rows.step() {
            if let value = rows.identifier(0) { ids.append(value) }
        }
        return ids.count > SimilarIDs.recordCountMax ? nil : ids
    }
}

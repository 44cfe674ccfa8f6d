import Core

/// Ids, and records by their ids.
extension Store {
    /// A new id: a UUIDv7 of the wall clock's millisecond and chance (RFC 9562, section 5.7).
    func newRecordID() -> RecordID {
        let milliseconds = UInt64(max(environment.wallMilliseconds(), 0)) & 0xffff_ffff_ffff
        let high = milliseconds << 16 | 0x7000 | environment.drawBits() & 0xfff
        let low = 0x8000_0000_0000_0000 | environment.drawBits() >> 2
        return RecordID(high: high, low: low)
    }

    /// The id of the record that a unique key names in a collection: the same on every device.
    ///
    /// A hash of the collection's canonical bytes and the key, marked as a UUIDv8 (RFC 9562, 5.8).
    package static func derivedID(_ collection: CollectionID, key: String) -> RecordID {
        var writer = CanonicalWriter()
        BodyCodec.write(collection, to: &writer)
        writer.text(key)
        let hash = SipHash(key0: 0x7461_6e64_656d, key1: 1).hash128(writer.bytes)
        let high = UInt64(truncatingIfNeeded: hash >> 64) & ~0xf000 | 0x8000
        let low = UInt64(truncatingIfNeeded: hash) & ~(3 << 62) | 1 << 63
        return RecordID(high: high, low: low)
    }

    /// The live records that a record owns: those whose reference says so.
    func owned(
        by owner: RecordID, in collection: CollectionID
    ) throws(StoreFault) -> [StoredRecord] {
        var found: [StoredRecord] = []
        for (place, schema) in collections.enumerated() {
            for field in schema.fields where field.isOwned {
                guard case .reference(collection) = field.kind else { continue }
                let rows = try connection.statement(
                    """
                    SELECT \(schema.statements.columns) FROM \(schema.table)
                    WHERE \(field.quoted) = ? AND state = 0
                    """)
                rows.bind(1, identifier: owner.value)
                defer { rows.reset() }
                while try rows.step() { found.append(try stored(rows, place)) }
            }
        }
        return found
    }

    /// Looks many records of one collection up with one statement; those found, in no order.
    func find(_ ids: [RecordID], in place: Int) throws(StoreFault) -> [StoredRecord] {
        if ids.isEmpty { return [] }
        let schema = collections[place]
        let rows = try lookUp(schema.statements.columns, of: ids, in: schema)
        defer { rows.reset() }
        var found: [StoredRecord] = []
        while try rows.step() { found.append(try stored(rows, place)) }
        return found
    }

    /// Whether one of the records is in another collection; asks each large one with one statement.
    func isAnyElsewhere(_ ids: [RecordID], than place: Int) throws(StoreFault) -> Bool {
        if ids.isEmpty { return false }
        for other in collections.indices where other != place {
            if let small = try smallCollections.ids(of: other, on: self) {
                if ids.contains(where: { small.contains($0) }) { return true }
                continue
            }
            let rows = try lookUp("1", of: ids, in: collections[other])
            defer { rows.reset() }
            if try rows.step() { return true }
        }
        return false
    }

    /// A statement that is about to give columns of the rows that have one of the ids, of which there is one.
    private func lookUp(
        _ columns: String, of ids: [RecordID], in schema: CollectionSchema
    ) throws(StoreFault) -> PreparedStatement {
        // Few different lengths, so that few statements are compiled.
        var slots = 1
        while slots < ids.count { slots *= 2 }
        let marks = Array(repeating: "?", count: slots).joined(separator: ",")
        let rows = try connection.statement(
            "SELECT \(columns) FROM \(schema.table) WHERE id IN (\(marks))")
        for slot in 0..<slots {
            rows.bind(Int32(slot + 1), identifier: ids[min(slot, ids.count - 1)].value)
        }
        lookupCount += 1
        return rows
    }
}

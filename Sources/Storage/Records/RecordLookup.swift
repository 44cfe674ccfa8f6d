import Core

/// Ids, and records by their ids.
extension Records {
    /// How far the clock may be set back before the ids follow it; milliseconds.
    private static let idLeadMillisecondsMax: UInt64 = 60_000
    /// The bits of an id's counter.
    private static let idCounterMask: UInt64 = 0xfff
    /// The bits of an id's time and counter together.
    private static let idHeadMask: UInt64 = 0xfff_ffff_ffff_ffff

    /// A new id: a UUIDv7 of the wall clock's millisecond, a counter and chance (RFC 9562, section 5.7).
    ///
    /// The ids that a store makes while it is open ascend: 12 bits are a counter that begins by chance in each millisecond
    /// and carries into the time (section 6.2, method 1). The other 62 bits of each are chance.
    func newRecordID() -> RecordID {
        let milliseconds =
            UInt64(max(database.environment.wallMilliseconds(), 0)) & 0xffff_ffff_ffff
        var head = milliseconds << 12 | database.environment.drawBits() & Self.idCounterMask
        if let last = lastIDHead, last >> 12 >= milliseconds,
            last >> 12 - milliseconds <= Self.idLeadMillisecondsMax
        {
            head = (last + 1) & Self.idHeadMask
        }
        lastIDHead = head
        let high = (head & ~Self.idCounterMask) << 4 | 0x7000 | head & Self.idCounterMask
        let low = 0x8000_0000_0000_0000 | database.environment.drawBits() >> 2
        return RecordID(high: high, low: low)
    }

    /// The live records that a record owns: those whose reference says so.
    func owned(by owner: RecordName) throws(StoreFault) -> [Record] {
        var found: [Record] = []
        for (index, schema) in collections.enumerated() {
            for field in schema.fields where field.isOwned {
                guard case .reference(owner.collection) = field.kind else { continue }
                let rows = try database.connection.statement(
                    """
                    SELECT \(schema.statements.columns) FROM \(schema.table)
                    WHERE \(field.quoted) = ? AND state = 0
                    """)
                rows.bind(1, identifier: owner.id.value)
                defer { rows.reset() }
                while try rows.step() { found.append(try stored(rows, index)) }
            }
        }
        return found
    }

    /// Looks many records of one collection up with one statement; those found, in no order.
    func find(
        _ ids: [RecordID], in collection: CollectionID
    ) throws(StoreFault) -> [Record] {
        if ids.isEmpty { return [] }
        let index = index(of: collection)
        let schema = collections[index]
        let rows = try lookUp(schema.statements.columns, of: ids, in: schema)
        defer { rows.reset() }
        var found: [Record] = []
        while try rows.step() {
            let record = try stored(rows, index)
            if record.collection == collection { found.append(record) }
        }
        return found
    }

    /// A statement that is about to give columns of the rows that have one of the ids, of which there is one.
    private func lookUp(
        _ columns: String, of ids: [RecordID], in schema: CollectionSchema
    ) throws(StoreFault) -> PreparedStatement {
        // Few different lengths, so that few statements are compiled.
        var slots = 1
        while slots < ids.count { slots *= 2 }
        let marks = Array(repeating: "?", count: slots).joined(separator: ",")
        let rows = try database.connection.statement(
            "SELECT \(columns) FROM \(schema.table) WHERE id IN (\(marks))")
        for slot in 0..<slots {
            rows.bind(Int32(slot + 1), identifier: ids[min(slot, ids.count - 1)].value)
        }
        lookupCount += 1
        return rows
    }
}

/// Records in place of purged ones.
extension Records {
    /// How often one record may be purged and made anew.
    static let standInCountMax = 1000

    /// The record that its key names now: of several live ones the one of the greatest number, else the first
    /// that is not purged here.
    ///
    /// - Returns: its name, and nil if it is still to be made.
    /// - Complexity: one look-up, if the record was never purged; else one for each time it was.
    func standIn(
        for first: Record
    ) throws(StoreFault) -> (name: RecordName, record: Record?) {
        var (name, found) = (first.name, Optional(first))
        var live: Record?
        var unpurged: (name: RecordName, record: Record?)?
        for number in 1...Self.standInCountMax {
            if let found, found.standing == .live { live = found }
            if unpurged == nil, found?.standing.isPurged != true { unpurged = (name, found) }
            // A record that no purge ever met has no successor.
            guard found?.wasPurged == true else { break }
            name = first.name.successor(number)
            found = try find(name)
        }
        if let live { return (live.name, live) }
        return unpurged ?? (name, found)
    }
}

extension Record {
    /// Whether a purge is known of it, be it undone.
    var wasPurged: Bool { record.visible(.purged) != nil }
}

extension Store {
    /// How often the record of one key may be purged and made anew.
    package static let standInCountMax = Records.standInCountMax

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
}

/// Counts.
extension Records {
    /// How many records have changed behind an arrival number; those of devices do not count.
    func changedCount(after sequence: UInt64) throws(StoreFault) -> Int {
        try database.reading { () throws(StoreFault) in
            var count = 0
            for collection in collections where collection.id != .devices {
                let row = try database.connection.statement(
                    "SELECT count(*) FROM \(collection.table) WHERE sequence > ?")
                row.bind(1, sequence)
                defer { row.reset() }
                if try row.step() { count += Int(row.int(0)) }
            }
            return count
        }
    }
}

import CSQLite
import Core

/// The part of a store that owns the tables of records: here alone records enter and leave them.
final class Records {
    /// The values of the column `state`.
    enum RowState {
        static let live: Int64 = 0
        static let deleted: Int64 = 1
        static let purged: Int64 = 2

        static func of(_ standing: RecordStanding) -> Int64 {
            switch standing {
            case .live: live
            case .trashed: deleted
            case .purged, .editedAfterPurge: purged
            }
        }
    }

    let database: Database
    let knowledge: Knowledge
    let counts: RecordCounts
    private let search: SearchIndex
    let codecs: [RowCodec]
    /// How a change set that is being merged changes the number of live records; nil if none is.
    private(set) var arrivals: ArrivalCount?
    /// How many statements of this process have looked records up by their ids.
    var lookupCount = 0
    /// The time and the counter of the last new id.
    var lastIDHead: UInt64?

    init(
        _ database: Database, _ knowledge: Knowledge, _ counts: RecordCounts,
        _ search: SearchIndex
    ) {
        self.database = database
        self.knowledge = knowledge
        self.counts = counts
        self.search = search
        codecs = database.collections.map(RowCodec.init)
    }

    /// The collections with columns.
    var collections: [CollectionSchema] { database.collections }

    /// The index of a collection's schema; unknown collections share the last one.
    func index(of collection: CollectionID) -> Int {
        for collectionIndex in collections.indices
        where collections[collectionIndex].id == collection { return collectionIndex }
        return collections.count - 1
    }

    /// Looks a record up.
    func find(_ name: RecordName) throws(StoreFault) -> Record? {
        let collectionIndex = index(of: name.collection)
        let statements = collections[collectionIndex].statements
        let row = try database.connection.statement(statements.find)
        lookupCount += 1
        row.bind(1, identifier: name.id.value)
        if statements.isShared { row.bind(2, name.collection.canonicalBytes) }
        defer { row.reset() }
        return try row.step() ? try stored(row, collectionIndex) : nil
    }

    /// The record in the row that `row` stands on.
    func stored(_ row: PreparedStatement, _ collectionIndex: Int) throws(StoreFault) -> Record {
        guard let id = row.identifier(1) else { throw damaged(collectionIndex, row) }
        var collection = collections[collectionIndex].id
        let record: RecordState
        if collectionIndex == collections.count - 1 {
            guard let clock = knowledge.clock(in: row, 4),
                let body = try? BodyCodec.decode(row.bytes(5), clock: clock)
            else { throw damaged(collectionIndex, row) }
            collection = body.collection
            record = body.record
        } else {
            guard let found = codecs[collectionIndex].decode(row, knowledge.replicas) else {
                throw damaged(collectionIndex, row)
            }
            record = found
        }
        return Record(
            id: RecordID(value: id), collection: collection, sequence: row.unsigned(0),
            record: record, verdict: knowledge.deletionRule.verdict(on: record))
    }

    /// The clock in the row that `row` stands on.
    func clock(
        in row: PreparedStatement, _ collectionIndex: Int
    ) throws(StoreFault) -> VersionVector {
        guard let clock = knowledge.clock(in: row, 4) else { throw damaged(collectionIndex, row) }
        return clock
    }

    /// The rows of a table that arrived after a number, in order of arrival, for a peer.
    func feed(
        of collectionIndex: Int, after sequence: UInt64
    ) throws(StoreFault) -> PreparedStatement {
        let rows = try database.connection.statement(collections[collectionIndex].statements.feed)
        rows.bind(1, sequence)
        return rows
    }

    private func damaged(_ collectionIndex: Int, _ row: PreparedStatement) -> StoreFault {
        database.corrupt("row \(row.int(0)) of \(collections[collectionIndex].table) is damaged")
    }

    /// Puts a record's new state in its place, under a new arrival number.
    ///
    /// - Parameters:
    ///   - body: the canonical body of `record`, if it is at hand.
    ///   - insertsOnly: whether to do nothing, and say so, if the id is in the table already.
    /// - Returns: false if `insertsOnly` and the record was there.
    @discardableResult
    func put(
        _ name: RecordName, _ record: RecordState, replacing old: Record?,
        body: [UInt8]? = nil, insertsOnly: Bool = false
    ) throws(StoreFault) -> Bool {
        // After a full disk SQLite has ended the transaction: nothing may be written on its own.
        if let fault = database.connection.lostTransaction() { throw fault }
        let collectionIndex = index(of: name.collection)
        let body = body ?? BodyCodec.encode(record, in: name.collection)
        let sequence = knowledge.sequence + 1
        let verdict = knowledge.deletionRule.verdict(on: record)
        let row = try bindRow(
            name, collectionIndex, record, body: body, sequence: sequence, old: old,
            verdict: verdict)
        try row.run()
        if insertsOnly, database.connection.changeCount == 0 { return false }
        counts.note(
            standing(of: record, verdict, in: collectionIndex),
            replacing: old.map { standing(of: $0.record, $0.verdict, in: collectionIndex) },
            in: collectionIndex)
        if old != nil, verdict.standing.isPurged { search.notePurge(in: collectionIndex) }
        if collectionIndex > 0 {
            arrivals?.note(wasDeleted: old?.verdict.isDeleted, isDeleted: verdict.isDeleted)
            if arrivals != nil, verdict.isDeleted, old?.verdict.isDeleted == false {
                arrivals?.noteDelete(of: name, by: record.deleters)
            }
        }
        knowledge.arrive(name, record, body, replacing: old)
        return true
    }

    /// How a record counts.
    private func standing(
        of record: RecordState, _ verdict: DeletionRule.Verdict, in collectionIndex: Int
    ) -> RecordCounts.Standing {
        let field = collections[collectionIndex].countedField
        let isSet = field.flatMap { field in
            record.visible(field.field).flatMap(field.kind.cell)
        }
        return RecordCounts.Standing(
            state: RowState.of(verdict.standing),
            conflictCount: conflictCount(of: record, verdict), isUnset: field != nil && isSet == nil
        )
    }

    /// How many conflicts are open in a record.
    private func conflictCount(of record: RecordState, _ verdict: DeletionRule.Verdict) -> Int {
        (verdict.isDeleted ? 0 : record.fieldConflicts.count) + (verdict.isContested ? 1 : 0)
            + (verdict.isEditedAfterPurge ? 1 : 0)
    }

    /// A statement that puts a record in its row, ready to be run.
    func bindRow(
        _ name: RecordName, _ collectionIndex: Int, _ record: RecordState,
        body: [UInt8], sequence: UInt64, old: Record?, verdict: DeletionRule.Verdict
    ) throws(StoreFault) -> PreparedStatement {
        let codec = codecs[collectionIndex]
        let statements = collections[collectionIndex].statements
        let row = try database.connection.statement(
            old == nil ? statements.insert : statements.update)
        row.bind(1, sequence)
        row.bind(2, identifier: name.id.value)
        row.bind(3, RowState.of(verdict.standing))
        row.bind(4, Int64(conflictCount(of: record, verdict)))
        row.bind(5, knowledge.clockBytes(record.clock))
        if statements.isShared {
            row.bind(6, body)
            row.bindNull(7)
            row.bind(8, name.collection.canonicalBytes)
        } else {
            let (meta, cells) = codec.encode(record, in: name.collection)
            row.bind(6, meta)
            if let custom = codec.customText(record) {
                row.bind(7, custom)
            } else {
                row.bindNull(7)
            }
            for (index, cell) in cells.enumerated() { row.bind(Int32(8 + index), cell: cell) }
        }
        if let old {
            row.bind(statements.columnCount + 1, old.sequence)
        }
        return row
    }

    /// Gives every record of a table that arrived after a number to `body`, in order of arrival.
    func forEachRecord(
        in collectionIndex: Int, after sequence: UInt64 = 0,
        _ body: (Record) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        let rows = try database.connection.statement(
            collections[collectionIndex].statements.arrivals)
        rows.bind(1, sequence)
        defer { rows.reset() }
        while try rows.step() { try body(try stored(rows, collectionIndex)) }
    }

    /// The names of the records that came or changed after an arrival number.
    func names(after sequence: UInt64) throws(StoreFault) -> [RecordName] {
        var found: [RecordName] = []
        for schema in collections {
            let columns = "id\(schema.isShared ? ", collection" : "")"
            let rows = try database.connection.statement(
                "SELECT \(columns) FROM \(schema.table) WHERE sequence > ?")
            rows.bind(1, sequence)
            defer { rows.reset() }
            while try rows.step() {
                let collection =
                    schema.isShared ? CollectionID(canonicalBytes: rows.bytes(1)) : schema.id
                guard let id = rows.identifier(0), let collection else { continue }
                found.append(RecordName(collection, RecordID(value: id)))
            }
        }
        return found
    }

    /// Gives a record a new arrival number; nothing else of it changes.
    func renumber(_ stored: Record) throws(StoreFault) {
        let table = collections[index(of: stored.collection)].table
        let row = try database.connection.statement(
            "UPDATE \(table) SET sequence = ? WHERE sequence = ?")
        row.bind(1, knowledge.nextSequence())
        row.bind(2, stored.sequence)
        try row.run()
    }

    /// Runs `body` and counts how it changes the number of live records.
    func counting<T>(_ body: () throws(StoreFault) -> T) throws(StoreFault) -> T {
        arrivals = ArrivalCount()
        defer { arrivals = nil }
        return try body()
    }

    /// Takes one delete out of the count: its record comes back.
    func forgetDelete(of name: RecordName) { arrivals?.forgetDelete(of: name) }
}

extension PreparedStatement {
    /// The value in a column.
    func cell(_ column: Int32) -> RowCodec.Cell {
        switch type(column) {
        case SQLITE_INTEGER: .int(int(column))
        case SQLITE_FLOAT: .double(double(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .bytes(bytes(column))
        default: .null
        }
    }

    /// Binds the value of a column.
    func bind(_ index: Int32, cell: RowCodec.Cell) {
        switch cell {
        case .null: bindNull(index)
        case .text(let text): bind(index, text)
        case .int(let number): bind(index, number)
        case .double(let number): bind(index, number)
        case .bytes(let bytes): bind(index, bytes)
        }
    }
}

extension RecordState {
    /// The writes by which the record is deleted: of each replica the last.
    var deleters: VersionVector {
        var found = VersionVector()
        for (write, value) in survivors(of: .deleted) where !value.isNull {
            found.include(write.dot.counter, of: write.dot.replica)
        }
        return found
    }
}

/// The changes of a change set to the number of live records.
struct ArrivalCount {
    /// Records that were alive and are deleted now, less those that came back.
    var deleted = 0
    /// Live records that were not there before.
    var added = 0
    /// The replicas whose writes deleted records, and the highest counter of these writes.
    private(set) var deleters = VersionVector()
    /// Some of the deleted records.
    private(set) var examples: [RecordName] = []

    /// Notes by whom a record was deleted.
    mutating func noteDelete(of name: RecordName, by authors: VersionVector) {
        deleters.join(authors)
        if examples.count < MassDeleteLimits.exampleCountMax { examples.append(name) }
    }

    /// Takes the last delete out of the count.
    mutating func forgetDelete(of name: RecordName) {
        deleted -= 1
        if examples.last == name { examples.removeLast() }
    }

    /// Counts a record's new state.
    ///
    /// - Parameter wasDeleted: nil if it was not there.
    mutating func note(wasDeleted: Bool?, isDeleted: Bool) {
        switch (wasDeleted, isDeleted) {
        case (nil, false): added += 1
        case (false, true): deleted += 1
        case (true, false): deleted -= 1
        case (nil, true), (true, true), (false, false): return
        }
    }
}

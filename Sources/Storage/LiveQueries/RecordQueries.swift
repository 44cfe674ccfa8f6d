import Core

/// The part of a store that answers fetch requests, from the tables of records.
final class RecordQueries {
    private let records: Records
    private let database: Database

    init(_ database: Database, _ records: Records) {
        self.database = database
        self.records = records
    }

    /// Reads the records that a request is about.
    func fetch(_ request: FetchRequest) throws(StoreFault) -> [Record] {
        let index = records.index(of: request.collection)
        let columns = database.collections[index].statements.columnsOfT
        return try database.reading { () throws(StoreFault) in
            let rows = try run(request, in: index, columns: columns)
            defer { rows.reset() }
            var found: [Record] = []
            while try rows.step() { found.append(try records.stored(rows, index)) }
            return found
        }
    }

    /// Reads the texts of columns, and nothing else, of the records that a request is about.
    func texts(
        of numbers: [UInt32], in request: FetchRequest
    ) throws(StoreFault) -> [(id: RecordID, texts: [String?])] {
        let index = records.index(of: request.collection)
        let columns = numbers.map { number in
            database.collections[index].field(number).map { "t.\($0.quoted)" } ?? "NULL"
        }
        return try database.reading { () throws(StoreFault) in
            let rows = try run(
                request, in: index, columns: (["t.id"] + columns).joined(separator: ", "))
            defer { rows.reset() }
            var found: [(id: RecordID, texts: [String?])] = []
            while try rows.step() {
                guard let id = rows.identifier(0) else { continue }
                var texts: [String?] = []
                texts.reserveCapacity(numbers.count)
                for column in 1...Int32(max(1, numbers.count)) {
                    texts.append(rows.isNull(column) ? nil : rows.text(column))
                }
                found.append((RecordID(value: id), texts))
            }
            return found
        }
    }

    /// Counts the records that a request is about, whatever its limit.
    func count(_ request: FetchRequest) throws(StoreFault) -> Int {
        var request = request
        request.limit = nil
        request.offset = 0
        request.sort = []
        request.section = nil
        let index = records.index(of: request.collection)
        return try database.reading { () throws(StoreFault) in
            let rows = try run(request, in: index, columns: "count(*)")
            defer { rows.reset() }
            return try rows.step() ? Int(rows.int(0)) : 0
        }
    }

    /// The compiled statement of a request, with everything bound.
    private func run(
        _ request: FetchRequest, in index: Int, columns: String, hasKeys: Bool = false,
        only ids: [RecordID]? = nil
    ) throws(StoreFault) -> PreparedStatement {
        var compiler = FetchCompiler(collections: database.collections, index: index)
        let sql = compiler.sql(request, columns: columns, hasKeys: hasKeys, only: ids)
        let rows = try database.connection.statement(sql.text)
        for (index, parameter) in sql.parameters.enumerated() {
            rows.bind(Int32(index + 1), cell: parameter)
        }
        return rows
    }

    // MARK: Live results

    /// Reads the rows of a request with the keys by which they are sorted.
    ///
    /// - Parameter ids: if given, only these records are looked at.
    func liveRows(
        _ request: FetchRequest, only ids: [RecordID]? = nil
    ) throws(StoreFault) -> [LiveRow] {
        if ids?.isEmpty == true { return [] }
        let index = records.index(of: request.collection)
        let schema = database.collections[index]
        let rows = try run(
            request, in: index, columns: schema.statements.columnsOfT, hasKeys: true, only: ids)
        defer { rows.reset() }
        let first = RowCodec.fixedColumns.count + schema.fields.count
        let keyCount = request.order.count
        var found: [LiveRow] = []
        while try rows.step() {
            let keys = (0..<keyCount).map { rows.cell(Int32(first + $0)) }
            found.append(LiveRow(record: try records.stored(rows, index), keys: keys))
        }
        return found
    }

    /// The arrival number of each table's newest record; it grows with every change of the table.
    func newestSequences(of indexes: [Int]) throws(StoreFault) -> [UInt64] {
        var found: [UInt64] = []
        for index in indexes {
            let row = try database.connection.statement(
                "SELECT max(sequence) FROM \(database.collections[index].table)")
            defer { row.reset() }
            found.append(try row.step() ? row.unsigned(0) : 0)
        }
        return found
    }

    /// The kind of a path's column; nil if it has none.
    func kind(
        of path: FieldPath?, in collection: CollectionID
    ) -> ColumnKind? {
        guard let path, case .field(let name) = path.target else { return nil }
        var schema = database.collections[records.index(of: collection)]
        for reference in path.references {
            guard case .reference(let target)? = schema.field(reference)?.kind else { return nil }
            schema = database.collections[records.index(of: target)]
        }
        return schema.field(name)?.kind
    }
}

/// Fetches through the store's door.
extension Store {
    /// Reads a record, whatever its state; nil if there is none of that id.
    package func record(_ id: RecordID) throws(StoreFault) -> Record? {
        try database.reading { () throws(StoreFault) in try records.find(id) }
    }

    /// Reads the records that a request is about.
    package func fetch(_ request: FetchRequest) throws(StoreFault) -> [Record] {
        try queries.fetch(request)
    }

    /// Reads the texts of columns, and nothing else, of the records that a request is about.
    ///
    /// Texts, moments and sets are kept as texts; nil stands for an absent value and for any other kind.
    /// - Parameter numbers: the numbers of fields with columns.
    package func texts(
        of numbers: [UInt32], in request: FetchRequest
    ) throws(StoreFault) -> [(id: RecordID, texts: [String?])] {
        try queries.texts(of: numbers, in: request)
    }

    /// Counts the records that a request is about, whatever its limit.
    package func count(_ request: FetchRequest) throws(StoreFault) -> Int {
        try queries.count(request)
    }
}

import Core

/// What live results read.
extension Store {
    /// The rows of a request with that by which they are sorted.
    ///
    /// - Parameter ids: if given, only these records are looked at.
    func liveRows(
        _ request: FetchRequest, only ids: [RecordID]? = nil
    ) throws(StoreFault) -> [LiveRow] {
        if ids?.isEmpty == true { return [] }
        let place = place(of: request.collection)
        let schema = collections[place]
        var compiler = FetchCompiler(collections: collections, place: place)
        let rows = try statement(
            compiler.sql(
                request, columns: schema.statements.columnsOfT, hasKeys: true, only: ids))
        defer { rows.reset() }
        let first = RowCodec.fixedColumns.count + schema.fields.count
        let keyCount = request.order.count
        var found: [LiveRow] = []
        while try rows.step() {
            let keys = (0..<keyCount).map { rows.cell(Int32(first + $0)) }
            found.append(LiveRow(record: try stored(rows, place), keys: keys))
        }
        return found
    }

    /// The arrival number of each table's newest record; it grows with every change of the table.
    func newestSequences(of places: [Int]) throws(StoreFault) -> [UInt64] {
        var found: [UInt64] = []
        for place in places {
            let row = try connection.statement(
                "SELECT max(sequence) FROM \(collections[place].table)")
            defer { row.reset() }
            found.append(try row.step() ? row.unsigned(0) : 0)
        }
        return found
    }

    /// What the column of a path holds; nil if there is no column.
    func kind(
        of path: FieldPath?, in collection: CollectionID
    ) -> FieldSchema.Kind? {
        guard let path, case .field(let name) = path.target else { return nil }
        var schema = collections[self.place(of: collection)]
        for reference in path.references {
            guard case .reference(let target)? = schema.field(reference)?.kind else { return nil }
            schema = collections[self.place(of: target)]
        }
        return schema.field(name)?.kind
    }

    /// What a cell stands for in a column of that kind.
    static func value(of cell: RowCodec.Cell, _ kind: FieldSchema.Kind?) -> Value? {
        switch (cell, kind) {
        case (.null, _): nil
        case (.int(let number), .bool): .bool(number != 0)
        case (.int(let number), _): .int(number)
        case (.double(let number), _): .double(number)
        case (.text(let text), .moment): ColumnText.moment(text) ?? .text(text)
        case (.text(let text), _): .text(text)
        case (.bytes(let bytes), .reference): RecordID(bytes: bytes).map { .reference($0) }
        case (.bytes(let bytes), _): .bytes(bytes)
        }
    }
}

import JSON

/// A table whose header was read.
protocol CSVRows {
    /// Reads a row.
    mutating func read(_ row: CSVReader.Row) throws(FormatFault)

    /// Takes what was read since it was taken last, as far as no further row changes it.
    ///
    /// - Parameter isLast: whether there are no further rows.
    mutating func take(isLast: Bool) -> FormatReading
}

/// A table of `CSVFormat` whose header was read.
struct CSVTable: CSVRows {
    private var builder: ReadingBuilder
    private var hasToldColumns = false
    private let format: CSVFormat
    private let header: CSVReader.Row
    private let targets: [CSVFormat.Target]
    private let columns: Set<String>
    private var identifiers = DerivedIdentifiers(CSVFormat.name)

    /// - Throws: `cannotDecode` for a header without titles, or with a column twice.
    init(
        _ format: CSVFormat, _ header: CSVReader.Row, _ builder: ReadingBuilder
    ) throws(FormatFault) {
        self.format = format
        self.header = header
        self.builder = builder
        targets = try format.targets(header)
        columns = Set(
            targets.map { target in
                switch target {
                case .column(let column): column.rawValue
                case .custom(let name): name
                }
            })
    }

    mutating func read(_ row: CSVReader.Row) throws(FormatFault) {
        var remarks: [FormatLoss] = []
        let isKept = try builder.add(line: row.line) { entry, _ throws(FormatFault) in
            guard let cells = row.cells else {
                throw CSVFormat.fault(entry, nil, "is not UTF-8")
            }
            var reasons: [(field: String, reason: CSVReason)] = []
            var item = try format.item(cells, targets, entry: entry, line: row.line) {
                reasons.append(($0, $1))
            }
            remarks = reasons.map {
                FormatLoss(entry: entry, title: item.title, field: $0.field, $0.reason)
            }
            if item.identifier == nil {
                item.identifier = identifiers.next([.text(item.title), .text(item.project)])
            }
            return item
        }
        if isKept { builder.addRemarks(remarks) }
    }

    mutating func take(isLast: Bool) -> FormatReading {
        var page = builder.take()
        // What a place leaves empty is asked of each page, the names are told once.
        page.columns = columns
        if !hasToldColumns { tellNames(&page) }
        hasToldColumns = true
        return page
    }

    private func tellNames(_ reading: inout FormatReading) {
        for (name, target) in zip(header.cells ?? [], targets) where !name.isEmpty {
            let name = CSVText.trimmed(name)
            reading.columnNames.append((name, target.name))
            if case .custom(let custom) = target, custom == name { reading.ownColumns.append(name) }
        }
    }
}

/// Reads the file of a table piece by piece.
struct CSVStream: EntryStream {
    private let format: String
    private let names: Set<String>
    private let makeTable: (CSVReader.Row) throws(FormatFault) -> any CSVRows
    /// The bytes that were not read yet.
    private var pending: [UInt8] = []
    /// Where the file's next row begins; nil until the first was read.
    private var start: CSVReader.Start?
    private var table: (any CSVRows)?
    private var isFinished = false
    /// How many bytes must wait before they are looked at again: a row may be longer than many pieces.
    private var awaitedByteCount = 0

    /// - Parameters:
    ///   - names: names of columns of which the first row has one, in lower case.
    ///   - makeTable: reads the first row.
    init(
        _ format: String, names: Set<String>,
        _ makeTable: @escaping (CSVReader.Row) throws(FormatFault) -> any CSVRows
    ) {
        self.format = format
        self.names = names
        self.makeTable = makeTable
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) throws(FormatFault) {
        pending += bytes
        if pending.count >= awaitedByteCount { try read(isLast: false) }
    }

    mutating func finish() throws(FormatFault) {
        try read(isLast: true)
        isFinished = true
    }

    /// Reads the rows that are whole.
    private mutating func read(isLast: Bool) throws(FormatFault) {
        var reader =
            start.map { CSVReader(pending, of: format, from: $0, isLast: isLast) }
            ?? CSVReader(pending, of: format, names: names, isLast: isLast)
        while let row = try reader.next() {
            if table == nil {
                table = try makeTable(row)
            } else {
                try table?.read(row)
            }
            start = reader.start
        }
        let isLonger = start != nil && reader.offset > 0
        if start != nil {
            start = reader.start
            pending.removeFirst(reader.offset)
        }
        guard pending.count <= FormatLimits.entryByteCountMax else {
            throw .cannotDecode(
                format: format,
                reason: FormatLimits.entryTooLong + "; is a quote in it not closed?",
                line: reader.line)
        }
        awaitedByteCount =
            isLonger ? 0 : min(2 * pending.count, FormatLimits.entryByteCountMax + 1)
    }

    mutating func take() -> FormatReading {
        table?.take(isLast: isFinished) ?? FormatReading()
    }
}

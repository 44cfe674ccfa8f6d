import CSQLite

/// Reads rows out of pages; no page is read for two rows.
///
/// Source: sqlite.org/fileformat2.html, "B-tree Cell Format" and "Record Format".
struct CellReader {
    /// The longest row that is read, in bytes: this program writes none of that length.
    static let rowByteCountMax = 16 << 20
    /// The most columns that SQLite itself allows.
    private static let columnCountMax = 2000

    let image: DatabaseImage
    /// The pages that were read as the rest of a row.
    private(set) var tails: Set<Int> = []

    init(_ image: DatabaseImage) {
        self.image = image
    }

    /// Every row of a page; nil for one that cannot be read whole.
    ///
    /// Rows do not overlap: of a page that has one of them many times over, no more is read than it can hold.
    mutating func forEachRow(of page: TreePage, _ body: (SalvagedRow?) -> Void) {
        var room = image.usableSize
        for offset in page.cells { body(offset.flatMap { row(page, at: $0, &room) }) }
    }

    /// The row in a cell; takes what it has of the page from `room`.
    private mutating func row(_ page: TreePage, at offset: Int, _ room: inout Int) -> SalvagedRow? {
        let end = image.usableSize
        var offset = offset + (page.kind == .innerIndex ? 4 : 0)
        guard let length = page.bytes.variableNumber(at: &offset, end: end),
            length <= UInt64(Self.rowByteCountMax)
        else { return nil }
        var number: UInt64 = 0
        if !page.kind.isIndex {
            guard let found = page.bytes.variableNumber(at: &offset, end: end) else { return nil }
            number = found
        }
        let count = Int(length)
        let local = localByteCount(count, isIndex: page.kind.isIndex)
        guard offset + local <= end, local <= room else { return nil }
        var payload = Array(page.bytes[offset..<(offset + local)])
        if local < count {
            guard offset + local + 4 <= end,
                appendTail(page.bytes.number32(at: offset + local), to: &payload, count: count)
            else { return nil }
        }
        guard let cells = Self.cells(payload) else { return nil }
        // At least its pointer, for a row of nothing.
        room -= max(local, 2)
        return SalvagedRow(number: Int64(bitPattern: number), cells: cells)
    }

    /// How much of a row is in the page itself.
    private func localByteCount(_ count: Int, isIndex: Bool) -> Int {
        let usable = image.usableSize
        let most = isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
        if count <= most { return count }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (count - least) % (usable - 4)
        return fitting <= most ? fitting : least
    }

    private mutating func appendTail(_ first: Int, to payload: inout [UInt8], count: Int) -> Bool {
        var next = first
        while payload.count < count {
            guard tails.insert(next).inserted, let bytes = image.page(next) else { return false }
            let part = min(count - payload.count, image.usableSize - 4)
            payload += bytes[4..<(4 + part)]
            next = bytes.number32(at: 0)
        }
        return next == 0
    }

    /// The columns of a row; nil if they do not fit its length, or text is none.
    private static func cells(_ payload: [UInt8]) -> [RowCodec.Cell]? {
        var offset = 0
        guard let length = payload.variableNumber(at: &offset, end: payload.count),
            length <= UInt64(payload.count)
        else { return nil }
        var content = Int(length)
        let end = content
        var cells: [RowCodec.Cell] = []
        while offset < end {
            guard cells.count < columnCountMax,
                let kind = payload.variableNumber(at: &offset, end: end),
                let cell = cell(kind, payload, &content)
            else { return nil }
            cells.append(cell)
        }
        return content == payload.count ? cells : nil
    }

    private static func cell(
        _ kind: UInt64, _ payload: [UInt8], _ offset: inout Int
    ) -> RowCodec.Cell? {
        func consume(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= payload.count - offset else { return nil }
            defer { offset += count }
            return payload[offset..<(offset + count)]
        }
        func bits(_ count: Int) -> UInt64? {
            consume(count)?.reduce(0) { $0 << 8 | UInt64($1) }
        }
        switch kind {
        case 0: return .null
        case 1...6:
            let count = [1, 2, 3, 4, 6, 8][Int(kind) - 1]
            return bits(count).map {
                let shift = UInt64(64 - 8 * count)
                return .int(Int64(bitPattern: $0 << shift) >> Int64(shift))
            }
        case 7: return bits(8).map { .double(Double(bitPattern: $0)) }
        case 8: return .int(0)
        case 9: return .int(1)
        case 10, 11: return nil
        default:
            guard let count = Int(exactly: (kind - 12) / 2), let bytes = consume(count) else {
                return nil
            }
            if kind & 1 == 0 { return .bytes(Array(bytes)) }
            return String(validating: bytes, as: UTF8.self).map { .text($0) }
        }
    }
}

/// A page of a table or an index.
///
/// Source: sqlite.org/fileformat2.html, "B-tree Pages".
struct TreePage {
    enum Kind: UInt8 {
        case innerIndex = 2
        case innerTable = 5
        case leafIndex = 10
        case leafTable = 13

        var isInner: Bool { self == .innerIndex || self == .innerTable }
        var isIndex: Bool { self == .innerIndex || self == .leafIndex }
    }

    let kind: Kind
    let bytes: [UInt8]
    /// Where the cells begin that fit into the page; nil for one whose offset cannot be right.
    let cells: [Int?]
    private let header: Int

    /// Nil if the bytes are no such page.
    init?(_ bytes: [UInt8], isFirst: Bool, usableSize: Int) {
        header = isFirst ? DatabaseImage.headerByteCount : 0
        guard let kind = Kind(rawValue: bytes[header]) else { return nil }
        let content = header + (kind.isInner ? 12 : 8)
        let count = bytes.number16(at: header + 3)
        let end = content + 2 * count
        guard end <= usableSize else { return nil }
        self.kind = kind
        self.bytes = bytes
        cells = (0..<count).map { number in
            let offset = bytes.number16(at: content + 2 * number)
            return offset >= end && offset < usableSize - 3 ? offset : nil
        }
    }

    /// The pages below it.
    var children: [Int] {
        guard kind.isInner else { return [] }
        return cells.map { $0.map(bytes.number32(at:)) ?? 0 } + [bytes.number32(at: header + 8)]
    }
}

/// A row that was read from the pages of a database, without SQLite.
struct SalvagedRow: RowColumns {
    /// Its number in the table.
    let number: Int64
    /// Its columns; the one that is an alias of the number is null, as in the file.
    var cells: [RowCodec.Cell]

    private subscript(column: Int32) -> RowCodec.Cell {
        cells.indices.contains(Int(column)) ? cells[Int(column)] : .null
    }

    func type(_ column: Int32) -> Int32 {
        switch self[column] {
        case .null: SQLITE_NULL
        case .int: SQLITE_INTEGER
        case .double: SQLITE_FLOAT
        case .text: SQLITE_TEXT
        case .bytes: SQLITE_BLOB
        }
    }

    func int(_ column: Int32) -> Int64 {
        if case .int(let number) = self[column] { number } else { 0 }
    }

    func double(_ column: Int32) -> Double {
        if case .double(let number) = self[column] { number } else { 0 }
    }

    func text(_ column: Int32) -> String {
        if case .text(let text) = self[column] { text } else { "" }
    }

    func bytes(_ column: Int32) -> [UInt8] {
        if case .bytes(let bytes) = self[column] { bytes } else { [] }
    }

    func withBytes<T>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> T) -> T {
        bytes(column).withUnsafeBytes(body)
    }

    /// The fundamental types of the columns, in order.
    var types: [Int32] { cells.indices.map { type(Int32($0)) } }

    /// Gives columns that hold floating-point numbers these back: the file keeps whole ones as integers.
    mutating func restoreDoubles(in columns: [Int]) {
        for column in columns where cells.indices.contains(column) {
            if case .int(let number) = cells[column] { cells[column] = .double(Double(number)) }
        }
    }
}

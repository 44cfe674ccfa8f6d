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
        for place in page.cells { body(place.flatMap { row(page, at: $0, &room) }) }
    }

    /// The row in a cell; takes what it has of the page from `room`.
    private mutating func row(_ page: TreePage, at place: Int, _ room: inout Int) -> SalvagedRow? {
        let end = image.usableSize
        var place = place + (page.kind == .innerIndex ? 4 : 0)
        guard let length = page.bytes.variableNumber(at: &place, end: end),
            length <= UInt64(Self.rowByteCountMax)
        else { return nil }
        var number: UInt64 = 0
        if !page.kind.isIndex {
            guard let found = page.bytes.variableNumber(at: &place, end: end) else { return nil }
            number = found
        }
        let count = Int(length)
        let local = localByteCount(count, isIndex: page.kind.isIndex)
        guard place + local <= end, local <= room else { return nil }
        var payload = Array(page.bytes[place..<(place + local)])
        if local < count {
            guard place + local + 4 <= end,
                appendTail(page.bytes.number32(at: place + local), to: &payload, count: count)
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
        var place = 0
        guard let length = payload.variableNumber(at: &place, end: payload.count),
            length <= UInt64(payload.count)
        else { return nil }
        var content = Int(length)
        let end = content
        var cells: [RowCodec.Cell] = []
        while place < end {
            guard cells.count < columnCountMax,
                let kind = payload.variableNumber(at: &place, end: end),
                let cell = cell(kind, payload, &content)
            else { return nil }
            cells.append(cell)
        }
        return content == payload.count ? cells : nil
    }

    private static func cell(
        _ kind: UInt64, _ payload: [UInt8], _ place: inout Int
    ) -> RowCodec.Cell? {
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= payload.count - place else { return nil }
            defer { place += count }
            return payload[place..<(place + count)]
        }
        func bits(_ count: Int) -> UInt64? {
            take(count)?.reduce(0) { $0 << 8 | UInt64($1) }
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
            guard let count = Int(exactly: (kind - 12) / 2), let bytes = take(count) else {
                return nil
            }
            if kind & 1 == 0 { return .bytes(Array(bytes)) }
            return String(validating: bytes, as: UTF8.self).map { .text($0) }
        }
    }
}

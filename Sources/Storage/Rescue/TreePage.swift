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
    /// Where the cells begin that fit into the page; nil for one whose place cannot be right.
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
            let place = bytes.number16(at: content + 2 * number)
            return place >= end && place < usableSize - 3 ? place : nil
        }
    }

    /// The pages below it.
    var children: [Int] {
        guard kind.isInner else { return [] }
        return cells.map { $0.map(bytes.number32(at:)) ?? 0 } + [bytes.number32(at: header + 8)]
    }
}

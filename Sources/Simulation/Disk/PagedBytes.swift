/// The bytes of a file in pages that copies share until one of them writes.
struct PagedBytes {
    /// The size of a page.
    static let pageByteCount = 4096

    private static let emptyPage = [UInt8](repeating: 0, count: pageByteCount)

    /// The last page is whole, with zeros after the end of the file.
    private var pages: [[UInt8]] = []
    private(set) var byteCount = 0

    /// No bytes.
    init() {}

    /// These bytes.
    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0, at: 0) }
    }

    /// How many pages there are, the last one perhaps not full.
    var pageCount: Int { pages.count }

    /// All of it.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
            filled = read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Reads from `offset` on.
    ///
    /// - Returns: how many bytes there were; the rest of the target is left as it is.
    func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        let end = min(offset + target.count, byteCount)
        guard offset < end, let base = target.baseAddress else { return 0 }
        var place = offset
        while place < end {
            let (page, start) = place.quotientAndRemainder(dividingBy: Self.pageByteCount)
            let count = min(Self.pageByteCount - start, end - place)
            pages[page].withUnsafeBytes { source in
                guard let from = source.baseAddress else { return }
                (base + (place - offset)).copyMemory(from: from + start, byteCount: count)
            }
            place += count
        }
        return end - offset
    }

    /// Writes at `offset`; zeros fill a gap before it.
    mutating func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard let base = source.baseAddress, !source.isEmpty else { return }
        let end = offset + source.count
        if end > byteCount { resize(to: end) }
        var place = offset
        while place < end {
            let (page, start) = place.quotientAndRemainder(dividingBy: Self.pageByteCount)
            let count = min(Self.pageByteCount - start, end - place)
            pages[page].withUnsafeMutableBytes { target in
                guard let into = target.baseAddress else { return }
                (into + start).copyMemory(from: base + (place - offset), byteCount: count)
            }
            place += count
        }
    }

    /// Cuts the end off, or puts zeros there.
    mutating func resize(to count: Int) {
        let pageCount = (count + Self.pageByteCount - 1) / Self.pageByteCount
        if count < byteCount {
            pages.removeLast(pages.count - pageCount)
            let start = count % Self.pageByteCount
            if start > 0 {
                pages[pageCount - 1].replaceSubrange(start..., with: Self.emptyPage[start...])
            }
        } else {
            while pages.count < pageCount { pages.append(Self.emptyPage) }
        }
        byteCount = count
    }

    /// One byte of a page.
    func byte(_ place: Int, ofPage page: Int) -> UInt8 { pages[page][place] }

    /// Turns one bit over; nothing happens past the end.
    mutating func flip(bit: Int, ofPage page: Int) {
        guard page < pages.count else { return }
        pages[page][bit / 8 % Self.pageByteCount] ^= 1 << UInt8(bit % 8)
    }
}

/// The frames of a write-ahead log that were committed: which bytes of it stand for which page.
///
/// Only what SQLite itself would take: frames in order whose sums fit, up to the last commit.
/// Source: sqlite.org/fileformat2.html, "The WAL File Format".
struct LogFrames {
    private static let headerByteCount = 32
    private static let frameHeaderByteCount = 24

    /// How long a page is, in bytes.
    let pageSize: Int
    /// Where in the log the newest content of a page begins.
    private(set) var places: [Int: Int] = [:]
    /// How many pages the database has with the last commit.
    private(set) var pageCount = 0

    /// Nil if the log holds no commit.
    init?(_ log: [UInt8]) {
        guard log.count > Self.headerByteCount else { return nil }
        let magic = log.number32(at: 0)
        guard magic & ~1 == 0x377f_0682 else { return nil }
        pageSize = log.number32(at: 8)
        guard DatabaseImage.isPageSize(pageSize) else { return nil }
        let isBigEndian = magic & 1 == 1
        var sum = Sum()
        sum.add(log, 0..<24, isBigEndian: isBigEndian)
        guard sum == Sum(log, at: 24) else { return nil }
        var pending: [Int: Int] = [:]
        var place = Self.headerByteCount
        while place + Self.frameHeaderByteCount + pageSize <= log.count {
            let content = place + Self.frameHeaderByteCount
            guard log[(place + 8)..<(place + 16)] == log[16..<24] else { break }
            sum.add(log, place..<(place + 8), isBigEndian: isBigEndian)
            sum.add(log, content..<(content + pageSize), isBigEndian: isBigEndian)
            guard sum == Sum(log, at: place + 16) else { break }
            pending[log.number32(at: place)] = content
            let committed = log.number32(at: place + 4)
            if committed > 0 {
                places.merge(pending) { $1 }
                pending = [:]
                pageCount = committed
            }
            place = content + pageSize
        }
        if pageCount == 0 { return nil }
    }

    /// The running sum over the log.
    private struct Sum: Equatable {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init() {}

        /// The one that stands in the log.
        init(_ log: [UInt8], at place: Int) {
            first = UInt32(log.number32(at: place))
            second = UInt32(log.number32(at: place + 4))
        }

        mutating func add(_ log: [UInt8], _ range: Range<Int>, isBigEndian: Bool) {
            log.withUnsafeBytes { bytes in
                for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                    let one = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                    let other = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                    first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
                    second &+= (isBigEndian ? other.bigEndian : other.littleEndian) &+ first
                }
            }
        }
    }
}

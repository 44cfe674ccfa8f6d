/// The pages of a database that may be damaged, with its log folded in.
///
/// Nothing is written, and nothing that is read is believed: whatever a number in the file says, each page
/// is looked at as often as the code says and not as often as the file does.
/// Source: sqlite.org/fileformat2.html.
struct DatabaseImage {
    /// How long a page is, in bytes, if the file does not say.
    private static let usualPageSize = 4096
    /// How many bytes of the first page are about the file.
    static let headerByteCount = 100

    /// How long a page is, in bytes.
    let pageSize: Int
    /// How much of a page is used, in bytes.
    let usableSize: Int
    /// How many pages there are; the first one is number 1.
    let pageCount: Int
    /// Whether the file says that it is a database.
    let isHeaderWhole: Bool
    /// Which format of a store the file says it has; 0 if it does not say.
    let format: Int
    private let file: [UInt8]
    private let log: [UInt8]
    private let frames: LogFrames?

    /// Reads a database that no program has open.
    init(path: String, on disk: any StoreDisk) throws(StoreFault) {
        let byteCountMax = Store.rescueByteCountMax
        if max(disk.byteCount(of: path), disk.byteCount(of: path + "-wal")) > byteCountMax {
            throw .overLimit(.damagedDatabaseBytes, max: byteCountMax)
        }
        guard let bytes = disk.read(path) else {
            throw .inputOutput(call: "reading", path: path, detail: "it cannot be read")
        }
        file = bytes
        log = disk.read(path + "-wal") ?? []
        frames = LogFrames(log)
        let first = frames?.offsets[1]
        let header =
            first.map { [log] in Array(log[$0..<($0 + Self.headerByteCount)]) }
            ?? Array(file.prefix(Self.headerByteCount))
        let isWhole =
            header.count == Self.headerByteCount
            && header.starts(with: Array("SQLite format 3\0".utf8))
        let stated = isWhole ? header.number16(at: 16) : 0
        let size = frames?.pageSize ?? (stated == 1 ? 65536 : stated)
        isHeaderWhole = isWhole && Self.isPageSize(size)
        format =
            isHeaderWhole && header.number32(at: 68) == Int(Migrations.applicationID)
            ? header.number32(at: 60) : 0
        pageSize = Self.isPageSize(size) ? size : Self.usualPageSize
        let reserved = isHeaderWhole ? Int(header[20]) : 0
        usableSize = pageSize - reserved >= 480 ? pageSize - reserved : pageSize
        let held = file.count / pageSize
        // A log may speak of more pages than there can be.
        pageCount = min(
            frames?.pageCount ?? held, held + (frames?.offsets.count ?? 0))
    }

    static func isPageSize(_ size: Int) -> Bool {
        (512...65536).contains(size) && size & (size - 1) == 0
    }

    /// The bytes of a page; nil if there is none of that number.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        if let offset = frames?.offsets[number] { return Array(log[offset..<(offset + pageSize)]) }
        let end = number * pageSize
        return end <= file.count ? Array(file[(end - pageSize)..<end]) : nil
    }

    /// All pages in one file; where there is none, zeros.
    func bytes() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(pageCount * pageSize)
        let none = [UInt8](repeating: 0, count: pageSize)
        for number in 0..<pageCount { result += page(number + 1) ?? none }
        return result
    }

    /// The pages that hold nothing now, as far as the file tells, and whether these are all.
    func freePages() -> (pages: Set<Int>, areAll: Bool) {
        guard isHeaderWhole, let first = page(1) else { return ([], false) }
        var free: Set<Int> = []
        var trunks: Set<Int> = []
        var trunk = first.number32(at: 32)
        while trunks.insert(trunk).inserted, let bytes = page(trunk) {
            free.insert(trunk)
            let count = min(bytes.number32(at: 4), usableSize / 4 - 2)
            for offset in 0..<count {
                let number = bytes.number32(at: 8 + 4 * offset)
                if number <= pageCount { free.insert(number) }
            }
            trunk = bytes.number32(at: 0)
        }
        return (free, trunk == 0 && free.count == first.number32(at: 36))
    }
}

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
    private(set) var offsets: [Int: Int] = [:]
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
        var offset = Self.headerByteCount
        while offset + Self.frameHeaderByteCount + pageSize <= log.count {
            let content = offset + Self.frameHeaderByteCount
            guard log[(offset + 8)..<(offset + 16)] == log[16..<24] else { break }
            sum.add(log, offset..<(offset + 8), isBigEndian: isBigEndian)
            sum.add(log, content..<(content + pageSize), isBigEndian: isBigEndian)
            guard sum == Sum(log, at: offset + 16) else { break }
            pending[log.number32(at: offset)] = content
            let committed = log.number32(at: offset + 4)
            if committed > 0 {
                offsets.merge(pending) { $1 }
                pending = [:]
                pageCount = committed
            }
            offset = content + pageSize
        }
        if pageCount == 0 { return nil }
    }

    /// The running sum over the log.
    private struct Sum: Equatable {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init() {}

        /// The one that stands in the log.
        init(_ log: [UInt8], at offset: Int) {
            first = UInt32(log.number32(at: offset))
            second = UInt32(log.number32(at: offset + 4))
        }

        mutating func add(_ log: [UInt8], _ range: Range<Int>, isBigEndian: Bool) {
            log.withUnsafeBytes { bytes in
                for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                    let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
                    second &+= (isBigEndian ? other.bigEndian : other.littleEndian) &+ first
                }
            }
        }
    }
}

/// Numbers in the bytes of a database file, most significant byte first; whoever reads has checked the offset.
extension [UInt8] {
    func number16(at offset: Int) -> Int {
        Int(self[offset]) << 8 | Int(self[offset + 1])
    }

    func number32(at offset: Int) -> Int {
        number16(at: offset) << 16 | number16(at: offset + 2)
    }

    /// A number of variable length, of nine bytes at the most, that ends before `end`; moves `offset` behind it.
    ///
    /// Source: sqlite.org/fileformat2.html, "varint".
    func variableNumber(at offset: inout Int, end: Int) -> UInt64? {
        var result: UInt64 = 0
        for position in 0..<9 {
            guard offset < end else { return nil }
            let byte = self[offset]
            offset += 1
            if position == 8 { return result << 8 | UInt64(byte) }
            result = result << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return result }
        }
        return nil
    }
}

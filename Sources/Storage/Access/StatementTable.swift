/// The compiled statements of a connection, found by their SQL.
///
/// A transaction of few rows looks up a dozen of them, so the way there is short: the place follows from the length
/// and the last bytes of a text, and texts are compared at that place alone. All texts are this program's,
/// nobody else chooses them: a place that many share costs time, nothing more.
final class StatementTable {
    private struct Entry {
        let sql: String
        let statement: PreparedStatement
    }

    /// The most statements that are kept.
    private static let statementCountMax = 256
    /// Twice as many places, so that a free one is always near; a power of two.
    private static let placeCount = 512
    /// The shift that leaves as many bits of 64 as number the places.
    private static let placeShift = UInt64(UInt64.bitWidth - placeCount.trailingZeroBitCount)
    /// The number of bytes at the end of a text that count.
    private static let tellingByteCount = 8

    /// Never moved: reading an array in a class asks each time whether somebody writes it.
    private let entries: UnsafeMutablePointer<Entry?>
    private var count = 0

    init() {
        entries = .allocate(capacity: Self.placeCount)
        entries.initialize(repeating: nil, count: Self.placeCount)
    }

    deinit {
        entries.deinitialize(count: Self.placeCount)
        entries.deallocate()
    }

    /// The compiled form of a text, if it is kept.
    func find(_ sql: String) -> PreparedStatement? {
        entries[place(of: sql)]?.statement
    }

    /// Keeps the compiled form of a text that has none yet.
    ///
    /// Requests of people come in endless variety: when there are too many, all are forgotten, and what is needed is
    /// compiled again.
    func keep(_ statement: PreparedStatement, for sql: String) {
        if count >= Self.statementCountMax { forget() }
        entries[place(of: sql)] = Entry(sql: sql, statement: statement)
        count += 1
    }

    /// Lets go of all statements.
    func forget() {
        if count == 0 { return }
        for place in 0..<Self.placeCount { entries[place] = nil }
        count = 0
    }

    /// Where a text stands, or would.
    private func place(of sql: String) -> Int {
        var place = Self.firstPlace(of: sql)
        while let entry = entries[place], entry.sql != sql {
            place = (place + 1) % Self.placeCount
        }
        return place
    }

    private static func firstPlace(of sql: String) -> Int {
        var text = sql
        let bits = text.withUTF8 { bytes in
            var bits: UInt64 = 0
            for byte in bytes.suffix(tellingByteCount) { bits = bits << 8 | UInt64(byte) }
            return bits &+ UInt64(truncatingIfNeeded: bytes.count) << 48
        }
        return Int(truncatingIfNeeded: (bits &* 0x9e37_79b9_7f4a_7c15) >> placeShift)
    }
}

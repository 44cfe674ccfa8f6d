import CSQLite
import Core

/// One compiled SQL statement, used again and again by the thread that owns its connection.
///
/// Text and bytes are copied by SQLite when bound; columns are copied when read, so nothing read here
/// outlives its row by accident. Source: sqlite.org/c3ref/stmt.html.
package final class PreparedStatement {
    private let handle: OpaquePointer
    private unowned let connection: Connection

    init(_ handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Binds a whole number.
    package func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }

    /// Binds the bits of a number, which SQLite takes for a signed one.
    package func bind(_ index: Int32, _ value: UInt64) {
        sqlite3_bind_int64(handle, index, Int64(bitPattern: value))
    }

    func bind(_ index: Int32, _ value: Double) {
        sqlite3_bind_double(handle, index, value)
    }

    /// Binds a number, or NULL.
    package func bind(_ index: Int32, ifPresent value: Int64?) {
        if let value { bind(index, value) } else { bindNull(index) }
    }

    /// Binds NULL.
    package func bindNull(_ index: Int32) {
        sqlite3_bind_null(handle, index)
    }

    func bind(_ index: Int32, _ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                _ = sqlite3_bind_text64(
                    handle, index, characters.baseAddress, UInt64(characters.count),
                    tandem_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        }
    }

    /// Binds bytes.
    package func bind(_ index: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bind(index, $0) }
    }

    func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(handle, index, 0)
        } else {
            sqlite3_bind_blob64(
                handle, index, bytes.baseAddress, UInt64(bytes.count), tandem_sqlite_transient())
        }
    }

    /// Binds the 16 bytes of an identifier, big-endian.
    package func bind(_ index: Int32, identifier: UInt128) {
        withUnsafeBytes(of: identifier.bigEndian) { bind(index, $0) }
    }

    /// Goes to the next row; false at the end, when the statement is ready to be bound again.
    package func step() throws(StoreFault) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE {
            sqlite3_reset(handle)
            return false
        }
        let fault = connection.fault(code, statement: String(cString: sqlite3_sql(handle)))
        sqlite3_reset(handle)
        throw fault
    }

    /// Runs a statement that gives no rows that matter.
    package func run() throws(StoreFault) {
        while try step() {}
    }

    /// Leaves the rows that were not read.
    package func reset() {
        sqlite3_reset(handle)
    }

    /// How many operations SQLite's machine has done for it.
    var operationCount: Int {
        Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0))
    }

    /// The whole number of a column.
    package func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bits of a column's whole number.
    package func unsigned(_ column: Int32) -> UInt64 {
        UInt64(bitPattern: sqlite3_column_int64(handle, column))
    }

    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// The fundamental type of a column: SQLITE_INTEGER, _FLOAT, _TEXT, _BLOB or _NULL.
    func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

    /// How many columns its rows have.
    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A copy of the bytes of a column.
    package func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { [UInt8]($0) }
    }

    /// Lends the bytes of a column until the next step.
    package func withBytes<T>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> T) -> T {
        guard let start = sqlite3_column_blob(handle, column) else {
            return body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let count = Int(sqlite3_column_bytes(handle, column))
        return body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The 16 bytes of an identifier; nil if the column holds anything else.
    package func identifier(_ column: Int32) -> UInt128? {
        withBytes(column) { bytes in
            guard bytes.count == 16 else { return nil }
            return UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self))
        }
    }
}

/// The compiled statements of a connection, found by their SQL.
///
/// A transaction of few rows looks up a dozen of them, so the way there is short: the index follows from the length
/// and the last bytes of a text, and texts are compared at that index alone. All texts are this program's,
/// nobody else chooses them: an index that many share costs time, nothing more.
final class StatementTable {
    private struct Entry {
        let sql: String
        let statement: PreparedStatement
    }

    /// The most statements that are kept.
    private static let statementCountMax = 256
    /// Twice as many indexes, so that a free one is always near; a power of two.
    private static let slotCount = 512
    /// The shift that leaves as many bits of 64 as number the indexes.
    private static let slotShift = UInt64(UInt64.bitWidth - slotCount.trailingZeroBitCount)
    /// The number of bytes at the end of a text that count.
    private static let tellingByteCount = 8

    /// Never moved: reading an array in a class asks each time whether somebody writes it.
    private let entries: UnsafeMutablePointer<Entry?>
    private var count = 0

    init() {
        entries = .allocate(capacity: Self.slotCount)
        entries.initialize(repeating: nil, count: Self.slotCount)
    }

    deinit {
        entries.deinitialize(count: Self.slotCount)
        entries.deallocate()
    }

    /// The compiled form of a text, if it is kept.
    func find(_ sql: String) -> PreparedStatement? {
        entries[index(of: sql)]?.statement
    }

    /// Keeps the compiled form of a text that has none yet.
    ///
    /// Requests of people come in endless variety: when there are too many, all are forgotten, and what is needed is
    /// compiled again.
    func keep(_ statement: PreparedStatement, for sql: String) {
        if count >= Self.statementCountMax { forget() }
        entries[index(of: sql)] = Entry(sql: sql, statement: statement)
        count += 1
    }

    /// The texts of all statements.
    var texts: [String] { (0..<Self.slotCount).compactMap { entries[$0]?.sql } }

    /// The sum over all statements.
    var operationCount: Int {
        (0..<Self.slotCount).reduce(0) { $0 + (entries[$1]?.statement.operationCount ?? 0) }
    }

    /// Lets go of all statements.
    func forget() {
        if count == 0 { return }
        for index in 0..<Self.slotCount { entries[index] = nil }
        count = 0
    }

    /// Where a text stands, or would.
    private func index(of sql: String) -> Int {
        var index = Self.firstSlot(of: sql)
        while let entry = entries[index], entry.sql != sql {
            index = (index + 1) % Self.slotCount
        }
        return index
    }

    private static func firstSlot(of sql: String) -> Int {
        var text = sql
        let bits = text.withUTF8 { bytes in
            var bits: UInt64 = 0
            for byte in bytes.suffix(tellingByteCount) { bits = bits << 8 | UInt64(byte) }
            return bits &+ UInt64(truncatingIfNeeded: bytes.count) << 48
        }
        return Int(truncatingIfNeeded: (bits &* 0x9e37_79b9_7f4a_7c15) >> slotShift)
    }
}

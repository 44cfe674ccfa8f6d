import CSQLite

/// What a row holds, column by column: a row that SQLite reads, or one that was read without it.
protocol RowColumns {
    /// The fundamental type of a column: SQLITE_INTEGER, _FLOAT, _TEXT, _BLOB or _NULL.
    func type(_ column: Int32) -> Int32
    /// The whole number of a column.
    func int(_ column: Int32) -> Int64
    /// The floating-point number of a column.
    func double(_ column: Int32) -> Double
    /// The text of a column.
    func text(_ column: Int32) -> String
    /// A copy of the bytes of a column.
    func bytes(_ column: Int32) -> [UInt8]
    /// Lends the bytes of a column.
    func withBytes<T>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> T) -> T
}

extension RowColumns {
    func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

    /// The 16 bytes of an identifier; nil if the column holds anything else.
    func identifier(_ column: Int32) -> UInt128? {
        withBytes(column) { bytes in
            guard bytes.count == 16 else { return nil }
            return UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self))
        }
    }
}

extension PreparedStatement: RowColumns {}

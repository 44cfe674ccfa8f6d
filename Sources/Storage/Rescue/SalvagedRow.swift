import CSQLite

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

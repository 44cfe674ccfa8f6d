/// Writes the rows of a table with commas (RFC 4180): CRLF, quotes only where they are needed.
struct CSVWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether cells that a spreadsheet would take for a formula get an apostrophe in front.
    private let isExcelSafe: Bool

    init(isExcelSafe: Bool) {
        self.isExcelSafe = isExcelSafe
    }

    /// Adds a row.
    mutating func append(_ cells: [String]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(guarded(cell))
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// The cell as it is written.
    func guarded(_ cell: String) -> String {
        guard isExcelSafe, let first = cell.utf8.first, "=+-@\t\r".utf8.contains(first) else {
            return cell
        }
        return "'" + cell
    }

    private mutating func append(_ cell: String) {
        let needsQuotes = cell.utf8.contains { "\",\r\n".utf8.contains($0) }
        guard needsQuotes else { return bytes.append(contentsOf: cell.utf8) }
        bytes.append(UInt8(ascii: "\""))
        for byte in cell.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

import JSON

/// Helps with the texts of tables.
enum CSVText {
    /// A text without the blanks around it.
    static func trimmed(_ text: some StringProtocol) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}

/// Reads the rows of a table with commas (RFC 4180), or with the semicolons or tabs that spreadsheets
/// write in parts of the world: the first row tells, or a line `sep=;` before it.
///
/// Lines may end in any way; a byte order mark is passed over; rows of nothing but empty cells are
/// left out. A quote inside a cell without quotes stands for itself.
struct CSVReader {
    /// One row of cells.
    struct Row {
        /// Where it begins; from 1.
        var line: Int
        /// Nil if one is not valid UTF-8.
        var cells: [String]?
    }

    /// Where a row begins in a file that is read piece by piece.
    struct Start {
        /// Its line, from 1.
        let line: Int
        /// Its first byte, from the beginning of the file.
        let byteOffset: Int
        /// The byte between cells.
        let separator: UInt8
    }

    private let format: String
    private let bytes: [UInt8]
    /// Whether the file ends with the bytes; else a row that goes on until there may not be whole.
    private let isLast: Bool
    /// Where the bytes begin in the file.
    private let base: Int
    /// The byte that is read next.
    private(set) var offset = 0
    /// Its line, from 1.
    private(set) var line = 1
    private var separator = UInt8(ascii: ",")

    /// Where the next row begins.
    var start: Start { Start(line: line, byteOffset: base + offset, separator: separator) }

    /// Reads on.
    init(_ bytes: [UInt8], of format: String, from start: Start, isLast: Bool) {
        self.format = format
        self.bytes = bytes
        self.isLast = isLast
        base = start.byteOffset
        line = start.line
        separator = start.separator
    }

    /// - Parameter names: names of columns of which the first row has one, in lower case.
    init(_ bytes: [UInt8], of format: String, names: Set<String>, isLast: Bool = true) {
        self.format = format
        self.bytes = bytes
        self.isLast = isLast
        base = 0
        offset = ByteOrderMark.end(in: bytes)
        let first = bytes[offset...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        if first.count == 5, first.starts(with: "sep=".utf8), let last = first.last {
            separator = last
            offset = first.endIndex
            consumeLineEnd()
        } else {
            separator = Self.separator(of: first, names)
        }
    }

    /// The separator that makes one of the names a cell; if none does, the most frequent one.
    private static func separator(of row: ArraySlice<UInt8>, _ names: Set<String>) -> UInt8 {
        let found = ",;\t".utf8.first { separator in
            row.split(separator: separator).contains { cell in
                var cell = cell
                if cell.count > 1, cell.first == UInt8(ascii: "\""), cell.last == cell.first {
                    cell = cell.dropFirst().dropLast()
                }
                let name = CSVText.trimmed(String(decoding: cell, as: UTF8.self))
                return names.contains(name.lowercased())
            }
        }
        if let found { return found }
        func count(_ separator: UInt8) -> Int { row.count { $0 == separator } }
        return ",;\t".utf8.reduce(UInt8(ascii: ",")) { count($1) > count($0) ? $1 : $0 }
    }

    /// The next row; nil at the end, and where it may not be whole.
    ///
    /// - Throws: `cannotDecode` for a quote that is not closed, or a row with too many cells.
    mutating func next() throws(FormatFault) -> Row? {
        while offset < bytes.count {
            let (start, startOffset) = (line, offset)
            var cells: [[UInt8]] = []
            repeat {
                guard cells.count < FormatLimits.columnCountMax else {
                    throw fault("a row has more than \(FormatLimits.columnCountMax) cells", start)
                }
                cells.append(try cell())
            } while consumeSeparator()
            consumeLineEnd()
            if !isLast, offset >= bytes.count {
                (line, offset) = (start, startOffset)
                return nil
            }
            if cells.allSatisfy(\.isEmpty) { continue }
            var texts: [String] = []
            for cell in cells {
                guard let text = String(validating: cell, as: UTF8.self) else {
                    return Row(line: start, cells: nil)
                }
                texts.append(text)
            }
            return Row(line: start, cells: texts)
        }
        return nil
    }

    private func fault(_ reason: String, _ line: Int) -> FormatFault {
        .cannotDecode(format: format, reason: reason, line: line, byteOffset: base + offset)
    }

    private mutating func cell() throws(FormatFault) -> [UInt8] {
        var cell: [UInt8] = []
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") { cell = try quoted() }
        // Text behind a closing quote belongs to the cell, as most readers have it.
        while offset < bytes.count, !endsCell(bytes[offset]) {
            cell.append(bytes[offset])
            offset += 1
        }
        return cell
    }

    private mutating func quoted() throws(FormatFault) -> [UInt8] {
        let (start, startOffset) = (line, offset)
        var cell: [UInt8] = []
        offset += 1
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") {
                guard offset < bytes.count, bytes[offset] == byte else { return cell }
                offset += 1
            } else if byte == UInt8(ascii: "\n") || isLoneReturn(at: offset - 1) {
                line += 1
            }
            cell.append(byte)
        }
        if !isLast { return cell }
        offset = startOffset
        throw fault("a quote is not closed", start)
    }

    /// Whether a line ends there as on an old Macintosh, as lines outside of quotes may.
    private func isLoneReturn(at index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "\r")
            && (index + 1 >= bytes.count || bytes[index + 1] != UInt8(ascii: "\n"))
    }

    private func endsCell(_ byte: UInt8) -> Bool {
        byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private mutating func consumeSeparator() -> Bool {
        guard offset < bytes.count, bytes[offset] == separator else { return false }
        offset += 1
        return true
    }

    private mutating func consumeLineEnd() {
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\r") { offset += 1 }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\n") { offset += 1 }
        line += 1
    }
}

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

/// Several texts in one cell: parted by semicolons, or as a JSON array where that would not read back.
///
/// Tags are read where commas part them, too, as other programs write them; one with a comma in it goes
/// into an array.
enum CSVList {
    static func text(_ texts: [String], areTags: Bool = false) -> String {
        let joined = texts.joined(separator: ";")
        return read(joined, areTags: areTags) == texts
            ? joined : JSONValue.array(texts.map { .text($0) }).compactText
    }

    static func read(_ cell: String, areTags: Bool = false) -> [String] {
        if cell.hasPrefix("["), let texts = JSONValue(compactText: cell)?.texts { return texts }
        return cell.split { $0 == ";" || (areTags && $0 == ",") }
            .map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

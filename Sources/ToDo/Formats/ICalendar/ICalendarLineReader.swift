/// Takes a file apart into content lines, folds undone.
///
/// Lines end with CRLF or LF alone; empty ones are passed over. Folds are undone on bytes, as some
/// programs fold inside of a character. Control characters besides tab are dropped.
struct ICalendarLineReader {
    /// A content line, or why there is none.
    enum Line {
        case text(String, line: Int)
        case bad(ICalendarProblem)
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var line = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = ByteOrderMark.end(in: bytes)
    }

    /// The number of the last line that was looked at.
    var lineNumber: Int { line }

    /// The next content line that is not empty; nil at the end of the file.
    mutating func next() -> Line? {
        while offset < bytes.count {
            let first = line + 1
            var content = physicalLine()
            while offset < bytes.count, bytes[offset] == 32 || bytes[offset] == 9 {
                offset += 1
                let more = physicalLine()
                // What is too long is passed over, not gathered.
                if content.count <= ICalendarLimits.lineByteCountMax { content += more }
            }
            if content.allSatisfy({ $0 == 32 || $0 == 9 }) { continue }
            guard content.count <= ICalendarLimits.lineByteCountMax else {
                let reason = "a content line of more than \(ICalendarLimits.lineByteCountMax) bytes"
                return .bad(ICalendarProblem(line: first, reason))
            }
            content.removeAll { ($0 < 32 && $0 != 9) || $0 == 127 }
            guard let text = String(validating: content, as: UTF8.self) else {
                return .bad(ICalendarProblem(line: first, "the line is not UTF-8"))
            }
            return .text(text, line: first)
        }
        return nil
    }

    private mutating func physicalLine() -> ArraySlice<UInt8> {
        let start = offset
        while offset < bytes.count, bytes[offset] != 10 { offset += 1 }
        var end = offset
        if end > start, bytes[end - 1] == 13 { end -= 1 }
        if offset < bytes.count { offset += 1 }
        line += 1
        return bytes[start..<end]
    }
}

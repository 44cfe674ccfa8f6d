/// Takes a file apart into content lines, folds undone, as its bytes come.
///
/// Lines end with CRLF or LF alone; empty ones are passed over. Folds are undone on bytes, as some
/// programs fold inside of a character. Control characters besides tab are dropped.
struct ICalendarLineReader {
    /// A content line, or why there is none.
    enum Line {
        case text(String, line: Int)
        case bad(ICalendarProblem)
    }

    /// The bytes that were not looked at yet begin at `offset`.
    private var bytes: [UInt8] = []
    private var offset = 0
    private var isEnded = false
    /// Whether the mark that some programs set before a text was passed over.
    private var isPastMark = false
    /// The content line that is read, which may go on in the next line of the file.
    private var content: [UInt8] = []
    private var isInContent = false
    /// Whether it was told that it is too long; what is left of it is passed over.
    private var isTold = false
    /// The line of the file in which it began.
    private var first = 0
    /// Where the content of the last line of the file begins in it.
    private var partStart = 0
    private var isAtLineStart = true
    private var line = 0
    /// The control characters that were dropped; nil if there were none.
    private(set) var controlCharacters: ICalendarParser.ControlCharacters?

    /// The number of the last line that was looked at.
    var lineNumber: Int { line }

    /// Takes the next bytes of the file.
    mutating func add(_ more: ArraySlice<UInt8>) {
        bytes.removeFirst(offset)
        bytes += more
        offset = 0
    }

    /// Takes note that there are no more bytes.
    mutating func end() { isEnded = true }

    /// The next content line that is not empty; nil where the bytes so far end.
    mutating func next() -> Line? {
        guard passMark() else { return nil }
        while offset < bytes.count {
            if isAtLineStart, isInContent {
                guard bytes[offset] == 32 || bytes[offset] == 9 else {
                    if let found = closed() { return found }
                    continue
                }
                offset += 1
                beginLine()
            } else if isAtLineStart {
                beginLine()
                first = line
                isInContent = true
            }
            if let bad = readToLineEnd() { return bad }
        }
        return isEnded && isInContent ? closed() : nil
    }

    private mutating func passMark() -> Bool {
        if isPastMark { return true }
        guard isEnded || bytes.count >= ByteOrderMark.utf8.count else { return false }
        offset = ByteOrderMark.end(in: bytes)
        isPastMark = true
        return true
    }

    private mutating func beginLine() {
        line += 1
        isAtLineStart = false
        partStart = content.count
    }

    /// Reads on; a line that is longer than one may be is told at once, as it may have no end.
    private mutating func readToLineEnd() -> Line? {
        let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        if !isTold { content += bytes[offset..<end] }
        offset = end
        if end < bytes.count {
            if content.count > partStart, content.last == 13 { content.removeLast() }
            offset = end + 1
            isAtLineStart = true
        }
        // A carriage return may belong to the end of the line.
        let extra = end == bytes.count && content.last == 13 ? 1 : 0
        guard content.count > ICalendarLimits.lineByteCountMax + extra else { return nil }
        content = []
        isTold = true
        return .bad(
            ICalendarProblem(
                line: first,
                "a content line of more than \(ICalendarLimits.lineByteCountMax) bytes"))
    }

    /// Ends the content line; nil if nothing is in it.
    private mutating func closed() -> Line? {
        isInContent = false
        isTold = false
        defer { content.removeAll(keepingCapacity: content.count < 1 << 16) }
        if content.allSatisfy({ $0 == 32 || $0 == 9 }) { return nil }
        if content.contains(where: Self.isControl) {
            content.removeAll(where: Self.isControl)
            var found = controlCharacters ?? ICalendarParser.ControlCharacters(firstLine: first)
            found.lineCount += 1
            controlCharacters = found
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            return .bad(ICalendarProblem(line: first, "the line is not UTF-8"))
        }
        return .text(text, line: first)
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        (byte < 32 && byte != 9) || byte == 127
    }
}

/// Writes content lines, folded, with CRLF at their ends.
struct ICalendarWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends a content line.
    ///
    /// Longer ones are folded at 75 bytes, never inside of a character.
    mutating func append(_ line: String) {
        var width = 0
        for scalar in line.unicodeScalars {
            let count = UTF8.width(scalar)
            if width + count > ICalendarLimits.foldByteCount {
                bytes.append(contentsOf: "\r\n ".utf8)
                // The space that marks the fold counts.
                width = 1
            }
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            width += count
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// Appends a component.
    mutating func append(_ component: ICalendarComponent) {
        for line in component.lines { append(line) }
    }
}

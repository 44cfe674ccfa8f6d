/// Takes a file apart into components.
///
/// A problem inside a component of a calendar is recorded in that component, so that the others can
/// be read; a problem outside of all components is recorded in `problems`. A to-do without a calendar around
/// it is read as if it stood in one.
struct ICalendarParser {
    /// A file, taken apart.
    struct File {
        /// Every VCALENDAR.
        var calendars: [ICalendarComponent] = []
        var problems: [ICalendarProblem] = []
        /// The control characters that are left out; nil if there are none.
        var controlCharacters: ControlCharacters?
    }

    /// The lines of a file that have control characters.
    struct ControlCharacters {
        var lineCount = 0
        let firstLine: Int

        /// The loss of them.
        var code: ICalendarReason { .controlsLeftOut(lineCount: lineCount, first: firstLine) }
    }

    private var file = File()
    private var open: [ICalendarComponent] = []
    private var componentCount = 0
    private var lineCount = 0
    /// Whether the open calendar has no BEGIN.
    private var isUnwritten = false

    /// Reads a whole file.
    ///
    /// - Throws: `cannotDecode` if it is no calendar, or over a limit that holds for all of it.
    static func parse(_ bytes: [UInt8]) throws(FormatFault) -> File {
        try FormatLimits.check(bytes, format: ICalendarFormat.name)
        var parser = ICalendarParser()
        var reader = ICalendarLineReader(bytes)
        do throws(ICalendarProblem) {
            while let line = reader.next() { try parser.read(line) }
            parser.finish(at: reader.lineNumber)
            parser.file.controlCharacters = reader.controlCharacters
        } catch {
            throw refusal(error.reason, line: error.line)
        }
        guard !parser.file.calendars.isEmpty else {
            throw refusal("there is no BEGIN:VCALENDAR; an empty file is no calendar")
        }
        return parser.file
    }

    private static func refusal(_ reason: String, line: Int? = nil) -> FormatFault {
        .cannotDecode(format: ICalendarFormat.name, reason: reason, line: line)
    }

    private mutating func read(_ line: ICalendarLineReader.Line) throws(ICalendarProblem) {
        switch line {
        case .bad(let problem):
            if open.isEmpty { throw problem }
            note(problem)
        case .text(let text, let number):
            let property: ICalendarProperty
            do throws(ICalendarProblem) {
                property = try ICalendarProperty(reading: text, line: number)
            } catch {
                if open.isEmpty { throw Self.noCalendar(number) }
                return note(error)
            }
            switch property.name {
            case "BEGIN": try begin(property)
            case "END": end(property)
            default:
                if open.isEmpty { throw Self.noCalendar(number) }
                lineCount += 1
                if lineCount == ICalendarLimits.lineCountMax + 1, open.count > 1 {
                    note(
                        ICalendarProblem(
                            line: number, "more than \(ICalendarLimits.lineCountMax) lines"))
                }
                // A refused component need not be gathered.
                if lineCount <= ICalendarLimits.lineCountMax || open.count == 1 {
                    open[open.count - 1].children.append(.property(property))
                }
            }
        }
    }

    private static func noCalendar(_ line: Int) -> ICalendarProblem {
        ICalendarProblem(line: line, "no calendar: BEGIN:VCALENDAR is expected here")
    }

    /// Begins the calendar that some programs leave out around a single to-do.
    private mutating func beginUnwritten(line: Int) {
        var calendar = ICalendarComponent("VCALENDAR", line: line)
        calendar.children = ICalendarFormat.head.dropFirst().compactMap {
            (try? ICalendarProperty(reading: $0, line: line)).map { .property($0) }
        }
        open.append(calendar)
        isUnwritten = true
    }

    /// Notes what is wrong at the component of the calendar in which it is.
    private mutating func note(_ problem: ICalendarProblem) {
        if open.count > 1 {
            open[1].problems.append(problem)
        } else {
            file.problems.append(problem)
        }
    }

    private mutating func begin(_ property: ICalendarProperty) throws(ICalendarProblem) {
        let name = property.value.uppercased()
        if isUnwritten, open.count == 1, name == "VCALENDAR" { close() }
        if open.isEmpty, name == "VTODO" {
            beginUnwritten(line: property.line)
        } else if open.isEmpty, name != "VCALENDAR" {
            throw Self.noCalendar(property.line)
        }
        guard open.count < ICalendarLimits.depthMax else {
            throw ICalendarProblem(
                line: property.line, "components nest deeper than \(ICalendarLimits.depthMax)")
        }
        guard !name.isEmpty, name.utf8.count <= ICalendarLimits.nameByteCountMax else {
            throw ICalendarProblem(line: property.line, "a component without a usable name")
        }
        componentCount += 1
        guard componentCount <= ICalendarLimits.componentCountMax else {
            throw ICalendarProblem(
                line: property.line,
                "more than \(ICalendarLimits.componentCountMax) components")
        }
        if open.count == 1 { lineCount = 0 }
        open.append(ICalendarComponent(name, line: property.line))
    }

    private mutating func end(_ property: ICalendarProperty) {
        let name = property.value.uppercased()
        guard let index = open.lastIndex(where: { $0.name == name }) else {
            return note(
                ICalendarProblem(line: property.line, "END:\(name) without its BEGIN"))
        }
        for unended in open[(index + 1)...] {
            note(
                ICalendarProblem(line: unended.line, "BEGIN:\(unended.name) without its END"))
        }
        while open.count > index { close() }
    }

    private mutating func close() {
        guard let closed = open.popLast() else { return }
        if open.isEmpty {
            isUnwritten = false
            file.calendars.append(closed)
        } else {
            open[open.count - 1].children.append(.component(closed))
        }
    }

    private mutating func finish(at line: Int) {
        if isUnwritten, open.count == 1 { close() }
        guard let innermost = open.last else { return }
        note(
            ICalendarProblem(
                line: line,
                "the file ends inside of \(innermost.name), which began in line \(innermost.line)"))
        while !open.isEmpty { close() }
    }
}

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
    /// The control characters that were dropped; nil if there were none.
    private(set) var controlCharacters: ICalendarParser.ControlCharacters?

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
                // A line that is too long is passed over, not gathered.
                if content.count <= ICalendarLimits.lineByteCountMax { content += more }
            }
            if content.allSatisfy({ $0 == 32 || $0 == 9 }) { continue }
            guard content.count <= ICalendarLimits.lineByteCountMax else {
                let reason = "a content line of more than \(ICalendarLimits.lineByteCountMax) bytes"
                return .bad(ICalendarProblem(line: first, reason))
            }
            if content.contains(where: Self.isControl) {
                content.removeAll(where: Self.isControl)
                var found =
                    controlCharacters ?? ICalendarParser.ControlCharacters(firstLine: first)
                found.lineCount += 1
                controlCharacters = found
            }
            guard let text = String(validating: content, as: UTF8.self) else {
                return .bad(ICalendarProblem(line: first, "the line is not UTF-8"))
            }
            return .text(text, line: first)
        }
        return nil
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        (byte < 32 && byte != 9) || byte == 127
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

/// Takes a file apart into components, as its bytes come.
///
/// A problem inside a component of a calendar is recorded in that component, so that the others can
/// be read; a problem outside of all components is one of the file. A to-do without a calendar around
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

    /// A part of a file that is read piece by piece.
    enum Part {
        /// A component of a calendar.
        case component(ICalendarComponent)
        case calendarEnd
        /// A problem outside of all components.
        case problem(ICalendarProblem)
    }

    /// The parts that were read since they were taken last.
    private var parts: [Part] = []
    private var open: [ICalendarComponent] = []
    private var calendarCount = 0
    private var componentCount = 0
    private let componentCountMax: Int
    /// The content lines of the open component of a calendar, and their bytes.
    private var lineCount = 0
    private var byteCount = 0
    /// Whether the open calendar has no BEGIN.
    private var isUnwritten = false
    /// Whether calendars keep what is in them.
    private let keepsCalendars: Bool
    private var calendars: [ICalendarComponent] = []
    private var lines = ICalendarLineReader()

    /// A parser that hands out the parts of a file, and keeps none.
    ///
    /// - Parameter componentCountMax: the most components of the file.
    init(componentCountMax: Int) {
        self.init(componentCountMax: componentCountMax, keepsCalendars: false)
    }

    private init(componentCountMax: Int, keepsCalendars: Bool) {
        self.componentCountMax = componentCountMax
        self.keepsCalendars = keepsCalendars
    }

    /// The control characters that are left out; nil if there are none.
    var controlCharacters: ControlCharacters? { lines.controlCharacters }

    /// Reads a whole file.
    ///
    /// - Throws: `cannotDecode` if it is no calendar, or over a limit that holds for all of it.
    static func parse(_ bytes: [UInt8]) throws(FormatFault) -> File {
        try FormatLimits.check(bytes, format: ICalendarFormat.name)
        var parser = ICalendarParser(
            componentCountMax: ICalendarLimits.componentCountMax, keepsCalendars: true)
        try parser.add(bytes[...])
        try parser.finish()
        var file = File()
        file.calendars = parser.calendars
        file.problems = parser.take().compactMap {
            if case .problem(let problem) = $0 { problem } else { nil }
        }
        file.controlCharacters = parser.controlCharacters
        return file
    }

    /// Reads the lines that end in the next bytes.
    ///
    /// - Throws: `cannotDecode` if the file is no calendar, or over a limit that holds for all of it.
    mutating func add(_ bytes: ArraySlice<UInt8>) throws(FormatFault) {
        lines.add(bytes)
        try readLines()
    }

    /// Reads the last line, and closes what is open.
    ///
    /// - Throws: `cannotDecode` if the file is no calendar.
    mutating func finish() throws(FormatFault) {
        lines.end()
        try readLines()
        closeAll(at: lines.lineNumber)
        guard calendarCount > 0 else {
            throw Self.refusal("there is no BEGIN:VCALENDAR; an empty file is no calendar")
        }
    }

    /// Takes what was read since it was taken last.
    mutating func take() -> [Part] {
        defer { parts = [] }
        return parts
    }

    private mutating func readLines() throws(FormatFault) {
        do throws(ICalendarProblem) {
            while let line = lines.next() { try read(line) }
        } catch {
            throw Self.refusal(error.reason, line: error.line)
        }
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
                if hasRoom(for: property) {
                    open[open.count - 1].children.append(.property(property))
                }
            }
        }
    }

    /// Counts a line; whether it is gathered: nobody needs those of a refused component, or of a calendar that is not kept.
    private mutating func hasRoom(for line: ICalendarProperty) -> Bool {
        guard open.count > 1 else { return keepsCalendars }
        lineCount += 1
        byteCount += line.text.utf8.count
        if lineCount > ICalendarLimits.lineCountMax {
            note(
                ICalendarProblem(line: line.line, "more than \(ICalendarLimits.lineCountMax) lines")
            )
            return false
        }
        if byteCount > FormatLimits.entryByteCountMax {
            note(ICalendarProblem(line: line.line, FormatLimits.entryTooLong))
            return false
        }
        return true
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

    /// Notes what is wrong at the component of the calendar in which it is; of each the first problem is told.
    private mutating func note(_ problem: ICalendarProblem) {
        if open.count > 1 {
            if open[1].problems.isEmpty { open[1].problems.append(problem) }
        } else {
            parts.append(.problem(problem))
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
        guard componentCount <= componentCountMax else {
            throw ICalendarProblem(
                line: property.line, "more than \(componentCountMax) components")
        }
        if open.count > 1 {
            _ = hasRoom(for: property)
        } else {
            (lineCount, byteCount) = (0, 0)
        }
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
        switch open.count {
        case 0:
            isUnwritten = false
            calendarCount += 1
            if keepsCalendars { calendars.append(closed) } else { parts.append(.calendarEnd) }
        case 1 where !keepsCalendars: parts.append(.component(closed))
        default:
            // The parts of a refused component need not be gathered.
            if open.count == 1 || open[1].problems.isEmpty {
                open[open.count - 1].children.append(.component(closed))
            }
        }
    }

    private mutating func closeAll(at line: Int) {
        if isUnwritten, open.count == 1 { close() }
        guard let innermost = open.last else { return }
        note(
            ICalendarProblem(
                line: line,
                "the file ends inside of \(innermost.name), which began in line \(innermost.line)"))
        while !open.isEmpty { close() }
    }
}

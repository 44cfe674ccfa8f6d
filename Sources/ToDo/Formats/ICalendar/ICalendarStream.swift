/// Reads a file of `ICalendarFormat` piece by piece.
///
/// Changed occurrences of to-dos that come again are given last, as their series may stand further down; to-dos of a time zone
/// that only the calendar describes are given at its end, if the description stands below them.
package struct ICalendarStream: EntryStream {
    /// The most names of components that are no to-dos which are told apart.
    private static let otherNameCountMax = 100

    /// A to-do whose time zone was not described yet.
    private struct Waiting {
        let component: ICalendarComponent
        let entry: Int
    }

    private var parser: ICalendarParser
    private var codec: ICalendarItem
    private var reading = FormatReading()
    private var known = EntryIdentifiers()
    private var entryCount = 0
    /// The components of the open calendar that are no to-dos, by their names.
    private var others: [String: Int] = [:]
    private var waiting: [Waiting] = []
    private var waitingByteCount = 0
    private var occurrences: [ICalendarOccurrence] = []
    private var occurrenceByteCount = 0
    private let heldByteCountMax: Int

    /// Reads times without a zone as those of `zone`.
    ///
    /// - Parameters:
    ///   - componentCountMax: the most components of the file.
    ///   - heldByteCountMax: the most that to-dos have which wait for what may stand below, in bytes.
    package init(
        zone: LocalTimeZone, componentCountMax: Int = .max,
        heldByteCountMax: Int = FormatLimits.fileByteCountMax
    ) {
        self.heldByteCountMax = heldByteCountMax
        parser = ICalendarParser(componentCountMax: componentCountMax)
        codec = ICalendarItem(zones: ICalendarZones(local: zone))
    }

    /// Reads the to-dos that end in the next bytes.
    package mutating func add(_ bytes: ArraySlice<UInt8>) throws(FormatFault) {
        try parser.add(bytes)
        try readParts()
    }

    /// Reads the last to-do, and occurrences whose series did not come.
    package mutating func finish() throws(FormatFault) {
        try parser.finish()
        try readParts()
        for occurrence in occurrences {
            do throws(ICalendarProblem) {
                try take(occurrence)
            } catch {
                reading.faults.append(Self.fault(error, occurrence.entry))
            }
        }
        occurrences = []
        if let controls = parser.controlCharacters {
            reading.losses.append(
                FormatLoss(entry: 0, title: "", field: "control characters", controls.code))
        }
    }

    /// Takes what was read since it was taken last.
    package mutating func take() -> FormatReading {
        defer { reading = FormatReading() }
        return reading
    }

    private mutating func readParts() throws(FormatFault) {
        for part in parser.take() {
            switch part {
            case .problem(let problem): reading.faults.append(Self.fault(problem))
            case .calendarEnd: try endCalendar()
            case .component(let component): try read(component)
            }
        }
    }

    private mutating func read(_ component: ICalendarComponent) throws(FormatFault) {
        guard component.name == "VTODO" else { return readOther(component) }
        entryCount += 1
        // The problem of a component that is refused needs no zone.
        if component.problems.isEmpty, codec.lacksZone(of: component) {
            waiting.append(Waiting(component: component, entry: entryCount))
            waitingByteCount += component.byteCount
            // Of so many nothing tells what their zone is.
            if waitingByteCount > heldByteCountMax { try readWaiting() }
        } else {
            try read(component, entryCount)
        }
    }

    private mutating func readWaiting() throws(FormatFault) {
        for todo in waiting { try read(todo.component, todo.entry) }
        (waiting, waitingByteCount) = ([], 0)
    }

    private mutating func readOther(_ component: ICalendarComponent) {
        if let problem = component.problems.first { reading.faults.append(Self.fault(problem)) }
        if component.name == "VTIMEZONE" { return codec.describe(zone: component) }
        let isTold = others[component.name] != nil || others.count < Self.otherNameCountMax
        others[isTold ? component.name : "components", default: 0] += 1
    }

    private mutating func read(
        _ component: ICalendarComponent, _ entry: Int
    ) throws(FormatFault) {
        do throws(ICalendarProblem) {
            let (item, losses) = try codec.read(component)
            guard let occurrence = ICalendarOccurrence(component, item, losses, entry) else {
                return try take(item, losses, entry, component.line)
            }
            if occurrence.series.map(known.contains) ?? false { return try take(occurrence) }
            occurrences.append(occurrence)
            occurrenceByteCount += component.byteCount
        } catch {
            reading.faults.append(Self.fault(error, entry))
        }
        try FormatLimits.check(
            heldCount: occurrences.count, byteCount: occurrenceByteCount, max: heldByteCountMax,
            format: ICalendarFormat.name)
    }

    private mutating func endCalendar() throws(FormatFault) {
        try readWaiting()
        for (name, count) in others.sorted(by: { $0.key < $1.key }) {
            reading.losses.append(
                FormatLoss(
                    entry: 0, title: "", field: name, ICalendarReason.othersLeftOut(count: count)))
        }
        others = [:]
        codec.forgetZones()
    }

    private static func fault(_ problem: ICalendarProblem) -> FormatFault {
        .cannotDecode(
            format: ICalendarFormat.name, reason: problem.reason, line: problem.line)
    }

    private static func fault(_ problem: ICalendarProblem, _ entry: Int) -> FormatFault {
        .badEntry(
            format: ICalendarFormat.name, line: problem.line, entry: entry, key: problem.property,
            reason: problem.reason)
    }

    /// Takes a to-do, unless there is another of its UID.
    private mutating func take(
        _ item: ToDoItem, _ losses: [ICalendarItemReader.Loss], _ entry: Int, _ line: Int
    ) throws(ICalendarProblem) {
        if let problem = ItemCheck.problem(item) {
            throw ICalendarProblem(line: line, problem.key, problem.reason)
        }
        if let identifier = item.identifier {
            switch known.take(identifier, of: item, entry: entry, line: line) {
            case .new: break
            case .same(let remark): return reading.remarks.append(remark)
            case .other(let reason): throw ICalendarProblem(line: line, "UID", reason)
            }
        }
        reading.losses += losses.map {
            FormatLoss(entry: entry, title: item.title, field: $0.property, $0.code)
        }
        reading.items.append(item)
    }

    /// Takes a changed occurrence whose series is not in the file; tells of any other.
    private mutating func take(_ occurrence: ICalendarOccurrence) throws(ICalendarProblem) {
        func told(_ code: ICalendarReason) -> FormatLoss {
            FormatLoss(
                entry: occurrence.entry, title: occurrence.item.title, field: "RECURRENCE-ID", code)
        }
        if let series = occurrence.series, known.contains(series) {
            return reading.losses.append(told(.changedOccurrence))
        }
        let count = reading.items.count
        try take(occurrence.item, occurrence.losses, occurrence.entry, occurrence.line)
        if reading.items.count > count { reading.remarks.append(told(.loneOccurrence)) }
    }
}

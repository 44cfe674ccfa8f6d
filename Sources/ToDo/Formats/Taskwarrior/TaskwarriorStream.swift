import JSON

/// Reads the tasks of a `TaskwarriorFormat` file one after the other.
struct TaskwarriorReader {
    /// The to-dos so far.
    var builder: ReadingBuilder
    /// The counts of the file.
    var counts = TaskwarriorFormat.Counts()
    /// The templates so far.
    var series: TaskwarriorSeries
    private let format: TaskwarriorFormat

    init(_ format: TaskwarriorFormat, entryCountMax: Int = FormatLimits.entryCountMax) {
        self.format = format
        // Two tasks may say that they are one occurrence: `TaskwarriorSeries` parts them.
        builder = ReadingBuilder(
            TaskwarriorFormat.name, limitsYears: false, entryCountMax: entryCountMax,
            identifier: TaskwarriorRecurrence.uuid(of:))
        series = TaskwarriorSeries(zone: format.zone, zoneName: format.zoneName)
    }

    /// Reads a task, which begins at a line.
    mutating func read(_ task: JSONValue, line: Int) throws(FormatFault) {
        var reader = format.reader(entry: 0)
        var good: (entry: Int, item: ToDoItem)?
        let isKept = try builder.add(line: line) { entry, losses throws(FormatFault) in
            let members = try format.members(task, entry)
            reader = format.reader(entry: entry)
            let item = try reader.item(members)
            losses +=
                reader.isDeleted
                ? [TaskwarriorFormat.deletion(entry, item)]
                : TaskwarriorLosses(zone: format.zone, zoneName: format.zoneName)
                    .losses(entry: entry, item, of: members)
            counts.add(members, dayCount: reader.dayCount)
            good = (entry, item)
            return item
        }
        guard isKept, let good else { return }
        if reader.isDeleted { builder.buryLast() }
        if reader.isTemplate { series.addTemplate(good.item, entry: good.entry) }
        builder.addRemarks(
            TaskwarriorRemarks(entry: good.entry, good.item, isTemplate: reader.isTemplate).all())
    }
}

/// Reads a file of `TaskwarriorFormat` piece by piece.
///
/// Series, and tasks that wait for others, are given last: the task that one is tied to may stand further down.
struct TaskwarriorStream: EntryStream {
    private var reader: TaskwarriorReader
    /// The bytes that were not read yet.
    private var pending: [UInt8] = []
    /// How many bytes and ends of lines there were before them.
    private var readByteCount = 0
    private var readLineCount = 0
    /// Whether a task was read: what stands before the first is for people.
    private var hasBegun = false
    private var isInArray = false
    /// How many bytes must wait before they are looked at again: a task may be longer than many pieces.
    private var awaitedByteCount = 0
    /// The to-dos that are given last.
    private var held: [ToDoItem] = []
    private var buried: Set<UInt128> = []
    private var isFinished = false

    init(_ format: TaskwarriorFormat) {
        reader = TaskwarriorReader(format, entryCountMax: .max)
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) throws(FormatFault) {
        try FormatLimits.check(heldCount: held.count, format: TaskwarriorFormat.name)
        pending += bytes
        if pending.count >= awaitedByteCount { try read(isLast: false) }
    }

    mutating func finish() throws(FormatFault) {
        try read(isLast: true)
        isFinished = true
    }

    /// Reads the tasks that are whole.
    private mutating func read(isLast: Bool) throws(FormatFault) {
        let messages = hasBegun ? nil : TaskwarriorMessages(pending)
        var tasks = JSONSequence(
            pending, of: TaskwarriorFormat.name, from: messages?.end ?? 0, isInArray: isInArray)
        var end = 0
        while let task = try next(&tasks, isLast: isLast) {
            if !hasBegun, let messages { reader.builder.addRemarks(messages.remarks) }
            hasBegun = true
            try reader.read(task.value, line: task.line + readLineCount)
            (end, isInArray) = (tasks.offset, tasks.isInArray)
        }
        if isLast, let messages, !hasBegun { reader.builder.addRemarks(messages.remarks) }
        readLineCount += pending[..<end].count { $0 == UInt8(ascii: "\n") }
        readByteCount += end
        pending.removeFirst(end)
        awaitedByteCount = end > 0 ? 0 : min(2 * pending.count, Self.pendingByteCountMax)
    }

    /// The most bytes that wait for the end of a task: the longest task, and what may stand around it.
    private static let pendingByteCountMax =
        FormatLimits.entryByteCountMax + FormatLimits.pieceByteCount

    /// The next task; nil at the end, and where it may not be whole.
    private func next(
        _ tasks: inout JSONSequence, isLast: Bool
    ) throws(FormatFault) -> (line: Int, value: JSONValue)? {
        // Bytes that are no JSON may be the beginning of some.
        let mayGoOn = !isLast && pending.count - tasks.offset < Self.pendingByteCountMax
        do throws(FormatFault) {
            guard let task = try tasks.next() else { return nil }
            // A number may have more digits.
            if case .object = task.value { return task }
            return mayGoOn && tasks.offset == pending.count ? nil : task
        } catch {
            if mayGoOn { return nil }
            guard case .cannotDecode(let format, let reason, let line, let byteOffset) = error
            else { throw error }
            // A fault where the bytes end is a task that goes on behind them.
            let isTooLong = !isLast && byteOffset.map { $0 >= pending.count } ?? false
            throw .cannotDecode(
                format: format, reason: isTooLong ? FormatLimits.entryTooLong : reason,
                line: line.map { $0 + readLineCount },
                byteOffset: byteOffset.map { $0 + readByteCount })
        }
    }

    mutating func take() -> FormatReading {
        var page = reader.builder.take()
        buried.formUnion(page.trash.compactMap(\.identifier))
        held += page.items.filter(isTied)
        page.items.removeAll(where: isTied)
        guard isFinished else { return page }
        let open = TaskwarriorFormat.openEnds(held, isRead: reader.builder.hasRead)
        reader.series.tie(&held)
        TaskwarriorNames(held).lead(&held)
        reader.builder.addRemarks(reader.series.remarks + open)
        for loss in TaskwarriorFormat.buriedEnds(held, buried) { reader.builder.add(loss) }
        reader.counts.tell(&reader.builder)
        let last = reader.builder.take()
        page.items += held
        page.remarks += last.remarks
        page.losses += last.losses
        held = []
        isFinished = false
        return page
    }

    /// Whether a to-do may be changed by others of the file.
    private func isTied(_ item: ToDoItem) -> Bool {
        item.series != nil || !item.depends.isEmpty || item.custom["parent"] != nil
            || item.identifier.map(reader.series.hasTemplate) ?? false
    }
}

import JSON

/// The JSON of `task export` and `task import`, checked with Taskwarrior 2.6.2.
///
/// | ours | theirs |
/// |---|---|
/// | title, project, tags, priority, due, scheduled, wait, until, start | the same |
/// | completed | `end` |
/// | created, modified | `entry`, `modified` |
/// | cancelled; in the trash, when it comes from there | status `deleted` |
/// | a whole day | midnight (due, scheduled, wait), 23:59:59 (until) |
/// | occurrences that come again, their series, a cancelled to-do with the custom field `recur` | `recur`, `parent`, `imask`, a task with the status `recurring`, as `TaskwarriorRecurrence` says |
/// | notes | field `notes`, and annotations as `AnnotationNotes` says |
/// | depends | `depends`, an array of `uuid`s; read as one text with commas, too, as 2.5 writes it |
/// | finish, location, people | fields of these names; people as a JSON array in a text |
/// | custom fields | fields of these names, as text |
///
/// Details that Taskwarrior cannot hold travel in one more text field, `tandem`: which dates are days
/// although such dates are none there, midnights that are no days, dates outside 1980 to 9999 (they make it crash), kinds of custom values, tags with commas,
/// names it cannot store. It keeps unknown fields, so only fractions of seconds are lost on the way
/// there and back; what it has no notion of itself is told as a loss all the same.
/// `id` and `urgency` are computed there and not read. A task without a description has no title here,
/// and goes out with a stand-in for one.
package struct TaskwarriorFormat: Sendable {
    static let name = "Taskwarrior"

    /// The zone whose midnight stands for a day.
    let zone: LocalTimeZone
    /// The zone's name for rules that need one.
    let zoneName: String?

    /// Reads and writes days as midnights of `zone`.
    package init(zone: LocalTimeZone) {
        self.zone = zone
        zoneName = zone.sharedName
    }

    /// Reads a JSON array, or objects one after the other.
    ///
    /// - Throws: `cannotDecode` for the file; bad tasks are among the faults.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var reader = TaskwarriorReader(self)
        let messages = TaskwarriorMessages(bytes)
        reader.builder.addRemarks(messages.remarks)
        var tasks = JSONSequence(bytes, of: Self.name, from: messages.end)
        while let task = try tasks.next() { try reader.read(task.value, line: task.line) }
        let open = Self.openEnds(
            reader.builder.reading.items, isRead: reader.builder.hasRead)
        reader.builder.changeItems { items in
            reader.series.tie(&items)
            // A task may wait for one that stands further down.
            TaskwarriorNames(items).lead(&items)
        }
        reader.builder.addRemarks(reader.series.remarks + open)
        let buried = Set(reader.builder.reading.trash.compactMap(\.identifier))
        for loss in Self.buriedEnds(reader.builder.reading.items, buried) {
            reader.builder.add(loss)
        }
        reader.counts.tell(&reader.builder)
        return reader.builder.reading
    }

    func members(_ value: JSONValue, _ entry: Int) throws(FormatFault) -> [JSONMember] {
        let reason: String
        switch value {
        // Looking for losses takes the square of it.
        case .object(let members) where members.count > FormatLimits.fieldCountMax:
            reason = "has \(members.count) fields; \(FormatLimits.fieldCountMax) fit"
        case .object(let members): return members
        default: reason = "not an object"
        }
        throw .badEntry(format: Self.name, entry: entry, key: nil, reason: reason)
    }

    func reader(entry: Int) -> TaskwarriorEntryReader {
        TaskwarriorEntryReader(entry: entry, zone: zone, zoneName: zoneName)
    }

    /// How tasks are known again.
    package var echo: FormatEcho {
        FormatEcho(forms: { item in
            let writer = TaskwarriorEntryWriter(item, zone: zone, zoneName: zoneName)
            guard let task = try? writer.task(entry: 0) else { return [] }
            var reader = reader(entry: 0)
            return (try? reader.item(task.members)).map { [$0] } ?? []
        })
    }

    /// Writes a JSON array, one task a line, as `task export` does.
    ///
    /// Every task is whole, because an import replaces a known task altogether.
    /// - Throws: `cannotEncode` for an item without id.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        var writer = JSONWriter()
        var losses: [FormatLoss] = []
        let masks = TaskwarriorMasks(items)
        var names = TaskwarriorNames()
        for item in items where item.custom[TaskwarriorRecurrence.identifier] != nil {
            let writer = TaskwarriorEntryWriter(item, zone: zone, zoneName: zoneName)
            if let there = writer.ownIdentifier.flatMap(UUIDText.value),
                let here = item.identifier
            {
                names.add(here, as: there)
            }
        }
        writer.append(raw: "[\n")
        for (index, item) in items.enumerated() {
            if index > 0 { writer.append(raw: ",\n") }
            let (task, aside) = try TaskwarriorEntryWriter(
                masks.corrected(item), zone: zone, zoneName: zoneName, names: names
            ).task(entry: index + 1)
            writer.append(.object(task))
            var reader = reader(entry: index + 1)
            losses += FormatLoss.losses(entry: index + 1, of: item) { () throws(FormatFault) in
                var read = try reader.item(task)
                read.setDepends(names.here(read.depends))
                return read
            }
            losses += aside
        }
        writer.append(raw: items.isEmpty ? "]\n" : "\n]\n")
        return FormatWriting(writer.bytes, losses: losses)
    }
}

extension TaskwarriorFormat {
    /// The counts that are told once for the whole file.
    struct Counts {
        private var modified = 0
        private var computed = 0
        private var days = 0

        mutating func add(_ members: [JSONMember], dayCount: Int) {
            if members.contains(where: { $0.name == "modified" }) { modified += 1 }
            if members.contains(where: { $0.name == "id" || $0.name == "urgency" }) {
                computed += 1
            }
            days += dayCount
        }

        func tell(_ builder: inout ReadingBuilder) {
            func told(_ field: String, _ code: any FormatReason) -> FormatLoss {
                FormatLoss(entry: 0, title: "", field: field, code)
            }
            if modified > 0 {
                builder.add(told("modified", CommonReason.becomesImportTime(count: modified)))
            }
            if computed > 0 {
                builder.add(
                    told("id, urgency", TaskwarriorReason.computed(count: computed)))
            }
            if days > 0 {
                builder.addRemarks([
                    told("due, scheduled, wait", TaskwarriorReason.midnights(count: days))
                ])
            }
        }
    }

    /// The tasks that wait for deleted ones, which have these ids.
    static func buriedEnds(_ items: [ToDoItem], _ buried: Set<UInt128>) -> [FormatLoss] {
        items.filter { $0.depends.contains(where: buried.contains) }.map {
            FormatLoss(
                entry: 0, title: $0.title, field: "depends", TaskwarriorReason.waitsForDeleted)
        }
    }

    /// What waits for tasks that are not in the file, as one that was written of pending tasks alone.
    ///
    /// - Parameter isRead: whether a task of that UUID was read.
    static func openEnds(_ items: [ToDoItem], isRead: (UInt128) -> Bool) -> [FormatLoss] {
        items.filter { !$0.depends.allSatisfy(isRead) }.map {
            FormatLoss(
                entry: 0, title: $0.title, field: "depends", TaskwarriorReason.waitsForMissing)
        }
    }

    static func deletion(_ entry: Int, _ item: ToDoItem) -> FormatLoss {
        FormatLoss(
            entry: entry, title: item.title, field: "status",
            TaskwarriorReason.deleted)
    }
}

/// Lines that Taskwarrior prints for people, such as `TASKRC override: …`, before the tasks in a
/// file, as after `task export > FILE 2>&1`.
struct TaskwarriorMessages {
    /// The most lines that are passed over; a file of text has no tasks.
    private static let lineCountMax = 100

    /// Where the tasks begin.
    private(set) var end: Int
    private var lines: [ArraySlice<UInt8>] = []

    /// Finds the lines of text before the first line that begins with a bracket or a brace; none if no such
    /// line comes.
    init(_ bytes: [UInt8]) {
        let start = ByteOrderMark.end(in: bytes)
        end = start
        var offset = start
        while offset < bytes.count, lines.count <= Self.lineCountMax {
            let line = bytes[offset...].prefix { $0 != UInt8(ascii: "\n") }
            guard let first = line.first(where: { $0 != 32 && $0 != 9 && $0 != 13 }) else {
                offset = line.endIndex + 1
                continue
            }
            if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
                end = offset
                return
            }
            guard JSONSequence.beginsText(first) else { break }
            lines.append(line)
            offset = line.endIndex + 1
        }
        lines = []
    }

    /// The remark that they were passed over.
    var remarks: [FormatLoss] {
        guard let first = lines.first else { return [] }
        let text = FormatLoss.beginning(of: String(decoding: first.prefix(400), as: UTF8.self))
        return [
            FormatLoss(
                entry: 0, title: "", field: "messages",
                TaskwarriorReason.message(text, otherCount: lines.count - 1))
        ]
    }
}

extension TaskwarriorFormat: ToDoFormat {
    /// The names of the format, and what is known of it without a file.
    package static let profile = FormatProfile(
        "taskwarrior", family: "Taskwarrior",
        losses: "fractions of seconds, and fields that Taskwarrior knows nothing of",
        nameEndings: [".json"])

    /// A format as a command line asks for it.
    package init(_ settings: FormatSettings) throws(FormatOptionFault) {
        self.init(zone: settings.zone)
    }

    /// Reads a file piece by piece.
    package func stream() -> (any EntryStream)? { TaskwarriorStream(self) }
}

/// The JSON of `task export` and `task import`, checked with Taskwarrior 2.6.2.
///
/// | ours | theirs |
/// |---|---|
/// | title, project, tags, priority, due, scheduled, wait, until, start | the same |
/// | completed | `end` |
/// | created, modified | `entry`, `modified` |
/// | cancelled | status `deleted` |
/// | pending with `recur` and no `parent` among the custom fields | status `recurring` |
/// | notes | field `notes`, and annotations as `AnnotationNotes` says |
/// | finish, location, people | fields of these names; people as a JSON array in a text |
/// | custom fields | fields of these names, as text |
///
/// What Taskwarrior cannot hold travels in one more text field, `tandem`: which dates are days,
/// dates outside 1980 to 9999 (they make it crash), kinds of custom values, tags with commas,
/// names it cannot store. It keeps unknown fields, so only fractions of seconds are lost on the way
/// there and back; what it has no notion of itself is told as a loss all the same.
/// `id` and `urgency` are computed there and not read. A day travels as its local midnight.
package struct TaskwarriorFormat: Sendable {
    static let name = "Taskwarrior"

    /// The zone whose midnight stands for a day.
    let zone: LocalTimeZone

    /// Reads and writes days as midnights of `zone`.
    package init(zone: LocalTimeZone) {
        self.zone = zone
    }

    /// Reads a JSON array, or objects one after the other.
    ///
    /// - Throws: `cannotDecode` for the file; bad tasks are among the faults.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var builder = ReadingBuilder(Self.name, limitsYears: false)
        var modifiedCount = 0
        var tasks = JSONSequence(bytes, of: Self.name)
        while let task = try tasks.next() {
            try builder.add(line: task.line) { entry, losses throws(FormatFault) in
                guard case .object(let members) = task.value else {
                    throw .badEntry(
                        format: Self.name, entry: entry, key: nil, reason: "not an object")
                }
                // Looking for losses takes the square of it.
                guard members.count <= FormatLimits.fieldCountMax else {
                    throw .badEntry(
                        format: Self.name, entry: entry, key: nil,
                        reason: "has \(members.count) fields; \(FormatLimits.fieldCountMax) fit")
                }
                var reader = TaskwarriorEntryReader(entry: entry, zone: zone)
                let item = try reader.item(members)
                losses += TaskwarriorLosses(zone: zone).losses(entry: entry, item, of: members)
                if members.contains(where: { $0.name == "modified" }) { modifiedCount += 1 }
                return item
            }
        }
        if modifiedCount > 0 {
            builder.add(
                FormatLoss(
                    entry: 0, title: "", field: "modified",
                    reason: "of \(modifiedCount) becomes the time of the import"))
        }
        return builder.reading
    }

    /// How tasks are known again.
    package var echo: FormatEcho {
        FormatEcho(forms: { item in
            guard let task = try? TaskwarriorEntryWriter(item, zone: zone).task(entry: 0) else {
                return []
            }
            var reader = TaskwarriorEntryReader(entry: 0, zone: zone)
            return (try? reader.item(task.members)).map { [$0] } ?? []
        })
    }

    /// Writes a JSON array, one task a line, as `task export` does.
    ///
    /// Every task is whole, because an import replaces a known task altogether.
    /// - Throws: `cannotEncode` for an item without id or title.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        var writer = JSONWriter()
        var losses: [FormatLoss] = []
        writer.append(raw: "[\n")
        for (index, item) in items.enumerated() {
            if index > 0 { writer.append(raw: ",\n") }
            let (task, aside) = try TaskwarriorEntryWriter(item, zone: zone).task(entry: index + 1)
            writer.append(.object(task))
            var reader = TaskwarriorEntryReader(entry: index + 1, zone: zone)
            losses += FormatLoss.losses(entry: index + 1, of: item, as: try reader.item(task))
            losses += aside
        }
        writer.append(raw: items.isEmpty ? "]\n" : "\n]\n")
        return FormatWriting(writer.bytes, losses: losses)
    }
}

/// The file `todo.txt`: a to-do a line, as far as a line goes.
///
/// | ours | theirs |
/// |---|---|
/// | completed, cancelled | `x ` at the beginning, then the day of completion |
/// | created | a day before the title |
/// | priority high, medium, low | `(A)`, `(B)`, `(C)`; `pri:A` once done |
/// | project | the first `+Word`; blanks become `_` |
/// | tags | `@word`; blanks become `_`; a second `+Word` is read as a tag |
/// | due, wait | `due:2026-12-01`, `t:2026-12-01`; times of day are left out |
/// | repeats | `rec:1w` after completion, `rec:+1w` from due |
/// | custom fields | `key:value`, where neither has blanks |
/// | id | `id:`, so that what we wrote is known again |
///
/// There is no way to write a title that holds such words itself, so each export is read again, and
/// whatever differs is told as a loss.
package struct TodoTextFormat: Sendable {
    static let name = "todo.txt"

    /// The zone in which days begin.
    let zone: LocalTimeZone

    /// Reads and writes days of `zone`.
    package init(zone: LocalTimeZone) {
        self.zone = zone
    }

    /// Reads a file; empty lines are passed over.
    ///
    /// - Throws: `cannotDecode` for the file; bad lines are among the faults.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var builder = ReadingBuilder(Self.name)
        var identifiers = DerivedIdentifiers(Self.name)
        var lines = TextLines(bytes)
        while let line = lines.next() {
            if line.bytes.allSatisfy({ $0 == 32 || $0 == 9 }) { continue }
            var remarks: [FormatLoss] = []
            try builder.add(line: line.number) { entry, losses throws(FormatFault) in
                var reader = TodoTextReader(entry: entry, zone: zone)
                guard line.bytes.count <= FormatLimits.entryByteCountMax else {
                    throw reader.fault(nil, FormatLimits.entryTooLong)
                }
                guard let text = String(validating: line.bytes, as: UTF8.self) else {
                    throw reader.fault(nil, "is not UTF-8")
                }
                var item = try reader.item(text)
                losses += reader.losses
                remarks = reader.remarks
                if item.identifier == nil {
                    item.identifier = identifiers.next([
                        .text(item.title), .text(item.project),
                        .text(item.created.map { String($0) } ?? ""),
                    ])
                }
                return item
            }
            builder.addRemarks(remarks)
        }
        return builder.reading
    }

    /// How lines are known again.
    package var echo: FormatEcho {
        FormatEcho(forms: { item in
            var reader = TodoTextReader(entry: 0, zone: zone)
            return (try? reader.item(TodoTextWriter(item, zone: zone).line)).map { [$0] } ?? []
        })
    }

    /// What of an item a line does not give back.
    private static func losses(
        of item: ToDoItem, _ line: String, entry: Int, zone: LocalTimeZone
    ) -> [FormatLoss] {
        var reader = TodoTextReader(entry: entry, zone: zone)
        do throws(FormatFault) {
            return FormatLoss.losses(entry: entry, of: item, as: try reader.item(line))
        } catch {
            let reason = "the line cannot be read again: \(error.key ?? "it") \(error.reason)"
            return [FormatLoss(entry: entry, title: item.title, field: "title", reason: reason)]
        }
    }

    /// Writes a file.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        var bytes: [UInt8] = []
        var losses: [FormatLoss] = []
        for (index, item) in items.enumerated() {
            let line = TodoTextWriter(item, zone: zone).line
            bytes.append(contentsOf: line.utf8)
            bytes.append(UInt8(ascii: "\n"))
            losses += Self.losses(of: item, line, entry: index + 1, zone: zone)
        }
        return FormatWriting(bytes, losses: losses)
    }
}

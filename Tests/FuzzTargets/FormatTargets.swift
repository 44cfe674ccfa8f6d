import Core
import ToDo

extension FuzzTargets {
    /// Saturday 21 November 2026, 05:34:07 UTC.
    static let now: Int64 = 1_795_239_247_000

    /// Central European time without any file.
    static let zone = (try? LocalTimeZone(rule: "CET-1CEST,M3.5.0,M10.5.0/3")) ?? .utc

    /// The importers, a target each: a new format has one as soon as it is in the list of formats.
    static let formats = ToDoFormats.all.map { format in
        FuzzTarget(
            "import-" + format.profile.name, byteCountMax: 8192, decoders: decoders(of: format)
        ) { bytes in
            try importFile(bytes, as: format)
        }
    }

    /// The source files of a format: the reading half.
    private static func decoders(of format: any ToDoFormat.Type) -> [String] {
        let names: [String] =
            switch "\(format)" {
            case "JSONLinesFormat": ["JSONLines/JSONLinesFormat"]
            case "TaskwarriorFormat":
                [
                    "Taskwarrior/TaskwarriorEntryReader", "Taskwarrior/AnnotationNotes",
                    "Taskwarrior/TaskwarriorSeries", "JSONLines/JSONLinesFormat",
                ]
            case "ICalendarFormat":
                [
                    "ICalendar/ICalendarLines", "ICalendar/ICalendarParser",
                    "ICalendar/ICalendarStream", "ICalendar/ICalendarItemReader",
                    "ICalendar/ICalendarRule", "ICalendar/ICalendarZones",
                ]
            case "TodoTextFormat": ["TodoTxt/TodoTextReader"]
            case "CSVFormat": ["CSV/CSVText"]
            case "TodoistFormat": ["Todoist/TodoistFormat", "Todoist/TodoistDate"]
            case "ChronoListFormat":
                ["ChronoList/BinaryPropertyList", "ChronoList/XMLPropertyList"]
            default: []
            }
        return names.map { "Sources/ToDo/Formats/\($0).swift" }
    }

    private static func importFile(_ bytes: [UInt8], as format: any ToDoFormat.Type) throws {
        var settings = FormatSettings(zone: zone, now: now)
        settings.fileName = "Work [1].csv"
        let format = try format.init(settings)
        let reading: FormatReading
        do throws(FormatFault) {
            reading = try format.read(bytes)
        } catch {
            let words = "\(error)"
            try promise(
                !words.isEmpty && words.utf8.count < 1000, "a fault of \(words.count) bytes")
            return
        }
        try promise(
            reading.items.count <= bytes.count, "more to-dos than there are bytes")
        try readPieces(of: bytes, by: format)
        for fault in reading.faults {
            try promise(!"\(fault)".isEmpty, "a fault without words")
        }
        // What was read can be written, in this format if it is written at all and in our own.
        _ = try? format.encode(reading.items)
        try roundTrip(reading.items)
    }

    /// Reads a file in two pieces, where a format can.
    private static func readPieces(of bytes: [UInt8], by format: any ToDoFormat) throws {
        guard var stream = format.stream() else { return }
        var itemCount = 0
        do throws(FormatFault) {
            for piece in [bytes[..<(bytes.count / 2)], bytes[(bytes.count / 2)...]] {
                try stream.add(piece)
                itemCount += stream.take().items.count
            }
            try stream.finish()
        } catch {
            return
        }
        itemCount += stream.take().items.count
        try promise(itemCount <= bytes.count, "more to-dos in pieces than there are bytes")
    }

    /// Our own format keeps everything that another one could say.
    private static func roundTrip(_ items: [ToDoItem]) throws {
        let written = JSONLinesFormat.encode(items).bytes
        let again = try JSONLinesFormat.decode(written)
        for (old, new) in zip(items, again.items) where old != new {
            try promise(false, "\(old) reads as \(new)")
        }
        try promise(
            again.faults.isEmpty && again.items.count == items.count,
            "\(items.count) to-dos written, \(again.items.count) read: \(again.faults)")
    }
}
